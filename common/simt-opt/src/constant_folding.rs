//! Constant folding: operations on constants, as [`simt_ir`] defines them (Muchnick, *Advanced Compiler Design and
//! Implementation*, 12.1).
//!
//! `None` leaves an operation to the machine. A division by zero must fault there. NaN results, and the order of
//! zeros in float minimum and maximum, are decided in one place only.

use simt_ir::{BinaryOp, CompareOp, Constant, Conversion, IndexKind, UnaryOp};

/// The byte offset `offset + index·scale` of an address, if it fits; `index` is of that kind.
pub(crate) fn add_index(offset: i64, index: Constant, kind: IndexKind, scale: u32) -> Option<i64> {
    let index = match (index, kind) {
        (Constant::I32(x), IndexKind::Signed32) => i64::from(x as i32),
        (Constant::I32(x), IndexKind::Unsigned32) => i64::from(x),
        (Constant::I64(x), IndexKind::Wide) => x as i64,
        _ => return None,
    };
    offset.checked_add(index.checked_mul(i64::from(scale))?)
}

/// `op src`.
pub(crate) fn unary(op: UnaryOp, src: Constant) -> Option<Constant> {
    use UnaryOp::*;
    Some(match (src, op) {
        (Constant::Bool(x), Not) => Constant::Bool(!x),
        (Constant::I32(x), _) => Constant::I32(match op {
            Neg => x.wrapping_neg(),
            Not => !x,
            Abs => (x as i32).wrapping_abs() as u32,
            LeadingZeros => x.leading_zeros(),
            PopCount => x.count_ones(),
            ReverseBits => x.reverse_bits(),
        }),
        (Constant::I64(x), _) => Constant::I64(match op {
            Neg => x.wrapping_neg(),
            Not => !x,
            Abs => (x as i64).wrapping_abs() as u64,
            LeadingZeros => u64::from(x.leading_zeros()),
            PopCount => u64::from(x.count_ones()),
            ReverseBits => x.reverse_bits(),
        }),
        (Constant::F32(x), Neg) => Constant::F32(x ^ (1 << 31)),
        (Constant::F32(x), Abs) => Constant::F32(x & !(1 << 31)),
        (Constant::F64(x), Neg) => Constant::F64(x ^ (1 << 63)),
        (Constant::F64(x), Abs) => Constant::F64(x & !(1 << 63)),
        (Constant::Bool(_) | Constant::F32(_) | Constant::F64(_) | Constant::Ptr(_), _) => return None,
    })
}

/// `lhs op rhs`.
pub(crate) fn binary(op: BinaryOp, lhs: Constant, rhs: Constant) -> Option<Constant> {
    match (lhs, rhs) {
        (Constant::Bool(x), Constant::Bool(y)) => match op {
            BinaryOp::And => Some(Constant::Bool(x & y)),
            BinaryOp::Or => Some(Constant::Bool(x | y)),
            BinaryOp::Xor => Some(Constant::Bool(x ^ y)),
            _ => None,
        },
        (Constant::I32(x), Constant::I32(y)) => int32(op, x, y).map(Constant::I32),
        (Constant::I64(x), Constant::I64(y)) => int64(op, x, y).map(Constant::I64),
        (Constant::F32(x), Constant::F32(y)) => {
            float32(op, f32::from_bits(x), f32::from_bits(y)).map(Constant::f32)
        }
        (Constant::F64(x), Constant::F64(y)) => {
            float64(op, f64::from_bits(x), f64::from_bits(y)).map(Constant::f64)
        }
        _ => None,
    }
}

/// The float operations of one width. A NaN, whose bits the device chooses, is not folded, nor is the minimum or
/// maximum of two zeros.
macro_rules! float {
    ($name:ident, $f:ty) => {
        fn $name(op: BinaryOp, x: $f, y: $f) -> Option<$f> {
            let result = match op {
                BinaryOp::Add | BinaryOp::AddRn => x + y,
                BinaryOp::Sub | BinaryOp::SubRn => x - y,
                BinaryOp::Mul | BinaryOp::MulRn => x * y,
                BinaryOp::DivF => x / y,
                BinaryOp::MinF if x != y => x.min(y),
                BinaryOp::MaxF if x != y => x.max(y),
                _ => return None,
            };
            (!result.is_nan()).then_some(result)
        }
    };
}

