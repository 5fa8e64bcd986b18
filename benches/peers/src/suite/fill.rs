//! What arrays begin with: the same numbers on every machine.
//!
//! `zeros`, `ones`, a number, `ramp` and `random:SEED[:BELOW]` mean what they mean in `lab launch --arg`, where the generator is
//! described; floats, too, may have BELOW here, and are then whole numbers, and BELOW may be made of sizes. The others are for indices and tables:
//!
//! - `uniform:SEED:LOW:HIGH`: floats from LOW up to HIGH.
//! - `permutation:SEED`: the numbers from 0 to the length, each once, shuffled.
//! - `offsets:SEED:LOW:HIGH`: 0, and then sums of random whole numbers from LOW to HIGH, such as where each row of a sparse matrix
//!   begins, or a sorted array.

use super::expression::{Sizes, evaluate};
use super::values::{Element, Values};
use anyhow::{Context, bail, ensure};
use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use std::str::FromStr;

/// What an array begins with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Fill {
    Number(f64),
    Ramp,
    Random { seed: u64, below: Option<u32> },
    Uniform { seed: u64, low: f64, high: f64 },
    Permutation { seed: u64 },
    Offsets { seed: u64, low: u32, high: u32 },
}

impl Fill {
    /// The content that `text` says; a bound of whole numbers may be made of sizes.
    pub(crate) fn parse(text: &str, sizes: &Sizes) -> anyhow::Result<Fill> {
        let bound = |text: &str| {
            let value = evaluate(text, sizes)?;
            u32::try_from(value).with_context(|| format!("{value} is no bound"))
        };
        let parts: Vec<&str> = text.split(':').collect();
        let fill = match parts[..] {
            ["zeros"] => Fill::Number(0.0),
            ["ones"] => Fill::Number(1.0),
            ["ramp"] => Fill::Ramp,
            ["random", seed] => Fill::Random { seed: number(seed)?, below: None },
            ["random", seed, below] => {
                let below = bound(below)?;
                ensure!(below > 0, "`{text}`: no number is below 0");
                Fill::Random { seed: number(seed)?, below: Some(below) }
            }
            ["uniform", seed, low, high] => {
                Fill::Uniform { seed: number(seed)?, low: number(low)?, high: number(high)? }
            }
            ["permutation", seed] => Fill::Permutation { seed: number(seed)? },
            ["offsets", seed, low, high] => {
                let (low, high) = (bound(low)?, bound(high)?);
                ensure!(low <= high, "`{text}`: {low} is above {high}");
                Fill::Offsets { seed: number(seed)?, low, high }
            }
            [value] if value.parse::<f64>().is_ok() => Fill::Number(number(value)?),
            _ => bail!(
                "`{text}` is no content; expected zeros, ones, a number, ramp, random:SEED, random:SEED:BELOW, \
                 uniform:SEED:LOW:HIGH, permutation:SEED or offsets:SEED:LOW:HIGH"
            ),
        };
        Ok(fill)
    }
}

fn number<T: FromStr<Err: std::error::Error + Send + Sync + 'static>>(text: &str) -> anyhow::Result<T> {
    text.parse().with_context(|| format!("`{text}`"))
}

/// Numbers before they get their type.
enum Numbers {
    Whole(Vec<i64>),
    Real(Vec<f64>),
}

impl Fill {
    /// So many elements.
    pub(crate) fn values(self, element: Element, length: usize) -> anyhow::Result<Values> {
        let numbers = self.numbers(element, length)?;
        macro_rules! collect {
            ($type:ty) => {
                Values::from(match numbers {
                    // Wraps, as in C.
                    Numbers::Whole(numbers) => {
                        numbers.into_iter().map(|v| v as $type).collect::<Vec<$type>>()
                    }
                    Numbers::Real(numbers) => numbers.into_iter().map(|v| v as $type).collect(),
                })
            };
        }
        Ok(match element {
            Element::F32 => collect!(f32),
            Element::F64 => collect!(f64),
            Element::I8 => collect!(i8),
            Element::U8 => collect!(u8),
            Element::I32 => collect!(i32),
            Element::U32 => collect!(u32),
            Element::I64 => collect!(i64),
            Element::U64 => collect!(u64),
        })
    }

