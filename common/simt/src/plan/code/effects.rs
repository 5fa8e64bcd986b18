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
    /// By a path that need not see what the launch writes.
    pub(crate) read_only: MemorySet,
    /// By stores and atomics.
    pub(crate) written: MemorySet,
    /// By stores.
    pub(crate) stored: MemorySet,
    /// Where something besides loads depends on what is there: atomics, stores of less than a word, textures.
    pub(crate) updated: MemorySet,
    /// Whether the result depends on the order in which blocks meet at an atomic.
    pub(crate) ordered_atomics: bool,
    /// Whether it compares and swaps, so that a plain read may be the guess of such an operation.
    pub(crate) swaps: bool,
    /// Whether lanes of a warp may synchronize without the others.
    pub(crate) splits_warps: bool,
    /// Whether it has fences, and some that are not sequentially consistent; and whether it has accesses that release or acquire by
    /// themselves, volatile ones, or atomics.
    pub(crate) fences: bool,
    pub(crate) weaker_fences: bool,
    pub(crate) releases: bool,
    pub(crate) acquires: bool,
    pub(crate) volatile: bool,
    pub(crate) atomics: bool,
    /// Whether it uses what strong accesses read, so that the order in which threads run may matter.
    pub(crate) strong_reads: bool,
    /// Whether a fence or a strong access is at block scope.
    pub(crate) block_scopes: bool,
    /// The sizes of strong accesses: a bit for each power of two.
    pub(crate) strong_sizes: u32,
    /// Whether it waits for phases of barriers in shared memory.
    pub(crate) phases: bool,
    /// Whether it allocates, or gives back, blocks of the heap.
    pub(crate) allocates: bool,
}

impl MemoryEffects {
    /// Whether something releases what came before it, so that more than barriers may order accesses.
    pub(crate) fn has_releases(&self) -> bool {
        self.fences || self.releases
    }

    /// Whether more than barriers may decide whether two accesses are a race.
    pub(crate) fn has_doubts(&self) -> bool {
        self.swaps || self.has_releases() || self.strong_reads
    }
}