float!(float32, f32);
float!(float64, f64);

/// The integer operations of one width: `$u` and `$s` are the unsigned and signed type, `$wide` and `$wide_s` those
/// of twice the width.
macro_rules! integer {
    ($name:ident, $u:ty, $s:ty, $wide:ty, $wide_s:ty) => {
        fn $name(op: BinaryOp, x: $u, y: $u) -> Option<$u> {
            let (sx, sy) = (x as $s, y as $s);
            let nonzero = (y != 0).then_some(y);
            let count = (y < <$u>::BITS as $u).then_some(y as u32);
            Some(match op {
                BinaryOp::Add => x.wrapping_add(y),
                BinaryOp::Sub => x.wrapping_sub(y),
                BinaryOp::Mul => x.wrapping_mul(y),
                BinaryOp::DivS => nonzero.map(|_| sx.wrapping_div(sy) as $u)?,
                BinaryOp::RemS => nonzero.map(|_| sx.wrapping_rem(sy) as $u)?,
                BinaryOp::DivU => x / nonzero?,
                BinaryOp::RemU => x % nonzero?,
                BinaryOp::MulHighS => ((sx as $wide_s * sy as $wide_s) >> <$u>::BITS) as $u,
                BinaryOp::MulHighU => ((x as $wide * y as $wide) >> <$u>::BITS) as $u,
                BinaryOp::And => x & y,
                BinaryOp::Or => x | y,
                BinaryOp::Xor => x ^ y,
                BinaryOp::Shl => count.map_or(0, |count| x << count),
                BinaryOp::ShrU => count.map_or(0, |count| x >> count),
                BinaryOp::ShrS => (sx >> count.unwrap_or(<$u>::BITS - 1)) as $u,
                BinaryOp::MinS => sx.min(sy) as $u,
                BinaryOp::MaxS => sx.max(sy) as $u,
                BinaryOp::MinU => x.min(y),
                BinaryOp::MaxU => x.max(y),
                BinaryOp::AddRn
                | BinaryOp::SubRn
                | BinaryOp::MulRn
                | BinaryOp::DivF
                | BinaryOp::MinF
                | BinaryOp::MaxF => return None,
            })
        }
    };
}

integer!(int32, u32, i32, u64, i64);
integer!(int64, u64, i64, u128, i128);

/// `lhs op rhs`.
pub(crate) fn compare(op: CompareOp, lhs: Constant, rhs: Constant) -> Option<bool> {
    use std::cmp::Ordering;
    let (signed, unsigned) = match (lhs, rhs) {
        (Constant::Bool(x), Constant::Bool(y)) => (None, Some(x.cmp(&y))),
        (Constant::I32(x), Constant::I32(y)) => (Some((x as i32).cmp(&(y as i32))), Some(x.cmp(&y))),
        (Constant::I64(x), Constant::I64(y)) => (Some((x as i64).cmp(&(y as i64))), Some(x.cmp(&y))),
        (Constant::Ptr(x), Constant::Ptr(y)) => (None, Some(x.cmp(&y))),
        (Constant::F32(x), Constant::F32(y)) => {
            return Some(float_compare(op, f32::from_bits(x).partial_cmp(&f32::from_bits(y))));
        }
        (Constant::F64(x), Constant::F64(y)) => {
            return Some(float_compare(op, f64::from_bits(x).partial_cmp(&f64::from_bits(y))));
        }
        _ => return None,
    };
    match op {
        CompareOp::Eq => unsigned.map(Ordering::is_eq),
        CompareOp::Ne => unsigned.map(Ordering::is_ne),
        CompareOp::LtU => unsigned.map(Ordering::is_lt),
        CompareOp::LeU => unsigned.map(Ordering::is_le),
        CompareOp::LtS => signed.map(Ordering::is_lt),
        CompareOp::LeS => signed.map(Ordering::is_le),
        CompareOp::LtF | CompareOp::LeF => None,
    }
}

