//! The plan: a kernel compiled, for one launch, from structured IR to flat code over a warp's register file.
//!
//! Launch dimensions and arguments are known then, so they are constants here, and so is whether `threadIdx.y` is the
//! same in a whole warp. Registers that are the same in all lanes ([`uniform`]) live once a warp.

pub(crate) mod analysis;
mod operands;
mod select;
#[cfg(test)]
mod tests;
pub(crate) mod transform;

use crate::launch::{Ahead, Launch};
use crate::value::{Alu, Una};
use analysis::access_groups::Group;
use analysis::affine::Patterns;
use analysis::{access_groups, provenance, uniform};
use select::{flatten, link};
use simt_ir::{
    AsyncOp, AtomicOp, Boundary, CompareOp, Constant, Conversion, ElementType, GlobalIndex, IndexKind,
    Kernel, Location, MathFunction, MatrixOp, Module, ReduceMode, ShuffleMode, TextureShape, Type, VoteMode,
};
use std::ops::Range;
use std::sync::Arc;
use transform::copy_runs::Move;
use transform::fma_reductions::Chain;
use transform::{copy_runs, dce, fma_reductions, specialize, unroll};

/// No target.
pub(crate) const NONE: u32 = u32::MAX;
/// Mask slots that hold the constants false and true.
pub(crate) const FALSE: u32 = 0;
pub(crate) const TRUE: u32 = 1;
/// First slots of the 32-bit lane file: `threadIdx` by axis, then the lane's index.
pub(crate) const TID: u32 = 0;
pub(crate) const LANE: u32 = 3;
/// First slots of the uniform file: `blockIdx` by axis.
pub(crate) const BLOCK_INDEX: u32 = 0;
const AXES: Range<u32> = BLOCK_INDEX..BLOCK_INDEX + 3;

/// Where a value is: a slot of the lane file of its width, or of the uniform file (which holds constants too), or a slot of
/// the uniform file to which each lane adds its value of a [pattern].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Src {
    L(u32),
    U(u32),
    A(u32, u16),
}

/// How an access lies over the lanes of a warp, but for a part that is uniform: a pattern in bytes, and the bytes of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Footprint {
    pub(crate) pattern: u32,
    pub(crate) scale: u32,
    pub(crate) bytes: u32,
}

/// An address, resolved.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Addr {
    pub(crate) base: Src,
    pub(crate) index: Option<(Src, IndexKind)>,
    /// Added to a 32-bit index, modulo 2^32.
    pub(crate) plus: u32,
    pub(crate) scale: u64,
    pub(crate) offset: u64,
}

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

