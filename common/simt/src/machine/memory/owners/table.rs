//! The owners of a buffer's words in one role, writers or readers: a table that is exact for each word, and small where one block
//! accesses whole lines or sectors.

use crate::machine::mask::{first, lanes, lanes_where};

/// Words of a sector.
pub(crate) const WIDTH: usize = 8;
/// Sectors and words of a line.
pub(crate) const SECTORS: usize = 4;
pub(crate) const LINE: usize = WIDTH * SECTORS;
/// Lines of a page.
pub(crate) const PAGE: usize = 32;

/// Low bits of a sector's record: the words that its owner has accessed.
const ACCESSED: u64 = 0xff;
/// In a line's record: its sectors have owners of their own.
const SPLIT: u64 = 1;
/// In a line's record: its words have owners of their own.
const SPILLED: u64 = 2;
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

/// The owners of a line's words.
type LineOwners = [Owner; LINE];

/// The owners of each word of a part of a buffer, in one role. Words of a line are given as bits, the first as the lowest.
#[derive(Debug, Default)]
pub(crate) struct RoleTable {
    pub(crate) lines: Vec<u64>,
    /// Lines that were untouched when one owner accessed all of them.
    pub(crate) whole: usize,
    pub(crate) sectors: Vec<u64>,
    pub(crate) pages: Vec<Option<Box<[LineOwners]>>>,
}

impl RoleTable {
    pub(crate) fn new(lines: usize) -> RoleTable {
        // Zeroed by the system when first touched.
        RoleTable {
            lines: vec![0; lines],
            whole: 0,
            sectors: vec![0; lines * SECTORS],
            pages: vec![None; lines.div_ceil(PAGE)],
        }
    }

    /// Makes `owner` the owner of words of a line; whether one of them was another's.
    #[inline(always)]
    pub(crate) fn claim(&mut self, stamp: Stamp, at: usize, words: u32, owner: Owner) -> bool {
        let own = stamp.record(owner);
        let line = &mut self.lines[at];
        match *line {
            now if !stamp.is_of(now) && words == u32::MAX => {
                *line = own;
                self.whole += 1;
                false
            }
            // Records of its sectors are of earlier launches.
            now if !stamp.is_of(now) => {
                *line = stamp.0 | SPLIT;
                self.claim_sectors(stamp, at, words, owner)
            }
            now if now & SPILLED != 0 => self.claim_words(at, words, owner),
            now if now & SPLIT != 0 => self.claim_sectors(stamp, at, words, owner),
            now => now != own,
        }
    }

    #[inline(always)]
    fn claim_sectors(&mut self, stamp: Stamp, at: usize, words: u32, owner: Owner) -> bool {
        let own = stamp.record(owner);
        let (mut conflict, mut mixed) = (false, false);
        for (sector, bits) in self.sectors_of(at).iter_mut().zip(words.to_le_bytes().map(u64::from)) {
            match *sector {
                _ if bits == 0 => {}
                now if !stamp.is_of(now) => *sector = own | bits,
                now if now & !ACCESSED == own => *sector = now | bits,
                now if now & bits != 0 => conflict = true,
                _ => mixed = true,
            }
        }
        if conflict || !mixed {
            return conflict;
        }
        self.spill(stamp, at);
        self.claim_words(at, words, owner)
    }

    #[inline(always)]
    fn claim_words(&mut self, at: usize, words: u32, owner: Owner) -> bool {
        let owners = self.owners_of(at);
        let (mut rest, mut conflict) = (words, false);
        while rest != 0 {
            let word = &mut owners[first(rest)];
            rest &= rest - 1;
            conflict |= *word != Owner::NONE && *word != owner;
            *word = owner;
        }
        conflict
    }

    /// Makes `owner` an owner of words of a line, perhaps besides others.
    #[inline]
    pub(crate) fn share(&mut self, stamp: Stamp, at: usize, words: u32, owner: Owner) {
        let (own, many) = (stamp.record(owner), stamp.record(Owner::MANY));
        let line = &mut self.lines[at];
        match *line {
            now if !stamp.is_of(now) && words == u32::MAX => return *line = own,
            now if !stamp.is_of(now) => *line = stamp.0 | SPLIT,
            now if now & SPILLED != 0 => return self.share_words(at, words, owner),
            now if now & SPLIT != 0 => {}
            now if now == own || now == many => return,
            _ if words == u32::MAX => return *line = many,
            now => {
                *line = stamp.0 | SPLIT;
                self.sectors_of(at).fill(now | ACCESSED);
            }
        }
        let mut mixed = false;
        for (sector, bits) in self.sectors_of(at).iter_mut().zip(words.to_le_bytes().map(u64::from)) {
            match *sector {
                _ if bits == 0 => {}
                now if !stamp.is_of(now) => *sector = own | bits,
                now if now & !ACCESSED == own => *sector = now | bits,
                now if now & !ACCESSED == many && now & bits == bits => {}
                // The other owner has accessed the same words: then all of them have many owners.
                now if now & ACCESSED == bits => *sector = many | bits,
                _ => mixed = true,
            }
        }
        if mixed {
            self.spill(stamp, at);
            self.share_words(at, words, owner);
        }
    }

