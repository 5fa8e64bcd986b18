//! Operations on raw register bits.

use simt_ir::*;

fn f32s(a: u64) -> f32 {
    f32::from_bits(a as u32)
}

fn wide(ty: Type, signed: bool, a: u64) -> i128 {
    match (ty, signed) {
        (Type::I32, true) => i128::from(a as i32),
        (Type::I32, false) => i128::from(a as u32),
        (_, true) => i128::from(a as i64),
        (_, false) => i128::from(a),
    }
}

fn cut(ty: Type, value: i128) -> u64 {
    match ty {
        Type::Bool => (value & 1) as u64,
        Type::I32 => u64::from(value as u32),
        _ => value as u64,
    }
}

fn bits(ty: Type) -> u32 {
    if ty == Type::I32 { 32 } else { 64 }
}

fn float(ty: Type, a: u64, b: u64, f: impl Fn(f64, f64) -> f64) -> u64 {
    // A sum, difference, product, quotient or root of two floats is the same when it is rounded from double.
    if ty == Type::F32 {
        u64::from((f(f32s(a).into(), f32s(b).into()) as f32).to_bits())
    } else {
        f(f64::from_bits(a), f64::from_bits(b)).to_bits()
    }
}

fn is_float(ty: Type) -> bool {
    matches!(ty, Type::F32 | Type::F64)
}

pub(super) fn unary(op: UnaryOp, ty: Type, a: u64) -> u64 {
    match op {
        UnaryOp::Neg if is_float(ty) => float(ty, a, a, |a, _| -a),
        UnaryOp::Abs if is_float(ty) => float(ty, a, a, |a, _| a.abs()),
        UnaryOp::Neg => cut(ty, -wide(ty, true, a)),
        UnaryOp::Abs => cut(ty, wide(ty, true, a).abs()),
        UnaryOp::Not => cut(ty, !wide(ty, true, a)),
        UnaryOp::LeadingZeros => u64::from(wide(ty, false, a).leading_zeros() - (128 - bits(ty))),
        UnaryOp::PopCount => u64::from(wide(ty, false, a).count_ones()),
        UnaryOp::ReverseBits => a.reverse_bits() >> (64 - bits(ty)),
    }
}

pub(super) fn binary(op: BinaryOp, ty: Type, a: u64, b: u64) -> u64 {
    use BinaryOp::*;
    let (sa, sb) = (wide(ty, true, a), wide(ty, true, b));
    let (ua, ub) = (wide(ty, false, a), wide(ty, false, b));
    let inside = ub < i128::from(bits(ty));
    cut(
        ty,
        match op {
            Add | Sub | Mul | AddRn | SubRn | MulRn | DivF | MinF | MaxF if is_float(ty) => {
                return float(ty, a, b, |a, b| match op {
                    Add | AddRn => a + b,
                    Sub | SubRn => a - b,
                    Mul | MulRn => a * b,
                    DivF => a / b,
                    MinF => a.min(b),
                    _ => a.max(b),
                });
            }
            Add => sa + sb,
            Sub => sa - sb,
            Mul => sa.wrapping_mul(sb),
            DivS => sa / sb,
            DivU => ua / ub,
            RemS => sa % sb,
            RemU => ua % ub,
            MulHighS => (sa * sb) >> bits(ty),
            MulHighU => ((ua as u128 * ub as u128) >> bits(ty)) as i128,
            And => ua & ub,
            Or => ua | ub,
            Xor => ua ^ ub,
            Shl => {
                if inside {
                    ua << ub
                } else {
                    0
                }
            }
            ShrU => {
                if inside {
                    ua >> ub
                } else {
                    0
                }
            }
            ShrS => sa >> ub.min(127),
            MinS => sa.min(sb),
            MaxS => sa.max(sb),
            MinU => ua.min(ub),
            MaxU => ua.max(ub),
            AddRn | SubRn | MulRn | DivF | MinF | MaxF => panic!("{op:?} of integers"),
        },
    )
}

pub(super) fn fma(ty: Type, a: u64, b: u64, c: u64) -> u64 {
    if ty == Type::F32 {
        u64::from(f32s(a).mul_add(f32s(b), f32s(c)).to_bits())
    } else {
        f64::from_bits(a).mul_add(f64::from_bits(b), f64::from_bits(c)).to_bits()
    }
}

pub(super) fn compare(op: CompareOp, ty: Type, a: u64, b: u64) -> bool {
    if is_float(ty) {
        let (a, b) = match ty {
            Type::F32 => (f32s(a).into(), f32s(b).into()),
            _ => (f64::from_bits(a), f64::from_bits(b)),
        };
        return match op {
            CompareOp::Eq => a == b,
            CompareOp::Ne => a != b,
            CompareOp::LtF => a < b,
            _ => a <= b,
        };
    }
    let (sa, sb) = (wide(ty, true, a), wide(ty, true, b));
    let (ua, ub) = (wide(ty, false, a), wide(ty, false, b));
    match op {
        CompareOp::Eq => ua == ub,
        CompareOp::Ne => ua != ub,
        CompareOp::LtS => sa < sb,
        CompareOp::LeS => sa <= sb,
        CompareOp::LtU => ua < ub,
        CompareOp::LeU => ua <= ub,
        CompareOp::LtF | CompareOp::LeF => panic!("{op:?} of integers"),
    }
}

