//! Divisions of all lanes by one divisor: the processors that this runs on divide vectors of floating-point numbers only.

use crate::machine::warp::registers::Lanes;
use crate::value::Alu;

/// Quotients or remainders of a divisor that all lanes share, neither 0 nor -1, in floating point, for which there are vector
/// instructions. Exact: a quotient of 32-bit numbers that is no whole number is further from the next one, by at least
/// 1 / divisor, than a double of its size is rounded. Conversions that do not look whether the result fits make the 5x5 convolution
/// of `benches/peers` 1.05 times as fast, without checks on one thread.
#[inline(always)]
pub(crate) fn quotients(op: Alu, mut a: Lanes<u32>, divisor: u32) -> Lanes<u32> {
    let signed = matches!(op, Alu::DivS | Alu::RemS);
    let remainder = matches!(op, Alu::RemS | Alu::RemU);
    for v in &mut a.0 {
        let quotient = match signed {
            // SAFETY: with a divisor that is neither 0 nor -1, a quotient is in the range of its type.
            true => unsafe {
                (f64::from(*v as i32) / f64::from(divisor as i32)).to_int_unchecked::<i32>() as u32
            },
            // SAFETY: likewise.
            false => unsafe { (f64::from(*v) / f64::from(divisor)).to_int_unchecked::<u32>() },
        };
        *v = if remainder { v.wrapping_sub(quotient.wrapping_mul(divisor)) } else { quotient };
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::alu32;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        /// Where floating point could round: quotients next to whole numbers.
        #[test]
        fn quotients_are_those_of_integers(quotient: u32, divisor: u32, by in -2i32..=2) {
            prop_assume!(divisor != 0 && divisor != u32::MAX);
            for divisor in [divisor, divisor >> 20 | 1, divisor >> 10 | 1] {
                let value = quotient.wrapping_mul(divisor).wrapping_add_signed(by);
                for op in [Alu::DivS, Alu::DivU, Alu::RemS, Alu::RemU] {
                    let found = quotients(op, Lanes([value; 32]), divisor).0[31];
                    prop_assert_eq!(found, alu32(op, value, divisor), "{:?} {} {}", op, value, divisor);
                }
            }
        }
    }

    #[test]
    fn quotients_of_the_extremes() {
        let extremes =
            [0, 1, 2, 3, 7, 0x7fff_fffe, 0x7fff_ffff, 0x8000_0000, 0x8000_0001, 0xffff_fffe, u32::MAX];
        for (value, divisor) in extremes.iter().flat_map(|v| extremes.map(|d| (*v, d))) {
            for op in [Alu::DivS, Alu::DivU, Alu::RemS, Alu::RemU]
                .into_iter()
                .filter(|_| ![0, u32::MAX].contains(&divisor))
            {
                let found = quotients(op, Lanes([value; 32]), divisor).0[0];
                assert_eq!(found, alu32(op, value, divisor), "{op:?} {value} {divisor}");
            }
        }
    }
}
