//! The table of instructions.
//!
//! [`InstKind`] and everything that treats all instructions alike comes from this one table: the enum itself, the visitors of
//! operands, registers and addresses (`visit.rs`), the properties that passes ask for (`properties.rs`), and the textual
//! form. An entry is
//!
//! ```text
//! /// What it means; the page of the variant.
//! Name { field: Type, … } = PROPERTIES, "textual form with {field} and {extra}", extra = VALUE;
//! ```
//!
//! What a field is follows from its type: a [`Reg`] is written, an [`Operand`] is read, the operands of an [`Address`] are read,
//! and lists, options and structures of these are what they contain (`visit.rs`). All other types are constants of the
//! instruction. Operands are visited in the order of the fields. The properties may depend on the fields. The textual form
//! comes after the registers written and ` = `; `text.rs` prints its parts.

use crate::properties::*;
use crate::text::{after_comma, elements, flag, snake, type_of};
use crate::{
    AccessOrder, Address, ArgumentIndex, AsyncOp, AtomicOp, BarrierReduce, BinaryOp, BoundaryMode, CacheOp,
    CompareOp, Conversion, ElementType, FenceOrder, FunctionIndex, Location, MathFunction, MatrixOp,
    MemoryScope, ObjectPart, Operand, OperandList, ParamIndex, Reg, RegList, ScopedOrder, ShuffleMode,
    SourceVariable, Special, StringIndex, SurfacePlace, TextureFetch, Type, UnaryOp, VariableRef, VoteMode,
};
use std::sync::Arc;

/// One instruction: what it does, and the source position it came from.
#[derive(Clone, Debug, PartialEq)]
pub struct Inst {
    /// What it does.
    pub kind: InstKind,
    /// Where it came from.
    pub location: Location,
}

