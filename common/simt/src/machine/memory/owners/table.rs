//! The owners of a buffer's words in one role, writers or readers: a table that is exact for each word, and small where one block
//! accesses whole lines or sectors.

use std::ops::Range;

/// Words of a sector.
pub(crate) const WIDTH: usize = 8;
/// Sectors and words of a line.
pub(crate) const SECTORS: usize = 4;
pub(crate) const LINE: usize = WIDTH * SECTORS;
/// Sectors of a page.
pub(crate) const PAGE: usize = 128;

/// Low bits of a sector's record: the words that its owner has accessed.
const ACCESSED: u64 = 0xff;
/// In a sector's record: its words have owners of their own.
const SPILLED: u64 = 1 << 8;
/// In a line's record: its sectors have owners of their own.
const SPLIT: u64 = 1;
/// The bits of a record that hold the stamp; above them lies the owner.
const STAMP: u64 = 0xffff_fc00;

/// What accessed a word: a block, or several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Owner(u32);

impl Owner {
    /// No block; also any block, if blocks run in order and need not be told apart.
    pub(crate) const NONE: Owner = Owner(0);
    /// Blocks that changed a word by atomics alone: those do not conflict with each other.
    pub(crate) const ATOMIC: Owner = Owner(u32::MAX);
    /// More than one block, of those that read a word.
    pub(crate) const MANY: Owner = Owner(u32::MAX - 1);

    /// A block by its linear index. Launches have fewer than 2^32 - 2 blocks.
    #[inline(always)]
    pub(crate) fn block(index: u32) -> Owner {
        Owner(index + 1)
    }
}

/// The number of a launch. A record with another one is of an earlier launch and counts as empty, so no table has to be cleared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stamp(u64);

impl Stamp {
    pub(crate) const FIRST: Stamp = Stamp(1 << STAMP.trailing_zeros());
    pub(crate) const LAST: Stamp = Stamp(STAMP);

    /// The next launch's; `None` when the numbers are used up.
    pub(crate) fn next(self) -> Option<Stamp> {
        (self != Stamp::LAST).then_some(Stamp(self.0 + Stamp::FIRST.0))
    }

    /// The record of a line that an owner has for itself, or of a sector, without the words.
    #[inline(always)]
    fn record(self, owner: Owner) -> u64 {
        u64::from(owner.0) << 32 | self.0
    }

    #[inline(always)]
    fn is_of(self, record: u64) -> bool {
        record & STAMP == self.0
    }
}

/// The owners of a sector's words.
type SectorOwners = [Owner; WIDTH];

/// The owners of each word of a part of a buffer, in one role.
#[derive(Debug, Default)]
pub(crate) struct RoleTable {
    pub(crate) lines: Vec<u64>,
    /// Lines that were untouched when one owner accessed all of them.
    pub(crate) whole: usize,
    pub(crate) sectors: Vec<u64>,
    pub(crate) pages: Vec<Option<Box<[SectorOwners]>>>,
}

impl RoleTable {
    pub(crate) fn new(lines: usize) -> RoleTable {
        let sectors = lines * SECTORS;
        // Zeroed by the system when first touched.
        RoleTable {
            lines: vec![0; lines],
            whole: 0,
            sectors: vec![0; sectors],
            pages: vec![None; sectors.div_ceil(PAGE)],
        }
    }

    /// Makes `owner` the owner of a line; whether a word of it was another's.
    #[inline(always)]
    pub(crate) fn claim_line(&mut self, stamp: Stamp, at: usize, owner: Owner) -> bool {
        let line = &mut self.lines[at];
        match *line {
            now if !stamp.is_of(now) => {
                *line = stamp.record(owner);
                self.whole += 1;
            }
            now if now & SPLIT != 0 => {
                return sectors(at).fold(false, |conflict, s| self.claim(stamp, s, 0xff, owner) | conflict);
            }
            now => return now != stamp.record(owner),
        }
        false
    }

    /// Makes `owner` an owner of a line, perhaps besides others.
    #[inline]
    pub(crate) fn share_line(&mut self, stamp: Stamp, at: usize, owner: Owner) {
        let line = &mut self.lines[at];
        match *line {
            now if !stamp.is_of(now) => *line = stamp.record(owner),
            now if now & SPLIT != 0 => sectors(at).for_each(|s| self.share(stamp, s, 0xff, owner)),
            now if now == stamp.record(owner) => {}
            _ => *line = stamp.record(Owner::MANY),
        }
    }

    /// Whether a word of a line has another owner.
    #[inline]
    pub(crate) fn is_foreign_line(&mut self, stamp: Stamp, at: usize, owner: Owner) -> bool {
        match self.lines[at] {
            now if !stamp.is_of(now) => false,
            now if now & SPLIT != 0 => sectors(at).any(|s| self.is_foreign(stamp, s, 0xff, owner)),
            now => now != stamp.record(owner),
        }
    }

    /// Gives the sectors of a line owners of their own: of the line with this sector.
    #[inline(always)]
    fn split(&mut self, stamp: Stamp, sector: usize) {
        let at = sector / SECTORS;
        let line = &mut self.lines[at];
        if stamp.is_of(*line) {
            if *line & SPLIT != 0 {
                return;
            }
            self.sectors[at * SECTORS..(at + 1) * SECTORS].fill(*line | ACCESSED);
        }
        *line = stamp.0 | SPLIT;
    }

