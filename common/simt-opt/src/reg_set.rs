//! Sets of registers, as bit vectors.
//!
//! Registers are numbered from 0 without large gaps, so a set takes one bit per register, and union and difference take
//! one operation per 64 registers (Cooper, Torczon, *Engineering a Compiler*, appendix B.2).

use simt_ir::{Facts, Reg};

/// A set of registers.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct RegSet {
    words: Vec<u64>,
}

impl RegSet {
    /// Those of the first `count` registers for which `is_member` holds, given their numbers.
    pub(crate) fn from_fn(count: usize, is_member: impl Fn(usize) -> bool) -> RegSet {
        let word = |first: usize| {
            let members = first..count.min(first + 64);
            members.rev().fold(0, |word, number| word << 1 | u64::from(is_member(number)))
        };
        RegSet { words: (0..count).step_by(64).map(word).collect() }
    }

    pub(crate) fn contains(&self, reg: Reg) -> bool {
        self.words.get(reg.index() / 64).is_some_and(|word| word >> (reg.0 % 64) & 1 == 1)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    pub(crate) fn insert(&mut self, reg: Reg) {
        let word = reg.index() / 64;
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << (reg.0 % 64);
    }

    pub(crate) fn remove(&mut self, reg: Reg) {
        if let Some(word) = self.words.get_mut(reg.index() / 64) {
            *word &= !(1 << (reg.0 % 64));
        }
    }

    /// The number of members.
    pub(crate) fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The members, in ascending order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Reg> {
        let words = self.words.iter().enumerate();
        words.flat_map(|(position, word)| {
            let mut rest = *word;
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros())?;
                rest &= rest - 1;
                Some(Reg(position as u32 * 64 + bit))
            })
        })
    }

    /// Adds the members of `other`. Returns whether there was a new one.
    pub(crate) fn union(&mut self, other: &RegSet) -> bool {
        if other.words.len() > self.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        let mut grew = false;
        for (word, added) in self.words.iter_mut().zip(&other.words) {
            grew |= added & !*word != 0;
            *word |= added;
        }
        grew
    }

    /// Adds the members of `other`, and calls `added` with each that is new.
    pub(crate) fn union_each(&mut self, other: &RegSet, mut added: impl FnMut(Reg)) {
        if other.words.len() > self.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        for (position, (word, other)) in self.words.iter_mut().zip(&other.words).enumerate() {
            let mut new = other & !*word;
            *word |= other;
            while new != 0 {
                added(Reg(position as u32 * 64 + new.trailing_zeros()));
                new &= new - 1;
            }
        }
    }

    /// Removes the members of `other`.
    pub(crate) fn subtract(&mut self, other: &RegSet) {
        for (word, removed) in self.words.iter_mut().zip(&other.words) {
            *word &= !removed;
        }
    }
}

impl Facts for RegSet {
    fn join(&mut self, other: &RegSet) -> bool {
        self.union(other)
    }
}
