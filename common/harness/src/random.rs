//! Random inputs that depend only on seed and name, on every machine.

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use std::ops::RangeInclusive;
use std::sync::Arc;

/// `len` values, uniform in [-1, 1), multiples of 2⁻²³.
///
/// The generator is ChaCha8. Its 32-byte key is the seed (8 bytes, little-endian), the 64-bit FNV-1a hash of `name`
/// (8 bytes, little-endian) and 16 zeros, so each array of an exercise has a stream of its own. A value is the
/// upper 24 bits of one 32-bit output, scaled.
pub fn input(seed: u64, name: &str, len: usize) -> Arc<Vec<f32>> {
    crate::kept(&format!("input {seed} {name} {len}"), 4 * len, || values(seed, name, len))
}

fn values(seed: u64, name: &str, len: usize) -> Vec<f32> {
    let mut rng = stream(seed, name);
    (0..len).map(|_| (rng.random::<u32>() >> 8) as f32 / 8_388_608.0 - 1.0).collect()
}

/// The random stream of a seed and a name.
fn stream(seed: u64, name: &str) -> ChaCha8Rng {
    let mut key = [0u8; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    key[8..16].copy_from_slice(&fnv1a(name.as_bytes()).to_le_bytes());
    ChaCha8Rng::from_seed(key)
}

/// Problem sizes that a seed chooses.
pub struct SeededSizes(ChaCha8Rng);

impl SeededSizes {
    /// The sizes for a seed and an exercise; each exercise has its own sequence.
    pub fn of(seed: u64, exercise: &str) -> SeededSizes {
        SeededSizes(stream(seed, &format!("sizes of {exercise}")))
    }

    /// The next size, within `range`.
    pub fn within(&mut self, range: RangeInclusive<usize>) -> usize {
        self.0.random_range(range)
    }
}

/// 64-bit FNV-1a.
pub(crate) fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(*b)).wrapping_mul(0x100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_fixed_by_seed_and_name_and_lie_in_the_interval() {
        let a = input(1, "a", 4096);
        assert_eq!(a, input(1, "a", 4096));
        assert_ne!(a[..8], input(1, "b", 8)[..]);
        assert_ne!(a[..8], input(2, "a", 8)[..]);
        assert!(a.iter().all(|v| (-1.0..1.0).contains(v)));
        let mean = a.iter().map(|v| f64::from(*v)).sum::<f64>() / 4096.0;
        assert!(mean.abs() < 0.05, "mean {mean}");
    }

    #[test]
    fn a_longer_input_begins_with_a_shorter_one() {
        assert_eq!(input(7, "x", 10)[..], input(7, "x", 100)[..10]);
    }
}
