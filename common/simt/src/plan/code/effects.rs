//! What memory a kernel may touch, as sets of what its pointers may come from.

/// A set of module variables, pointer parameters and memory spaces, from which a pointer may come.
pub(crate) type MemorySet = u128;
/// Anything at all.
pub(crate) const UNKNOWN: MemorySet = 1;
pub(crate) const SHARED: MemorySet = 2;
pub(crate) const LOCAL: MemorySet = 4;
/// Bits from here on: module variables, then pointer parameters. What does not fit is unknown.
const FIRST: u32 = 3;

fn bit(index: u32) -> MemorySet {
    if FIRST + index < MemorySet::BITS { 1 << (FIRST + index) } else { UNKNOWN }
}

/// Global variables use even bits, parameters odd ones.
pub(crate) fn global_bit(index: simt_ir::GlobalIndex) -> MemorySet {
    bit(2 * index.0)
}

pub(crate) fn param_bit(index: simt_ir::ParamIndex) -> MemorySet {
    bit(2 * index.0 + 1)
}

/// What a kernel does to memory (compare LLVM's `MemoryEffects`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct MemoryEffects {
    pub(crate) loaded: MemorySet,
    /// By stores and atomics.
    pub(crate) written: MemorySet,
    /// Where something besides loads depends on what is there: atomics, stores of less than a word, textures.
    pub(crate) updated: MemorySet,
    /// Whether the result depends on the order in which blocks meet at an atomic.
    pub(crate) ordered_atomics: bool,
}
