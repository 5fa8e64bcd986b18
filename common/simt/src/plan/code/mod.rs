//! The plan as data: flat code, the records that its operations refer to, and what a warp needs to run it.
//!
//! Nothing here knows the passes that make or change a plan. [`operation`] is the one table of operations.

pub(crate) mod access;
pub(crate) mod affine;
pub(crate) mod effects;
mod liveness;
pub(crate) mod numbers;
pub(crate) mod operands;
pub(crate) mod operation;
pub(crate) mod records;
pub(crate) mod roles;

use crate::index_vec::IndexVec;
use access::AccessShape;
use affine::AffineVectors;
use effects::MemoryEffects;
use numbers::{AccessShapeId, Pc};
use operands::{FileSizes, UniformFile, ZeroedSlots};
use operation::Op;
use records::{FunctionLayout, Records};
use simt_ir::{FunctionIndex, GlobalIndex, Location, SourceVariable};
use simt_prove::Proofs;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// What the counters call an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// Mask bookkeeping that a device does not execute.
    None,
    /// Follows undefined values, only in a launch with checks: neither the counters nor the clock know of it.
    Added,
    FFma,
    FAdd,
    FMul,
    DFma,
    DAdd,
    DMul,
    Special,
    /// A product of matrices.
    Matrix,
    Branch,
    /// Exchanges values among the lanes of a warp: a shuffle or a vote.
    Exchange,
    /// An access to shared memory that counts as one of so many bytes per lane: machine code makes it together with neighbours.
    Wide(u8),
    /// Such a neighbour, which counts no more.
    Merged,
    Other,
}

/// The threads that execute an operation together. What they have in common is planned once for all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Unit {
    /// Those of a warp.
    #[default]
    Warp,
    /// All of a block.
    Block,
}

/// A kernel as flat code, and what a warp or a block needs to run it.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    /// The threads that execute an operation together.
    pub(crate) unit: Unit,
    /// What values may be undefined because of, by number from 1.
    pub(crate) undefined: Vec<Arc<SourceVariable>>,
    pub(crate) code: IndexVec<Pc, Op>,
    pub(crate) locations: IndexVec<Pc, Option<Location>>,
    pub(crate) classes: IndexVec<Pc, Class>,
    /// How many operations before each one the clock counts; empty if it counts all of them.
    pub(crate) clock: IndexVec<Pc, u32>,
    pub(crate) records: Records,
    pub(crate) functions: IndexVec<FunctionIndex, FunctionLayout>,
    pub(crate) vectors: AffineVectors,
    pub(crate) shapes: IndexVec<AccessShapeId, AccessShape>,
    pub(crate) files: FileSizes,
    pub(crate) uniforms: UniformFile,
    pub(crate) zeroed: ZeroedSlots,
    pub(crate) effects: MemoryEffects,
    /// What is certain of its accesses; nothing if that was not asked for.
    pub(crate) proofs: Proofs,
    /// Whether a launch has been compared with the proofs, and went as they say.
    pub(crate) is_compared: AtomicBool,
    /// Where a kernel with volatile accesses polls.
    pub(crate) polling: BTreeSet<Location>,
    pub(crate) device_globals: Vec<DeviceGlobal>,
    /// Whether elements of less than a word of local memory are accessed.
    pub(crate) narrow_local: bool,
    /// Whether shared memory is accessed by less than four bytes anywhere.
    pub(crate) narrow_shared: bool,
    /// Whether global memory is written by less than four bytes anywhere. If not, a read of less than a word overlaps each write of
    /// its word.
    pub(crate) narrow_global: bool,
}

/// A module variable in global memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DeviceGlobal {
    pub(crate) global: GlobalIndex,
    /// Number of the buffer that holds it.
    pub(crate) buffer: u32,
}

impl Plan {
    /// Has the clock count the operations of the program only.
    pub(crate) fn set_clock(&mut self) {
        if !self.classes.iter().any(|class| *class == Class::Added) {
            return;
        }
        let before = self.classes.iter().scan(0, |count, class| {
            let before = *count;
            *count += u32::from(*class != Class::Added);
            Some(before)
        });
        self.clock = before.collect();
    }

    /// What the clock counts from one operation up to, without, another one that control has come to from there.
    #[inline(always)]
    pub(crate) fn clock_between(&self, from: Pc, to: Pc) -> u64 {
        let count = if self.clock.is_empty() { to.since(from) } else { self.clock[to] - self.clock[from] };
        u64::from(count)
    }
}
