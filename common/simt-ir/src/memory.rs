//! What instructions on memory name: addresses, variables, cache policies and atomic operations.

use crate::{GlobalIndex, LocalIndex, Operand, Reg, SharedIndex};
use smallvec::SmallVec;

/// Bytes of the device's heap that may be in use at once: what CUDA gives a program that asks for no other size
/// (`cudaLimitMallocHeapSize`). A block takes its bytes, one at least, rounded up to [`HEAP_ALIGNMENT`].
pub const HEAP_BYTES: u64 = 8 << 20;
/// What the first byte of each block of the heap is aligned to.
pub const HEAP_ALIGNMENT: u64 = 16;
/// Bytes that a launch may be given of the heap in all, those that it gives back included; more is a diagnosed error.
pub const HEAP_TOTAL_BYTES: u64 = 64 << 20;
/// How many blocks of the heap a launch may be given in all; more is a diagnosed error.
pub const HEAP_BLOCKS: u32 = crate::pointer::HEAP;

/// Bytes of the heap that a block of so many bytes takes.
pub const fn heap_bytes(bytes: u64) -> u64 {
    let bytes = if bytes == 0 { 1 } else { bytes };
    bytes.saturating_add(HEAP_ALIGNMENT - 1) / HEAP_ALIGNMENT * HEAP_ALIGNMENT
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

/// What of the source's objects an access moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ObjectPart {
    /// All of a scalar.
    Whole,
    /// Members of a structure that is read or stored as a whole. Some of them may be undefined, or unwritten.
    Member,
    /// The unit that holds a bit-field, and maybe others. Some of its bits may have no value.
    Bits,
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

/// The path of a load. It changes counters only, never the value; but through another path than the default one a load need not
/// see what the launch itself has written (PTX ISA, `ld.global.nc`; CUDA C++ Programming Guide, texture and surface memory).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CacheOp {
    /// As the device does by default.
    Default,
    /// Through the read-only path (`__ldg`).
    ReadOnly,
    /// Of a surface: through the texture units.
    Surface,
}

/// The registers that an access loads, mostly one: in the instruction itself.
pub type RegList = SmallVec<[Reg; 4]>;

/// The values that an access stores; one is in the instruction itself.
pub type OperandList = SmallVec<[Operand; 1]>;

/// Atomic operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AtomicOp {
    /// Sum; integers wrap, floats round.
    Add,
    /// Sum of binary16 numbers: of one, `U16`, or of the two in an `I32`, each by itself.
    AddF16,
    /// The same of bfloat16 numbers.
    AddBf16,
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
