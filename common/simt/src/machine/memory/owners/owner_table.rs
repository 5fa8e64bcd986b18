//! What blocks have done to a buffer.

use crate::fault::AccessKind;
use crate::host_threads;
use crate::machine::memory::owners::log::{AccessLog, LogEntry};
use crate::machine::memory::owners::table::{ATOMIC, LINE, NEXT_STAMP, SECTORS, STAMP, Table, WIDTH};
use std::ops::{Range, RangeInclusive};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, MutexGuard, TryLockError};

/// Lines of a shard, as powers of two: no fewer, which is 16 KiB of the buffer, and no more.
pub(crate) const SHARD: RangeInclusive<u32> = 7..=11;
/// Shards that there should be for each core of the host. Where 16 cores had one for all, the 16 x 16-tiled product of 256 x 256 took
/// 1.1 to 1.6 times as long; where two cores had many more, a transposition took 1.1 times as long.
pub(crate) const SHARDS: usize = 4;

/// Both tables of a part of a buffer; alone in its lines of the host's caches, since others are changed at the same time.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct Shard {
    pub(crate) writers: Table,
    pub(crate) readers: Table,
}

impl AccessLog {
    /// Puts all into the tables of the buffers that `marks` gives; whether any of it clashes with what they know.
    pub(crate) fn flush<'m>(&mut self, owners: impl Fn(u32) -> Option<&'m OwnerTable>) -> bool {
        let mut conflict = false;
        let mut entries = self.0.as_slice();
        while let Some(entry) = entries.first() {
            let same = entries.iter().take_while(|e| e.buffer == entry.buffer).count();
            if let Some(owners) = owners(entry.buffer) {
                conflict |= owners.take(&entries[..same]);
            }
            entries = &entries[same..];
        }
        self.0.clear();
        conflict
    }
}

/// What blocks have done to a buffer in this launch.
#[derive(Debug, Default)]
pub(crate) struct OwnerTable {
    pub(crate) shards: Vec<Mutex<Shard>>,
    /// Lines of each but the last, as a power of two.
    pub(crate) shard_bits: u32,
    lines: usize,
    /// Whether reads are marked.
    reads: bool,
    /// What a block's number is taken down to: nothing if blocks run in order, for then they need not be told apart.
    distinct: u32,
    pub(crate) stamp: u64,
    /// Whether all words will have been written, each by one block, whatever the tables say.
    filled: AtomicBool,
}

impl OwnerTable {
    /// For a buffer of at most that many words; [`OwnerTable::begin`] comes first.
    pub(crate) fn new(words: usize) -> OwnerTable {
        let lines = words.div_ceil(LINE) / (SHARDS * host_threads::cores());
        OwnerTable::with_shards(words, lines.max(1).ilog2().clamp(*SHARD.start(), *SHARD.end()))
    }

    /// The same, by the number of lines of a shard as a power of two.
    pub(crate) fn with_shards(words: usize, shard_bits: u32) -> OwnerTable {
        let (lines, of_shard) = (words.div_ceil(LINE), 1 << shard_bits);
        let shard = |at: usize| {
            let writers = Table::new(of_shard.min(lines - at * of_shard));
            Mutex::new(Shard { writers, ..Shard::default() })
        };
        OwnerTable {
            shards: (0..lines.div_ceil(of_shard)).map(shard).collect(),
            shard_bits,
            lines,
            ..OwnerTable::default()
        }
    }

    /// How many words it is for.
    pub(crate) fn capacity(&self) -> usize {
        self.lines * LINE
    }

