//! Coalescing shapes: what is worth knowing of a warp's access, wherever it begins.
//!
//! An access whose addresses are affine in the thread's index has the same shape each time that a warp executes it with the same active
//! lanes; only its first byte differs. So the distinct words, the bank conflicts, and the sectors for each alignment are computed once per
//! worker, when the shape is first met, and looked up ever after. A shape knows nothing of allocations; where accesses of a shape lie is a
//! [placement](super::placement).

use crate::index_vec::indices;
use crate::isa::HostIsa;
use crate::launch::MemoryRules;
use crate::machine::event::{LanePattern, ResolvedAccess};
use crate::machine::mask::lanes;
use crate::machine::warp::access::coalescing::{BankConflicts, conflicts, distinct_words, lines};
use crate::machine::warp::access::lane_words::LaneWords;
use crate::machine::warp::lanes::lines::LineSectors;
use crate::machine::warp::registers::Lanes;
use simt_ir::pointer::Space;
use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

/// In place of a lane, where there is more than one.
pub(crate) const SEVERAL_LANES: u8 = 32;
/// Words of a 128-byte line.
const LINE_WORDS: usize = 32;

indices! {
    /// A coalescing shape, among those of its worker.
    ShapeId(u32) "coalescing";
}

/// Some of 64 words that follow each other from a multiple of 64 on.
#[derive(Clone, Copy)]
pub(crate) struct MaskWord {
    /// The first word, divided by 64.
    pub(crate) index: u32,
    pub(crate) bits: u64,
}

/// The words of a half-warp, of which each lane has one.
#[derive(Clone, Copy)]
pub(crate) struct HalfWarp {
    pub(crate) first: u32,
    /// Whether each lane has the word after that of the lane before; else all have the same.
    pub(crate) contiguous: bool,
}

/// A warp's access, but for where it begins.
pub(crate) struct CoalescingShape {
    /// Its number; of one with a shifted beginning, that of the other.
    pub(crate) id: ShapeId,
    pub(crate) mask: u32,
    /// Bytes per lane.
    pub(crate) bytes: u32,
    /// Bytes from the lowest lane's address, or from the word with its first byte, by lane; lanes outside `mask` repeat the first that is in it.
    pub(crate) offsets: Lanes<u32>,
    /// The same in words.
    pub(crate) words: LaneWords,
    /// How many words there are from the first to the last, both included.
    pub(crate) span: u32,
    pub(crate) pattern: LanePattern,
    /// For words in which each half-warp reads one word or neighbours.
    pub(crate) halves: Option<[HalfWarp; 2]>,
    /// Whether no two lanes access the same bytes.
    pub(crate) disjoint: bool,
    /// The words accessed, counted from the lowest, in ascending order.
    pub(crate) distinct: Box<[u32]>,
    /// Of each of these words, the lane that accesses it; [`SEVERAL_LANES`] if it is not the only one.
    pub(crate) readers: Box<[u8]>,
    /// If it is an access to shared memory.
    pub(crate) banks: BankConflicts,
    /// If it were one of 8 or 16 bytes per lane.
    wide_banks: [OnceLock<BankConflicts>; 2],
    /// Different words that it reads if it is a load from constant memory.
    pub(crate) constant_words: u32,
    /// By alignment of its first word in a line.
    lines: [OnceLock<Box<[LineSectors]>>; LINE_WORDS],
    /// By alignment of its first word in 64.
    masks: [OnceLock<Box<[MaskWord]>>; 64],
    /// Of less than a word per lane: the same with the lowest lane so many bytes, less one, after the beginning of a word.
    shifted: [OnceLock<Arc<CoalescingShape>>; 3],
    rules: MemoryRules,
}

impl CoalescingShape {
    pub(crate) fn new(
        id: ShapeId,
        offsets: Lanes<u32>,
        mask: u32,
        bytes: u32,
        rules: MemoryRules,
    ) -> CoalescingShape {
        let pattern = LanePattern::of(&offsets.0, mask, bytes);
        let words = LaneWords::of(&offsets);
        let first = words.by_lane();
        let per_lane = bytes.div_ceil(4);
        let mut distinct: Vec<u32> = lanes(mask).flat_map(|i| first.0[i]..first.0[i] + per_lane).collect();
        distinct.sort_unstable();
        distinct.dedup();
        let reader = |word: &u32| {
            let mut readers = lanes(mask).filter(|i| (first.0[*i]..first.0[*i] + per_lane).contains(word));
            let lane = readers.next().map_or(SEVERAL_LANES, |lane| lane as u8);
            if readers.next().is_some() { SEVERAL_LANES } else { lane }
        };
        let readers = distinct.iter().map(reader).collect();
        let elements: BTreeSet<u32> = lanes(mask).map(|lane| offsets.0[lane] / bytes).collect();
        let span = distinct.last().map_or(0, |last| last + 1);
        let access =
            ResolvedAccess { space: Space::Shared, allocation: 0, offsets: offsets.0, mask, pattern, bytes };
        CoalescingShape {
            id,
            mask,
            bytes,
            offsets,
            span,
            pattern,
            halves: halves(first, bytes),
            words,
            disjoint: elements.len() == mask.count_ones() as usize,
            distinct: distinct.into(),
            readers,
            banks: conflicts(&access, rules),
            wide_banks: [const { OnceLock::new() }; 2],
            constant_words: distinct_words(&access),
            lines: [const { OnceLock::new() }; LINE_WORDS],
            masks: [const { OnceLock::new() }; 64],
            shifted: [const { OnceLock::new() }; 3],
            rules,
        }
    }

