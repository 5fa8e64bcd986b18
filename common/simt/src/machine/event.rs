//! What the executor tells observers, and hands on as a fault: where an instruction runs, which bytes its lanes access, which words
//! change, and what went wrong in which lanes.
//!
//! These are plain data about one instruction of one warp. Whether an access is allowed and what it costs is decided elsewhere.

use crate::fault::{AccessKind, FaultKind};
use crate::machine::mask::{first, lanes};
use crate::plan::Pc;
use simt_ir::pointer::Space;
use simt_ir::{AccessOrder, AtomicOp, CacheOp, FenceOrder, Location, MemoryScope, ScopedOrder};
use std::ops::Range;

/// A fault as the executor finds it: in lanes of a warp, not yet in terms of threads and blocks.
#[derive(Clone, Debug)]
pub(crate) struct LaneFault {
    pub(crate) kind: FaultKind,
    /// The lanes concerned.
    pub(crate) lanes: u32,
    /// A second place that matters.
    pub(crate) other: Option<Location>,
    /// The asynchronous copy that still fills the words accessed.
    pub(crate) copier: Option<AsyncCopier>,
}

impl LaneFault {
    pub(crate) fn of(kind: FaultKind, lanes: u32) -> Box<LaneFault> {
        Box::new(LaneFault { kind, lanes, other: None, copier: None })
    }
}

/// A fault of a warp at an instruction.
#[derive(Debug)]
pub(crate) struct WarpFault {
    /// Index of the warp in its block.
    pub(crate) warp: u32,
    pub(crate) pc: Pc,
    pub(crate) fault: Box<LaneFault>,
}

/// A thread that copies asynchronously, and the instruction by which it does.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AsyncCopier {
    /// Linear index of the thread in its block.
    pub(crate) thread: u32,
    pub(crate) pc: Pc,
}

/// Where an instruction runs.
#[derive(Clone, Copy)]
pub(crate) struct InstSite {
    pub(crate) pc: Pc,
    /// Index of the warp in its block.
    pub(crate) warp: u32,
    /// Linear index of the block.
    pub(crate) block: u32,
}

impl InstSite {
    /// Linear index of a lane's thread in its block.
    pub(crate) fn thread(&self, lane: usize) -> u32 {
        self.warp * 32 + lane as u32
    }
}

/// How the offsets of the lanes follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LanePattern {
    /// All lanes have the same offset.
    Uniform,
    /// All 32 lanes are active, and each begins where the one before ends.
    Contiguous,
    Irregular,
}

impl LanePattern {
    /// The pattern of these offsets, where lanes outside `mask` repeat the offset of one that is in it; `bytes` per lane.
    #[inline(always)]
    pub(crate) fn of(offsets: &[u32; 32], mask: u32, bytes: u32) -> LanePattern {
        let (mut skew, mut differ) = (0, 0);
        for (i, offset) in offsets.iter().enumerate() {
            skew |= offset ^ offsets[0].wrapping_add(i as u32 * bytes);
            differ |= offset ^ offsets[0];
        }
        match () {
            () if differ == 0 => LanePattern::Uniform,
            () if skew == 0 && mask == u32::MAX => LanePattern::Contiguous,
            () => LanePattern::Irregular,
        }
    }
}

/// The lanes of a warp that a condition separates.
#[derive(Clone, Copy)]
pub(crate) struct LaneSplit {
    /// Those for which it holds.
    pub(crate) taken: u32,
    /// The others of those that are active.
    pub(crate) other: u32,
    /// Whether it is the condition of a loop.
    pub(crate) is_loop: bool,
}

/// The part of a warp's access that lies in one allocation, checked against its bounds and for alignment.
#[derive(Clone)]
pub(crate) struct ResolvedAccess {
    pub(crate) space: Space,
    pub(crate) allocation: u32,
    /// Byte offsets as pointers have them; lanes outside `mask` repeat the offset of one that is in it.
    pub(crate) offsets: [u32; 32],
    pub(crate) mask: u32,
    pub(crate) pattern: LanePattern,
    /// Bytes per lane.
    pub(crate) bytes: u32,
}

impl ResolvedAccess {
    /// An access of no lane.
    pub(crate) const NONE: ResolvedAccess = ResolvedAccess {
        space: Space::None,
        allocation: 0,
        offsets: [0; 32],
        mask: 0,
        pattern: LanePattern::Uniform,
        bytes: 0,
    };

    /// What some of its lanes access, of which there is one at least.
    pub(crate) fn of(&self, mask: u32) -> ResolvedAccess {
        let other = self.offsets[first(mask)];
        let offset = |lane: usize| if mask >> lane & 1 == 1 { self.offsets[lane] } else { other };
        let offsets = std::array::from_fn(offset);
        ResolvedAccess { offsets, mask, pattern: LanePattern::of(&offsets, mask, self.bytes), ..*self }
    }

    /// Its words, lane by lane.
    pub(crate) fn words(&self) -> impl Iterator<Item = usize> {
        self.lane_words().map(|(_, word)| word as usize)
    }

    /// Its words, if the lanes are contiguous.
    pub(crate) fn word_run(&self) -> Option<Range<usize>> {
        let (start, end) = (self.offsets[0], self.offsets[0] + self.bytes * 32);
        (self.pattern == LanePattern::Contiguous).then(|| (start / 4) as usize..end.div_ceil(4) as usize)
    }

