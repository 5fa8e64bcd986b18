//! ShapeCache: what is worth knowing of a warp's access whatever address it begins at.
//!
//! An access with a footprint (see `plan::pattern`) has the same layout each time a warp executes it with the same active
//! lanes, but for where it begins. How lanes shape, which words are distinct, the bank conflicts, and for each alignment the
//! sectors, are found out once for a worker and looked up ever after.

use crate::launch::MemoryRules;
use crate::machine::event::{LanePattern, ResolvedAccess};
use crate::machine::warp::access::coalescing::{conflicts, distinct_words, lines};
use crate::machine::warp::registers::Lanes;
use simt_ir::pointer::Space;
use std::sync::OnceLock;

/// Words of a 128-byte line.
const LINE_WORDS: usize = 32;

/// Lines and a bit for each of their sectors.
type Lines = Box<[(u32, u8)]>;

/// Bits of 64 words each, by number of such 64, of those that have any.
type Masks = Box<[(u32, u64)]>;

/// The words of a half-warp.
#[derive(Clone, Copy)]
pub(crate) struct HalfWarp {
    pub(crate) first: u32,
    /// Whether each lane has the word after that of the one before, and not all the same.
    pub(crate) contiguous: bool,
}

/// The words that a group of accesses with one layout reads.
#[derive(Clone, Copy)]
pub(crate) struct GroupWords<'a> {
    pub(crate) words: &'a [u32],
    pub(crate) shape: &'a CoalescingShape,
    /// Byte of the lowest lane, for a distance of 0.
    pub(crate) start: i64,
}

impl<'a> GroupWords<'a> {
    /// The words from a member of the group on, by its distance in bytes.
    #[inline(always)]
    pub(crate) fn at(&self, distance: i64) -> Option<&'a [u32]> {
        self.words.get((self.start + distance) as u32 as usize / 4..)
    }
}

/// A warp's access but for where it begins.
pub(crate) struct CoalescingShape {
    pub(crate) mask: u32,
    /// Bytes a lane.
    pub(crate) bytes: u32,
    /// Bytes from the lowest lane's address, by lane; lanes not in `mask` repeat the first that is.
    pub(crate) offsets: Lanes<u32>,
    /// The same in words.
    pub(crate) words: Lanes<u32>,
    /// Words from the first to the last, both included.
    pub(crate) span: u32,
    /// Words from the first to the last with which a lane begins, both included.
    pub(crate) reach: u32,
    pub(crate) pattern: LanePattern,
    /// For words in which each half-warp reads one word or neighbours.
    pub(crate) halves: Option<[HalfWarp; 2]>,
    /// Words from each lane to the next, of words of four bytes that all 32 lanes access at equal distances.
    pub(crate) stride: Option<u32>,
    /// Whether no two lanes touch one word.
    pub(crate) disjoint: bool,
    /// The words touched, from the lowest, ascending.
    pub(crate) distinct: Box<[u32]>,
    /// The same as bits, if there are no more than 64 from the first to the last.
    pub(crate) window: Option<u64>,
    /// Wavefronts, those without conflicts, the worst degree.
    pub(crate) banks: (u32, u32, u32),
    /// Different words that a constant load of it reads.
    pub(crate) constant_words: u32,
    lines: [OnceLock<Lines>; LINE_WORDS],
    masks: [OnceLock<Masks>; 64],
}

impl CoalescingShape {
    pub(crate) fn new(offsets: Lanes<u32>, mask: u32, bytes: u32, rules: MemoryRules) -> CoalescingShape {
        let active = || (0..32).filter(move |i| mask >> i & 1 == 1);
        let words = Lanes(offsets.0.map(|o| o / 4));
        let lead = offsets.0[0];
        let pattern = match () {
            () if offsets.0.iter().all(|o| *o == lead) => LanePattern::Uniform,
            () if mask == u32::MAX && (0..32).all(|i| offsets.0[i] == lead + i as u32 * bytes) => {
                LanePattern::Contiguous
            }
            () => LanePattern::Irregular,
        };
        let of_lane = bytes.div_ceil(4);
        let mut touched: Vec<u32> = active().flat_map(|i| words.0[i]..words.0[i] + of_lane).collect();
        let all = touched.len();
        touched.sort_unstable();
        touched.dedup();
        let span = touched.last().map_or(0, |last| last + 1);
        let window = (span <= 64).then(|| touched.iter().fold(0, |bits, word| bits | 1 << word));
        let at = CoalescingShape::span_of(&offsets, mask, bytes, pattern, Space::Shared, 0, 0);
        CoalescingShape {
            mask,
            bytes,
            offsets,
            words,
            span,
            reach: words.0.iter().fold(0, |reach, word| reach.max(word + 1)),
            pattern,
            halves: halves(&words, bytes),
            stride: stride(&words, mask, bytes),
            disjoint: touched.len() == all,
            distinct: touched.into(),
            window,
            banks: conflicts(&at, rules),
            constant_words: distinct_words(&at),
            lines: [const { OnceLock::new() }; LINE_WORDS],
            masks: [const { OnceLock::new() }; 64],
        }
    }

    /// Whether each lane has the word after that of the one before, and all 32 have one.
    #[inline(always)]
    pub(crate) fn is_row(&self) -> bool {
        self.pattern == LanePattern::Contiguous && self.bytes == 4
    }

    fn span_of(
        offsets: &Lanes<u32>,
        mask: u32,
        bytes: u32,
        pattern: LanePattern,
        space: Space,
        allocation: u32,
        start: u32,
    ) -> ResolvedAccess {
        let offsets = offsets.0.map(|o| o + start);
        ResolvedAccess { space, allocation, offsets, mask, pattern, bytes }
    }

    /// The access that begins at byte `start`.
    pub(crate) fn at(&self, space: Space, allocation: u32, start: u32) -> ResolvedAccess {
        CoalescingShape::span_of(&self.offsets, self.mask, self.bytes, self.pattern, space, allocation, start)
    }

    /// The lines, counted from the one with the byte `start`, and sectors of an access that begins there.
    pub(crate) fn lines(&self, start: u32) -> &[(u32, u8)] {
        let word = start as usize / 4 % LINE_WORDS;
        self.lines[word].get_or_init(|| {
            let span = self.at(Space::Global, 0, word as u32 * 4);
            let mut found = Vec::new();
            lines(&span, |line, sectors| found.push((line as u32, sectors)));
            found.into()
        })
    }
}

impl CoalescingShape {
    /// A bit for each word of an access that begins at word `first`, counted from the last multiple of 64 words.
    #[inline]
    pub(crate) fn masks(&self, first: usize) -> &[(u32, u64)] {
        let skip = first % 64;
        self.masks[skip].get_or_init(|| {
            let mut found: Vec<(u32, u64)> = Vec::new();
            for word in &self.distinct {
                let (at, bit) = ((skip as u32 + word) / 64, 1 << ((skip as u32 + word) % 64));
                match found.last_mut() {
                    Some((last, mask)) if *last == at => *mask |= bit,
                    _ => found.push((at, bit)),
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

/// See [`CoalescingShape::stride`].
fn stride(words: &Lanes<u32>, mask: u32, bytes: u32) -> Option<u32> {
    let stride = words.0[1].checked_sub(words.0[0])?;
    let equal = (1..).zip(&words.0[1..]).all(|(i, word)| *word == words.0[0] + i * stride);
    (equal && words.0[0] == 0 && mask == u32::MAX && bytes == 4).then_some(stride)
}
