//! A first-level cache: fully associative, 128-byte lines of four 32-byte sectors, least recently used leaves first.
//!
//! It starts cold for each block. That misses what blocks on one multiprocessor share and evict of each other, and in
//! return does not depend on which blocks a device happens to put together.
//!
//! A line knows the time of its last use. Only when the first line has to leave are lines put in order of that, in a log, to which each use then
//! appends its line; so a line's last use is an entry of the log. The line that
//! leaves is the first in the log whose entry is its last: entries before the head are of no use, and when the log is
//! full, those that are no line's last are dropped. So a hit costs a look-up and an append, and no list is kept in order.

use crate::machine::warp::lanes::lines::count_of;

/// Entries of the log for each line that there is room for.
const LOG: usize = 8;

/// A line that is there.
#[derive(Clone, Copy)]
struct CachedLine {
    key: u64,
    /// When it was last used: where in the log, if there is one.
    last_use: u32,
    /// Which of its sectors are there.
    sectors: u8,
}

pub(crate) struct Cache {
    capacity: usize,
    /// By slot.
    lines: Vec<CachedLine>,
    /// Slots by hash of the line, in open addressing; the generation in the high bits. Another generation's are empty.
    index: Vec<u32>,
    generation: u32,
    /// Bits of an entry that are the slot.
    slot_bits: u32,
    /// The slot of the last use.
    last: usize,
    /// Uses until there is a log.
    uses: u32,
    /// Slots in order of use, and the first that counts; empty until a line has to leave.
    log: Vec<u32>,
    head: usize,
}

impl Cache {
    /// A cache of that many lines, at most 2^24; none at all never hits.
    pub(crate) fn new(capacity: usize) -> Cache {
        let capacity = capacity.min(1 << 24);
        let index = (capacity * 2).next_power_of_two().max(2);
        Cache {
            capacity,
            lines: Vec::with_capacity(capacity),
            index: vec![0; index],
            generation: 1,
            slot_bits: index.trailing_zeros(),
            last: 0,
            uses: 0,
            log: Vec::new(),
            head: 0,
        }
    }

    /// Whether a line had to leave since it was cleared.
    pub(crate) fn has_evicted(&self) -> bool {
        !self.log.is_empty()
    }

    pub(crate) fn clear(&mut self) {
        self.lines.clear();
        self.log.clear();
        (self.last, self.uses, self.head) = (0, 0, 0);
        self.generation += 1;
        if self.generation > u32::MAX >> self.slot_bits {
            self.index.fill(0);
            self.generation = 1;
        }
    }

    /// Where in the index the search for a line begins.
    #[inline]
    fn home(&self, key: u64) -> usize {
        (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - self.slot_bits)) as usize
    }

    /// The place in the index after `at`.
    #[inline]
    fn next(&self, at: usize) -> usize {
        (at + 1) & (self.index.len() - 1)
    }

    /// The slot at a place in the index.
    #[inline]
    fn slot(&self, at: usize) -> Option<usize> {
        let entry = self.index[at];
        let slot = entry & ((1 << self.slot_bits) - 1);
        (entry >> self.slot_bits == self.generation).then_some(slot as usize)
    }

    /// Reads sectors (a bit each) of a line; gives how many were there. `slot` is where the line is looked for first, and then where it is: an
    /// instruction in a loop mostly reads the lines that it has read before.
    #[inline]
    pub(crate) fn read_again(&mut self, slot: &mut u32, key: u64, sectors: u8) -> u64 {
        if let Some(line) = self.lines.get_mut(*slot as usize)
            && line.key == key
        {
            let hits = line.touch(sectors);
            self.note_use(*slot as usize);
            return hits;
        }
        let hits = self.read(key, sectors);
        *slot = self.last as u32;
        hits
    }

    /// Reads sectors (a bit each) of a line; gives how many were there.
    #[inline]
    pub(crate) fn read(&mut self, key: u64, sectors: u8) -> u64 {
        if let Some(line) = self.lines.get_mut(self.last)
            && line.key == key
        {
            return line.touch(sectors);
        }
        let mut at = self.home(key);
        while let Some(slot) = self.slot(at) {
            let line = &mut self.lines[slot];
            if line.key == key {
                let hits = line.touch(sectors);
                self.note_use(slot);
                return hits;
            }
            at = self.next(at);
        }
        self.insert(key, sectors, at);
        0
    }

    #[inline]
    fn note_use(&mut self, slot: usize) {
        self.last = slot;
        if self.log.is_empty() && self.uses < u32::MAX {
            self.lines[slot].last_use = self.uses;
            self.uses += 1;
            return;
        }
        self.append(slot);
    }

    #[inline(never)]
    fn append(&mut self, slot: usize) {
        if self.log.is_empty() {
            self.begin_log();
        }
        if self.log.len() == self.capacity * LOG {
            self.shorten();
        }
        self.lines[slot].last_use = self.log.len() as u32;
        self.log.push(slot as u32);
    }

    /// Puts all lines in order of their last use.
    #[cold]
    fn begin_log(&mut self) {
        self.log.reserve(self.capacity * LOG);
        self.log.extend(0..self.lines.len() as u32);
        self.log.sort_unstable_by_key(|slot| self.lines[*slot as usize].last_use);
        for (at, slot) in self.log.iter().enumerate() {
            self.lines[*slot as usize].last_use = at as u32;
        }
    }

    /// Drops what is no line's last use.
    #[cold]
    fn shorten(&mut self) {
        let mut kept = 0;
        for at in self.head..self.log.len() {
            let slot = self.log[at];
            if self.lines[slot as usize].last_use == at as u32 {
                self.lines[slot as usize].last_use = kept as u32;
                self.log[kept] = slot;
                kept += 1;
            }
        }
        self.log.truncate(kept);
        self.head = 0;
    }

    /// Takes in a line whose place in the index is `at`, which is empty.
    fn insert(&mut self, key: u64, sectors: u8, mut at: usize) {
        if self.capacity == 0 {
            return;
        }
        let slot = if self.lines.len() < self.capacity {
            self.lines.push(CachedLine { key, last_use: 0, sectors });
            self.lines.len() - 1
        } else {
            let slot = self.evict();
            (self.lines[slot].key, self.lines[slot].sectors) = (key, sectors);
            // The eviction has moved entries.
            at = self.home(key);
            while self.slot(at).is_some() {
                at = self.next(at);
            }
            slot
        };
        self.index[at] = self.generation << self.slot_bits | slot as u32;
        self.note_use(slot);
    }

    /// Takes the least recently used line out of the index and gives its slot.
    fn evict(&mut self) -> usize {
        if self.log.is_empty() {
            self.begin_log();
        }
        while self.lines[self.log[self.head] as usize].last_use != self.head as u32 {
            self.head += 1;
        }
        let slot = self.log[self.head] as usize;
        self.head += 1;
        let mut hole = self.home(self.lines[slot].key);
        while self.slot(hole) != Some(slot) {
            hole = self.next(hole);
        }
        // Entries that were kept from their home by what is now a hole move up (Knuth, volume 3, 6.4, algorithm R).
        let mask = self.index.len() - 1;
        let mut at = self.next(hole);
        while let Some(other) = self.slot(at) {
            let home = self.home(self.lines[other].key);
            if at.wrapping_sub(home) & mask >= at.wrapping_sub(hole) & mask {
                self.index[hole] = self.index[at];
                hole = at;
            }
            at = self.next(at);
        }
        self.index[hole] = 0;
        slot
    }
}