    /// The shape of an access whose lowest lane is at byte `start`, and the byte where that shape begins: for less than a word per lane,
    /// it begins with a word.
    #[inline(always)]
    pub(crate) fn from(self: &Arc<Self>, start: u32) -> (&Arc<CoalescingShape>, u32) {
        if self.bytes >= 4 || start.is_multiple_of(4) {
            return (self, start);
        }
        let shift = start % 4;
        let shifted = self.shifted[shift as usize - 1].get_or_init(|| {
            let offsets = Lanes(self.offsets.0.map(|offset| offset + shift));
            Arc::new(CoalescingShape::new(self.id, offsets, self.mask, self.bytes, self.rules))
        });
        (shifted, start - shift)
    }

    /// Whether all 32 lanes are active, and each begins where the one before ends.
    #[inline(always)]
    pub(crate) fn is_contiguous(&self) -> bool {
        self.pattern == LanePattern::Contiguous
    }

    /// Whether it is a row: 32 words, one per lane, in the order of the lanes.
    #[inline(always)]
    pub(crate) fn is_row(&self) -> bool {
        self.pattern == LanePattern::Contiguous && self.bytes == 4
    }

    /// The access of this shape that begins at byte `start`.
    pub(crate) fn at(&self, space: Space, allocation: u32, start: u32) -> ResolvedAccess {
        let offsets = self.offsets.0.map(|offset| offset + start);
        let CoalescingShape { mask, pattern, bytes, .. } = *self;
        ResolvedAccess { space, allocation, offsets, mask, pattern, bytes }
    }

    /// The bank conflicts of such an access of 8 or 16 bytes per lane.
    pub(crate) fn wide_banks(&self, bytes: u32) -> BankConflicts {
        let access = |bytes| ResolvedAccess { bytes, ..self.at(Space::Shared, 0, 0) };
        *self.wide_banks[usize::from(bytes > 8)].get_or_init(|| conflicts(&access(bytes), self.rules))
    }

    /// The sectors of an access that begins at byte `start`; lines are counted from the one that has this byte.
    pub(crate) fn lines(&self, start: u32) -> &[LineSectors] {
        let word = start as usize / 4 % LINE_WORDS;
        self.lines[word].get_or_init(|| {
            let mut found = Vec::new();
            lines(HostIsa::Baseline, &self.at(Space::Global, 0, word as u32 * 4), &mut found);
            found.into()
        })
    }

    /// The words of an access that begins at word `first`, counted from the last multiple of 64 words up to there.
    #[inline]
    pub(crate) fn masks(&self, first: usize) -> &[MaskWord] {
        let skip = first % 64;
        self.masks[skip].get_or_init(|| {
            let mut found: Vec<MaskWord> = Vec::new();
            for word in &self.distinct {
                let (index, bit) = ((skip as u32 + word) / 64, 1 << ((skip as u32 + word) % 64));
                match found.last_mut() {
                    Some(last) if last.index == index => last.bits |= bit,
                    _ => found.push(MaskWord { index, bits: bit }),
                }
            }
            found.into()
        })
    }
}

/// See [`CoalescingShape::halves`].
fn halves(words: &Lanes<u32>, bytes: u32) -> Option<[HalfWarp; 2]> {
    let half = |from: usize| {
        let lanes = &words.0[from..from + 16];
        let follow = |step: u32| (0..).zip(lanes).all(|(i, word)| *word == lanes[0] + i * step);
        match () {
            () if follow(0) => Some(HalfWarp { first: lanes[0], contiguous: false }),
            () if follow(1) => Some(HalfWarp { first: lanes[0], contiguous: true }),
            () => None,
        }
    };
    (bytes == 4).then_some([half(0)?, half(16)?])
}
