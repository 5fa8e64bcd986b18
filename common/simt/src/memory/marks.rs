//! Which block has touched which word of a buffer during a launch: how two blocks that touch one word are found out.
//!
//! A buffer has a table for what wrote it and one for what read it. A table keeps one 64-bit word for each 32-byte sector:
//! the owner, a bit for each of its eight words that the owner has touched, and the launch, so that what earlier
//! launches left counts as nothing and no table is ever cleared. A warp's contiguous store is four compare-exchanges,
//! and four loads when the block comes again. A sector that cannot be described so, since two owners have touched
//! different words of it, is *spilled*: from then on it has an owner for each word, in pages made when first needed.
//!
//! **Nothing is missed, in any interleaving.** All marks and queries below are sequentially consistent, so they have one
//! total order. *(1) A query sees every mark before it.* A mark is a compare-exchange on the sector or, once that is
//! spilled, a swap on the word. Within a launch a sector goes one way: untouched, one owner with a growing set of
//! words, locked, spilled. Whoever spills a sector locks it by a compare-exchange on the very value that it then copies to
//! the words, and whoever finds it locked waits; so no mark is lost between, and a query that finds the sector spilled
//! finds in the words all that was marked before. *(2) Of a reader and a writer at least one sees the other.* Each marks
//! first and looks at the other's table after. If the writer's look comes before the reader's mark in the total order, so
//! does the writer's mark, and the reader's look, which comes later still, sees it by (1). *(3) Of two writers the later
//! one sees the earlier*, for both change the same sector or the same word by an atomic exchange.
//!
//! **Nothing is seen that is not there**: owners are kept for each word exactly. Only after two blocks have clashed may
//! marks be missing, for then the launch is undone and run again in block order, where there are no clashes to find.
//!
//! Memory: an eighth of a buffer is eight words to 64 bits, so a table is a quarter of its buffer; spilled pages are at
//! worst as large as the buffer, and are only there for parts where blocks share sectors.

use std::sync::OnceLock;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::sync::atomic::{AtomicU32, AtomicU64};

/// Owner of a word that atomics alone have changed: those do not clash with each other. Blocks are known by index + 1.
const ATOMIC: u32 = u32::MAX;
/// Owner of a word that more than one block has read.
const MANY: u32 = u32::MAX - 1;

/// Words of a sector.
const WIDTH: usize = 8;
/// A sector's low bits: the words that its owner has touched.
const TOUCHED: u64 = 0xff;
/// Somebody is spilling the sector.
const LOCKED: u64 = 1 << 8;
/// Its words have owners of their own.
const SPILLED: u64 = 1 << 9;
/// The number of the launch; another one means that nobody has touched the sector. Above it lies the owner.
const STAMP: u64 = 0xffff_fc00;
const NEXT_STAMP: u64 = 1 << 10;

type Words = [AtomicU32; WIDTH];
/// Sectors of a page.
const PAGE: usize = 128;

/// The owners of each word of a buffer, in one role.
#[derive(Debug, Default)]
struct Table {
    sectors: Vec<AtomicU64>,
    pages: Vec<OnceLock<Box<[Words]>>>,
}

impl Table {
    fn new(sectors: usize) -> Table {
        // Zeroed by the system when first touched, and taken over as it is.
        let sectors: Vec<AtomicU64> = vec![0; sectors].into_iter().map(AtomicU64::new).collect();
        let pages = (0..sectors.len().div_ceil(PAGE)).map(|_| OnceLock::new()).collect();
        Table { sectors, pages }
    }

    /// Marks words of a sector as touched by `owner`; whether one of them was another's.
    #[inline(always)]
    fn claim(&self, stamp: u64, at: usize, words: u8, owner: u32) -> bool {
        let (own, bits) = (own(stamp, owner), u64::from(words));
        let sector = &self.sectors[at];
        let mut now = sector.load(SeqCst);
        loop {
            let next = match now {
                _ if now & !TOUCHED == own && now & bits == bits => return false,
                _ if now & !TOUCHED == own => now | bits,
                _ if now & STAMP != stamp => own | bits,
                _ if now & (LOCKED | SPILLED) == 0 && now & bits != 0 => return true,
                _ => return self.claim_words(at, words, owner),
            };
            match sector.compare_exchange(now, next, SeqCst, SeqCst) {
                Ok(_) => return false,
                Err(found) => now = found,
            }
        }
    }

    #[cold]
    fn claim_words(&self, at: usize, words: u8, owner: u32) -> bool {
        let mut clash = false;
        for word in of(self.spilled(at), words) {
            if word.load(SeqCst) != owner {
                let before = word.swap(owner, SeqCst);
                clash |= before != 0 && before != owner;
            }
        }
        clash
    }

