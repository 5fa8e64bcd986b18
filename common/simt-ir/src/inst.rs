//! Instructions.

use crate::{
    ArgumentIndex, AsyncOp, BinaryOp, CompareOp, Conversion, ElementType, FunctionIndex, GlobalIndex,
    LocalIndex, Location, MathFunction, MatrixOp, Operand, ParamIndex, Reg, SharedIndex, StringIndex, Type,
    UnaryOp,
};
use smallvec::SmallVec;

/// One instruction: what it does, and the source position it came from.
#[derive(Clone, Debug, PartialEq)]
pub struct Inst {
    /// What it does.
    pub kind: InstKind,
    /// Where it came from.
    pub location: Location,
}

/// Where a memory instruction points: `base + index·scale + offset`, in bytes, all moved within `base`'s allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Address {
    /// A `Ptr`.
    pub base: Operand,
    /// An element index, if any.
    pub index: Option<Index>,
    /// Constant bytes.
    pub offset: i64,
}

/// The variable part of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Index {
    /// `I32` or `I64`, by `kind`.
    pub value: Operand,
    /// How the value is widened to 64 bits.
    pub kind: IndexKind,
    /// Bytes for each step of the index.
    pub scale: u32,
}

/// How an index becomes a 64-bit byte count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IndexKind {
    /// An `I32`, sign-extended.
    Signed32,
    /// An `I32`, zero-extended.
    Unsigned32,
    /// An `I64`.
    Wide,
}

/// How a load may be cached; it changes counters only, never the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CacheOp {
    /// As the device does by default.
    Default,
    /// Through the read-only path (`__ldg`).
    ReadOnly,
    /// `volatile`: neither merged nor removed by any pass.
    Volatile,
}

/// The registers that an access loads, mostly one: in the instruction itself.
pub type RegList = SmallVec<[Reg; 4]>;

/// The values that an access stores; one is in the instruction itself.
pub type OperandList = SmallVec<[Operand; 1]>;

