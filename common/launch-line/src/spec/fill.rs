//! Generates a buffer's initial content piece by piece, so that the host never holds the whole buffer.

use super::element::{Number, Scalar};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use std::path::PathBuf;

/// Initial content of a buffer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Fill {
    /// All 0.
    Zeros,
    /// All 1.
    Ones,
    /// 0, 1, 2, …; integers wrap, floats round.
    Ramp,
    /// Uninitialised: a read before the first write is an error.
    Poison,
    /// Random numbers; [`Generator`] defines them.
    Random {
        seed: u64,
        /// Upper bound of integers, exclusive; `None` for the whole range.
        below: Option<u64>,
    },
    /// One number per element, or one number for all elements.
    Values(Vec<Number>),
    /// The content of a `.npy` file.
    File(PathBuf),
}

/// The possible contents, for messages.
pub(crate) const FILLS: &str = "zeros, ones, ramp, poison, random:SEED, a number, {1,2,3} or @FILE.npy";

impl Fill {
    /// Parses the part after `=`.
    pub(crate) fn parse(text: &str) -> Result<Fill, String> {
        match text {
            "zeros" => return Ok(Fill::Zeros),
            "ones" => return Ok(Fill::Ones),
            "ramp" => return Ok(Fill::Ramp),
            "poison" => return Ok(Fill::Poison),
            "@" => return Err("a file's name is missing after `@`".into()),
            "" => return Err(format!("nothing after `=`; expected {FILLS}")),
            _ => {}
        }
        if let Some(file) = text.strip_prefix('@') {
            return Ok(Fill::File(file.into()));
        }
        if let Some(rest) = text.strip_prefix("random") {
            return random(rest).ok_or_else(|| {
                format!("`{text}`; expected random:SEED or random:SEED:BELOW, whole numbers")
            });
        }
        let list = text.strip_prefix('{').and_then(|t| t.strip_suffix('}')).unwrap_or(text);
        if list.len() == text.len() && list.contains(',') {
            return Err(format!("`{text}`; a list is written in braces, such as {{1,2,3}}"));
        }
        match list.split(',').map(|part| Number::parse(part.trim()).ok_or(part)).collect() {
            Ok(numbers) => Ok(Fill::Values(numbers)),
            Err(part) => {
                let near = source::did_you_mean(part, ["zeros", "ones", "ramp", "poison", "random:SEED"]);
                Err(format!("`{part}` is no initial content{near}; expected {FILLS}"))
            }
        }
    }
}

fn random(rest: &str) -> Option<Fill> {
    let mut parts = rest.strip_prefix(':')?.split(':');
    let seed = parts.next()?.parse().ok()?;
    let below = match parts.next() {
        None => None,
        Some(text) => Some(text.parse().ok().filter(|below| *below > 0)?),
    };
    parts.next().is_none().then_some(Fill::Random { seed, below })
}

/// Generates a buffer's numbers in sequence.
///
/// Random numbers come from ChaCha8. The key is the seed as 8 little-endian bytes and 24 zeros; counter and nonce
/// start at 0; the output is used as 32-bit words in order. `f32` and `f64`: `(word >> 8) / 2²³ - 1`. `f16`:
/// `(word >> 21) / 2¹⁰ - 1`. `bf16`: `(word >> 24) / 2⁷ - 1`. All floats lie in [-1, 1) and are exact. Integers of up
/// to 32 bits: the upper bits of a word; of 64 bits: two words, the lower half first. Integers below a bound:
/// `(word · bound) >> 32`.
pub(crate) struct Generator {
    scalar: Scalar,
    fill: Fill,
    rng: ChaCha8Rng,
    index: u64,
}

impl Generator {
    /// Starts a buffer of `count` numbers, or says why the content does not fit.
    pub(crate) fn new(scalar: Scalar, count: u64, fill: &Fill) -> Result<Generator, String> {
        let mut key = [0; 32];
        match fill {
            Fill::Random { below: Some(_), .. } if scalar.is_float() => {
                return Err("a bound after the seed is for integers; floats lie in [-1, 1)".into());
            }
            Fill::Random { below: Some(below), .. } if largest(scalar) < below - 1 => {
                let most = largest(scalar) + 1;
                return Err(format!("a bound of {below}; for {} it may be at most {most}", scalar.name()));
            }
            Fill::Random { seed, .. } => key[..8].copy_from_slice(&seed.to_le_bytes()),
            Fill::Values(values) => {
                if values.len() != 1 && values.len() as u64 != count {
                    return Err(format!("{} numbers are listed, but the size says {count}", values.len()));
                }
                let mut scratch = Vec::new();
                values.iter().try_for_each(|value| scalar.push(*value, &mut scratch))?;
            }
            Fill::Zeros | Fill::Ones | Fill::Ramp | Fill::Poison | Fill::File(_) => {}
        }
        Ok(Generator { scalar, fill: fill.clone(), rng: ChaCha8Rng::from_seed(key), index: 0 })
    }

    /// Appends the bytes of the next number.
    fn next(&mut self, out: &mut Vec<u8>) {
        let index = self.index;
        self.index += 1;
        match &self.fill {
            Fill::Zeros | Fill::Poison | Fill::File(_) => self.scalar.push_wrapped(0, out),
            Fill::Ones => self.scalar.push_wrapped(1, out),
            Fill::Ramp => self.scalar.push_wrapped(index, out),
            Fill::Random { below: Some(below), .. } => {
                let word = u64::from(self.rng.random::<u32>());
                self.scalar.push_wrapped(((u128::from(word) * u128::from(*below)) >> 32) as u64, out);
            }
            Fill::Random { below: None, .. } => self.random(out),
            Fill::Values(values) => {
                let value = values.get(index as usize).or(values.first()).copied();
                // `new` has refused values that do not fit.
                let _ = self.scalar.push(value.unwrap_or(Number::Integer(0)), out);
            }
        }
    }

    fn random(&mut self, out: &mut Vec<u8>) {
        let word = self.rng.random::<u32>();
        match self.scalar {
            Scalar::F32 | Scalar::F64 => {
                self.scalar.push_float(f64::from(word >> 8) / 8_388_608.0 - 1.0, out);
            }
            Scalar::F16 => self.scalar.push_float(f64::from(word >> 21) / 1024.0 - 1.0, out),
            Scalar::BF16 => self.scalar.push_float(f64::from(word >> 24) / 128.0 - 1.0, out),
            Scalar::I64 | Scalar::U64 => {
                let high = u64::from(self.rng.random::<u32>());
                self.scalar.push_wrapped(high << 32 | u64::from(word), out);
            }
            _ => self.scalar.push_wrapped(u64::from(word >> (32 - 8 * self.scalar.bytes())), out),
        }
    }

    /// The bytes of the next `count` numbers.
    pub(crate) fn take(&mut self, count: u64) -> Vec<u8> {
        let mut out = Vec::with_capacity((count * self.scalar.bytes()) as usize);
        for _ in 0..count {
            self.next(&mut out);
        }
        out
    }
}

/// The largest integer that a random fill with a bound can produce: the type's maximum, but at most 2³² - 1, because it uses 32 random
/// bits.
fn largest(scalar: Scalar) -> u64 {
    match scalar {
        Scalar::I8 => i8::MAX as u64,
        Scalar::U8 => u8::MAX.into(),
        Scalar::I16 => i16::MAX as u64,
        Scalar::U16 => u16::MAX.into(),
        Scalar::I32 => i32::MAX as u64,
        _ => u32::MAX.into(),
    }
}