    /// Its lanes. Of those that all have the same offset, the first stands for all.
    pub(crate) fn first_or_each(&self) -> impl Iterator<Item = usize> + use<> {
        let uniform = self.pattern == LanePattern::Uniform;
        lanes(if uniform { self.mask & self.mask.wrapping_neg() } else { self.mask })
    }

    /// Each lane with each of its words. Of lanes that all have the same offset, the first stands for all.
    pub(crate) fn lane_words(&self) -> impl Iterator<Item = (usize, u32)> {
        let words = |i: usize| self.offsets[i] / 4..(self.offsets[i] + self.bytes).div_ceil(4);
        self.first_or_each().flat_map(move |i| words(i).map(move |word| (i, word)))
    }
}

/// What an access does, and how strong it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AccessClass {
    pub(crate) kind: AccessKind,
    pub(crate) order: AccessOrder,
    /// Of an atomic: whether its result is used.
    pub(crate) result: bool,
    /// Of an atomic: whether it compares and swaps.
    pub(crate) swaps: bool,
    /// Whether what it does depends on what was there. (An exchange without a result only writes.)
    pub(crate) reads: bool,
    /// Of a load: a bit for each byte of a lane's access that nothing uses.
    pub(crate) unused: u32,
    /// Of a load: its path, which need not see what the launch writes.
    pub(crate) cache: CacheOp,
}

impl AccessClass {
    /// A plain load.
    pub(crate) const LOAD: AccessClass = AccessClass::load(AccessOrder::Weak);
    /// A plain store.
    pub(crate) const STORE: AccessClass = AccessClass::store(AccessOrder::Weak);

    pub(crate) const fn load(order: AccessOrder) -> AccessClass {
        AccessClass {
            kind: AccessKind::Load,
            order,
            result: true,
            swaps: false,
            reads: true,
            unused: 0,
            cache: CacheOp::Default,
        }
    }

    pub(crate) const fn store(order: AccessOrder) -> AccessClass {
        AccessClass {
            kind: AccessKind::Store,
            order,
            result: false,
            swaps: false,
            reads: false,
            unused: 0,
            cache: CacheOp::Default,
        }
    }

    pub(crate) fn atomic(order: ScopedOrder, result: bool, op: AtomicOp) -> AccessClass {
        let (order, swaps) = (AccessOrder::Strong(order), op == AtomicOp::CompareSwap);
        let reads = result || op != AtomicOp::Exchange;
        AccessClass {
            kind: AccessKind::Atomic,
            order,
            result,
            swaps,
            reads,
            unused: 0,
            cache: CacheOp::Default,
        }
    }

    /// Whether anything uses those of a lane's bytes.
    pub(crate) fn uses(&self, mut bytes: Range<u32>) -> bool {
        self.unused == 0 || bytes.any(|byte| self.unused.checked_shr(byte).unwrap_or(0) & 1 == 0)
    }

    /// Whether it synchronizes with threads of its block at most.
    pub(crate) fn is_of_block(&self) -> bool {
        self.order.scoped().is_some_and(|scoped| !scoped.scope.covers_other_blocks())
    }

    /// Whether it releases, without a fence before it.
    pub(crate) fn releases(&self) -> bool {
        self.order.scoped().is_some_and(|scoped| scoped.order.releases())
    }
}

/// A fence that threads of a warp execute.
#[derive(Clone, Copy)]
pub(crate) struct FenceEvent {
    pub(crate) order: FenceOrder,
    pub(crate) scope: MemoryScope,
    /// The lanes that do.
    pub(crate) active: u32,
}

/// What a thread does with a barrier in shared memory.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum PhaseEvent {
    /// It makes the barrier.
    Made,
    /// It arrives at the phase.
    Arrives,
    /// The phase that it has waited for is complete.
    Awaited,
}

/// A phase of a barrier in a block's shared memory.
#[derive(Clone, Copy)]
pub(crate) struct PhaseUse {
    /// The byte of the shared segment where the barrier is.
    pub(crate) barrier: u32,
    /// Phases before it, modulo 2^32.
    pub(crate) phase: u32,
}

/// A word that an instruction writes.
pub(crate) struct WordWrite {
    pub(crate) lane: usize,
    pub(crate) allocation: u32,
    pub(crate) word: u32,
    /// The first byte of the word that is written, and how many are.
    pub(crate) first: u32,
    pub(crate) len: u32,
    /// The word before and after.
    pub(crate) old: u32,
    pub(crate) new: u32,
    /// Of a compare-and-swap: what it compares the word with.
    pub(crate) compare: u32,
    pub(crate) class: AccessClass,
}

/// A word for each of some lanes, which they get in a launch whose elements are followed.
pub(crate) struct LoadedWords {
    pub(crate) lanes: u32,
    /// What they hold, and then what the lanes get.
    pub(crate) bits: [u32; 32],
    /// How many of the bits are of one value: a byte or two.
    pub(crate) unit: u32,
    pub(crate) source: WordSource,
}

/// Where lanes get words from.
pub(crate) enum WordSource {
    /// From memory of the kind that is watched, another than shared.
    Path,
    /// From shared memory, each lane the word with this index.
    Shared([u32; 32]),
    /// From these lanes, by a shuffle.
    Lanes([usize; 32]),
}

impl WordWrite {
    /// A store to a whole word.
    pub(crate) fn whole(allocation: u32, lane: usize, word: u32, old: u32, new: u32) -> WordWrite {
        WordWrite {
            lane,
            allocation,
            word,
            first: 0,
            len: 4,
            old,
            new,
            compare: 0,
            class: AccessClass::STORE,
        }
    }
}