    /// Forgets all. `reads` says whether this launch may read the buffer as well, and `ordered` that its blocks run one
    /// after the other: then only [`OwnerTable::is_written`] and [`OwnerTable::unwritten`] mean anything.
    pub(crate) fn begin(&mut self, reads: bool, ordered: bool) {
        self.reads = reads && !ordered;
        self.distinct = if ordered { 0 } else { u32::MAX };
        *self.filled.get_mut() = false;
        self.stamp += NEXT_STAMP;
        let again = self.stamp > STAMP;
        if again {
            // The numbers begin again, so what the first launches left must go.
            self.stamp = NEXT_STAMP;
        }
        for shard in &mut self.shards {
            let shard = shard.get_mut().unwrap_or_else(|e| e.into_inner());
            let lines = shard.writers.lines.len();
            shard.writers.whole = 0;
            if again {
                *shard = Shard { writers: Table::new(lines), ..Shard::default() };
            }
            if self.reads && shard.readers.lines.len() != lines {
                shard.readers = Table::new(lines);
            }
        }
    }

    /// It is known that the launch writes each word, that no two blocks write the same, and that it reads none.
    pub(crate) fn fill(&self) {
        self.filled.store(true, Relaxed);
    }

    /// Whether this launch marks reads: not of a buffer that it only writes.
    #[inline(always)]
    pub(crate) fn reads(&self) -> bool {
        self.reads
    }

    /// The number of a word's shard.
    #[inline(always)]
    fn shard_of(&self, word: usize) -> usize {
        (word / LINE) >> self.shard_bits
    }

    /// A word's line within its shard.
    #[inline(always)]
    fn line_of(&self, word: usize) -> usize {
        (word / LINE) & ((1 << self.shard_bits) - 1)
    }

    /// A word's sector within its shard.
    #[inline(always)]
    fn sector_of(&self, word: usize) -> usize {
        (word / WIDTH) & ((SECTORS << self.shard_bits) - 1)
    }