/// The value of a binary16 that is not NaN; of the infinities what the next finite number would be.
pub(crate) fn half(bits: u16) -> f64 {
    let (exponent, mantissa) = (i32::from(bits >> 10 & 31), f64::from(bits & 0x3ff));
    let magnitude = if exponent == 0 {
        mantissa * 2f64.powi(-24)
    } else {
        (1024.0 + mantissa) * 2f64.powi(exponent - 25)
    };
    if bits >> 15 == 1 { -magnitude } else { magnitude }
}

/// The value of a bfloat16, likewise.
pub(crate) fn brain(bits: u16) -> f64 {
    let (exponent, mantissa) = (i32::from(bits >> 7 & 255), f64::from(bits & 0x7f));
    let magnitude = if exponent == 0 {
        mantissa * 2f64.powi(-133)
    } else {
        (128.0 + mantissa) * 2f64.powi(exponent - 134)
    };
    if bits >> 15 == 1 { -magnitude } else { magnitude }
}

/// The number nearest to `x` by trying all of them, the even one of two; from `infinity` on there are none.
pub(crate) fn nearest(x: f64, infinity: u16, value: fn(u16) -> f64) -> u16 {
    let sign = u16::from(x.is_sign_negative()) << 15;
    let x = x.abs();
    let best = (0..=infinity).min_by(|a, b| {
        let (near, far) = ((value(*a) - x).abs(), (value(*b) - x).abs());
        near.total_cmp(&far).then((a & 1).cmp(&(b & 1)))
    });
    sign | if x.is_infinite() { infinity } else { best.unwrap_or(0) }
}

pub(super) fn convert(op: Conversion, a: u64) -> u64 {
    use Conversion::*;
    let f = |value: f32| u64::from(value.to_bits());
    let word = |value: i32| u64::from(value as u32);
    match op {
        Sign8 => word((a as i8).into()),
        Zero8 => u64::from(a as u8),
        Sign16 => word((a as i16).into()),
        Zero16 => u64::from(a as u16),
        SignExtend => i64::from(a as i32) as u64,
        ZeroExtend | Truncate => u64::from(a as u32),
        BoolToI32 | F32Bits | BitsF32 | F64Bits | BitsF64 | PtrToI64 | I64ToPtr => a,
        S32ToF32 => f(a as i32 as f32),
        U32ToF32 => f(a as u32 as f32),
        S64ToF32 => f(a as i64 as f32),
        U64ToF32 => f(a as f32),
        S32ToF64 => f64::from(a as i32).to_bits(),
        U32ToF64 => f64::from(a as u32).to_bits(),
        S64ToF64 => (a as i64 as f64).to_bits(),
        U64ToF64 => (a as f64).to_bits(),
        F32ToS32 => word(f32s(a) as i32),
        F32ToU32 => u64::from(f32s(a) as u32),
        F32ToS64 => f32s(a) as i64 as u64,
        F32ToU64 => f32s(a) as u64,
        F64ToS32 => word(f64::from_bits(a) as i32),
        F64ToU32 => u64::from(f64::from_bits(a) as u32),
        F64ToS64 => f64::from_bits(a) as i64 as u64,
        F64ToU64 => f64::from_bits(a) as u64,
        F32ToF64 => f64::from(f32s(a)).to_bits(),
        F64ToF32 => f(f64::from_bits(a) as f32),
        F16ToF32 => f(half(a as u16) as f32),
        F32ToF16 => u64::from(nearest(f32s(a).into(), 0x7c00, half)),
        F64ToF16 => u64::from(nearest(f64::from_bits(a), 0x7c00, half)),
        F64ToBf16 => u64::from(nearest(f64::from_bits(a), 0x7f80, brain)),
        PtrToShared | SharedToPtr => panic!("shared addresses as numbers are the machine's to test"),
    }
}

pub(super) fn atomic(op: AtomicOp, ty: Type, old: u64, value: u64, compare: Option<u64>) -> u64 {
    match op {
        AtomicOp::Add => binary(BinaryOp::Add, ty, old, value),
        AtomicOp::MinS => binary(BinaryOp::MinS, ty, old, value),
        AtomicOp::MaxS => binary(BinaryOp::MaxS, ty, old, value),
        AtomicOp::MinU => binary(BinaryOp::MinU, ty, old, value),
        AtomicOp::MaxU => binary(BinaryOp::MaxU, ty, old, value),
        AtomicOp::And => old & value,
        AtomicOp::Or => old | value,
        AtomicOp::Xor => old ^ value,
        AtomicOp::Exchange => value,
        AtomicOp::CompareSwap => {
            if compare == Some(old) {
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
