//! Inputs made of inputs: changes of bytes, of words, and of the pieces that a program is made of.

pub mod bytes;
pub mod pieces;
pub mod words;

use crate::Random;

/// Longest input that is made, bytes: how long a long file takes is the business of the compiler's own budgets.
const LONGEST: usize = 32 << 10;

/// A changed kernel file: most changes swap pieces and words, so that many results still compile; a few change bytes.
pub fn program(input: &[u8], donors: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut input = input.to_vec();
    for _ in 0..random.few(6) {
        let donor = random.pick(donors);
        input = match random.below(40) {
            0 => bytes::change(&input, donor, random),
            1..=18 => {
                words::change(&String::from_utf8_lossy(&input), &String::from_utf8_lossy(donor), random)
                    .into()
            }
            _ => pieces::change(&String::from_utf8_lossy(&input), &String::from_utf8_lossy(donor), random)
                .into(),
        };
        cut(&mut input);
    }
    input
}

/// Any bytes: changes of all kinds, mostly of bytes.
pub fn any(input: &[u8], donors: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut input = input.to_vec();
    for _ in 0..random.few(8) {
        let donor = random.pick(donors);
        input = match random.below(8) {
            0 => words::change(&String::from_utf8_lossy(&input), &String::from_utf8_lossy(donor), random)
                .into(),
            1 => pieces::change(&String::from_utf8_lossy(&input), &String::from_utf8_lossy(donor), random)
                .into(),
            _ => bytes::change(&input, donor, random),
        };
        cut(&mut input);
    }
    input
}

fn cut(input: &mut Vec<u8>) {
    input.truncate(LONGEST);
}
