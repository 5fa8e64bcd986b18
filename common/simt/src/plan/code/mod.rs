//! The plan as data: flat code, the records that its operations refer to, and what a warp needs to run it.
//!
//! Nothing here knows the passes that make or change a plan.

pub(crate) mod access;
pub(crate) mod affine;
pub(crate) mod effects;
pub(crate) mod operands;
pub(crate) mod operation;
pub(crate) mod records;
pub(crate) mod superinstruction;
mod visit;

use access::{Access, AtomicAccess, Footprint, Group};
use affine::AffineVectors;
use effects::MemoryEffects;
use operands::Addr;
use operation::Op;
use records::{
    AsyncPlan, BarrierOp, CallOp, CopyPlan, FunctionPlan, LoopInfo, MatrixLoad, MatrixPlan, PrintOp,
    ShuffleOp, SurfaceOp, TextureRead,
};
use simt_ir::{GlobalIndex, Location};
use std::sync::Arc;
use superinstruction::{Chain, Move};

/// What the counters call an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// Mask bookkeeping that a device does not execute.
    None,
    FFma,
    FAdd,
    FMul,
    DFma,
    DAdd,
    DMul,
    Special,
    Integer,
    /// A product of matrices.
    Matrix,
    Branch,
    Other,
}

/// A kernel as flat code, and what a warp needs to run it.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) code: Vec<Op>,
    pub(crate) locations: Vec<Option<Location>>,
    pub(crate) classes: Vec<Class>,
    /// By operation: a number that it shares with the others that were one before the code was laid out.
    pub(crate) origins: Vec<u32>,
    pub(crate) loads: Vec<Access>,
    pub(crate) stores: Vec<Access>,
    pub(crate) atomics: Vec<AtomicAccess>,
    pub(crate) textures: Vec<TextureRead>,
    pub(crate) surfaces: Vec<SurfaceOp>,
    pub(crate) shuffles: Vec<ShuffleOp>,
    pub(crate) matrices: Vec<MatrixPlan>,
    pub(crate) matrix_loads: Vec<MatrixLoad>,
    pub(crate) copies: Vec<CopyPlan>,
    pub(crate) asyncs: Vec<AsyncPlan>,
    pub(crate) barriers: Vec<BarrierOp>,
    pub(crate) prints: Vec<PrintOp>,
    pub(crate) calls: Vec<CallOp>,
    pub(crate) functions: Vec<FunctionPlan>,
    pub(crate) addresses: Vec<Addr>,
    pub(crate) loops: Vec<LoopInfo>,
    pub(crate) vectors: AffineVectors,
    pub(crate) footprints: Vec<Footprint>,
    pub(crate) groups: Vec<Group>,
    /// Operations on the uniform file that compute indices of groups of which it is known ahead where they lie: executed
    /// when one of their accesses goes the long way, whenever that is.
    pub(crate) deferred: Vec<Op>,
    pub(crate) chains: Vec<Chain>,
    pub(crate) moves: Vec<Move>,
    /// Initial uniform file: block index, constants, zeros.
    pub(crate) uniforms: Vec<u64>,
    /// Uniform slots with a constant for each warp of a block, which nobody writes.
    pub(crate) by_warp: Vec<(u32, Arc<[u64]>)>,
    /// Sizes of the files.
    pub(crate) masks: u32,
    pub(crate) lanes32: u32,
    pub(crate) lanes64: u32,
    /// Uniform slots likewise (not block index or constants).
    pub(crate) zero_uniforms: Vec<u32>,
    /// Slots that may be read before they are written, and so must start as zero.
    pub(crate) zero32: Vec<u32>,
    pub(crate) zero64: Vec<u32>,
    pub(crate) zero_masks: Vec<u32>,
    pub(crate) effects: MemoryEffects,
    /// Module variables in global memory: index, and number of the buffer.
    pub(crate) device_globals: Vec<(GlobalIndex, u32)>,
    /// Whether shared memory is accessed by less than four bytes anywhere.
    pub(crate) narrow: bool,
}

impl Plan {
    /// The operation at `pc` as it was before a chain or a move took its place.
    #[inline(always)]
    pub(crate) fn plain(&self, pc: u32) -> Op {
        match self.code[pc as usize] {
            Op::Chain(chain) => self.chains[chain as usize].first,
            Op::Move(number) => self.moves[number as usize].first,
            op => op,
        }
    }
}
