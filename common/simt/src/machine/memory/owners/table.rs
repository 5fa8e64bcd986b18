//! The owners of a buffer's words.

use std::ops::Range;

/// Owner of a word that atomics alone have changed: those do not clash with each other. Blocks are known by index + 1.
pub(crate) const ATOMIC: u32 = u32::MAX;
/// Owner of a word that more than one block has read.
pub(crate) const MANY: u32 = u32::MAX - 1;

/// Words of a sector.
pub(crate) const WIDTH: usize = 8;
/// A sector's low bits: the words that its owner has touched.
pub(crate) const TOUCHED: u64 = 0xff;
/// Its words have owners of their own.
pub(crate) const SPILLED: u64 = 1 << 8;
/// Sectors and words of a line.
pub(crate) const SECTORS: usize = 4;
pub(crate) const LINE: usize = WIDTH * SECTORS;
/// A line's sectors have owners of their own.
pub(crate) const SPLIT: u64 = 1;
/// The number of the launch; another one means that nobody has touched the sector. Above it lies the owner.
pub(crate) const STAMP: u64 = 0xffff_fc00;
pub(crate) const NEXT_STAMP: u64 = 1 << 10;

pub(crate) type Words = [u32; WIDTH];
/// Sectors of a page.
pub(crate) const PAGE: usize = 128;
/// The owners of each word of a part of a buffer, in one role.
#[derive(Debug, Default)]
pub(crate) struct Table {
    pub(crate) lines: Vec<u64>,
    /// Lines that were untouched when one owner touched all of them.
    pub(crate) whole: usize,
    pub(crate) sectors: Vec<u64>,
    pub(crate) pages: Vec<Option<Box<[Words]>>>,
}

impl Table {
    pub(crate) fn new(lines: usize) -> Table {
        let sectors = lines * SECTORS;
        // Zeroed by the system when first touched.
        Table {
            lines: vec![0; lines],
            whole: 0,
            sectors: vec![0; sectors],
            pages: vec![None; sectors.div_ceil(PAGE)],
        }
    }

    /// OwnerTable a whole line as touched by `owner`; whether a word of it was another's.
    #[inline(always)]
    pub(crate) fn claim_line(&mut self, stamp: u64, at: usize, owner: u32) -> bool {
        let line = &mut self.lines[at];
        match *line {
            now if now & STAMP != stamp => {
                *line = own(stamp, owner);
                self.whole += 1;
            }
            now if now & SPLIT != 0 => {
                return sectors(at).fold(false, |conflict, s| self.claim(stamp, s, 0xff, owner) | conflict);
            }
            now => return now != own(stamp, owner),
        }
        false
    }

    /// OwnerTable a whole line as touched by `owner`, perhaps besides others.
    #[inline]
    pub(crate) fn share_line(&mut self, stamp: u64, at: usize, owner: u32) {
        let line = &mut self.lines[at];
        match *line {
            now if now & STAMP != stamp => *line = own(stamp, owner),
            now if now & SPLIT != 0 => sectors(at).for_each(|s| self.share(stamp, s, 0xff, owner)),
            now if now == own(stamp, owner) => {}
            _ => *line = own(stamp, MANY),
        }
    }

    /// Whether a word of a line has been touched by another than `owner`.
    #[inline]
    pub(crate) fn foreign_line(&mut self, stamp: u64, at: usize, owner: u32) -> bool {
        match self.lines[at] {
            now if now & STAMP != stamp => false,
            now if now & SPLIT != 0 => sectors(at).any(|s| self.foreign(stamp, s, 0xff, owner)),
            now => now != own(stamp, owner),
        }
    }

    /// From now on the line of a sector has sectors with owners of their own.
    #[inline(always)]
    pub(crate) fn split(&mut self, stamp: u64, sector: usize) {
        let at = sector / SECTORS;
        let line = &mut self.lines[at];
        if *line & (STAMP | SPLIT) == stamp | SPLIT {
            return;
        }
        if *line & STAMP == stamp {
            self.sectors[at * SECTORS..(at + 1) * SECTORS].fill(*line | TOUCHED);
        }
        *line = stamp | SPLIT;
    }

    /// OwnerTable words of a sector as touched by `owner`; whether one of them was another's.
    #[inline(always)]
    pub(crate) fn claim(&mut self, stamp: u64, at: usize, words: u8, owner: u32) -> bool {
        self.split(stamp, at);
        let (own, bits) = (own(stamp, owner), u64::from(words));
        let sector = &mut self.sectors[at];
        match *sector {
            now if now & STAMP != stamp => *sector = own | bits,
            now if now & !TOUCHED == own => *sector = now | bits,
            now if now & SPILLED == 0 && now & bits != 0 => return true,
            _ => return self.claim_words(at, words, owner),
        }
        false
    }

