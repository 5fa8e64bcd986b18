//! Maps and sets with a fast hash, for keys that are small or names of one file: they are not attacked, and there are many.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

/// A map with the quick hash.
pub type Map<K, V> = HashMap<K, V, BuildHasherDefault<Mixer>>;

/// A set with the quick hash.
pub type Set<K> = HashSet<K, BuildHasherDefault<Mixer>>;

/// Hashing by multiplication, a step for each number or for 8 bytes of text.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mixer(u64);

impl Mixer {
    /// Takes in 64 bits.
    pub fn mix(&mut self, value: u64) {
        // Both halves of the product: the lower one alone never brings a difference downwards.
        let product = u128::from(self.0.rotate_left(5) ^ value) * 0x517c_c1b7_2722_0a95;
        self.0 = product as u64 ^ (product >> 64) as u64;
    }
}

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        words.iter().for_each(|word| self.mix(u64::from_le_bytes(*word)));
        if !rest.is_empty() {
            // Up to seven bytes, and their number, because zeros may be text.
            self.mix(rest.iter().fold(rest.len() as u64, |word, byte| word << 8 | u64::from(*byte)));
        }
    }

    fn write_u8(&mut self, value: u8) {
        self.mix(u64::from(value));
    }

    fn write_u32(&mut self, value: u32) {
        self.mix(u64::from(value));
    }

    fn write_u64(&mut self, value: u64) {
        self.mix(value);
    }

    fn write_usize(&mut self, value: usize) {
        self.mix(value as u64);
    }
}

/// A hash of texts that may be kept in files: the same with every compiler, on every computer. Where a text ends and the next begins
/// matters.
pub fn stable(texts: &[&str]) -> u64 {
    let mut mixer = Mixer::default();
    for text in texts {
        mixer.mix(text.len() as u64 + 1);
        mixer.write(text.as_bytes());
    }
    mixer.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::hash::Hash;

    fn hash(value: impl Hash) -> u64 {
        let mut mixer = Mixer::default();
        value.hash(&mut mixer);
        mixer.finish()
    }

    #[test]
    fn neighbours_do_not_share_buckets() {
        let buckets: HashSet<u64> = (0..1024u32).map(|n| hash(n) % 4096).collect();
        assert!(buckets.len() > 768, "1024 numbers in {} of 4096 buckets", buckets.len());
        let names: HashSet<u64> = (0..1024).map(|n| hash(format!("name_{n}")) % 4096).collect();
        assert!(names.len() > 768, "1024 names in {} of 4096 buckets", names.len());
        assert_ne!(hash("ab"), hash("ba"));
    }

    /// Files have these numbers in their names. Other numbers here mean that what was kept before is not found again.
    #[test]
    fn what_is_kept_in_files_does_not_change() {
        assert_eq!(stable(&[]), 0);
        assert_eq!(stable(&["lab-1/naive", "__global__ void k() {}\n"]), 0x2240_d431_ab19_a4a7);
        let alike = [&["ab", "c"][..], &["a", "bc"], &["abc"], &["abc", ""], &["", "abc"], &["abc", "", ""]];
        let hashes: HashSet<u64> = alike.iter().map(|texts| stable(texts)).collect();
        assert_eq!(hashes.len(), alike.len());
    }
}
