//! Random choices that are the same on every machine.

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

/// A stream of choices.
#[derive(Debug)]
pub struct Random(ChaCha8Rng);

impl Random {
    /// The stream of a case of a seed; each case has one of its own, so that one case can be repeated alone.
    pub fn of(seed: u64, case: u64) -> Random {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        key[8..16].copy_from_slice(&case.to_le_bytes());
        Random(ChaCha8Rng::from_seed(key))
    }

    /// A number below `bound`, or 0 if that is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0.random_range(0..bound.max(1))
    }

    /// True in one of `count` cases.
    pub fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    /// One of a list that is not empty.
    pub fn pick<'l, T>(&mut self, list: &'l [T]) -> &'l T {
        &list[self.below(list.len())]
    }

    /// Any number.
    pub fn number(&mut self) -> u32 {
        self.0.random()
    }

    /// 1, or more with less and less probability; at most `most`.
    pub fn few(&mut self, most: usize) -> usize {
        let mut count = 1;
        while count < most && self.one_in(2) {
            count += 1;
        }
        count
    }

    /// A range of `0..length` that is not empty, short ones more often; `length` is at least 1.
    pub fn range(&mut self, length: usize) -> std::ops::Range<usize> {
        let start = self.below(length);
        let longest = length - start;
        let size = if self.one_in(4) { 1 + self.below(longest) } else { self.few(longest) };
        start..start + size
    }
}
