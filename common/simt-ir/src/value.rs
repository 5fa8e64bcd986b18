//! What each operation computes, for one lane: bits in, bits out. The machine and the folding of constants share it; the interpreter
//! `simt_ref`, with which they are compared, has arithmetic of its own.
//!
//! Results do not depend on the host: a NaN result has one bit pattern (the device's own), and a fused multiply-add
//! rounds once whether or not the host has an instruction for it.

use crate::math::{bits32, bits64};
use crate::pointer::{Space, WINDOW, pack};
use crate::{AtomicOp, BinaryOp, CompareOp, Conversion, ElementType, Type, UnaryOp};

/// One-operand operations; those of floating-point numbers have names of their own.
#[allow(missing_docs)] // As [`UnaryOp`] has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Una {
    Neg,
    Not,
    Abs,
    LeadingZeros,
    PopCount,
    ReverseBits,
    NegF,
    AbsF,
}

impl Una {
    /// The operation on values of a type.
    pub fn of(op: UnaryOp, ty: Type) -> Una {
        match op {
            UnaryOp::Neg if ty.is_float() => Una::NegF,
            UnaryOp::Abs if ty.is_float() => Una::AbsF,
            UnaryOp::Neg => Una::Neg,
            UnaryOp::Not => Una::Not,
            UnaryOp::Abs => Una::Abs,
            UnaryOp::LeadingZeros => Una::LeadingZeros,
            UnaryOp::PopCount => Una::PopCount,
            UnaryOp::ReverseBits => Una::ReverseBits,
        }
    }
}

impl BinaryOp {
    /// The operation on values of a type: here those of floating-point numbers have names of their own.
    pub fn of(self, ty: Type) -> BinaryOp {
        match self {
            BinaryOp::Add if ty.is_float() => BinaryOp::AddRn,
            BinaryOp::Sub if ty.is_float() => BinaryOp::SubRn,
            BinaryOp::Mul if ty.is_float() => BinaryOp::MulRn,
            op => op,
        }
    }
}

macro_rules! alu {
    ($name:ident, $una:ident, $cmp:ident, $u:ty, $s:ty, $wide_u:ty, $wide_s:ty, $f:ty, $bits:ident) => {
        /// A two-operand operation, on floating-point numbers [`BinaryOp::AddRn`] and its like; a divisor of zero gives 0 (it is refused before).
        #[inline(always)]
        pub fn $name(op: BinaryOp, a: $u, b: $u) -> $u {
            const WIDTH: $u = <$u>::BITS as $u;
            let (x, y) = (<$f>::from_bits(a), <$f>::from_bits(b));
            match op {
                BinaryOp::Add => a.wrapping_add(b),
                BinaryOp::Sub => a.wrapping_sub(b),
                BinaryOp::Mul => a.wrapping_mul(b),
                BinaryOp::DivS => {
                    if b == 0 {
                        0
                    } else {
                        (a as $s).wrapping_div(b as $s) as $u
                    }
                }
                BinaryOp::DivU => a.checked_div(b).unwrap_or(0),
                BinaryOp::RemS => {
                    if b == 0 {
                        0
                    } else {
                        (a as $s).wrapping_rem(b as $s) as $u
                    }
                }
                BinaryOp::RemU => a.checked_rem(b).unwrap_or(0),
                BinaryOp::MulHighS => ((a as $s as $wide_s * b as $s as $wide_s) >> <$u>::BITS) as $u,
                BinaryOp::MulHighU => ((a as $wide_u * b as $wide_u) >> <$u>::BITS) as $u,
                BinaryOp::And => a & b,
                BinaryOp::Or => a | b,
                BinaryOp::Xor => a ^ b,
                BinaryOp::Shl => {
                    if b < WIDTH {
                        a << b
                    } else {
                        0
                    }
                }
                BinaryOp::ShrS => ((a as $s) >> b.min(WIDTH - 1)) as $u,
                BinaryOp::ShrU => {
                    if b < WIDTH {
                        a >> b
                    } else {
                        0
                    }
                }
                BinaryOp::MinS => (a as $s).min(b as $s) as $u,
                BinaryOp::MaxS => (a as $s).max(b as $s) as $u,
                BinaryOp::MinU => a.min(b),
                BinaryOp::MaxU => a.max(b),
                BinaryOp::AddRn => $bits(x + y),
                BinaryOp::SubRn => $bits(x - y),
                BinaryOp::MulRn => $bits(x * y),
                BinaryOp::DivF => $bits(x / y),
                // Equal operands may still be zeros of different sign: -0 is the smaller.
                BinaryOp::MinF => {
                    if x < y {
                        a
                    } else if y < x {
                        b
                    } else if x == y {
                        a | b
                    } else if y.is_nan() {
                        $bits(x)
                    } else {
                        b
                    }
                }
                BinaryOp::MaxF => {
                    if x > y {
                        a
                    } else if y > x {
                        b
                    } else if x == y {
                        a & b
                    } else if y.is_nan() {
                        $bits(x)
                    } else {
                        b
                    }
                }
            }
        }

        /// A one-operand operation.
        #[inline(always)]
        pub fn $una(op: Una, a: $u) -> $u {
            const SIGN: $u = 1 << (<$u>::BITS - 1);
            match op {
                Una::Neg => a.wrapping_neg(),
                Una::Not => !a,
                Una::Abs => (a as $s).wrapping_abs() as $u,
                Una::LeadingZeros => a.leading_zeros() as $u,
                Una::PopCount => a.count_ones() as $u,
                Una::ReverseBits => a.reverse_bits(),
                Una::NegF => a ^ SIGN,
                Una::AbsF => a & !SIGN,
            }
        }

        /// A comparison; `float` is for [`CompareOp::Eq`] and [`CompareOp::Ne`], which have no names of their own for floating-point numbers.
        #[inline(always)]
        pub fn $cmp(op: CompareOp, float: bool, a: $u, b: $u) -> bool {
            use CompareOp::*;
            let (x, y) = (<$f>::from_bits(a), <$f>::from_bits(b));
            match op {
                Eq => {
                    if float {
                        x == y
                    } else {
                        a == b
                    }
                }
                Ne => {
                    if float {
                        x != y
                    } else {
                        a != b
                    }
                }
                LtS => (a as $s) < b as $s,
                LeS => a as $s <= b as $s,
                LtU => a < b,
                LeU => a <= b,
                LtF => x < y,
                LeF => x <= y,
            }
        }
    };
}

