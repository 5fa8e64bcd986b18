//! Finds submissions of one exercise that are alike.
//!
//! The method is that of MOSS: fingerprints chosen by winnowing (Schleimer, Wilkerson and Aiken, *Winnowing: Local
//! Algorithms for Document Fingerprinting*, SIGMOD 2003). A fingerprint is the hash of [`GRAM`] successive tokens of a
//! statement, or of a whole shorter statement, after [`statements`] has removed names and layout. No fingerprint crosses
//! the end of a statement, so that moving a statement changes none. Fingerprints of the starter are left out before
//! winnowing.
//!
//! A fingerprint weighs the more the fewer files have it, because a fingerprint that most files have is the obvious
//! solution and no sign of copying. The likeness of two files is the weight of their common fingerprints over that of the
//! file with less weight.
//!
//! What this may miss: a copy in which most expressions are rewritten, and files with too few statements of their own
//! ([`FEWEST`]).

use cuda_syntax::preprocess::{NormalToken, statements};
use source::hash::{Map, Mixer, Set};
use std::collections::BTreeMap;
use std::hash::Hasher;

/// Tokens of a fingerprint.
const GRAM: usize = 6;

/// Winnowing chooses at least one of this many successive fingerprints.
const WINDOW: usize = 4;

/// Tokens that a statement needs to have a fingerprint; `return` alone says nothing.
const SHORTEST: usize = 3;

/// Fingerprints that two files must have in common. Independent solutions that are short often have this many.
const FEWEST: usize = 16;

/// Fingerprints that two files must have in common if they have no others: fewer than [`FEWEST`].
const FEWEST_IF_EQUAL: usize = 8;

/// Fingerprints of more files than this are left out, so that the time grows in proportion to the size of all files.
const MOST_FILES: usize = 512;

/// A hash with the lines that it stands for.
struct Fingerprint {
    hash: u64,
    /// First and last line, from 1.
    lines: (u32, u32),
}

/// The fingerprints of a file.
pub(crate) struct Fingerprints {
    all: Vec<Fingerprint>,
    /// Their hashes, sorted, each once.
    hashes: Vec<u64>,
}

/// Two files that are alike.
pub(crate) struct Alike {
    /// Indices of the files, the smaller first.
    pub(crate) files: [usize; 2],
    /// For each file, which part of its weight is common, 0 to 1.
    pub(crate) shares: [f64; 2],
}

impl Alike {
    /// The larger share: a copy to which much was added is still a copy.
    pub(crate) fn likeness(&self) -> f64 {
        self.shares[0].max(self.shares[1])
    }
}

/// The hashes of all fingerprints that a starter could have, to leave them out.
pub(crate) fn starter(text: &str) -> Set<u64> {
    statements(text).iter().flat_map(|tokens| grams(tokens)).map(|gram| gram.hash).collect()
}

impl Fingerprints {
    /// Chooses the fingerprints of a text, without those of its starter.
    pub(crate) fn new(text: &str, starter: &Set<u64>) -> Fingerprints {
        let mut all = Vec::new();
        for tokens in statements(text) {
            let grams: Vec<Fingerprint> = grams(&tokens).collect();
            grams.split(|gram| starter.contains(&gram.hash)).for_each(|part| winnow(part, &mut all));
        }
        let mut hashes: Vec<u64> = all.iter().map(|fingerprint| fingerprint.hash).collect();
        hashes.sort_unstable();
        hashes.dedup();
        Fingerprints { all, hashes }
    }

    /// The lines of what two files have in common, as ranges in ascending order.
    pub(crate) fn common_lines(&self, other: &Fingerprints) -> Vec<[u32; 2]> {
        let common = |fingerprint: &&Fingerprint| other.hashes.binary_search(&fingerprint.hash).is_ok();
        let mut lines: Vec<(u32, u32)> = self.all.iter().filter(common).map(|f| f.lines).collect();
        lines.sort_unstable();
        let mut ranges: Vec<[u32; 2]> = Vec::new();
        for (first, last) in lines {
            match ranges.last_mut() {
                Some(range) if first <= range[1] + 1 => range[1] = range[1].max(last),
                _ => ranges.push([first, last]),
            }
        }
        ranges
    }
}

