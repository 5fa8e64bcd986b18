//! Loads, stores and atomics, and what is known of them before the launch.

use crate::plan::code::operands::{Addr, Src};
use simt_ir::{AtomicOp, ElementType, IndexKind};

#[derive(Clone, Copy, Debug)]
pub(crate) struct Access {
    /// Destinations of a load, sources of a store. Mask slots are [`Src::L`] where `ty` is Bool.
    pub(crate) regs: [Src; 4],
    pub(crate) count: u32,
    pub(crate) ty: ElementType,
    pub(crate) addr: Addr,
    /// Its footprint, or [`NONE`].
    pub(crate) footprint: u32,
    /// The uniform part of its index, if that is a constant of the launch.
    pub(crate) fixed: Option<u32>,
    /// Its group, or [`NONE`].
    pub(crate) group: u32,
    /// Whether it is the first of the group.
    pub(crate) leads: bool,
    /// Bytes from where the group begins.
    pub(crate) distance: i64,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct AtomicAccess {
    pub(crate) dst: Option<Src>,
    pub(crate) op: AtomicOp,
    pub(crate) ty: ElementType,
    pub(crate) addr: Addr,
    pub(crate) value: Src,
    pub(crate) compare: Option<Src>,
}

/// How an access lies over the lanes of a warp, but for a part that is uniform: a pattern in bytes, and the bytes of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Footprint {
    pub(crate) pattern: u32,
    pub(crate) scale: u32,
    pub(crate) bytes: u32,
}

impl Access {
    /// The destination of a load of one word.
    pub(crate) fn word(&self) -> Option<Src> {
        (self.count == 1 && matches!(self.ty, ElementType::I32 | ElementType::F32)).then_some(self.regs[0])
    }
}

/// Accesses that begin at one uniform address plus constants.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    /// Uniform slot of the base pointer, and the pointer if it is a constant of the launch.
    pub(crate) base: u32,
    pub(crate) pointer: Option<u64>,
    /// The index's uniform part at the first member, unless that is a constant, and the index's kind.
    pub(crate) index: Option<(Part, IndexKind)>,
    pub(crate) footprint: u32,
    pub(crate) scale: i64,
    /// The least and the greatest constant part of the members' indices.
    pub(crate) parts: [i64; 2],
    /// The least and the greatest of [`Access::distance`].
    pub(crate) distances: [i64; 2],
    /// The bits in which distances differ from the first.
    pub(crate) differences: i64,
    /// Program counters and distances of the members, in order.
    pub(crate) members: Vec<(u32, i64)>,
}

/// The uniform part of an index.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    /// A constant, which is in the distances.
    Zero,
    /// A slot of the uniform file.
    Slot(u32),
    /// The block's index by axis times constants, plus a constant for each warp; modulo 2^32. So no register is needed.
    Ahead { axes: [u32; 3], by_warp: Box<[u32]> },
}

impl Group {
    /// Whether it is known where it lies without any register.
    pub(crate) fn is_ahead(&self) -> bool {
        self.pointer.is_some() && matches!(self.index, Some((Part::Ahead { .. }, _)))
    }
}