    fn share_words(&mut self, at: usize, words: u32, owner: Owner) {
        let owners = self.owners_of(at);
        for word in lanes(words) {
            let word = &mut owners[word];
            *word = if *word == Owner::NONE || *word == owner { owner } else { Owner::MANY };
        }
    }

    /// Whether one of these words of a line has another owner.
    #[inline]
    pub(crate) fn is_foreign(&mut self, stamp: Stamp, at: usize, words: u32, owner: Owner) -> bool {
        let own = stamp.record(owner);
        match self.lines[at] {
            now if !stamp.is_of(now) => false,
            now if now & SPILLED != 0 => {
                let owners = self.owners_of(at);
                lanes(words).any(|word| owners[word] != Owner::NONE && owners[word] != owner)
            }
            now if now & SPLIT != 0 => {
                let bits = words.to_le_bytes().map(u64::from);
                let is_foreign =
                    |now: u64, bits: u64| stamp.is_of(now) && now & !ACCESSED != own && now & bits != 0;
                self.sectors_of(at).iter().zip(bits).any(|(now, bits)| is_foreign(*now, bits))
            }
            now => now != own,
        }
    }

    /// The words of a line that have an owner; none if there is no such line.
    #[inline]
    pub(crate) fn accessed(&mut self, stamp: Stamp, at: usize) -> u32 {
        match self.lines.get(at) {
            Some(now) if !stamp.is_of(*now) => 0,
            Some(now) if now & SPILLED != 0 => {
                let owners = self.owners_of(at);
                lanes_where(u32::MAX, |word| owners[word] != Owner::NONE)
            }
            Some(now) if now & SPLIT != 0 => {
                let mut bits = [0; SECTORS];
                for (bits, now) in bits.iter_mut().zip(self.sectors_of(at)) {
                    *bits = if stamp.is_of(*now) { *now as u8 } else { 0 };
                }
                u32::from_le_bytes(bits)
            }
            Some(_) => u32::MAX,
            None => 0,
        }
    }

    /// Gives each word of a line whose sectors have owners one of its own.
    fn spill(&mut self, stamp: Stamp, at: usize) {
        let mut owners = [Owner::NONE; LINE];
        for (owners, now) in owners.as_chunks_mut::<WIDTH>().0.iter_mut().zip(self.sectors_of(at)) {
            let owner = if stamp.is_of(*now) { Owner((*now >> 32) as u32) } else { Owner::NONE };
            *owners = std::array::from_fn(|i| if *now >> i & 1 == 1 { owner } else { Owner::NONE });
        }
        *self.owners_of(at) = owners;
        self.lines[at] = stamp.0 | SPILLED;
    }

    /// Fetches what is known of words of a line into the host's cache.
    #[inline(always)]
    pub(crate) fn prefetch(&self, at: usize, words: u32) {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            let fetch = |place: *const i8| {
                // SAFETY: a prefetch reads nothing.
                unsafe { _mm_prefetch::<_MM_HINT_T0>(place) }
            };
            fetch((&raw const self.lines[at]).cast());
            fetch((&raw const self.sectors[at * SECTORS]).cast());
            if let Some(page) = &self.pages[at / PAGE] {
                fetch((&raw const page[at % PAGE][first(words)]).cast());
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = (at, words);
    }

    #[inline(always)]
    fn sectors_of(&mut self, line: usize) -> &mut [u64] {
        &mut self.sectors[line * SECTORS..(line + 1) * SECTORS]
    }

    #[inline(always)]
    fn owners_of(&mut self, line: usize) -> &mut LineOwners {
        let page = self.pages[line / PAGE].get_or_insert_with(|| vec![[Owner::NONE; LINE]; PAGE].into());
        &mut page[line % PAGE]
    }
}