    /// Makes `owner` the owner of words of a sector; whether one of them was another's.
    #[inline(always)]
    pub(crate) fn claim(&mut self, stamp: Stamp, at: usize, words: u8, owner: Owner) -> bool {
        self.split(stamp, at);
        let (own, bits) = (stamp.record(owner), u64::from(words));
        let sector = &mut self.sectors[at];
        match *sector {
            now if !stamp.is_of(now) => *sector = own | bits,
            now if now & !ACCESSED == own => *sector = now | bits,
            now if now & SPILLED == 0 && now & bits != 0 => return true,
            _ => return self.claim_words(at, words, owner),
        }
        false
    }

    #[cold]
    fn claim_words(&mut self, at: usize, words: u8, owner: Owner) -> bool {
        let mut conflict = false;
        for word in chosen(self.spill(at), words) {
            conflict |= *word != Owner::NONE && *word != owner;
            *word = owner;
        }
        conflict
    }

    /// Makes `owner` an owner of words of a sector, perhaps besides others.
    #[inline]
    pub(crate) fn share(&mut self, stamp: Stamp, at: usize, words: u8, owner: Owner) {
        self.split(stamp, at);
        let (own, bits, many) = (stamp.record(owner), u64::from(words), stamp.record(Owner::MANY));
        let sector = &mut self.sectors[at];
        match *sector {
            now if !stamp.is_of(now) => *sector = own | bits,
            now if now & !ACCESSED == own => *sector = now | bits,
            now if now & !ACCESSED == many && now & bits == bits => {}
            // The other owner has accessed the same words: then all of them have many owners.
            now if now & SPILLED == 0 && now & ACCESSED == bits => *sector = many | bits,
            _ => self.share_words(at, words, owner),
        }
    }

    #[cold]
    fn share_words(&mut self, at: usize, words: u8, owner: Owner) {
        for word in chosen(self.spill(at), words) {
            *word = if *word == Owner::NONE || *word == owner { owner } else { Owner::MANY };
        }
    }

    /// Whether one of these words of a sector has another owner.
    #[inline]
    pub(crate) fn is_foreign(&mut self, stamp: Stamp, at: usize, words: u8, owner: Owner) -> bool {
        match self.lines[at / SECTORS] {
            line if !stamp.is_of(line) => return false,
            line if line & SPLIT == 0 => return line != stamp.record(owner),
            _ => {}
        }
        let now = self.sectors[at];
        if !stamp.is_of(now) || now & !ACCESSED == stamp.record(owner) {
            return false;
        }
        if now & SPILLED == 0 {
            return now & u64::from(words) != 0;
        }
        chosen(self.spill(at), words).any(|word| *word != Owner::NONE && *word != owner)
    }

    /// A bit for each word of a sector that has an owner.
    #[inline]
    pub(crate) fn accessed(&mut self, stamp: Stamp, at: usize) -> u8 {
        match self.lines[at / SECTORS] {
            line if !stamp.is_of(line) => return 0,
            line if line & SPLIT == 0 => return u8::MAX,
            _ => {}
        }
        match self.sectors[at] {
            now if !stamp.is_of(now) => 0,
            now if now & SPILLED == 0 => now as u8,
            _ => {
                let words = self.spill(at).iter().enumerate();
                words.fold(0, |bits, (i, word)| bits | u8::from(*word != Owner::NONE) << i)
            }
        }
    }

    /// A bit for each word of a line that has an owner; none if there is no such line.
    #[inline]
    pub(crate) fn accessed_line(&mut self, stamp: Stamp, at: usize) -> u32 {
        match self.lines.get(at) {
            Some(line) if !stamp.is_of(*line) => 0,
            Some(line) if line & SPLIT == 0 => u32::MAX,
            Some(_) => {
                let mut bits = [0; SECTORS];
                for (sector, bits) in sectors(at).zip(&mut bits) {
                    *bits = self.accessed(stamp, sector);
                }
                u32::from_le_bytes(bits)
            }
            None => 0,
        }
    }

    /// The owners of the words of a sector that has a record of this launch; gives each word an owner of its own if it has none yet.
    fn spill(&mut self, at: usize) -> &mut SectorOwners {
        let page = self.pages[at / PAGE].get_or_insert_with(|| vec![[Owner::NONE; WIDTH]; PAGE].into());
        let words = &mut page[at % PAGE];
        let sector = &mut self.sectors[at];
        if *sector & SPILLED == 0 {
            let owner = Owner((*sector >> 32) as u32);
            *words = std::array::from_fn(|i| if *sector >> i & 1 == 1 { owner } else { Owner::NONE });
            *sector = *sector & STAMP | SPILLED;
        }
        words
    }
}

/// The sectors of a line.
fn sectors(line: usize) -> Range<usize> {
    line * SECTORS..(line + 1) * SECTORS
}

/// Those words of a sector for which there is a bit.
fn chosen(words: &mut SectorOwners, bits: u8) -> impl Iterator<Item = &mut Owner> {
    words.iter_mut().enumerate().filter(move |(i, _)| bits >> i & 1 == 1).map(|(_, word)| word)
}
