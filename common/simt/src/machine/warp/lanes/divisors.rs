//! Divisors by which a lane can be divided without a check.
//!
//! The processor divides vectors of floating-point numbers only, and the conversion of a quotient to an integer is unchecked. Each type
//! here excludes the divisors whose quotient no integer can hold: its field is private, and its constructor replaces them.

/// A signed divisor, neither 0 nor -1.
#[derive(Clone, Copy)]
pub(super) struct SignedDivisor(i32);

impl SignedDivisor {
    /// The divisor, or 1 instead of 0 and -1: 0 has no quotient, and the one of -2^31 and -1 is out of range.
    #[inline(always)]
    pub(super) fn or_one(divisor: u32) -> SignedDivisor {
        SignedDivisor(if divisor == u32::MAX || divisor == 0 { 1 } else { divisor as i32 })
    }

    /// The quotient, rounded towards zero.
    #[inline(always)]
    pub(super) fn divide(self, a: i32) -> i32 {
        // SAFETY: `or_one` is the only constructor, so the divisor is neither 0 nor -1. The quotient is then a number from -2^31 to 2^31 - 1.
        unsafe { (f64::from(a) / f64::from(self.0)).to_int_unchecked() }
    }
}

/// An unsigned divisor other than 0.
#[derive(Clone, Copy)]
pub(super) struct UnsignedDivisor(u32);

impl UnsignedDivisor {
    /// The divisor, or 1 instead of 0, which has no quotient.
    #[inline(always)]
    pub(super) fn or_one(divisor: u32) -> UnsignedDivisor {
        UnsignedDivisor(divisor.max(1))
    }

    /// The quotient, rounded towards zero.
    #[inline(always)]
    pub(super) fn divide(self, a: u32) -> u32 {
        // SAFETY: `or_one` is the only constructor, so the divisor is at least 1. The quotient is then a number from 0 to 2^32 - 1.
        unsafe { (f64::from(a) / f64::from(self.0)).to_int_unchecked() }
    }
}