/// What an instruction does. Operand types are as said; the validator checks them.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)] // Each variant's page says what its fields are.
pub enum InstKind {
    /// `dst = src`, same type.
    Copy { dst: Reg, src: Operand },
    /// `dst = op src`.
    Unary { dst: Reg, op: UnaryOp, src: Operand },
    /// `dst = lhs op rhs`; both operands of `dst`'s type (shift counts too).
    Binary { dst: Reg, op: BinaryOp, lhs: Operand, rhs: Operand },
    /// `dst = a·b + c` with one rounding; `F32` or `F64`.
    Fma { dst: Reg, a: Operand, b: Operand, c: Operand },
    /// `dst: Bool = lhs op rhs`; both operands of type `ty`.
    Compare { dst: Reg, op: CompareOp, ty: Type, lhs: Operand, rhs: Operand },
    /// `dst = condition ? on_true : on_false`; both sides are evaluated already.
    Select { dst: Reg, condition: Operand, on_true: Operand, on_false: Operand },
    /// `dst = op(src)`.
    Convert { dst: Reg, op: Conversion, src: Operand },
    /// A function of the CUDA math library; argument count and types by [`MathFunction`].
    Math { dst: Reg, function: MathFunction, args: OperandList },
    /// `dst: I32 =` a built-in index, size or lane value.
    Special { dst: Reg, value: Special },
    /// `dst =` the kernel's parameter, of its memory type's register type.
    Param { dst: Reg, index: ParamIndex },
    /// `dst: Ptr =` the first byte of a variable.
    AddressOf { dst: Reg, variable: VariableRef },
    /// `dst: Ptr =` the address.
    Offset { dst: Reg, address: Address },
    /// Loads `dst.len()` (1, 2 or 4) consecutive elements as one access, aligned to its whole size.
    Load { dst: RegList, ty: ElementType, address: Address, cache: CacheOp },
    /// Stores `src.len()` (1, 2 or 4) consecutive elements as one access, aligned to its whole size.
    Store { src: OperandList, ty: ElementType, address: Address, volatile: bool },
    /// Atomic read-modify-write of one element; `dst` gets the old value. Lanes that meet at one address act in lane
    /// order, blocks in block order. `ty` is one of I32, I64, F32, F64; `compare` is for [`AtomicOp::CompareSwap`] alone.
    Atomic {
        dst: Option<Reg>,
        op: AtomicOp,
        ty: ElementType,
        address: Address,
        value: Operand,
        compare: Option<Operand>,
    },
    /// Reads a texture object (an `I64` handle): `dst.len()` channels, each of `ty` (F32, or I32 for unfiltered integers).
    Texture { dst: RegList, texture: Operand, fetch: TextureFetch, ty: Type },
    /// `dst: Ptr =` where a surface object (an `I64` handle) has the element at byte `at[0]` of row `at[1]` of slice, layer or
    /// face `at[2]` (`I32`, as many as the shape has). An access of `bytes` outside of the surface is a diagnosed error, or
    /// takes the nearest inside, or makes `inside` (Bool) false, by `boundary`.
    Surface {
        dst: Reg,
        inside: Reg,
        surface: Operand,
        shape: TextureShape,
        at: [Operand; 3],
        bytes: u32,
        boundary: Boundary,
    },
    /// Exchanges `value` (any type but Bool) between the lanes named by `members` (`I32`); see [`ShuffleMode`].
    /// `width` (`I32`): 2, 4, 8, 16 or 32 lanes a segment. A source lane that is inactive is a diagnosed error.
    Shuffle { dst: Reg, mode: ShuffleMode, value: Operand, lane: Operand, width: Operand, members: Operand },
    /// Combines `predicate` (Bool) over the lanes named by `members` (`I32`).
    Vote { dst: Reg, mode: VoteMode, predicate: Operand, members: Operand },
    /// `__syncthreads()`. All threads of the block must reach the same barrier. With a reduction, `dst: I32` gets it.
    Barrier { reduce: Option<BarrierReduce> },
    /// `this_grid().sync()`: all threads of the launch must come to such a barrier, though not to the same one, and what any of
    /// them did before is ordered before what any does afterwards. In a cooperative launch only: a diagnosed error elsewhere.
    GridBarrier,
    /// `__syncwarp(members)`: orders memory among the lanes named.
    WarpBarrier { members: Operand },
    /// A warp's work on matrices; see [`MatrixOp`]. All 32 lanes of the warp must run it together.
    Matrix { dst: RegList, op: MatrixOp, args: OperandList },
    /// Loads `dst.len()` (1, 2 or 4) matrices of 8 x 8 elements of 16 bits from shared memory (`ldmatrix`): lane `8 m + r`
    /// has the address of row `r` of matrix `m`, 16 bytes aligned to 16. `I32` results as [`MatrixOp::Transpose`] has them,
    /// of the transposed matrices if `transpose`. All 32 lanes of the warp must run it together.
    LoadMatrix { dst: RegList, address: Address, transpose: bool },
    /// Begins to copy `bytes` (4, 8 or 16) from global to shared memory, both aligned to as many: `used` (`I32`) of them,
    /// then zeros. See [`AsyncOp`].
    AsyncCopy { to: Address, from: Address, bytes: u32, used: Operand },
    /// Groups of asynchronous copies, and barriers; see [`AsyncOp`].
    Async { dst: Option<Reg>, op: AsyncOp, args: OperandList },
    /// `__threadfence*`: orders memory; no effect on values here.
    Fence,
    /// `dst: I64 =` the count of instructions this warp has executed: a clock that only grows.
    Clock { dst: Reg },
    /// Stops the launch with a diagnosis if `condition` (Bool) is false in an active lane.
    Assert { condition: Operand, message: StringIndex },
    /// Diagnoses the active lanes in which `condition` (Bool) is false: the next instruction or construct uses a variable that
    /// got no value on the way there. `declared`: where it is declared. `stops`: whether that stops the launch, because the
    /// next instruction cannot go well; else it is a warning.
    HasValue { condition: Operand, declared: Location, stops: bool },
    /// Device `printf`; arguments promoted as C does.
    Print { format: StringIndex, args: OperandList },
    /// Stops the launch with a diagnosis (`__trap`).
    Trap,
    /// Stops the launch with a diagnosis: a call through `pointer` (`I64`), which is the number of no function; 0 is null.
    BadCall { pointer: Operand },
    /// Runs a function of the kernel with the active lanes in a frame of its own: registers that start as zero, and local arrays. `args` are of the types of its parameters, `dst` of its results.
    Call { dst: RegList, function: FunctionIndex, args: OperandList },
    /// `dst =` an argument of the call at hand. In functions only.
    Argument { dst: Reg, index: ArgumentIndex },
    /// What the call at hand gives, in the active lanes; the last one executed counts. In functions only.
    Result { values: OperandList },
}

/// The reduction of `__syncthreads_count/and/or`.
#[derive(Clone, Debug, PartialEq)]
pub struct BarrierReduce {
    /// `I32` result.
    pub dst: Reg,
    /// What is combined.
    pub mode: ReduceMode,
    /// Bool.
    pub predicate: Operand,
}