impl CachedLine {
    #[inline]
    fn touch(&mut self, sectors: u8) -> u64 {
        let hits = count_of(self.sectors & sectors);
        self.sectors |= sectors;
        hits
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn sectors_of_a_line_come_one_by_one() {
        let mut cache = Cache::new(4);
        assert_eq!(cache.read(7, 0b0011), 0);
        assert_eq!(cache.read(7, 0b0110), 1);
        assert_eq!(cache.read(7, 0b1111), 3);
        cache.clear();
        assert_eq!(cache.read(7, 0b1111), 0);
    }

    #[test]
    fn least_recently_used_line_leaves() {
        let mut cache = Cache::new(2);
        cache.read(1, 1);
        cache.read(2, 1);
        assert_eq!(cache.read(1, 1), 1);
        cache.read(3, 1);
        assert_eq!(cache.read(2, 1), 0, "2 was the oldest");
        assert_eq!(cache.read(3, 1), 1);
        assert_eq!(cache.read(1, 1), 0, "1 left for 2");
    }

    #[test]
    fn no_lines_never_hit() {
        let mut cache = Cache::new(0);
        for _ in 0..3 {
            assert_eq!(cache.read(5, 0b1111), 0);
            cache.clear();
        }
    }

    /// Lines from the one longest unused to the one just used.
    struct Naive {
        capacity: usize,
        lines: Vec<(u64, u8)>,
    }

    impl Naive {
        fn read(&mut self, key: u64, sectors: u8) -> u64 {
            let found = self.lines.iter().position(|(k, _)| *k == key);
            let (_, there) = found.map_or((key, 0), |at| self.lines.remove(at));
            self.lines.push((key, there | sectors));
            if self.lines.len() > self.capacity {
                self.lines.remove(0);
            }
            u64::from((there & sectors).count_ones())
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        /// Reads of few lines and of many, near each other and far apart, over the life of many blocks.
        #[test]
        fn as_a_list_in_order_of_use(
            capacity in 0usize..40,
            stride in prop_oneof![Just(1u64), Just(32), Just(1 << 40), Just(0x1234_5677)],
            blocks in prop::collection::vec(prop::collection::vec((0u64..60, 1u8..16), 0..500), 1..6),
        ) {
            let mut cache = Cache::new(capacity);
            for reads in blocks {
                let mut naive = Naive { capacity, lines: Vec::new() };
                for (line, sectors) in reads {
                    let key = line * stride;
                    prop_assert_eq!(cache.read(key, sectors), naive.read(key, sectors), "line {}", key);
                }
                cache.clear();
            }
        }
    }

    #[test]
    fn generations_begin_again() {
        let mut cache = Cache::new(3);
        for round in 0..3u64 {
            cache.generation = u32::MAX >> cache.slot_bits;
            cache.read(round, 1);
            assert_eq!(cache.read(round, 1), 1);
            cache.clear();
            assert_eq!(cache.generation, 1);
            assert_eq!(cache.read(round, 1), 0, "of another generation");
        }
    }
}