/// An instruction of the flat code. `target`s are program counters.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Op {
    Alu32 {
        op: Alu,
        dst: Src,
        a: Src,
        b: Src,
    },
    Alu64 {
        op: Alu,
        dst: Src,
        a: Src,
        b: Src,
    },
    Una32 {
        op: Una,
        dst: Src,
        a: Src,
    },
    Una64 {
        op: Una,
        dst: Src,
        a: Src,
    },
    Fma32 {
        dst: Src,
        a: Src,
        b: Src,
        c: Src,
    },
    Fma64 {
        dst: Src,
        a: Src,
        b: Src,
        c: Src,
    },
    Cmp32 {
        op: CompareOp,
        float: bool,
        dst: u32,
        a: Src,
        b: Src,
    },
    Cmp64 {
        op: CompareOp,
        float: bool,
        dst: u32,
        a: Src,
        b: Src,
    },
    Sel32 {
        dst: Src,
        cond: u32,
        a: Src,
        b: Src,
    },
    Sel64 {
        dst: Src,
        cond: u32,
        a: Src,
        b: Src,
    },
    Mov32 {
        dst: Src,
        src: Src,
    },
    Mov64 {
        dst: Src,
        src: Src,
    },
    /// `dst = (a & b) ^ flip` on masks with `Mask::And`, and so on.
    Mask {
        op: MaskOp,
        dst: u32,
        a: u32,
        b: u32,
        c: u32,
    },
    MaskToI32 {
        dst: Src,
        src: u32,
    },
    Conv {
        op: Conversion,
        dst: Src,
        src: Src,
    },
    Math32 {
        function: MathFunction,
        dst: Src,
        a: Src,
        b: Src,
        c: Src,
    },
    Math64 {
        function: MathFunction,
        dst: Src,
        a: Src,
        b: Src,
        c: Src,
    },
    Offset {
        dst: Src,
        addr: u32,
    },
    ActiveMask {
        dst: Src,
    },
    /// Goes on at `to`: nobody needs what the operations before that compute.
    Skip {
        to: u32,
    },
    /// A sum of products, in place of its first operation: index into the chains.
    Chain(u32),
    /// Loads and stores of what they have loaded, in place of the first of them: index into the moves.
    Move(u32),
    /// As `Fma32`, all in the lane file.
    FmaLanes {
        dst: u32,
        a: u32,
        b: u32,
        c: u32,
    },
    /// As `Fma32` with a uniform factor.
    FmaUniform {
        dst: u32,
        a: u32,
        b: u32,
        c: u32,
    },
    Load(u32),
    /// As `Load` of one word to the lane file, by a member of a group that does not lead it.
    Fetch {
        dst: u32,
        load: u32,
        group: u32,
        distance: i32,
    },
    /// The same to the uniform file.
    FetchUniform {
        dst: u32,
        load: u32,
        group: u32,
        distance: i32,
    },
    Store(u32),
    Atomic(u32),
    Texture(u32),
    Surface(u32),
    Shuffle(u32),
    Matrix(u32),
    LoadMatrix(u32),
    AsyncCopy(u32),
    Async(u32),
    /// Waits for a phase: index into the asynchronous operations.
    Await(u32),
    Vote {
        mode: VoteMode,
        dst: Src,
        predicate: u32,
        members: Src,
    },
    Barrier(u32),
    WarpBarrier {
        members: Src,
    },
    Fence,
    Clock {
        dst: Src,
    },
    Assert {
        condition: u32,
        message: u32,
    },
    /// `declared` is a location.
    HasValue {
        condition: u32,
        declared: u32,
        stops: bool,
    },
    Print(u32),
    Trap,
    /// The address of a local array (0-based) of the innermost frame.
    FrameAddress {
        dst: Src,
        array: u32,
    },
    Call(u32),
    BadCall {
        pointer: Src,
    },
    /// The end of a function.
    Back,
    If {
        condition: u32,
        other: u32,
        target: u32,
    },
    Else {
        other: u32,
        target: u32,
    },
    EndIf {
        other: u32,
        target: u32,
    },
    LoopEnter {
        out: u32,
        again: u32,
    },
    LoopTest {
        condition: u32,
        out: u32,
        target: u32,
    },
    LoopStep {
        again: u32,
        target: u32,
    },
    LoopBack {
        target: u32,
        info: u32,
    },
    Leave {
        out: u32,
        target: u32,
    },
    ScopeEnter {
        out: u32,
    },
    Break {
        out: u32,
        target: u32,
    },
    Continue {
        again: u32,
        target: u32,
    },
    Return {
        target: u32,
    },
    Exit,
}

impl Op {
    /// Where it may go on instead of at the next instruction.
    fn target(mut self) -> Option<u32> {
        self.target_mut().copied()
    }

    fn target_mut(&mut self) -> Option<&mut u32> {
        match self {
            Op::If { target, .. }
            | Op::Else { target, .. }
            | Op::EndIf { target, .. }
            | Op::LoopTest { target, .. }
            | Op::LoopStep { target, .. }
            | Op::LoopBack { target, .. }
            | Op::Leave { target, .. }
            | Op::Break { target, .. }
            | Op::Continue { target, .. }
            | Op::Return { target } => Some(target),
            _ => None,
        }
    }

    /// Makes it go on there, if it may go on anywhere but at the next instruction.
    fn set_target(&mut self, to: u32) {
        self.target_mut().into_iter().for_each(|target| *target = to);
    }