fn float_compare(op: CompareOp, order: Option<std::cmp::Ordering>) -> bool {
    match op {
        CompareOp::Eq => order.is_some_and(|o| o.is_eq()),
        CompareOp::Ne => order.is_none_or(|o| o.is_ne()),
        CompareOp::LtS | CompareOp::LtU | CompareOp::LtF => order.is_some_and(|o| o.is_lt()),
        CompareOp::LeS | CompareOp::LeU | CompareOp::LeF => order.is_some_and(|o| o.is_le()),
    }
}

/// `op(src)`.
pub(crate) fn convert(op: Conversion, src: Constant) -> Option<Constant> {
    use Conversion::*;
    let result = match src {
        Constant::Bool(x) if op == BoolToI32 => Constant::I32(u32::from(x)),
        Constant::I32(x) => match op {
            Sign8 => Constant::i32(i32::from(x as i8)),
            Zero8 => Constant::I32(x & 0xff),
            Sign16 => Constant::i32(i32::from(x as i16)),
            Zero16 => Constant::I32(x & 0xffff),
            SignExtend => Constant::I64(i64::from(x as i32) as u64),
            ZeroExtend => Constant::I64(u64::from(x)),
            S32ToF32 => Constant::f32(x as i32 as f32),
            U32ToF32 => Constant::f32(x as f32),
            S32ToF64 => Constant::f64(f64::from(x as i32)),
            U32ToF64 => Constant::f64(f64::from(x)),
            BitsF32 => Constant::F32(x),
            _ => return None,
        },
        Constant::I64(x) => match op {
            Truncate => Constant::I32(x as u32),
            S64ToF32 => Constant::f32(x as i64 as f32),
            U64ToF32 => Constant::f32(x as f32),
            S64ToF64 => Constant::f64(x as i64 as f64),
            U64ToF64 => Constant::f64(x as f64),
            BitsF64 => Constant::F64(x),
            I64ToPtr => Constant::Ptr(x),
            _ => return None,
        },
        Constant::F32(bits) => {
            let x = f32::from_bits(bits);
            match op {
                F32ToS32 => Constant::i32(x as i32),
                F32ToU32 => Constant::I32(x as u32),
                F32ToS64 => Constant::I64(x as i64 as u64),
                F32ToU64 => Constant::I64(x as u64),
                F32ToF64 if !x.is_nan() => Constant::f64(f64::from(x)),
                F32Bits => Constant::I32(bits),
                _ => return None,
            }
        }
        Constant::F64(bits) => {
            let x = f64::from_bits(bits);
            match op {
                F64ToS32 => Constant::i32(x as i32),
                F64ToU32 => Constant::I32(x as u32),
                F64ToS64 => Constant::I64(x as i64 as u64),
                F64ToU64 => Constant::I64(x as u64),
                F64ToF32 if !x.is_nan() => Constant::f32(x as f32),
                F64Bits => Constant::I64(bits),
                _ => return None,
            }
        }
        Constant::Ptr(x) if op == PtrToI64 => Constant::I64(x),
        Constant::Bool(_) | Constant::Ptr(_) => return None,
    };
    Some(result)
}

/// `a·b + c`, rounded once.
pub(crate) fn fma(a: Constant, b: Constant, c: Constant) -> Option<Constant> {
    match (a, b, c) {
        (Constant::F32(a), Constant::F32(b), Constant::F32(c)) => {
            let result = f32::from_bits(a).mul_add(f32::from_bits(b), f32::from_bits(c));
            (!result.is_nan()).then_some(Constant::f32(result))
        }
        (Constant::F64(a), Constant::F64(b), Constant::F64(c)) => {
            let result = f64::from_bits(a).mul_add(f64::from_bits(b), f64::from_bits(c));
            (!result.is_nan()).then_some(Constant::f64(result))
        }
        _ => None,
    }
}
