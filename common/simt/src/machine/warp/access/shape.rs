//! Layouts: what is worth knowing of a warp's access whatever address it begins at.
//!
//! An access with a footprint (see `plan::pattern`) has the same layout each time a warp executes it with the same active
//! lanes, but for where it begins. How lanes shape, which words are distinct, the bank conflicts, and for each alignment the
//! sectors, are found out once for a worker and looked up ever after.

use crate::launch::MemoryRules;
use crate::machine::warp::access::coalescing::{conflicts, distinct_words, lines};
use crate::machine::warp::lanes::{Lanes, first};
use crate::machine::{Shape, Span};
use crate::plan::Plan;
use simt_ir::pointer::Space;
use source::hash::Map;
use std::sync::{Arc, OnceLock};

/// Words of a 128-byte line.
const LINE_WORDS: usize = 32;

/// Places that a worker remembers at most, some 4 KiB each with its layout: lanes that part in ever new ways would make
/// ever new ones.
const MOST_PLACES: usize = 1 << 14;

/// Lines and a bit for each of their sectors.
type Lines = Box<[(u32, u8)]>;

/// Bits of 64 words each, by number of such 64, of those that have any.
type Masks = Box<[(u32, u64)]>;

/// A warp's access but for where it begins.
pub(crate) struct Layout {
    pub(crate) mask: u32,
    /// Bytes a lane.
    pub(crate) bytes: u32,
    /// Bytes from the lowest lane's address, by lane; lanes not in `mask` repeat the first that is.
    pub(crate) offsets: Lanes<u32>,
    /// The same in words.
    pub(crate) words: Lanes<u32>,
    /// Words from the first to the last, both included.
    pub(crate) span: u32,
    pub(crate) shape: Shape,
    /// For words in which each half-warp reads one word or neighbours: where, and whether neighbours.
    pub(crate) halves: Option<[(u32, bool); 2]>,
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

impl Layout {
    fn new(offsets: Lanes<u32>, mask: u32, bytes: u32, rules: MemoryRules) -> Layout {
        let active = || (0..32).filter(move |i| mask >> i & 1 == 1);
        let words = Lanes(offsets.0.map(|o| o / 4));
        let lead = offsets.0[0];
        let shape = match () {
            () if offsets.0.iter().all(|o| *o == lead) => Shape::Same,
            () if mask == u32::MAX && (0..32).all(|i| offsets.0[i] == lead + i as u32 * bytes) => {
                Shape::Contiguous
            }
            () => Shape::Any,
        };
        let of_lane = bytes.div_ceil(4);
        let mut touched: Vec<u32> = active().flat_map(|i| words.0[i]..words.0[i] + of_lane).collect();
        let all = touched.len();
        touched.sort_unstable();
        touched.dedup();
        let span = touched.last().map_or(0, |last| last + 1);
        let window = (span <= 64).then(|| touched.iter().fold(0, |bits, word| bits | 1 << word));
        let at = Layout::span_of(&offsets, mask, bytes, shape, Space::Shared, 0, 0);
        Layout {
            mask,
            bytes,
            offsets,
            words,
            span,
            shape,
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
        self.shape == Shape::Contiguous && self.bytes == 4
    }

    fn span_of(
        offsets: &Lanes<u32>,
        mask: u32,
        bytes: u32,
        shape: Shape,
        space: Space,
        allocation: u32,
        start: u32,
    ) -> Span {
        let off = offsets.0.map(|o| o + start);
        Span { space, allocation, off, mask, shape, bytes }
    }

    /// The access that begins at byte `start`.
    pub(crate) fn at(&self, space: Space, allocation: u32, start: u32) -> Span {
        Layout::span_of(&self.offsets, self.mask, self.bytes, self.shape, space, allocation, start)
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

impl Layout {
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

/// See [`Layout::halves`].
fn halves(words: &Lanes<u32>, bytes: u32) -> Option<[(u32, bool); 2]> {
    let half = |from: usize| {
        let lanes = &words.0[from..from + 16];
        let follow = |step: u32| (0..).zip(lanes).all(|(i, word)| *word == lanes[0] + i * step);
        match () {
            () if follow(0) => Some((lanes[0], false)),
            () if follow(1) => Some((lanes[0], true)),
            () => None,
        }
    };
    (bytes == 4).then_some([half(0)?, half(16)?])
}

/// See [`Layout::stride`].
fn stride(words: &Lanes<u32>, mask: u32, bytes: u32) -> Option<u32> {
    let stride = words.0[1].checked_sub(words.0[0])?;
    let equal = (1..).zip(&words.0[1..]).all(|(i, word)| *word == words.0[0] + i * stride);
    (equal && words.0[0] == 0 && mask == u32::MAX && bytes == 4).then_some(stride)
}

/// How a footprint lies over the lanes of one warp.
#[derive(Clone, Copy)]
pub(crate) struct Extent {
    /// Bytes of the lowest lane beyond where the uniform part leads.
    pub(crate) lead: i64,
    /// Least and greatest value of the pattern.
    pub(crate) least: i64,
    pub(crate) greatest: i64,
    /// Bytes of the layout from its first to its last, and of a lane.
    pub(crate) bytes: i64,
    pub(crate) of_lane: u32,
}

/// Where a footprint lies in one warp for one set of active lanes; what is looked at in each access fits one line of the host's cache.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(crate) struct Place {
    /// The active lanes; 0 if nothing is known.
    pub(crate) mask: u32,
    /// Number of the layout; [`NO_LAYOUT`] for one that has to go the long way.
    pub(crate) layout: u32,
    /// Number of its extent, if it has a layout.
    pub(crate) extent: u32,
    /// For a group at a pointer that is a constant of the launch.
    pub(crate) bounds: Option<Bounds>,
    /// The uniform part, if no register has it: this, plus the block's index by axis times these.
    pub(crate) ahead: (u32, [u32; 3]),
}

/// What a group's uniform part may be, so that all of it is inside its allocation and no index wraps around; both included.
#[derive(Clone, Copy)]
pub(crate) struct Bounds {
    pub(crate) least: i64,
    pub(crate) greatest: i64,
    /// Byte of the lowest lane for a part and a distance of 0.
    pub(crate) origin: i64,
    pub(crate) space: Space,
    pub(crate) allocation: u32,
}

/// See [`Place::layout`].
pub(crate) const NO_LAYOUT: u32 = u32::MAX;

impl Place {
    pub(crate) const UNKNOWN: Place =
        Place { mask: 0, layout: NO_LAYOUT, extent: 0, bounds: None, ahead: (0, [0; 3]) };
}

/// All layouts that a worker has met.
#[derive(Default)]
pub(crate) struct Layouts {
    pub(crate) known: Vec<Arc<Layout>>,
    pub(crate) extents: Vec<Extent>,
    numbers: Map<(Box<[u32]>, u32, u32), u32>,
    places: Map<(u32, u32, u32), Place>,
}

impl Layouts {
    /// The place of a footprint in a warp.
    #[cold]
    pub(crate) fn place(
        &mut self,
        plan: &Plan,
        rules: MemoryRules,
        (footprint, warp, mask): (u32, u32, u32),
    ) -> Place {
        if let Some(place) = self.places.get(&(footprint, warp, mask)) {
            return *place;
        }
        if self.places.len() == MOST_PLACES {
            return Place { mask, ..Place::UNKNOWN };
        }
        let place = self.find(plan, rules, (footprint, warp, mask));
        self.places.insert((footprint, warp, mask), place);
        place
    }

    fn find(&mut self, plan: &Plan, rules: MemoryRules, key: (u32, u32, u32)) -> Place {
        let (footprint, warp, mask) = key;
        let crate::plan::Footprint { pattern, scale, bytes } = plan.footprints[footprint as usize];
        let values = plan.vectors.warp(pattern, warp).map(|v| i64::from(v as i32));
        let lead = first(mask);
        let value = |i: usize| if mask >> i & 1 == 1 { values[i] } else { values[lead] };
        let least = (0..32).map(value).min().unwrap_or(0);
        let greatest = (0..32).map(value).max().unwrap_or(0);
        let mut place = Place { mask, ..Place::UNKNOWN };
        let extent = (greatest - least).saturating_mul(i64::from(scale));
        let aligned = (0..32).all(|i| (value(i) - least) * i64::from(scale) % i64::from(bytes) == 0);
        if extent < i64::from(u32::MAX >> 2) && aligned {
            let offsets: [u32; 32] = std::array::from_fn(|i| ((value(i) - least) * i64::from(scale)) as u32);
            let known = &mut self.known;
            let number = self.numbers.entry((offsets.into(), mask, bytes)).or_insert_with(|| {
                known.push(Arc::new(Layout::new(Lanes(offsets), mask, bytes, rules)));
                known.len() as u32 - 1
            });
            place.layout = *number;
            place.extent = self.extents.len() as u32;
            self.extents.push(Extent {
                lead: least * i64::from(scale),
                least,
                greatest,
                bytes: i64::from(self.known[*number as usize].span) * 4,
                of_lane: bytes,
            });
        }
        place
    }
}