/// The candidates of a statement.
fn grams(tokens: &[NormalToken]) -> impl Iterator<Item = Fingerprint> {
    let length = GRAM.min(tokens.len()).max(SHORTEST);
    tokens.windows(length).map(|gram| {
        let mut hash = Mixer::default();
        gram.iter().for_each(|token| hash.write_u64(token.code));
        Fingerprint { hash: hash.finish(), lines: (gram[0].line, gram[gram.len() - 1].line) }
    })
}

/// Adds the last smallest hash of each window of successive candidates, once.
fn winnow(part: &[Fingerprint], chosen: &mut Vec<Fingerprint>) {
    let mut last = None;
    for begin in 0..(part.len() + 1).saturating_sub(WINDOW).max(usize::from(!part.is_empty())) {
        let window = &part[begin..(begin + WINDOW).min(part.len())];
        let least = window.iter().enumerate().min_by_key(|(at, f)| (f.hash, std::cmp::Reverse(*at)));
        let Some((at, Fingerprint { hash, lines })) = least else { continue };
        if last.replace(begin + at) != Some(begin + at) {
            chosen.push(Fingerprint { hash: *hash, lines: *lines });
        }
    }
}

/// The pairs of files of one exercise with at least this likeness, the most similar first.
pub(crate) fn alike(files: &[&Fingerprints], least: f64) -> Vec<Alike> {
    let mut owners: Map<u64, Vec<usize>> = Map::default();
    for (file, fingerprints) in files.iter().enumerate() {
        fingerprints.hashes.iter().for_each(|hash| owners.entry(*hash).or_default().push(file));
    }
    owners.retain(|_, files| files.len() <= MOST_FILES);
    let count = files.len() as f64;
    let weight = |owners: &[usize]| libm::log(1.0 + count / owners.len() as f64);
    let weighed = |hash| owners.get(hash).map(|owners| (owners, weight(owners)));
    let totals: Vec<f64> = files
        .iter()
        .map(|file| file.hashes.iter().filter_map(weighed).map(|(_, weight)| weight).sum())
        .collect();
    let mut pairs = Vec::new();
    for (file, fingerprints) in files.iter().enumerate() {
        // By the other file, which comes later: weight and number of common fingerprints.
        let mut common: BTreeMap<usize, (f64, usize)> = BTreeMap::new();
        for (owners, weight) in fingerprints.hashes.iter().filter_map(weighed) {
            let later = owners.partition_point(|owner| *owner <= file);
            for other in &owners[later..] {
                let entry = common.entry(*other).or_default();
                *entry = (entry.0 + weight, entry.1 + 1);
            }
        }
        pairs.extend(common.into_iter().filter_map(|(other, (weight, number))| {
            let is_equal = fingerprints.hashes == files[other].hashes;
            let enough = if is_equal { FEWEST_IF_EQUAL } else { FEWEST };
            let share = |file: usize| (weight / totals[file]).min(1.0);
            let pair = Alike { files: [file, other], shares: [share(file), share(other)] };
            (number >= enough && pair.likeness() >= least).then_some(pair)
        }));
    }
    pairs.sort_by(|a, b| b.likeness().total_cmp(&a.likeness()).then(a.files.cmp(&b.files)));
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn winnowing_chooses_from_every_window() {
        for count in 0..40 {
            let part: Vec<Fingerprint> = (0..count)
                .map(|at| Fingerprint { hash: (at * 37 + 11) % 17, lines: (at as u32, at as u32) })
                .collect();
            let mut chosen = Vec::new();
            winnow(&part, &mut chosen);
            let places: Vec<u32> = chosen.iter().map(|f| f.lines.0).collect();
            assert!(places.is_sorted_by(|a, b| a < b), "each once: {places:?}");
            for window in part.windows(WINDOW) {
                assert!(window.iter().any(|f| places.contains(&f.lines.0)), "{count}: {places:?}");
            }
            assert_eq!(chosen.is_empty(), count == 0);
        }
    }
}
