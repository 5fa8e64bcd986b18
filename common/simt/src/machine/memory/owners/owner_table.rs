//! The owner table of a buffer: which block has written and which has read each of its words during a launch.

use crate::fault::AccessKind;
use crate::host_threads;
use crate::machine::memory::owners::log::{AccessLog, LogEntry};
use crate::machine::memory::owners::table::{LINE, Owner, RoleTable, Stamp};
use std::ops::{Range, RangeInclusive};
use std::sync::{Mutex, MutexGuard, TryLockError};

/// Lines of a shard, as powers of two: no fewer, which is 16 KiB of the buffer, and no more.
pub(crate) const SHARD_LINE_BITS: RangeInclusive<u32> = 7..=11;
/// Shards that there should be for each core of the host. Where 16 cores had one for all, the 16 x 16-tiled product of 256 x 256 took
/// 1.1 to 1.6 times as long; where two cores had many more, a transposition took 1.1 times as long.
pub(crate) const SHARDS: usize = 4;

/// Entries between one that is recorded and the one whose records are fetched into the host's cache.
const AHEAD: usize = 12;

/// Both tables of a part of a buffer; alone in its lines of the host's caches, because others are changed at the same time.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct Shard {
    pub(crate) writers: RoleTable,
    pub(crate) readers: RoleTable,
}

impl AccessLog {
    /// Moves all entries into the tables that `owners` gives for a buffer; whether any of them conflicts with what those know.
    pub(crate) fn flush<'m>(&mut self, owners: impl Fn(u32) -> Option<&'m OwnerTable>) -> bool {
        let mut conflict = false;
        self.drain_by_buffer(|buffer, entries| {
            conflict |= owners(buffer).is_some_and(|owners| owners.record(entries));
        });
        conflict
    }
}

/// Which blocks have accessed which words of a buffer in this launch.
#[derive(Debug, Default)]
pub(crate) struct OwnerTable {
    pub(crate) shards: Vec<Mutex<Shard>>,
    /// Lines of each shard but the last, as a power of two.
    pub(crate) shard_bits: u32,
    lines: usize,
    /// Whether reads are recorded.
    reads: bool,
    /// Whether blocks run in order, so that they need not be told apart.
    ordered: bool,
    pub(crate) stamp: Stamp,
}

impl OwnerTable {
    /// For a buffer of at most that many words; [`OwnerTable::begin`] comes first.
    pub(crate) fn new(words: usize) -> OwnerTable {
        let lines = words.div_ceil(LINE) / (SHARDS * host_threads::cores());
        OwnerTable::with_shards(
            words,
            lines.max(1).ilog2().clamp(*SHARD_LINE_BITS.start(), *SHARD_LINE_BITS.end()),
        )
    }

    /// The same with that many lines per shard, as a power of two.
    pub(crate) fn with_shards(words: usize, shard_bits: u32) -> OwnerTable {
        let (lines, per_shard) = (words.div_ceil(LINE), 1 << shard_bits);
        let shard = |at: usize| {
            let writers = RoleTable::new(per_shard.min(lines - at * per_shard));
            Mutex::new(Shard { writers, ..Shard::default() })
        };
        OwnerTable {
            shards: (0..lines.div_ceil(per_shard)).map(shard).collect(),
            shard_bits,
            lines,
            ..OwnerTable::default()
        }
    }

    /// How many words it is for.
    pub(crate) fn capacity(&self) -> usize {
        self.lines * LINE
    }

    /// Forgets all. `reads` says whether this launch may read the buffer as well, and `ordered` that no two blocks write a word that the other accesses, or that they run one
    /// after the other: then only [`OwnerTable::is_written`] and [`OwnerTable::unwritten`] mean anything.
    pub(crate) fn begin(&mut self, reads: bool, ordered: bool) {
        (self.reads, self.ordered) = (reads && !ordered, ordered);
        let next = self.stamp.next();
        self.stamp = next.unwrap_or(Stamp::FIRST);
        for shard in &mut self.shards {
            let shard = shard.get_mut().unwrap_or_else(|e| e.into_inner());
            let lines = shard.writers.lines.len();
            shard.writers.whole = 0;
            if next.is_none() {
                // The stamps begin again, so the records of the first launches have to go.
                *shard = Shard { writers: RoleTable::new(lines), ..Shard::default() };
            }
            if self.reads && shard.readers.lines.len() != lines {
                shard.readers = RoleTable::new(lines);
            }
        }
    }

