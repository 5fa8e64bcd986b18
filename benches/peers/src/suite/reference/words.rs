//! Kernels on integers, bits and text: sorting, searching, and sums that check.

use super::Inputs;
use crate::suite::values::Values;

fn sorted(inputs: &Inputs, length: usize) -> Vec<Values> {
    let mut all = inputs.i32(0).to_vec();
    all.chunks_mut(length).for_each(<[i32]>::sort_unstable);
    vec![all.into()]
}

pub(super) fn sort_512(inputs: &Inputs) -> Vec<Values> {
    sorted(inputs, 512)
}

pub(super) fn sort_256(inputs: &Inputs) -> Vec<Values> {
    sorted(inputs, 256)
}

pub(super) fn binary_search(inputs: &Inputs) -> Vec<Values> {
    let sorted = inputs.i32(0);
    let below = |key: &i32| sorted.partition_point(|value| value < key) as i32;
    vec![inputs.i32(1).iter().map(below).collect::<Vec<i32>>().into()]
}

pub(super) fn string_match(inputs: &Inputs) -> Vec<Values> {
    let (text, pattern) = (inputs.u8(0), inputs.u8(1));
    let found = |i: usize| u8::from(text[i..].starts_with(pattern));
    vec![(0..text.len()).map(found).collect::<Vec<u8>>().into()]
}

/// The edit distance of two words, row by row.
fn distance(a: &[u8], b: &[u8]) -> i32 {
    let mut row: Vec<i32> = (0..=b.len() as i32).collect();
    for (i, from) in a.iter().enumerate() {
        let mut diagonal = i as i32;
        row[0] = diagonal + 1;
        for (j, to) in b.iter().enumerate() {
            let changed = diagonal + i32::from(from != to);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

pub(super) fn edit_distance(inputs: &Inputs) -> Vec<Values> {
    let pairs = inputs.u8(0).chunks(96).zip(inputs.u8(1).chunks(96));
    vec![pairs.map(|(a, b)| distance(a, b)).collect::<Vec<i32>>().into()]
}

pub(super) fn crc32(inputs: &Inputs) -> Vec<Values> {
    let sum = |record: &[u8]| {
        !record.iter().fold(!0u32, |crc, byte| {
            let step = |crc: u32, _| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
            (0..8).fold(crc ^ u32::from(*byte), step)
        })
    };
    vec![inputs.u8(0).chunks(64).map(sum).collect::<Vec<u32>>().into()]
}

/// The first 32 bits of the fractional part of a root of a prime, as the standard defines the constants.
fn fraction(prime: u32, root: fn(f64) -> f64) -> u32 {
    (root(f64::from(prime)).fract() * 2f64.powi(32)) as u32
}

fn primes() -> impl Iterator<Item = u32> {
    (2..).filter(|n| (2..*n).all(|d| n % d != 0))
}

pub(super) fn sha256(inputs: &Inputs) -> Vec<Values> {
    let n = inputs.size("n");
    let k: Vec<u32> = primes().take(64).map(|prime| fraction(prime, f64::cbrt)).collect();
    let start: Vec<u32> = primes().take(8).map(|prime| fraction(prime, f64::sqrt)).collect();
    let mut digests = vec![0u32; 8 * n];
    for i in 0..n {
        let mut w: Vec<u32> = (0..16).map(|t| inputs.u32(0)[t * n + i]).collect();
        for t in 16..64 {
            let s0 = w[t - 15].rotate_right(7) ^ w[t - 15].rotate_right(18) ^ w[t - 15] >> 3;
            let s1 = w[t - 2].rotate_right(17) ^ w[t - 2].rotate_right(19) ^ w[t - 2] >> 10;
            w.push(w[t - 16].wrapping_add(s0).wrapping_add(w[t - 7]).wrapping_add(s1));
        }
        let mut s = start.clone();
        for t in 0..64 {
            let s1 = s[4].rotate_right(6) ^ s[4].rotate_right(11) ^ s[4].rotate_right(25);
            let choice = s[4] & s[5] ^ !s[4] & s[6];
            let t1 = [s1, choice, k[t], w[t]].into_iter().fold(s[7], u32::wrapping_add);
            let s0 = s[0].rotate_right(2) ^ s[0].rotate_right(13) ^ s[0].rotate_right(22);
            let majority = s[0] & s[1] ^ s[0] & s[2] ^ s[1] & s[2];
            s.rotate_right(1);
            s[4] = s[4].wrapping_add(t1);
            s[0] = t1.wrapping_add(s0).wrapping_add(majority);
        }
        for (word, (start, end)) in start.iter().zip(s).enumerate() {
            digests[word * n + i] = start.wrapping_add(end);
        }
    }
    vec![digests.into()]
}
