//! Maps and sets with a fast hash.
//!
//! Use [`Mixer`] for keys that the author of a kernel file cannot choose freely, such as register numbers. An
//! attacker could choose names, texts and constants so that thousands have the same [`Mixer`] hash, and every lookup
//! would scan them all. Such keys use [`Keyed`], whose numbers differ from process to process. No result may depend
//! on hashes, so no code iterates over these maps in their own order.

use std::collections::hash_map::RandomState;
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, BuildHasherDefault, Hasher};
use std::sync::LazyLock;

/// A map with the fast hash [`Mixer`].
pub type Map<K, V> = HashMap<K, V, BuildHasherDefault<Mixer>>;

/// A set with the fast hash [`Mixer`].
pub type Set<K> = HashSet<K, BuildHasherDefault<Mixer>>;

/// A map whose keys the author of a kernel file chooses.
pub type KeyedMap<K, V> = HashMap<K, V, BuildHasherDefault<Keyed>>;

/// A set of values that the author of a kernel file chooses.
pub type KeyedSet<K> = HashSet<K, BuildHasherDefault<Keyed>>;

/// Combines both halves of the product. The lower half alone would never let high bits affect low bits.
#[inline]
fn folded(value: u64, multiplier: u64) -> u64 {
    let product = u128::from(value) * u128::from(multiplier);
    product as u64 ^ (product >> 64) as u64
}

/// Hashes a text: 8 bytes at a time, then the last up to seven bytes with their number, because zero bytes may be
/// part of the text.
#[inline]
fn mix_bytes(bytes: &[u8], mut mix: impl FnMut(u64)) {
    let (words, rest) = bytes.as_chunks::<8>();
    words.iter().for_each(|word| mix(u64::from_le_bytes(*word)));
    if !rest.is_empty() {
        mix(rest.iter().fold(rest.len() as u64, |word, byte| word << 8 | u64::from(*byte)));
    }
}

/// A multiplicative hash: one step per number, or per 8 bytes of text.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mixer(u64);

impl Mixer {
    /// Adds 64 bits to the hash.
    #[inline]
    pub fn mix(&mut self, value: u64) {
        self.0 = folded(self.0.rotate_left(5) ^ value, 0x517c_c1b7_2722_0a95);
    }
}

/// The same hash as [`Mixer`], but with an initial state and multiplier chosen per process.
#[derive(Clone, Copy, Debug)]
pub struct Keyed {
    state: u64,
    multiplier: u64,
}

/// The initial state and multiplier of this process.
static KEY: LazyLock<Keyed> = LazyLock::new(|| {
    let random = RandomState::new();
    // An even multiplier would lose the highest bit.
    Keyed { state: random.hash_one(0), multiplier: random.hash_one(1) | 1 }
});

impl Default for Keyed {
    #[inline]
    fn default() -> Keyed {
        *KEY
    }
}

impl Keyed {
    /// Adds 64 bits to the hash.
    #[inline]
    pub fn mix(&mut self, value: u64) {
        self.state = folded(self.state.rotate_left(5) ^ value, self.multiplier);
    }
}

/// Implements `Hasher` for both hashes; `$state` is the field with the hash.
macro_rules! hasher {
    ($hasher:ident, $state:tt) => {
        impl Hasher for $hasher {
            #[inline]
            fn finish(&self) -> u64 {
                self.$state
            }

            #[inline]
            fn write(&mut self, bytes: &[u8]) {
                mix_bytes(bytes, |word| self.mix(word));
            }

            #[inline]
            fn write_u8(&mut self, value: u8) {
                self.mix(u64::from(value));
            }

            #[inline]
            fn write_u32(&mut self, value: u32) {
                self.mix(u64::from(value));
            }

            #[inline]
            fn write_u64(&mut self, value: u64) {
                self.mix(value);
            }

            #[inline]
            fn write_usize(&mut self, value: usize) {
                self.mix(value as u64);
            }
        }
    };
}

hasher!(Mixer, 0);
hasher!(Keyed, state);

/// A hash that may be stored in files, because it is equal for every compiler and computer. It depends on where each
/// text ends.
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

    /// These names have the same hash: the second half of each cancels the effect of the first half on the state.
    #[test]
    fn names_that_share_a_hash_do_not_share_a_keyed_one() {
        let names = ["aPIO0000OgBTf6FQ", "aPUU00003SZ2ekZa", "axpm0000P5d01exY", "ajcE1000TzmT7cqU"];
        let plain: HashSet<u64> = names.iter().map(hash).collect();
        assert_eq!(plain.len(), 1);
        let keyed = |name: &&str| BuildHasherDefault::<Keyed>::default().hash_one(name);
        assert_eq!(names.iter().map(keyed).collect::<HashSet<u64>>().len(), names.len());
        assert_eq!(keyed(&names[0]), keyed(&names[0]), "it stays the same in a process");
    }

    /// File names contain these hashes. If they change, data stored earlier is not found any more.
    #[test]
    fn what_is_kept_in_files_does_not_change() {
        assert_eq!(stable(&[]), 0);
        assert_eq!(stable(&["lab-1/naive", "__global__ void k() {}\n"]), 0x2240_d431_ab19_a4a7);
        let alike = [&["ab", "c"][..], &["a", "bc"], &["abc"], &["abc", ""], &["", "abc"], &["abc", "", ""]];
        let hashes: HashSet<u64> = alike.iter().map(|texts| stable(texts)).collect();
        assert_eq!(hashes.len(), alike.len());
    }
}