    /// Whether this launch records reads: not of a buffer that it only writes.
    #[inline(always)]
    pub(crate) fn reads(&self) -> bool {
        self.reads
    }

    /// The shard of a word.
    #[inline(always)]
    fn shard_of(&self, word: usize) -> usize {
        (word / LINE) >> self.shard_bits
    }

    /// A word's line within its shard.
    #[inline(always)]
    fn line_of(&self, word: usize) -> usize {
        (word / LINE) & ((1 << self.shard_bits) - 1)
    }

    fn lock(&self, shard: usize) -> MutexGuard<'_, Shard> {
        self.shards[shard].lock().unwrap_or_else(|e| e.into_inner())
    }

    /// The same, or `None` if another worker holds it.
    fn try_lock(&self, shard: usize) -> Option<MutexGuard<'_, Shard>> {
        match self.shards[shard].try_lock() {
            Ok(shard) => Some(shard),
            Err(TryLockError::Poisoned(shard)) => Some(shard.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Records entries of this buffer; whether one of them and an earlier one of another block access the same word, so
    /// that their order matters: one of them writes, and not both are atomic.
    ///
    /// Workers whose blocks are alike come to the same shards in the same order. So entries whose shard another worker holds wait until
    /// all else is done. Measured on 16 cores with the transposition of `benches/peers` without checks: 1.1 times as many elements.
    fn record(&self, entries: &[LogEntry]) -> bool {
        let mut deferred = Vec::new();
        let grouped = self.by_shard(entries);
        let conflict = self.record_free(grouped.as_deref().unwrap_or(entries), Some(&mut deferred));
        self.record_free(&deferred, None) | conflict
    }

    /// Entries in the order of their shards, if they go to another shard too often. Without this and [`AHEAD`], a scatter by a permutation
    /// took 1.5 times as long on two cores.
    fn by_shard(&self, entries: &[LogEntry]) -> Option<Vec<LogEntry>> {
        let shard = |entry: &LogEntry| self.shard_of(entry.words().start);
        let changes = entries.windows(2).filter(|two| shard(&two[0]) != shard(&two[1])).count();
        if changes * 8 <= entries.len() {
            return None;
        }
        let mut places = vec![0; self.shards.len() + 1];
        entries.iter().for_each(|entry| places[shard(entry) + 1] += 1);
        for at in 1..places.len() {
            places[at] += places[at - 1];
        }
        let mut grouped = entries.to_vec();
        for entry in entries {
            let place = &mut places[shard(entry)];
            grouped[*place] = *entry;
            *place += 1;
        }
        Some(grouped)
    }

    /// Records entries. Those whose shard another worker holds go to `deferred`; without that, they wait for the shard.
    fn record_free(&self, entries: &[LogEntry], mut deferred: Option<&mut Vec<LogEntry>>) -> bool {
        let mut conflict = false;
        let mut held = None;
        let mut next = 0;
        'entries: while next < entries.len() {
            let entry = &entries[next];
            next += 1;
            if entry.words_of_line().is_some() {
                let index = self.shard_of(entry.words().start);
                let end = entries[next..].iter().position(|other| !self.is_in_line_of(other, index));
                let here = &entries[next - 1..end.map_or(entries.len(), |end| next + end)];
                next += here.len() - 1;
                if let Some(shard) = self.hold(&mut held, index, (deferred.as_deref_mut(), here)) {
                    conflict |= self.record_lines(shard, here);
                }
                continue;
            }
            let is_whole_line = entry.kind == AccessKind::Store && !self.reads && entry.is_line();
            let Range { start, end } = entry.words();
            let mut at = start;
            while at < end {
                let index = self.shard_of(at);
                let deferred = deferred.as_deref_mut().filter(|_| at == start);
                let entries = std::slice::from_ref(entry);
                let Some(shard) = self.hold(&mut held, index, (deferred, entries)) else {
                    continue 'entries;
                };
                // What follows does this, too. Measured with the transposition without checks: 1.03 times as many elements.
                if is_whole_line {
                    conflict |=
                        shard.writers.claim(self.stamp, self.line_of(at), u32::MAX, self.owner(entry));
                    break;
                }
                let stop = end.min(((index + 1) << self.shard_bits) * LINE);
                conflict |= self.record_words(shard, at..stop, entry);
                at = stop;
            }
        }
        conflict
    }

    /// The shard of that number, which takes the place of the one that is held. If another worker holds it, the entries go to `deferred`;
    /// without that, they wait for it.
    #[inline(always)]
    fn hold<'t, 'h>(
        &'t self,
        held: &'h mut Option<(usize, MutexGuard<'t, Shard>)>,
        index: usize,
        (deferred, entries): (Option<&mut Vec<LogEntry>>, &[LogEntry]),
    ) -> Option<&'h mut Shard> {
        if held.as_ref().is_none_or(|(held, _)| *held != index) {
            // Release the one that is held first: no worker ever waits for one shard while it holds another.
            *held = None;
            let shard = match deferred {
                None => self.lock(index),
                Some(deferred) => {
                    let shard = self.try_lock(index);
                    if shard.is_none() {
                        deferred.extend_from_slice(entries);
                    }
                    shard?
                }
            };
            *held = Some((index, shard));
        }
        held.as_mut().map(|(_, shard)| &mut **shard)
    }

    /// Whether an entry is of words of one line, in that shard.
    #[inline(always)]
    fn is_in_line_of(&self, entry: &LogEntry, shard: usize) -> bool {
        entry.words_of_line().is_some() && self.shard_of(entry.words().start) == shard
    }

    /// Records entries, each of words of one line of a shard. Lines in no order are seldom in the host's cache, so they are asked for in time.
    fn record_lines(&self, shard: &mut Shard, entries: &[LogEntry]) -> bool {
        let line = |entry: &LogEntry| self.line_of(entry.words().start);
        let mut conflict = false;
        for (at, entry) in entries.iter().enumerate() {
            if let Some(later) = entries.get(at + AHEAD) {
                shard.writers.prefetch(line(later), later.words_of_line().unwrap_or(0));
            }
            conflict |= self.record_line(shard, line(entry), entry.words_of_line().unwrap_or(0), entry);
        }
        conflict
    }

    /// Records an access to words of a shard.
    #[inline(always)]
    fn record_words(&self, shard: &mut Shard, words: Range<usize>, entry: &LogEntry) -> bool {
        let (Range { start: mut at, end }, mut conflict) = (words, false);
        while at < end {
            let skip = at % LINE;
            let here = (LINE - skip).min(end - at);
            let words = (u32::MAX >> (LINE - here)) << skip;
            conflict |= self.record_line(shard, self.line_of(at), words, entry);
            at += here;
        }
        conflict
    }

    /// Records an access to words of a line.
    #[inline(always)]
    fn record_line(&self, shard: &mut Shard, at: usize, words: u32, entry: &LogEntry) -> bool {
        let (stamp, block) = (self.stamp, Owner::block(entry.block));
        if entry.kind == AccessKind::Load {
            if !self.reads {
                return false;
            }
            shard.readers.share(stamp, at, words, block);
            return shard.writers.is_foreign(stamp, at, words, block);
        }
        let conflict = shard.writers.claim(stamp, at, words, self.owner(entry));
        conflict | (self.reads && shard.readers.is_foreign(stamp, at, words, block))
    }

    /// The owner that a write makes.
    fn owner(&self, entry: &LogEntry) -> Owner {
        match entry.kind {
            _ if self.ordered => Owner::NONE,
            AccessKind::Atomic => Owner::ATOMIC,
            AccessKind::Load | AccessKind::Store => Owner::block(entry.block),
        }
    }

    /// Whether any block has written a word, as far as logs were flushed.
    pub(crate) fn is_written(&self, word: usize) -> bool {
        let mut shard = self.lock(self.shard_of(word));
        let written = shard.writers.accessed(self.stamp, self.line_of(word));
        written >> (word % LINE) & 1 == 1
    }

    /// Calls `f` for each 64 of the first `words` of which some were not written by any block: with their index, and with a bit
    /// for each word that was not.
    pub(crate) fn unwritten(&mut self, words: usize, mut f: impl FnMut(usize, u64)) {
        let stamp = self.stamp;
        let per_shard = 1 << (self.shard_bits - 1);
        for (shard, from) in self.shards.iter_mut().zip((0..words.div_ceil(64)).step_by(per_shard)) {
            let table = &mut shard.get_mut().unwrap_or_else(|e| e.into_inner()).writers;
            if table.whole == table.lines.len() {
                continue;
            }
            let end = words.div_ceil(64).min(from + per_shard);
            for at in from..end {
                let line = (at - from) * 2;
                let [low, high] = [line, line + 1].map(|line| u64::from(table.accessed(stamp, line)));
                if low | high << 32 != u64::MAX {
                    f(at, !(low | high << 32));
                }
            }
        }
    }
}