    fn shard(&self, at: usize) -> MutexGuard<'_, Shard> {
        self.shards[at].lock().unwrap_or_else(|e| e.into_inner())
    }

    /// The same, or nothing if another worker has it.
    fn free_shard(&self, at: usize) -> Option<MutexGuard<'_, Shard>> {
        match self.shards[at].try_lock() {
            Ok(shard) => Some(shard),
            Err(TryLockError::Poisoned(shard)) => Some(shard.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// OwnerTable what entries of this buffer say; whether an access and an earlier one of another block touch the same word, so
    /// that their order matters: one of them writes, and not both are atomic.
    ///
    /// Workers whose blocks are alike come to the same shards in the same order. So what lies where another one is at work waits until
    /// all else is done. Measured on 16 cores with the transposition of `benches/peers` without checks: 1.1 times as many elements.
    fn take(&self, entries: &[LogEntry]) -> bool {
        let mut later = Vec::new();
        let conflict = self.pass(entries, Some(&mut later));
        self.pass(&later, None) | conflict
    }

    /// OwnerTable what entries say, but for rows whose shard is not free if there is a `later` to put them to.
    fn pass(&self, entries: &[LogEntry], mut later: Option<&mut Vec<LogEntry>>) -> bool {
        let mut conflict = false;
        let mut held: Option<(usize, MutexGuard<'_, Shard>)> = None;
        'entries: for entry in entries {
            let of_lines = entry.touch == AccessKind::Store && !self.reads && entry.is_of_lines();
            let owner = self.owner(entry);
            for row in 0..entry.rows {
                let Range { start: mut at, end } = entry.words(row);
                let mut whole = true;
                while at < end {
                    let number = self.shard_of(at);
                    let shard = match &mut held {
                        Some((held, shard)) if *held == number => shard,
                        held => {
                            // The one that is held is let go first: nobody ever waits for one and holds another.
                            drop(held.take());
                            let shard = match &mut later {
                                Some(later) if whole => {
                                    let Some(shard) = self.free_shard(number) else {
                                        later.push(entry.rest_from(row));
                                        continue 'entries;
                                    };
                                    shard
                                }
                                _ => self.shard(number),
                            };
                            &mut held.insert((number, shard)).1
                        }
                    };
                    // The way below does this, too. Measured with the transposition without checks: 1.03 times as many elements.
                    if of_lines {
                        conflict |= shard.writers.claim_line(self.stamp, self.line_of(at), owner);
                        break;
                    }
                    let stop = end.min(((number + 1) << self.shard_bits) * LINE);
                    conflict |= self.mark_words(shard, at..stop, entry);
                    (at, whole) = (stop, false);
                }
            }
        }
        conflict
    }

    /// OwnerTable words of a shard.
    #[inline(always)]
    fn mark_words(&self, shard: &mut Shard, words: Range<usize>, entry: &LogEntry) -> bool {
        let (Range { start: mut at, end }, mut conflict) = (words, false);
        while at < end {
            if at.is_multiple_of(LINE) && end - at >= LINE {
                conflict |= self.mark_line(shard, self.line_of(at), entry);
                at += LINE;
                continue;
            }
            let skip = at % WIDTH;
            let here = (WIDTH - skip).min(end - at);
            let words = if entry.bits != 0 { entry.bits } else { (0xff >> (WIDTH - here)) << skip };
            conflict |= self.mark(shard, self.sector_of(at), words, entry);
            at += here;
        }
        conflict
    }

    /// OwnerTable words of a sector.
    #[inline(always)]
    fn mark(&self, shard: &mut Shard, at: usize, words: u8, entry: &LogEntry) -> bool {
        let (stamp, block) = (self.stamp, entry.block);
        if entry.touch == AccessKind::Load {
            if !self.reads {
                return false;
            }
            shard.readers.share(stamp, at, words, block);
            return shard.writers.foreign(stamp, at, words, block);
        }
        let conflict = shard.writers.claim(stamp, at, words, self.owner(entry));
        conflict | (self.reads && shard.readers.foreign(stamp, at, words, block))
    }

    /// The same for all words of a line.
    #[inline(always)]
    fn mark_line(&self, shard: &mut Shard, at: usize, entry: &LogEntry) -> bool {
        let (stamp, block) = (self.stamp, entry.block);
        if entry.touch == AccessKind::Load {
            if !self.reads {
                return false;
            }
            shard.readers.share_line(stamp, at, block);
            return shard.writers.foreign_line(stamp, at, block);
        }
        let conflict = shard.writers.claim_line(stamp, at, self.owner(entry));
        conflict | (self.reads && shard.readers.foreign_line(stamp, at, block))
    }

    /// Whom a change belongs to.
    fn owner(&self, entry: &LogEntry) -> u32 {
        let owner = if entry.touch == AccessKind::Atomic { ATOMIC } else { entry.block };
        owner & self.distinct
    }

    /// Whether any block has written the word, of what has come here.
    pub(crate) fn is_written(&self, word: usize) -> bool {
        let mut shard = self.shard(self.shard_of(word));
        let touched = shard.writers.touched(self.stamp, self.sector_of(word));
        touched >> (word % WIDTH) & 1 == 1
    }

    /// Calls `f` with each 64 of the first `words` of which some were not written by any block, by number, and with a bit
    /// for each of those.
    pub(crate) fn unwritten(&mut self, words: usize, mut f: impl FnMut(usize, u64)) {
        if *self.filled.get_mut() {
            return;
        }
        let stamp = self.stamp;
        let of_shard = 1 << (self.shard_bits - 1);
        for (shard, from) in self.shards.iter_mut().zip((0..words.div_ceil(64)).step_by(of_shard)) {
            let table = &mut shard.get_mut().unwrap_or_else(|e| e.into_inner()).writers;
            if table.whole == table.lines.len() {
                continue;
            }
            let end = words.div_ceil(64).min(from + of_shard);
            for at in from..end {
                let line = (at - from) * 2;
                let [low, high] = [line, line + 1].map(|line| u64::from(table.touched_line(stamp, line)));
                if low | high << 32 != u64::MAX {
                    f(at, !(low | high << 32));
                }
            }
        }
    }
}