    fn numbers(self, element: Element, length: usize) -> anyhow::Result<Numbers> {
        let float = matches!(element, Element::F32 | Element::F64);
        let numbers = match self {
            Fill::Number(value) => {
                ensure!(float || value.fract() == 0.0, "{value} is no whole number");
                Numbers::Real(vec![value; length])
            }
            Fill::Ramp => Numbers::Whole((0..length as i64).collect()),
            Fill::Random { seed, below: Some(below) } => {
                let mut random = generator(seed);
                let number = |_| ((u64::from(random.random::<u32>()) * u64::from(below)) >> 32) as i64;
                Numbers::Whole((0..length).map(number).collect())
            }
            Fill::Random { seed, below: None } if float => Numbers::Real(reals(seed, length).collect()),
            Fill::Random { seed, below: None } => {
                let mut random = generator(seed);
                let bits = 8 * element.bytes() as u32;
                let mut number = || match bits {
                    64 => random.random::<u64>() as i64,
                    _ => i64::from(random.random::<u32>() >> (32 - bits)),
                };
                Numbers::Whole((0..length).map(|_| number()).collect())
            }
            Fill::Uniform { seed, low, high } => {
                ensure!(float, "`uniform` is for floats");
                Numbers::Real(reals(seed, length).map(|v| low + (v + 1.0) / 2.0 * (high - low)).collect())
            }
            Fill::Permutation { seed } => {
                let mut numbers: Vec<i64> = (0..length as i64).collect();
                numbers.shuffle(&mut generator(seed));
                Numbers::Whole(numbers)
            }
            Fill::Offsets { seed, low, high } => {
                let mut random = generator(seed);
                let steps = (1..length).map(|_| random.random_range(low..=high).into());
                let sums = std::iter::once(0).chain(steps).scan(0, |sum: &mut i64, step: i64| {
                    *sum += step;
                    Some(*sum)
                });
                Numbers::Whole(sums.take(length).collect())
            }
        };
        Ok(numbers)
    }
}

/// Multiples of 2⁻²³ from -1 up to 1.
fn reals(seed: u64, length: usize) -> impl Iterator<Item = f64> {
    let mut random = generator(seed);
    (0..length).map(move |_| f64::from(random.random::<u32>() >> 8) / 8_388_608.0 - 1.0)
}

fn generator(seed: u64) -> ChaCha8Rng {
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    ChaCha8Rng::from_seed(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(fill: &str, element: Element, length: usize) -> anyhow::Result<Values> {
        Fill::parse(fill, &Sizes::new())?.values(element, length)
    }

    fn i32s(fill: &str, length: usize) -> Vec<i32> {
        match filled(fill, Element::I32, length).unwrap() {
            Values::I32(values) => values,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn numbers_are_of_the_type_asked_for() {
        assert_eq!(filled("0.5", Element::F32, 2).unwrap(), vec![0.5f32; 2].into());
        assert_eq!(filled("ones", Element::U8, 2).unwrap(), vec![1u8; 2].into());
        assert_eq!(filled("ramp", Element::U8, 257).unwrap().to_bytes()[255..], [255, 0]);
        assert!(filled("0.5", Element::I32, 2).is_err());
        assert!(filled("uniform:1:0:1", Element::I32, 2).is_err());
    }

    #[test]
    fn random_numbers_stay_in_their_bounds() {
        assert!(i32s("random:1:10", 1000).iter().all(|v| (0..10).contains(v)));
        let mut shuffled = i32s("permutation:1", 100);
        assert_ne!(shuffled[..10], (0..10).collect::<Vec<i32>>());
        shuffled.sort_unstable();
        assert_eq!(shuffled, i32s("ramp", 100));
        let offsets = i32s("offsets:1:2:5", 100);
        assert_eq!(offsets[0], 0);
        assert!(offsets.windows(2).all(|pair| (2..=5).contains(&(pair[1] - pair[0]))));
        assert!(i32s("offsets:1:2:5", 0).is_empty());
        let Values::F64(reals) = filled("uniform:1:5:6", Element::F64, 1000).unwrap() else { panic!() };
        assert!(reals.iter().all(|v| (5.0..6.0).contains(v)) && reals.iter().any(|v| *v > 5.9));
    }

    #[test]
    fn what_is_no_content_is_refused() {
        for text in ["", "random", "random:x", "random:1:0", "offsets:1:3:2", "ones:1", "permutation"] {
            assert!(Fill::parse(text, &Sizes::new()).is_err(), "{text}");
        }
    }
}
