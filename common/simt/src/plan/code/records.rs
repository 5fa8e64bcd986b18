//! Operations with more operands than fit in the code: each is a record in a table of the plan.

use crate::plan::code::operands::{Addr, Src};
use simt_ir::{AsyncOp, Boundary, Location, MatrixOp, ReduceMode, ShuffleMode, TextureShape, Type};
use std::ops::Range;

#[derive(Clone, Copy, Debug)]
pub(crate) struct TextureRead {
    pub(crate) dst: [Src; 4],
    pub(crate) count: u32,
    pub(crate) texture: Src,
    pub(crate) at: [Src; 3],
    pub(crate) layer: Src,
    /// `None` for an element of a linear texture.
    pub(crate) shape: Option<TextureShape>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct SurfaceOp {
    pub(crate) dst: Src,
    /// Mask slot.
    pub(crate) inside: Src,
    pub(crate) surface: Src,
    pub(crate) at: [Src; 3],
    pub(crate) shape: TextureShape,
    pub(crate) bytes: u32,
    pub(crate) boundary: Boundary,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct ShuffleOp {
    pub(crate) dst: Src,
    pub(crate) wide: bool,
    pub(crate) mode: ShuffleMode,
    pub(crate) value: Src,
    pub(crate) lane: Src,
    pub(crate) width: Src,
    pub(crate) members: Src,
}

#[derive(Clone, Debug)]
pub(crate) struct MatrixPlan {
    pub(crate) op: MatrixOp,
    pub(crate) dst: Vec<Src>,
    pub(crate) args: Vec<Src>,
}

#[derive(Clone, Debug)]
pub(crate) struct MatrixLoad {
    pub(crate) dst: Vec<Src>,
    pub(crate) addr: Addr,
    pub(crate) transpose: bool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct CopyPlan {
    pub(crate) to: Addr,
    pub(crate) from: Addr,
    pub(crate) bytes: u32,
    pub(crate) used: Src,
}

#[derive(Clone, Debug)]
pub(crate) struct AsyncPlan {
    pub(crate) dst: Option<Src>,
    pub(crate) op: AsyncOp,
    pub(crate) args: Vec<Src>,
}

#[derive(Clone, Debug)]
pub(crate) struct BarrierOp {
    /// Destination, mode, mask slot of the predicate.
    pub(crate) reduce: Option<(Src, ReduceMode, u32)>,
    /// Whether it is a barrier of the whole grid.
    pub(crate) grid: bool,
    /// Mask slots in which lanes of an enclosing construct wait, with its position, innermost first.
    pub(crate) enclosing: Vec<(u32, Location)>,
}

/// A call: what goes into the callee's slots and what comes out of them, each with the register type.
#[derive(Clone, Debug)]
pub(crate) struct CallOp {
    pub(crate) function: u32,
    /// From the caller's slot (or a constant) to the callee's.
    pub(crate) args: Vec<(Type, Src, Src)>,
    /// From the callee's slot to the caller's.
    pub(crate) results: Vec<(Type, Src, Src)>,
    /// As in [`BarrierOp::enclosing`].
    pub(crate) enclosing: Vec<(u32, Location)>,
}

/// A function's place in the code and in the register files, which hold one frame: the innermost. A call inside it
/// saves that frame.
#[derive(Clone, Debug, Default)]
pub(crate) struct FunctionPlan {
    pub(crate) entry: u32,
    pub(crate) lanes32: Range<u32>,
    pub(crate) lanes64: Range<u32>,
    /// Of its Bool registers, and of its constructs.
    pub(crate) masks: [Range<u32>; 2],
    /// Slots that a call sets to zero.
    pub(crate) zero32: Vec<u32>,
    pub(crate) zero64: Vec<u32>,
    pub(crate) zero_masks: Vec<u32>,
    /// Local arrays of a frame: offset in it, bytes, name.
    pub(crate) locals: Vec<simt_ir::LocalArray>,
    /// Bytes of them, a multiple of 16.
    pub(crate) local_bytes: u32,
    /// Bytes of the thread's stack that a frame takes.
    pub(crate) stack_bytes: u32,
    /// Where it is declared.
    pub(crate) location: Option<Location>,
}

#[derive(Clone, Debug)]
pub(crate) struct PrintOp {
    pub(crate) format: u32,
    pub(crate) args: Vec<(simt_ir::Type, Src)>,
}

/// A loop, for the diagnosis of one that does not end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LoopInfo {
    /// Whether it polls: an atomic or volatile access is in it.
    pub(crate) polls: bool,
}