    /// The register that it writes, of one that does nothing else; a mask counts as none of the uniform file.
    fn register(&self) -> Option<Src> {
        match *self {
            Op::Alu32 { dst, .. }
            | Op::Alu64 { dst, .. }
            | Op::Una32 { dst, .. }
            | Op::Una64 { dst, .. }
            | Op::Fma32 { dst, .. }
            | Op::Fma64 { dst, .. }
            | Op::Sel32 { dst, .. }
            | Op::Sel64 { dst, .. }
            | Op::Mov32 { dst, .. }
            | Op::Mov64 { dst, .. }
            | Op::MaskToI32 { dst, .. }
            | Op::Conv { dst, .. }
            | Op::Math32 { dst, .. }
            | Op::Math64 { dst, .. }
            | Op::Offset { dst, .. }
            | Op::ActiveMask { dst } => Some(dst),
            Op::Cmp32 { dst, .. } | Op::Cmp64 { dst, .. } | Op::Mask { dst, .. } => Some(Src::L(dst)),
            _ => None,
        }
    }

    /// Whether it may change which lanes are active, or where the warp goes on.
    pub(crate) fn is_control(&self) -> bool {
        matches!(
            self,
            Op::Barrier(_)
                | Op::Await(_)
                | Op::Call(_)
                | Op::Back
                | Op::If { .. }
                | Op::Else { .. }
                | Op::EndIf { .. }
                | Op::LoopEnter { .. }
                | Op::LoopTest { .. }
                | Op::LoopStep { .. }
                | Op::LoopBack { .. }
                | Op::Leave { .. }
                | Op::ScopeEnter { .. }
                | Op::Break { .. }
                | Op::Continue { .. }
                | Op::Return { .. }
                | Op::Exit
        )
    }
}

/// Operations on lane masks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MaskOp {
    Copy,
    Not,
    And,
    Or,
    Xor,
    Equal,
    /// `a ? b : c`.
    Select,
}

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

/// A loop, for the diagnosis of one that does not end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LoopInfo {
    /// Whether it polls: an atomic or volatile access is in it.
    pub(crate) polls: bool,
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
    pub(crate) patterns: Patterns,
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
    pub(crate) reach: provenance::Reach,
    /// Module variables in global memory: index, and number of the buffer.
    pub(crate) device_globals: Vec<(GlobalIndex, u32)>,
    /// Whether shared memory is accessed by less than four bytes anywhere.
    pub(crate) narrow: bool,
}

/// Compiles a validated kernel for a checked launch. `global` gives the pointer constant of a module variable.
pub(crate) fn compile(
    module: &Module,
    kernel: &Kernel,
    launch: &Launch,
    ahead: Ahead,
    global: &dyn Fn(GlobalIndex) -> u64,
) -> Plan {
    let linked = link::link(kernel);
    let reach = provenance::analyse(&linked, &launch.args);
    let (mut varying, patterns) = uniform::analyse(&linked.kernel, launch, ahead, &reach);
    linked.functions.iter().for_each(|function| varying.function(&linked.kernel, function));
    let mut plan = flatten::Flatten::new(module, &linked, launch, global, varying, patterns, reach).run();
    plan.origins = (0..plan.code.len() as u32).collect();
    if ahead == Ahead::AllWays || ahead == Ahead::Ways && unroll::is_worth_it(launch) {
        unroll::straighten(&mut plan, launch);
    }
    if ahead >= Ahead::Accesses {
        access_groups::find(&mut plan);
    }
    specialize::replace(&mut plan);
    if ahead >= Ahead::Accesses {
        let mut idle = dce::idle(&mut plan);
        dce::settle(&mut plan, &mut idle);
        fma_reductions::find(&mut plan, &idle);
        dce::skip(&mut plan, &idle);
        copy_runs::find(&mut plan);
    }
    plan
}

/// The bits of a constant, and for a truth value 0 or 1.
pub(crate) fn constant_bits(constant: Constant) -> u64 {
    match constant {
        Constant::Bool(v) => u64::from(v),
        Constant::I32(v) | Constant::F32(v) => u64::from(v),
        Constant::I64(v) | Constant::F64(v) | Constant::Ptr(v) => v,
    }
}
