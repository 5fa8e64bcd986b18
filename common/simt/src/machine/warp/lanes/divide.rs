//! Divisions of 32-bit integers: the processors that this runs on divide vectors of floating-point numbers only.
//!
//! A quotient in double precision is exact enough: one of 32-bit numbers that is no whole number is further from the next one, by at least
//! 1 / divisor, than a double of its size is rounded.

use crate::machine::warp::lanes::divisors::{SignedDivisor, UnsignedDivisor};
use crate::machine::warp::registers::Lanes;
use simt_ir::BinaryOp;

/// A divisor that lanes share, not 0 and for signed operations not -1, as a factor and shifts (Granlund and Montgomery, Division by Invariant Integers using
/// Multiplication, PLDI 1994, figure 4.1).
#[derive(Clone, Copy)]
pub(crate) struct Divisor {
    factor: u32,
    shifts: [u32; 2],
    magnitude: u32,
    is_negative: bool,
    is_signed: bool,
    is_remainder: bool,
}

impl Divisor {
    /// For quotients or remainders, as the operation says; `None` for 0, and for -1 if the operation is signed.
    #[inline]
    pub(crate) fn of(op: BinaryOp, divisor: u32) -> Option<Divisor> {
        let is_signed = matches!(op, BinaryOp::DivS | BinaryOp::RemS);
        if divisor == 0 || is_signed && divisor == u32::MAX {
            return None;
        }
        let is_negative = is_signed && (divisor as i32) < 0;
        let magnitude = if is_negative { divisor.wrapping_neg() } else { divisor };
        let bits = 32 - (magnitude - 1).leading_zeros();
        let above = (1u64 << bits) - u64::from(magnitude);
        let factor = ((above << 32) / u64::from(magnitude) + 1) as u32;
        let shifts = [bits.min(1), bits.saturating_sub(1)];
        let is_remainder = matches!(op, BinaryOp::RemS | BinaryOp::RemU);
        Some(Divisor { factor, shifts, magnitude, is_negative, is_signed, is_remainder })
    }

    /// The quotients, or the remainders, of all lanes.
    #[inline(always)]
    pub(crate) fn divide(&self, a: &Lanes<u32>) -> Lanes<u32> {
        let mut out = Lanes([0; 32]);
        for i in 0..32 {
            let sign = if self.is_signed { (a.0[i] as i32 >> 31) as u32 } else { 0 };
            let n = (a.0[i] ^ sign).wrapping_sub(sign);
            let high = ((u64::from(n) * u64::from(self.factor)) >> 32) as u32;
            let quotient = (high.wrapping_add(n.wrapping_sub(high) >> self.shifts[0])) >> self.shifts[1];
            out.0[i] = if self.is_remainder {
                let rest = n.wrapping_sub(quotient.wrapping_mul(self.magnitude));
                (rest ^ sign).wrapping_sub(sign)
            } else {
                let sign = if self.is_negative { !sign } else { sign };
                (quotient ^ sign).wrapping_sub(sign)
            };
        }
        out
    }
}

/// Quotients or remainders of a divisor per lane; those of a divisor of 0 are 0.
#[inline(always)]
pub(crate) fn quotients_by_lane(op: BinaryOp, a: &Lanes<u32>, divisors: &Lanes<u32>) -> Lanes<u32> {
    let mut out = Lanes([0; 32]);
    macro_rules! lanes {
        (|$a:ident, $divisor:ident| $result:expr) => {
            for i in 0..32 {
                let ($a, $divisor) = (a.0[i], divisors.0[i]);
                let result = $result;
                out.0[i] = if $divisor == 0 { 0 } else { result };
            }
        };
    }
    match op {
        BinaryOp::DivS => lanes!(|a, divisor| quotient_signed(a, divisor)),
        BinaryOp::RemS => {
            lanes!(|a, divisor| a.wrapping_sub(quotient_signed(a, divisor).wrapping_mul(divisor)))
        }
        BinaryOp::RemU => {
            lanes!(|a, divisor| a.wrapping_sub(quotient_unsigned(a, divisor).wrapping_mul(divisor)))
        }
        _ => lanes!(|a, divisor| quotient_unsigned(a, divisor)),
    }
    out
}