    #[cold]
    pub(crate) fn claim_words(&mut self, at: usize, words: u8, owner: u32) -> bool {
        let mut conflict = false;
        for word in of(self.spilled(at), words) {
            conflict |= *word != 0 && *word != owner;
            *word = owner;
        }
        conflict
    }

    /// OwnerTable words of a sector as touched by `owner`, perhaps besides others.
    #[inline]
    pub(crate) fn share(&mut self, stamp: u64, at: usize, words: u8, owner: u32) {
        self.split(stamp, at);
        let (own_mark, bits, many) = (own(stamp, owner), u64::from(words), own(stamp, MANY));
        let sector = &mut self.sectors[at];
        match *sector {
            now if now & STAMP != stamp => *sector = own_mark | bits,
            now if now & !TOUCHED == own_mark => *sector = now | bits,
            now if now & !TOUCHED == many && now & bits == bits => {}
            // Just what the other has touched: then all of it has many owners.
            now if now & SPILLED == 0 && now & TOUCHED == bits => *sector = many | bits,
            _ => self.share_words(at, words, owner),
        }
    }

    #[cold]
    pub(crate) fn share_words(&mut self, at: usize, words: u8, owner: u32) {
        for word in of(self.spilled(at), words) {
            *word = if *word == 0 || *word == owner { owner } else { MANY };
        }
    }

    /// Whether one of these words has been touched by another than `owner`.
    #[inline]
    pub(crate) fn foreign(&mut self, stamp: u64, at: usize, words: u8, owner: u32) -> bool {
        match self.lines[at / SECTORS] {
            line if line & STAMP != stamp => return false,
            line if line & SPLIT == 0 => return line != own(stamp, owner),
            _ => {}
        }
        let now = self.sectors[at];
        if now & STAMP != stamp || now & !TOUCHED == own(stamp, owner) {
            return false;
        }
        if now & SPILLED == 0 {
            return now & u64::from(words) != 0;
        }
        of(self.spilled(at), words).any(|word| *word != 0 && *word != owner)
    }

    /// The words of a sector that anybody has touched.
    #[inline]
    pub(crate) fn touched(&mut self, stamp: u64, at: usize) -> u8 {
        match self.lines[at / SECTORS] {
            line if line & STAMP != stamp => return 0,
            line if line & SPLIT == 0 => return u8::MAX,
            _ => {}
        }
        match self.sectors[at] {
            now if now & STAMP != stamp => 0,
            now if now & SPILLED == 0 => now as u8,
            _ => {
                let words = self.spilled(at).iter().enumerate();
                words.fold(0, |bits, (i, word)| bits | u8::from(*word != 0) << i)
            }
        }
    }

    /// The words of a line that anybody has touched; none of one that there is not.
    #[inline]
    pub(crate) fn touched_line(&mut self, stamp: u64, at: usize) -> u32 {
        match self.lines.get(at) {
            Some(line) if line & STAMP != stamp => 0,
            Some(line) if line & SPLIT == 0 => u32::MAX,
            Some(_) => {
                let mut bits = [0; SECTORS];
                for (sector, bits) in sectors(at).zip(&mut bits) {
                    *bits = self.touched(stamp, sector);
                }
                u32::from_le_bytes(bits)
            }
            None => 0,
        }
    }

    /// The owners of a sector's words; spills it if it is not yet. Somebody has touched it in this launch.
    pub(crate) fn spilled(&mut self, at: usize) -> &mut Words {
        let page = self.pages[at / PAGE].get_or_insert_with(|| vec![[0; WIDTH]; PAGE].into());
        let words = &mut page[at % PAGE];
        let sector = &mut self.sectors[at];
        if *sector & SPILLED == 0 {
            let owner = (*sector >> 32) as u32;
            *words = std::array::from_fn(|i| if *sector >> i & 1 == 1 { owner } else { 0 });
            *sector = *sector & STAMP | SPILLED;
        }
        words
    }
}

/// The sectors of a line.
pub(crate) fn sectors(line: usize) -> Range<usize> {
    line * SECTORS..(line + 1) * SECTORS
}

/// A line that `owner` has to itself, or a sector, without the words.
#[inline]
pub(crate) fn own(stamp: u64, owner: u32) -> u64 {
    u64::from(owner) << 32 | stamp
}

/// Those of a sector's words that `bits` names.
pub(crate) fn of(words: &mut Words, bits: u8) -> impl Iterator<Item = &mut u32> {
    words.iter_mut().enumerate().filter(move |(i, _)| bits >> i & 1 == 1).map(|(_, word)| word)
}