    /// Marks words of a sector as touched by `owner`, perhaps besides others.
    #[inline]
    fn share(&self, stamp: u64, at: usize, words: u8, owner: u32) {
        let (own_mark, bits, many) = (own(stamp, owner), u64::from(words), own(stamp, MANY));
        let sector = &self.sectors[at];
        let mut now = sector.load(SeqCst);
        loop {
            let next = match now {
                _ if (now & !TOUCHED == own_mark || now & !TOUCHED == many) && now & bits == bits => return,
                _ if now & !TOUCHED == own_mark => now | bits,
                _ if now & STAMP != stamp => own_mark | bits,
                // Just what the other has touched: then all of it has many owners.
                _ if now & (LOCKED | SPILLED) == 0 && now & TOUCHED == bits => many | bits,
                _ => return self.share_words(at, words, owner),
            };
            match sector.compare_exchange(now, next, SeqCst, SeqCst) {
                Ok(_) => return,
                Err(found) => now = found,
            }
        }
    }

    #[cold]
    fn share_words(&self, at: usize, words: u8, owner: u32) {
        for word in of(self.spilled(at), words) {
            match word.load(SeqCst) {
                now if now == owner || now == MANY => {}
                0 if word.compare_exchange(0, owner, SeqCst, SeqCst).is_ok() => {}
                _ => word.store(MANY, SeqCst),
            }
        }
    }

    /// Whether one of these words has been touched by another than `owner`.
    #[inline]
    fn foreign(&self, stamp: u64, at: usize, words: u8, owner: u32) -> bool {
        let now = self.sectors[at].load(SeqCst);
        if now & STAMP != stamp || now & !TOUCHED == own(stamp, owner) {
            return false;
        }
        if now & (LOCKED | SPILLED) == 0 {
            return now & u64::from(words) != 0;
        }
        let other = |word: &AtomicU32| ![0, owner].contains(&word.load(SeqCst));
        of(self.spilled(at), words).any(other)
    }

    /// The words of a sector that anybody has touched.
    #[inline]
    fn touched(&self, stamp: u64, at: usize) -> u8 {
        let now = self.sectors[at].load(SeqCst);
        match now {
            _ if now & STAMP != stamp => 0,
            _ if now & (LOCKED | SPILLED) == 0 => now as u8,
            _ => {
                let words = self.spilled(at).iter().enumerate();
                words.fold(0, |bits, (i, word)| bits | u8::from(word.load(SeqCst) != 0) << i)
            }
        }
    }

    /// The owners of a sector's words; spills it if it is not yet. Somebody has touched it in this launch.
    fn spilled(&self, at: usize) -> &Words {
        let page = self.pages[at / PAGE].get_or_init(|| (0..PAGE).map(|_| Words::default()).collect());
        let words = &page[at % PAGE];
        let sector = &self.sectors[at];
        let mut now = sector.load(SeqCst);
        let mut waited = 0u32;
        while now & SPILLED == 0 {
            if now & LOCKED != 0 {
                // Eight stores away, unless the system has put the other to sleep.
                waited += 1;
                if waited.is_multiple_of(64) {
                    std::thread::yield_now();
                }
                std::hint::spin_loop();
                now = sector.load(SeqCst);
                continue;
            }
            match sector.compare_exchange(now, now | LOCKED, SeqCst, SeqCst) {
                Ok(_) => {
                    for (i, word) in words.iter().enumerate() {
                        word.store(if now >> i & 1 == 1 { (now >> 32) as u32 } else { 0 }, Relaxed);
                    }
                    sector.store(now & STAMP | SPILLED, SeqCst);
                    break;
                }
                Err(found) => now = found,
            }
        }
        words
    }
}

/// A sector that `owner` has to itself, without the words.
#[inline]
fn own(stamp: u64, owner: u32) -> u64 {
    u64::from(owner) << 32 | stamp
}

/// Those of a sector's words that `bits` names.
fn of(words: &Words, bits: u8) -> impl Iterator<Item = &AtomicU32> {
    let next = |bits: &u8| Some(bits & (bits - 1)).filter(|rest| *rest != 0);
    let masks = std::iter::successors(Some(bits).filter(|b| *b != 0), next);
    masks.map(|bits| &words[bits.trailing_zeros() as usize % WIDTH])
}

/// Calls `f` for each sector of `count` words from `first` on, with the words there; whether it was ever true.
#[inline(always)]
fn run(first: usize, count: usize, mut f: impl FnMut(usize, u8) -> bool) -> bool {
    let (mut at, end, mut any) = (first, first + count, false);
    while at < end {
        let (sector, skip) = (at / WIDTH, at % WIDTH);
        let here = (WIDTH - skip).min(end - at);
        any |= f(sector, (0xff >> (WIDTH - here)) << skip);
        at += here;
    }
    any
}

/// Calls `f` for each sector of the words, one call for those of a sector that follow each other; whether it was ever true.
#[inline]
fn gather(words: impl Iterator<Item = usize>, mut f: impl FnMut(usize, u8) -> bool) -> bool {
    let (mut sector, mut bits, mut any) = (0, 0u8, false);
    for word in words {
        if word / WIDTH != sector {
            if bits != 0 {
                any |= f(sector, bits);
            }
            (sector, bits) = (word / WIDTH, 0);
        }
        bits |= 1 << (word % WIDTH);
    }
    if bits != 0 {
        any |= f(sector, bits);
    }
    any
}