alu!(alu32, una32, cmp32, u32, i32, u64, i64, f32, bits32);
alu!(alu64, una64, cmp64, u64, i64, u128, i128, f64, bits64);

/// `a·b + c` of `F32`, rounded once.
#[inline(always)]
pub fn fma32(a: u32, b: u32, c: u32) -> u32 {
    bits32(f32::from_bits(a).mul_add(f32::from_bits(b), f32::from_bits(c)))
}

/// `a·b + c` of `F64`, rounded once.
#[inline(always)]
pub fn fma64(a: u64, b: u64, c: u64) -> u64 {
    bits64(f64::from_bits(a).mul_add(f64::from_bits(b), f64::from_bits(c)))
}

/// A conversion; narrow values lie in the low half. [`Conversion::BoolToI32`] takes 0 or 1.
#[inline(always)]
pub fn convert(op: Conversion, v: u64) -> u64 {
    use Conversion::*;
    let w = v as u32;
    let f = f32::from_bits(w);
    let d = f64::from_bits(v);
    match op {
        Sign8 => u64::from(w as i8 as i32 as u32),
        Zero8 => u64::from(w as u8),
        Sign16 => u64::from(w as i16 as i32 as u32),
        Zero16 => u64::from(w as u16),
        SignExtend => w as i32 as i64 as u64,
        ZeroExtend | Truncate | BoolToI32 | F32Bits | BitsF32 => u64::from(w),
        S32ToF32 => u64::from((w as i32 as f32).to_bits()),
        U32ToF32 => u64::from((w as f32).to_bits()),
        S64ToF32 => u64::from((v as i64 as f32).to_bits()),
        U64ToF32 => u64::from((v as f32).to_bits()),
        S32ToF64 => f64::from(w as i32).to_bits(),
        U32ToF64 => f64::from(w).to_bits(),
        S64ToF64 => (v as i64 as f64).to_bits(),
        U64ToF64 => (v as f64).to_bits(),
        F32ToS32 => u64::from(f as i32 as u32),
        F32ToU32 => u64::from(f as u32),
        F32ToS64 => f as i64 as u64,
        F32ToU64 => f as u64,
        F64ToS32 => u64::from(d as i32 as u32),
        F64ToU32 => u64::from(d as u32),
        F64ToS64 => d as i64 as u64,
        F64ToU64 => d as u64,
        F32ToF64 => bits64(f64::from(f)),
        F64ToF32 => u64::from(bits32(d as f32)),
        F16ToF32 => u64::from(bits32(half_value(w as u16))),
        F32ToF16 => u64::from(narrow(f64::from(f), 10, -14)),
        F64ToF16 => u64::from(narrow(d, 10, -14)),
        F64ToBf16 => u64::from(narrow(d, 7, -126)),
        F64Bits | BitsF64 | PtrToI64 | I64ToPtr => v,
        PtrToShared => u64::from(w),
        SharedToPtr => pack(Space::Shared, WINDOW, u64::from(w)),
    }
}