instructions! {
    /// `dst = src`, same type.
    Copy { dst: Reg, src: Operand } = PURE, "{src}";

    /// `dst =` zero, which is undefined: what the variable holds where it is declared without a value.
    Undefined { dst: Reg, variable: Arc<SourceVariable> } = PURE, "undefined.{ty} {variable}", ty = type_of(dst);

    /// `dst = op src`.
    Unary { dst: Reg, op: UnaryOp, src: Operand } = PURE, "{op}.{ty} {src}", ty = type_of(dst);

    /// `dst = lhs op rhs`; both operands of `dst`'s type (shift counts too).
    Binary { dst: Reg, op: BinaryOp, lhs: Operand, rhs: Operand }
        = op.properties(rhs), "{op}.{ty} {lhs}, {rhs}", ty = type_of(dst);

    /// `dst = a·b + c` with one rounding; `F32` or `F64`.
    Fma { dst: Reg, a: Operand, b: Operand, c: Operand } = PURE, "fma.{ty} {a}, {b}, {c}", ty = type_of(dst);

    /// `dst: Bool = lhs op rhs`; both operands of type `ty`.
    Compare { dst: Reg, op: CompareOp, ty: Type, lhs: Operand, rhs: Operand } = PURE, "{op}.{ty} {lhs}, {rhs}";

    /// `dst = condition ? on_true : on_false`; both sides are evaluated already.
    Select { dst: Reg, condition: Operand, on_true: Operand, on_false: Operand }
        = PURE, "select.{ty} {condition}, {on_true}, {on_false}", ty = type_of(dst);

    /// `dst = op(src)`.
    Convert { dst: Reg, op: Conversion, src: Operand } = PURE, "{op} {src}";

    /// A function of the CUDA math library; argument count and types by [`MathFunction`].
    Math { dst: Reg, function: MathFunction, args: OperandList }
        = EXPENSIVE, "{function}.{ty} {args}", ty = type_of(dst);

    /// `dst: I32 =` a built-in index, size or lane value.
    Special { dst: Reg, value: Special } = value.properties(), "{value}";

    /// `dst =` the kernel's parameter, of its memory type's register type.
    Param { dst: Reg, index: ParamIndex } = INVARIANT, "{index}";

    /// `dst: Ptr =` the first byte of a variable.
    AddressOf { dst: Reg, variable: VariableRef } = INVARIANT, "&{variable}";

    /// `dst: Ptr =` the address.
    Offset { dst: Reg, address: Address } = PURE, "offset {address}";

    /// Loads `dst.len()` (1, 2 or 4) consecutive elements as one access, aligned to its whole size. To other threads each
    /// element is an access of its own, in no order (PTX ISA, 8.2.4). It does not release, and is weak unless `cache` is the
    /// default. What of it is used has to be written, but for
    /// the bits of a bit-field.
    Load { dst: RegList, ty: ElementType, address: Address, order: AccessOrder, cache: CacheOp, part: ObjectPart }
        = READS | FAULTS | order.properties(), "load.{elements}{order}{cache} {address}",
        elements = elements(*ty, dst.len());

    /// Stores `src.len()` (1, 2 or 4) consecutive elements as one access, aligned to its whole size; to other threads, as with
    /// a load. It does not acquire. A member of a structure that is stored as a whole may be undefined.
    Store { src: OperandList, ty: ElementType, address: Address, order: AccessOrder, part: ObjectPart }
        = WRITES | FAULTS | order.properties(), "store.{elements}{order} {address}, {src}",
        elements = elements(*ty, src.len());

    /// Atomic read-modify-write of one element; `dst` gets the old value. Lanes that meet at one address act in lane
    /// order, blocks in block order. `ty` is one of U16, I32, I64, F32, F64; `compare` is for [`AtomicOp::CompareSwap`] alone.
    /// Without `dst` (PTX: `red`) it acquires nothing, whatever its order.
    Atomic {
        dst: Option<Reg>,
        op: AtomicOp,
        ty: ElementType,
        value: Operand,
        compare: Option<Operand>,
        address: Address,
        order: ScopedOrder,
    } = READS | WRITES | FAULTS | TIMED | order.properties(), "atomic.{op}.{ty}{order} {address}, {value}{compare}";

    /// Reads a texture object (an `I64` handle): `dst.len()` channels, each of `ty` (F32, or I32 for unfiltered integers).
    Texture { dst: RegList, texture: Operand, fetch: TextureFetch, ty: Type }
        = READS | FAULTS, "texture.{ty} {texture} {fetch}";

    /// `dst: Ptr =` the element's place in a surface object (an `I64` handle). An access of `bytes` outside the surface
    /// is a diagnosed error, or takes the nearest element inside, or makes `inside` (Bool) false, by `boundary`.
    Surface { dst: Reg, inside: Reg, surface: Operand, place: SurfacePlace, bytes: u32, boundary: BoundaryMode }
        = FAULTS, "surface.{shape}.{boundary} {surface} at {place}, {bytes} bytes", shape = snake(&place.shape);

    /// Exchanges `value` (any type but Bool) between the lanes named by `members` (`I32`); see [`ShuffleMode`].
    /// `width` (`I32`): 2, 4, 8, 16 or 32 lanes a segment. A source lane that is inactive is a diagnosed error.
    Shuffle { dst: Reg, mode: ShuffleMode, value: Operand, lane: Operand, width: Operand, members: Operand }
        = CONVERGENT | ORDERS | FAULTS, "shuffle.{mode}.{ty} {value}, {lane} width {width} members {members}",
        ty = type_of(dst);

    /// Combines `predicate` (Bool) over the lanes named by `members` (`I32`).
    Vote { dst: Reg, mode: VoteMode, predicate: Operand, members: Operand }
        = CONVERGENT | ORDERS | FAULTS, "vote.{mode} {predicate} members {members}";

    /// `__syncthreads()`. All threads of the block must reach the same barrier. With a reduction, `dst: I32` gets it.
    Barrier { reduce: Option<BarrierReduce> } = CONVERGENT | ORDERS | FAULTS, "barrier{reduce}";

    /// `this_grid().sync()`: all threads of the launch must come to such a barrier, though not to the same one, and what any of
    /// them did before is ordered before what any does afterwards. In a cooperative launch only: a diagnosed error elsewhere.
    GridBarrier = CONVERGENT | ORDERS | FAULTS, "grid_barrier";

    /// `__syncwarp(members)`: orders memory among the lanes named.
    WarpBarrier { members: Operand } = CONVERGENT | ORDERS | FAULTS, "warp_barrier members {members}";

    /// A warp's work on matrices; see [`MatrixOp`]. All 32 lanes of the warp must run it together.
    Matrix { dst: RegList, op: MatrixOp, args: OperandList } = CONVERGENT | ORDERS | FAULTS, "matrix_{op} {args}";

    /// Loads `dst.len()` (1, 2 or 4) matrices of 8 x 8 elements of 16 bits from shared memory (`ldmatrix`): lane `8 m + r`
    /// has the address of row `r` of matrix `m`, 16 bytes aligned to 16. `I32` results as [`MatrixOp::Transpose`] has them,
    /// of the transposed matrices if `transpose`. All 32 lanes of the warp must run it together.
    LoadMatrix { dst: RegList, address: Address, transpose: bool }
        = READS | CONVERGENT | FAULTS, "load_matrix.x{count}{transpose} {address}",
        count = dst.len(), transpose = flag(*transpose, ".transpose");

    /// Begins to copy `bytes` (4, 8 or 16) from global to shared memory, both aligned to as many: `used` (`I32`) of them,
    /// then zeros. See [`AsyncOp`].
    AsyncCopy { used: Operand, to: Address, from: Address, bytes: u32 }
        = READS | WRITES | FAULTS, "async_copy.{bytes} {to}, {from}, {used}";

    /// Groups of asynchronous copies, and barriers; see [`AsyncOp`].
    Async { dst: Option<Reg>, op: AsyncOp, args: OperandList } = CONVERGENT | ORDERS | FAULTS, "async_{op} {args}";

    /// `__threadfence*`: orders memory; no effect on values here.
    Fence { order: FenceOrder, scope: MemoryScope } = ORDERS, "fence.{order}.{scope}";

    /// `dst: I64 =` the count of instructions this warp has executed: a clock that only grows.
    Clock { dst: Reg } = TIMED, "clock";

    /// Stops the launch with a diagnosis if `condition` (Bool) is false in an active lane.
    Assert { condition: Operand, message: StringIndex } = FAULTS, "assert {condition}, {message}";

    /// Diagnoses the active lanes in which `origin` (`I32`) is not 0, but the number, from 1, of one of
    /// [`Kernel::undefined_variables`](crate::Kernel::undefined_variables): the next instruction or construct uses what is
    /// undefined because of it. `stops`: whether that stops the launch; else it is a warning. For a machine that follows undefined
    /// values by instructions of their own; nothing else makes it.
    CheckDefined { origin: Operand, stops: bool }
        = FAULTS, "check_defined {origin}, or {stops}", stops = if *stops { "stop" } else { "warn" };

    /// Device `printf`; arguments promoted as C does.
    Print { format: StringIndex, args: OperandList } = OUTPUTS, "print {format}{args}", args = after_comma(args);

    /// `dst: Ptr =` a new block of the device's heap of `bytes` (`I64`), which nothing has written, aligned to 16; null where
    /// no more than [`HEAP_BYTES`](crate::HEAP_BYTES) would be in use. Lanes act in lane order, blocks in block order. Blocks are those of a launch.
    Malloc { dst: Reg, bytes: Operand } = ANYTHING, "malloc {bytes}";

    /// Ends a block of the heap, of which `pointer` (`Ptr`) is the first byte; null is none. What was given back is no block any
    /// more: each later use of it is a diagnosed error, and its number is not given again in the launch.
    Free { pointer: Operand } = ANYTHING, "free {pointer}";

    /// Stops the launch with a diagnosis (`__trap`).
    Trap = FAULTS, "trap";

    /// Stops the launch with a diagnosis: a call through `pointer` (`I64`), which is the number of no function; 0 is null.
    BadCall { pointer: Operand } = FAULTS, "bad_call {pointer}";

    /// Runs a function of the kernel with the active lanes in a frame of its own: registers that start as zero, and local
    /// arrays. `args` are of the types of its parameters, `dst` of its results.
    Call { dst: RegList, function: FunctionIndex, args: OperandList } = ANYTHING, "call {function}({args})";

    /// `dst =` an argument of the call at hand. In functions only.
    Argument { dst: Reg, index: ArgumentIndex } = PURE, "{index}";

    /// What the call at hand gives, in the active lanes; the last one executed counts. In functions only.
    Result { values: OperandList } = OUTPUTS, "result {values}";
}