/// What blocks have done to a buffer in this launch. Words are given by index in the buffer, blocks by index + 1.
///
/// A function that gives a `bool` says whether this access and an earlier one of another block touch the same word, so
/// that their order matters: one of them writes, and not both are atomic.
#[derive(Debug, Default)]
pub(crate) struct Marks {
    writers: Table,
    readers: Table,
    /// Whether reads are marked.
    reads: bool,
    /// What a block's number is taken down to: nothing if blocks run in order, for then they need not be told apart.
    distinct: u32,
    stamp: u64,
}

impl Marks {
    /// For a buffer of at most that many words; [`Marks::begin`] comes first.
    pub(crate) fn new(words: usize) -> Marks {
        Marks { writers: Table::new(words.div_ceil(WIDTH)), ..Marks::default() }
    }

    /// How many words it is for.
    pub(crate) fn capacity(&self) -> usize {
        self.writers.sectors.len() * WIDTH
    }

    /// Forgets all. `reads` says whether this launch may read the buffer as well, and `ordered` that its blocks run one
    /// after the other: then only [`Marks::is_written`] and [`Marks::written`] mean anything.
    pub(crate) fn begin(&mut self, reads: bool, ordered: bool) {
        self.reads = reads && !ordered;
        self.distinct = if ordered { 0 } else { u32::MAX };
        let sectors = self.writers.sectors.len();
        if self.reads && self.readers.sectors.len() != sectors {
            self.readers = Table::new(sectors);
        }
        self.stamp += NEXT_STAMP;
        if self.stamp > STAMP {
            // The numbers begin again, so what the first launches left must go.
            *self = Marks {
                writers: Table::new(sectors),
                readers: Table::new(if self.reads { sectors } else { 0 }),
                stamp: NEXT_STAMP,
                ..*self
            };
        }
    }

    /// A block writes some words of a sector, a bit each.
    #[inline(always)]
    fn write_sector(&self, sector: usize, words: u8, owner: u32, block: u32) -> bool {
        let clash = self.writers.claim(self.stamp, sector, words, owner & self.distinct);
        clash | (self.reads && self.readers.foreign(self.stamp, sector, words, block))
    }

    /// A block reads some words of a sector, a bit each.
    #[inline]
    fn read_sector(&self, sector: usize, words: u8, block: u32) -> bool {
        self.readers.share(self.stamp, sector, words, block);
        self.writers.foreign(self.stamp, sector, words, block)
    }

    /// A block writes `count` words from `first` on.
    #[inline]
    pub(crate) fn write_run(&self, first: usize, count: usize, block: u32) -> bool {
        run(first, count, |sector, words| self.write_sector(sector, words, block, block))
    }

    /// A block writes these words.
    #[inline]
    pub(crate) fn write_words(&self, words: impl Iterator<Item = usize>, block: u32) -> bool {
        gather(words, |sector, words| self.write_sector(sector, words, block, block))
    }

    /// A block writes a word.
    #[inline]
    pub(crate) fn write_word(&self, word: usize, block: u32) -> bool {
        self.write_sector(word / WIDTH, 1 << (word % WIDTH), block, block)
    }

    /// A block changes a word atomically, which does not clash with other atomics.
    #[inline]
    pub(crate) fn atomic_word(&self, word: usize, block: u32) -> bool {
        self.write_sector(word / WIDTH, 1 << (word % WIDTH), ATOMIC, block)
    }

    /// A block reads `count` words from `first` on.
    #[inline]
    pub(crate) fn read_run(&self, first: usize, count: usize, block: u32) -> bool {
        self.reads && run(first, count, |sector, words| self.read_sector(sector, words, block))
    }

    /// A block reads these words.
    #[inline]
    pub(crate) fn read_words(&self, words: impl Iterator<Item = usize>, block: u32) -> bool {
        self.reads && gather(words, |sector, words| self.read_sector(sector, words, block))
    }

    /// A block reads a word.
    #[inline]
    pub(crate) fn read_word(&self, word: usize, block: u32) -> bool {
        self.reads && self.read_sector(word / WIDTH, 1 << (word % WIDTH), block)
    }

    /// Whether any block has written the word.
    #[inline]
    pub(crate) fn is_written(&self, word: usize) -> bool {
        self.writers.touched(self.stamp, word / WIDTH) >> (word % WIDTH) & 1 == 1
    }

    /// The words that any block has written, for each 64 of the first `words`: a bit each.
    pub(crate) fn written(&self, words: usize) -> impl Iterator<Item = u64> {
        (0..words.div_ceil(64)).map(|at| {
            let sectors = at * 8..(at * 8 + 8).min(self.writers.sectors.len());
            let bits = |s: usize| u64::from(self.writers.touched(self.stamp, s)) << (s % 8 * WIDTH);
            sectors.map(bits).fold(0, |all, bits| all | bits)
        })
    }
}

#[cfg(test)]
mod tests;
