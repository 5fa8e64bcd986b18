//! A first-level cache: fully associative, 128-byte lines of four 32-byte sectors, least recently used leaves first.
//!
//! It starts cold for each block. That misses what blocks on one multiprocessor share and evict of each other, and in
//! return does not depend on which blocks a device happens to put together.

const NIL: u32 = u32::MAX;

#[derive(Clone, Copy)]
struct Line {
    key: u64,
    sectors: u8,
    newer: u32,
    older: u32,
    /// Next line in the same bucket.
    chain: u32,
}

pub(super) struct Cache {
    lines: Vec<Line>,
    capacity: usize,
    buckets: Vec<u32>,
    newest: u32,
    oldest: u32,
}

impl Cache {
    /// A cache of that many lines; none at all never hits.
    pub(super) fn new(capacity: usize) -> Cache {
        let buckets = (capacity * 2).next_power_of_two();
        Cache {
            lines: Vec::with_capacity(capacity),
            capacity,
            buckets: vec![NIL; buckets],
            newest: NIL,
            oldest: NIL,
        }
    }

    pub(super) fn clear(&mut self) {
        if self.lines.len() * 4 > self.buckets.len() {
            self.buckets.fill(NIL);
        } else {
            for line in &self.lines {
                let bucket = self.bucket(line.key);
                self.buckets[bucket] = NIL;
            }
        }
        self.lines.clear();
        (self.newest, self.oldest) = (NIL, NIL);
    }

    fn bucket(&self, key: u64) -> usize {
        (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & (self.buckets.len() - 1)
    }

    /// Reads sectors (a bit each) of a line; gives how many were there.
    #[inline]
    pub(super) fn read(&mut self, key: u64, sectors: u8) -> u64 {
        if self.newest != NIL && self.lines[self.newest as usize].key == key {
            return self.touch(self.newest, sectors);
        }
        let bucket = self.bucket(key);
        let mut at = self.buckets[bucket];
        while at != NIL {
            if self.lines[at as usize].key == key {
                self.unlink(at);
                self.link_newest(at);
                return self.touch(at, sectors);
            }
            at = self.lines[at as usize].chain;
        }
        self.insert(key, sectors);
        0
    }

    fn touch(&mut self, at: u32, sectors: u8) -> u64 {
        let line = &mut self.lines[at as usize];
        let hits = u64::from((line.sectors & sectors).count_ones());
        line.sectors |= sectors;
        hits
    }

    fn unlink(&mut self, at: u32) {
        let Line { newer, older, .. } = self.lines[at as usize];
        match newer {
            NIL => self.newest = older,
            n => self.lines[n as usize].older = older,
        }
        match older {
            NIL => self.oldest = newer,
            o => self.lines[o as usize].newer = newer,
        }
    }

    fn link_newest(&mut self, at: u32) {
        let before = self.newest;
        let line = &mut self.lines[at as usize];
        (line.newer, line.older) = (NIL, before);
        match before {
            NIL => self.oldest = at,
            b => self.lines[b as usize].newer = at,
        }
        self.newest = at;
    }

    fn insert(&mut self, key: u64, sectors: u8) {
        if self.capacity == 0 {
            return;
        }
        let at = if self.lines.len() < self.capacity {
            self.lines.push(Line { key, sectors, newer: NIL, older: NIL, chain: NIL });
            self.lines.len() as u32 - 1
        } else {
            let victim = self.oldest;
            self.unlink(victim);
            self.remove_from_bucket(victim);
            victim
        };
        let bucket = self.bucket(key);
        let line = &mut self.lines[at as usize];
        (line.key, line.sectors, line.chain) = (key, sectors, self.buckets[bucket]);
        self.buckets[bucket] = at;
        self.link_newest(at);
    }

    fn remove_from_bucket(&mut self, victim: u32) {
        let Line { key, chain, .. } = self.lines[victim as usize];
        let bucket = self.bucket(key);
        if self.buckets[bucket] == victim {
            self.buckets[bucket] = chain;
            return;
        }
        let mut at = self.buckets[bucket];
        while self.lines[at as usize].chain != victim {
            at = self.lines[at as usize].chain;
        }
        self.lines[at as usize].chain = chain;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