/// A quotient of signed numbers; of -2^31 and -1, which has none, as all other operations it wraps around. Any number if the divisor is 0.
#[inline(always)]
fn quotient_signed(a: u32, divisor: u32) -> u32 {
    let quotient = SignedDivisor::or_one(divisor).divide(a as i32) as u32;
    if divisor == u32::MAX { quotient.wrapping_neg() } else { quotient }
}

/// A quotient of unsigned numbers; any number if the divisor is 0.
#[inline(always)]
fn quotient_unsigned(a: u32, divisor: u32) -> u32 {
    UnsignedDivisor::or_one(divisor).divide(a)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::alu32;
    use proptest::prelude::*;

    const OPERATIONS: [BinaryOp; 4] = [BinaryOp::DivS, BinaryOp::DivU, BinaryOp::RemS, BinaryOp::RemU];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        /// Where floating point could round: quotients next to whole numbers.
        #[test]
        fn quotients_are_those_of_integers(quotient: u32, divisor: u32, by in -2i32..=2) {
            for divisor in [divisor, divisor >> 20 | 1, divisor >> 10 | 1] {
                let value = quotient.wrapping_mul(divisor).wrapping_add_signed(by);
                for (op, by) in OPERATIONS.into_iter().filter_map(|op| Some((op, Divisor::of(op, divisor)?))) {
                    let found = by.divide(&Lanes([value; 32])).0[31];
                    prop_assert_eq!(found, alu32(op, value, divisor), "{:?} {} {}", op, value, divisor);
                }
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(5000))]

        /// A divisor per lane, and values next to whole multiples of it.
        #[test]
        fn quotients_by_lane_are_those_of_integers(
            quotients: [u32; 32], divisors: [u32; 32], shift in 0u32..32, by in -2i32..=2,
        ) {
            let divisors = Lanes(std::array::from_fn(|i| divisors[i] >> (shift * (i as u32 % 3 + 1) % 32)));
            let value = |i: usize| quotients[i].wrapping_mul(divisors.0[i]).wrapping_add_signed(by);
            let values = Lanes(std::array::from_fn(value));
            for op in OPERATIONS {
                let found = quotients_by_lane(op, &values, &divisors).0;
                let expected: [u32; 32] = std::array::from_fn(|i| alu32(op, values.0[i], divisors.0[i]));
                prop_assert_eq!(found, expected, "{:?} {:?} {:?}", op, values, divisors);
            }
        }
    }

    /// All pairs of numbers near 0, near the ends of both types, and near powers of two.
    #[test]
    fn quotients_by_lane_of_the_extremes() {
        let near = |v: u32| (0..4).flat_map(move |by| [v.wrapping_add(by), v.wrapping_sub(by)]);
        let numbers: Vec<u32> =
            (0..32).flat_map(|bit| near(1 << bit)).chain(near(0)).chain([46_341, 65_537]).collect();
        for op in OPERATIONS {
            for value in &numbers {
                for divisors in numbers.chunks(32) {
                    let lanes = Lanes(std::array::from_fn(|i| divisors[i % divisors.len()]));
                    let found = quotients_by_lane(op, &Lanes([*value; 32]), &lanes).0;
                    assert_eq!(
                        found,
                        lanes.0.map(|divisor| alu32(op, *value, divisor)),
                        "{op:?} {value} {lanes:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn quotients_of_the_extremes() {
        let extremes =
            [0, 1, 2, 3, 7, 0x7fff_fffe, 0x7fff_ffff, 0x8000_0000, 0x8000_0001, 0xffff_fffe, u32::MAX];
        for (value, divisor) in extremes.iter().flat_map(|v| extremes.map(|d| (*v, d))) {
            for (op, by) in OPERATIONS.into_iter().filter_map(|op| Some((op, Divisor::of(op, divisor)?))) {
                let found = by.divide(&Lanes([value; 32])).0[0];
                assert_eq!(found, alu32(op, value, divisor), "{op:?} {value} {divisor}");
            }
        }
    }

    #[test]
    fn divisors_without_a_quotient_are_refused() {
        let refused = |divisor| OPERATIONS.map(|op| Divisor::of(op, divisor).is_none());
        assert_eq!(refused(0), [true; 4]);
        assert_eq!(refused(u32::MAX), OPERATIONS.map(|op| matches!(op, BinaryOp::DivS | BinaryOp::RemS)));
        assert_eq!(refused(1), [false; 4]);
    }
}