/// The value of a binary16.
#[inline]
fn half_value(bits: u16) -> f32 {
    let (exponent, mantissa) = (u32::from(bits >> 10 & 31), u32::from(bits & 0x3ff));
    let magnitude = match exponent {
        // Subnormal: a multiple of 2^-24.
        0 => mantissa as f32 * (1.0 / 16_777_216.0),
        31 => f32::from_bits(0x7f80_0000 | mantissa << 13),
        _ => f32::from_bits((exponent + 112) << 23 | mantissa << 13),
    };
    if bits >> 15 == 1 { -magnitude } else { magnitude }
}

/// The 16-bit float nearest to `x`, ties to even: `mantissa` bits after the point, normal numbers from 2^`least` on.
#[inline]
fn narrow(x: f64, mantissa: u32, least: i32) -> u16 {
    let sign = u16::from(x.is_sign_negative()) << 15;
    let infinity = 0x7fffu16 >> mantissa << mantissa;
    if x.is_nan() {
        return 0x7fff;
    }
    if x.is_infinite() {
        return sign | infinity;
    }
    let exponent = ((x.to_bits() >> 52 & 0x7ff) as i32 - 1023).max(least);
    // Scaling by a power of two is exact, so the quotient by the unit of the last place is rounded once.
    let scale = f64::from_bits(((1023 + mantissa as i32 - exponent) as u64) << 52);
    let units = (x.abs() * scale).round_ties_even() as u64;
    let bits = ((exponent - least) as u64).min(1 << 20) * (1 << mantissa) + units;
    sign | (bits.min(u64::from(infinity)) as u16)
}

/// What an atomic leaves in memory. `F32` and `F64` operations are `Add` and `Exchange` alone.
#[inline]
pub fn atomic(op: AtomicOp, ty: ElementType, old: u64, value: u64, compare: u64) -> u64 {
    match (op, ty) {
        (AtomicOp::Add, ElementType::F32) => u64::from(alu32(BinaryOp::AddRn, old as u32, value as u32)),
        (AtomicOp::Add, ElementType::F64) => alu64(BinaryOp::AddRn, old, value),
        (AtomicOp::AddF16 | AtomicOp::AddBf16, _) => {
            let sum = |shift: u32| {
                let [a, b] = [old, value].map(|x| (x >> shift) as u16);
                let sum = match op {
                    AtomicOp::AddF16 => narrow(f64::from(half_value(a)) + f64::from(half_value(b)), 10, -14),
                    _ => {
                        let [a, b] = [a, b].map(|x| f64::from(f32::from_bits(u32::from(x) << 16)));
                        narrow(a + b, 7, -126)
                    }
                };
                u64::from(sum) << shift
            };
            sum(0) | if ty.bytes() == 4 { sum(16) } else { 0 }
        }
        _ if ty.bytes() == 8 => atomic64(op, old, value, compare),
        _ => u64::from(atomic32(op, old as u32, value as u32, compare as u32)),
    }
}

macro_rules! atomic {
    ($name:ident, $u:ty, $s:ty) => {
        /// What an atomic on integers leaves in memory.
        #[inline(always)]
        pub fn $name(op: AtomicOp, old: $u, value: $u, compare: $u) -> $u {
            match op {
                AtomicOp::Add => old.wrapping_add(value),
                AtomicOp::MinS => (old as $s).min(value as $s) as $u,
                AtomicOp::MaxS => (old as $s).max(value as $s) as $u,
                AtomicOp::MinU => old.min(value),
                AtomicOp::MaxU => old.max(value),
                AtomicOp::And => old & value,
                AtomicOp::Or => old | value,
                AtomicOp::Xor => old ^ value,
                // Of floats: see above.
                AtomicOp::AddF16 | AtomicOp::AddBf16 => old,
                AtomicOp::Exchange => value,
                AtomicOp::CompareSwap => {
                    if old == compare {
                        value
                    } else {
                        old
                    }
                }
                AtomicOp::IncrementWrap => {
                    if old >= value {
                        0
                    } else {
                        old + 1
                    }
                }
                AtomicOp::DecrementWrap => {
                    if old == 0 || old > value {
                        value
                    } else {
                        old - 1
                    }
                }
            }
        }
    };
}