/// How a barrier combines predicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReduceMode {
    /// The number of threads whose predicate is true.
    Count,
    /// 1 if it is true in all threads, else 0.
    And,
    /// 1 if it is true in any thread, else 0.
    Or,
}

/// Built-in values, all `I32`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Special {
    /// `threadIdx`, by axis.
    ThreadIdx(Axis),
    /// `blockIdx`, by axis.
    BlockIdx(Axis),
    /// `blockDim`, by axis.
    BlockDim(Axis),
    /// `gridDim`, by axis.
    GridDim(Axis),
    /// The lane's index in its warp, 0 to 31.
    LaneId,
    /// The bit mask of the lanes that execute this instruction (`__activemask`).
    ActiveMask,
    /// 1 in a cooperative launch, else 0.
    Cooperative,
}

/// An axis of a grid or block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Axis {
    /// Fastest.
    X,
    /// Second.
    Y,
    /// Slowest.
    Z,
}

/// A variable that has an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VariableRef {
    /// A module's `__constant__` or `__device__` variable.
    Global(GlobalIndex),
    /// A shared variable.
    Shared(SharedIndex),
    /// A thread's local array.
    Local(LocalIndex),
}

/// Atomic operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AtomicOp {
    /// Sum; integers wrap, floats round.
    Add,
    /// Signed minimum.
    MinS,
    /// Signed maximum.
    MaxS,
    /// Unsigned minimum.
    MinU,
    /// Unsigned maximum.
    MaxU,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// The new value, whatever the old.
    Exchange,
    /// The new value if the old equals `compare`.
    CompareSwap,
    /// `old >= value ? 0 : old + 1` (`atomicInc`).
    IncrementWrap,
    /// `old == 0 || old > value ? value : old - 1` (`atomicDec`).
    DecrementWrap,
}

/// How a texture is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // Each variant's page says what its fields are.
pub enum TextureFetch {
    /// `tex1Dfetch`: element `x` (`I32`) of a linear texture; outside it reads 0.
    Element { x: Operand },
    /// Samples an array: as many `F32` coordinates of `at` as the shape has, and `layer` (`I32`) where it has an integer.
    Sample { shape: TextureShape, at: [Operand; 3], layer: Operand },
}

/// What a sample reads (CUDA C++ Programming Guide, texture functions).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextureShape {
    /// `tex1D(x)`.
    D1,
    /// `tex2D(x, y)`, of an array or of pitched memory.
    D2,
    /// `tex3D(x, y, z)`.
    D3,
    /// `tex1DLayered(x, layer)`.
    Layered1,
    /// `tex2DLayered(x, y, layer)`.
    Layered2,
    /// `texCubemap(x, y, z)`: a direction.
    Cube,
    /// `texCubemapLayered(x, y, z, layer)`.
    CubeLayered,
    /// `tex2Dgather(x, y)`: one component of the four texels that a linear filter would read; `layer` is the component.
    Gather,
}

impl TextureShape {
    /// How many coordinates it has.
    pub const fn coordinates(self) -> usize {
        match self {
            TextureShape::D1 | TextureShape::Layered1 => 1,
            TextureShape::D2 | TextureShape::Layered2 | TextureShape::Gather => 2,
            TextureShape::D3 | TextureShape::Cube | TextureShape::CubeLayered => 3,
        }
    }

    /// How many integers say where a surface's element is: bytes, row, and slice, layer or face.
    pub const fn integers(self) -> usize {
        match self {
            TextureShape::D1 => 1,
            TextureShape::D2 | TextureShape::Layered1 | TextureShape::Gather => 2,
            _ => 3,
        }
    }

    /// Whether it has an integer: the layer, or the component of a gather.
    pub const fn has_integer(self) -> bool {
        use TextureShape::*;
        matches!(self, Layered1 | Layered2 | CubeLayered | Gather)
    }
}

/// What an access outside of a surface does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Boundary {
    /// Stops the launch.
    Trap,
    /// Takes the nearest element.
    Clamp,
    /// Reads zero; a write is left out.
    Zero,
}

/// How a shuffle finds its source lane (CUDA C++ Programming Guide, warp shuffle functions).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ShuffleMode {
    /// From the lane of that index in the segment.
    Index,
    /// From that many lanes below; the lowest keep their own.
    Up,
    /// From that many lanes above; the highest keep their own.
    Down,
    /// From the lane whose index differs by exclusive or.
    Xor,
}

/// How a vote combines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VoteMode {
    /// `I32` mask of the lanes whose predicate is true.
    Ballot,
    /// Bool: true in any.
    Any,
    /// Bool: true in all.
    All,
}
