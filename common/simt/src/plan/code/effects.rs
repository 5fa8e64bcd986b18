//! What memory a kernel may touch.

use simt_ir::{GlobalIndex, ParamIndex};

/// A set of module variables, pointer parameters and memories, from which a pointer may come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct MemorySet(u128);

impl MemorySet {
    pub(crate) const EMPTY: MemorySet = MemorySet(0);
    pub(crate) const ALL: MemorySet = MemorySet(u128::MAX);
    /// Anything at all.
    pub(crate) const UNKNOWN: MemorySet = MemorySet(1);
    pub(crate) const SHARED: MemorySet = MemorySet(2);
    pub(crate) const LOCAL: MemorySet = MemorySet(4);
    /// Bits from here on: module variables, then pointer parameters. What does not fit is unknown.
    const FIRST: u32 = 3;

    fn bit(index: u32) -> MemorySet {
        let bit = MemorySet::FIRST + index;
        if bit < u128::BITS { MemorySet(1 << bit) } else { MemorySet::UNKNOWN }
    }

    /// Variables use even bits, parameters odd ones.
    pub(crate) fn global(index: GlobalIndex) -> MemorySet {
        MemorySet::bit(2 * index.0)
    }

    pub(crate) fn param(index: ParamIndex) -> MemorySet {
        MemorySet::bit(2 * index.0 + 1)
    }

    /// What is in both.
    pub(crate) fn intersection(self, other: MemorySet) -> MemorySet {
        MemorySet(self.0 & other.0)
    }

    pub(crate) fn meets(self, other: MemorySet) -> bool {
        self.intersection(other) != MemorySet::EMPTY
    }

    pub(crate) fn without(self, other: MemorySet) -> MemorySet {
        MemorySet(self.0 & !other.0)
    }

    pub(crate) fn union(self, other: MemorySet) -> MemorySet {
        MemorySet(self.0 | other.0)
    }

    pub(crate) fn add(&mut self, other: MemorySet) {
        self.0 |= other.0;
    }
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
    /// Whether it compares and swaps, so that a plain read may be the guess of such an operation.
    pub(crate) swaps: bool,
    /// Whether lanes of a warp may synchronize without the others.
    pub(crate) splits_warps: bool,
}

impl MemoryEffects {
    /// Whether lanes that read one word may differ in what their reads race with.
    pub(crate) fn tells_readers_apart(&self) -> bool {
        self.swaps || self.splits_warps
    }
}