atomic!(atomic32, u32, i32);
atomic!(atomic64, u64, i64);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::NAN32;

    fn f(op: BinaryOp, a: f32, b: f32) -> f32 {
        f32::from_bits(alu32(op, a.to_bits(), b.to_bits()))
    }

    #[test]
    fn integers_wrap_and_shift_as_ptx_says() {
        assert_eq!(alu32(BinaryOp::Add, u32::MAX, 2), 1);
        assert_eq!(alu32(BinaryOp::DivS, i32::MIN as u32, u32::MAX), i32::MIN as u32);
        assert_eq!(alu32(BinaryOp::RemS, i32::MIN as u32, u32::MAX), 0);
        assert_eq!(alu32(BinaryOp::RemS, -7i32 as u32, 2), -1i32 as u32);
        assert_eq!(alu32(BinaryOp::DivU, u32::MAX, 2), 0x7fff_ffff);
        assert_eq!(alu32(BinaryOp::Shl, 1, 32), 0);
        assert_eq!(alu32(BinaryOp::ShrU, u32::MAX, 40), 0);
        assert_eq!(alu32(BinaryOp::ShrS, 0x8000_0000, 99), u32::MAX);
        assert_eq!(alu64(BinaryOp::Shl, 1, 63), 1 << 63);
        assert_eq!(alu64(BinaryOp::MulHighU, u64::MAX, u64::MAX), u64::MAX - 1);
        assert_eq!(alu32(BinaryOp::MulHighS, -2i32 as u32, 3), u32::MAX);
        assert_eq!(una32(Una::Abs, i32::MIN as u32), i32::MIN as u32);
        assert_eq!(una64(Una::LeadingZeros, 0), 64);
    }

    #[test]
    fn float_minimum_ignores_a_nan_and_orders_zeros() {
        assert_eq!(f(BinaryOp::MinF, f32::NAN, 2.0), 2.0);
        assert_eq!(f(BinaryOp::MaxF, 2.0, f32::NAN), 2.0);
        assert_eq!(f(BinaryOp::MinF, 0.0, -0.0).to_bits(), 0x8000_0000);
        assert_eq!(f(BinaryOp::MaxF, -0.0, 0.0).to_bits(), 0);
        assert!(f(BinaryOp::MinF, f32::NAN, f32::NAN).is_nan());
        assert_eq!(alu32(BinaryOp::SubRn, f32::INFINITY.to_bits(), f32::INFINITY.to_bits()), NAN32);
    }

    #[test]
    fn conversions_saturate_and_a_nan_becomes_zero() {
        let to = |op, x: f32| convert(op, u64::from(x.to_bits()));
        assert_eq!(to(Conversion::F32ToS32, 3e9), 0x7fff_ffff);
        assert_eq!(to(Conversion::F32ToU32, -1.5), 0);
        assert_eq!(to(Conversion::F32ToS32, f32::NAN), 0);
        assert_eq!(to(Conversion::F32ToS32, -1.9), u64::from(-1i32 as u32));
        assert_eq!(convert(Conversion::Sign8, 0x1ff), 0xffff_ffff);
    }

    #[test]
    fn narrow_floats_round_once_to_even() {
        let half = |x: f64| convert(Conversion::F64ToF16, x.to_bits());
        let brain = |x: f64| convert(Conversion::F64ToBf16, x.to_bits());
        for bits in 0..=0xffffu16 {
            let x = f64::from(half_value(bits));
            if !x.is_nan() {
                assert_eq!(half(x), u64::from(bits));
                assert_eq!(convert(Conversion::F32ToF16, u64::from((x as f32).to_bits())), u64::from(bits));
            }
            let b = f32::from_bits(u32::from(bits) << 16);
            if !b.is_nan() {
                assert_eq!(brain(f64::from(b)), u64::from(bits));
            }
        }
        assert_eq!(half(1.0 + 1.0 / 2048.0), 0x3c00, "a tie goes to even");
        assert_eq!(half(1.0 + 3.0 / 2048.0), 0x3c02, "a tie goes to even");
        assert_eq!(half(1.0 + 1.0 / 2048.0 + 1e-12), 0x3c01, "rounded once");
        assert_eq!((half(65519.9), half(65520.0), half(-1e300)), (0x7bff, 0x7c00, 0xfc00));
        assert_eq!(
            (half(1.0 / f64::from(1 << 25)), half(1.1 / f64::from(1 << 25)), half(-0.0)),
            (0, 1, 0x8000)
        );
        assert_eq!(
            (half(f64::NAN), brain(f64::NAN), brain(1e39), brain(5e-324)),
            (0x7fff, 0x7fff, 0x7f80, 0)
        );
    }

    #[test]
    fn fused_multiply_add_rounds_once() {
        let a = 1.0f32 + f32::EPSILON;
        let c = -(1.0 + 2.0 * f32::EPSILON);
        let fused = f32::from_bits(fma32(a.to_bits(), a.to_bits(), c.to_bits()));
        assert_eq!(fused, f32::EPSILON * f32::EPSILON);
    }
}
