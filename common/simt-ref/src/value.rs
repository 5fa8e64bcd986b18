//! Operations on the bits of one register.
//!
//! A register is 64 bits here. Narrower types lie in the low bits with zeros above, a `Bool` is 0 or 1. Integers are
//! computed exactly, in 128 bits, and cut to their type; floats are computed in their own type by the host, and every NaN
//! that arithmetic gives is the one of [`simt_ir::math`].

use simt_ir::math::{bits32, bits64, math32, math64};
use simt_ir::pointer::{self, Space, WINDOW};
use simt_ir::{AtomicOp, BinaryOp, CompareOp, Conversion, ElementType, MathFunction, Type, UnaryOp};

fn f32s(a: u64) -> f32 {
    f32::from_bits(a as u32)
}

fn f64s(a: u64) -> f64 {
    f64::from_bits(a)
}

/// Bits of a value.
fn width(ty: Type) -> u32 {
    match ty {
        Type::Bool => 1,
        Type::I32 | Type::F32 => 32,
        Type::I64 | Type::F64 | Type::Ptr => 64,
    }
}

/// The low bits that the type has.
fn cut(ty: Type, value: i128) -> u64 {
    (value as u128 & ((1 << width(ty)) - 1)) as u64
}

fn signed(ty: Type, a: u64) -> i128 {
    if ty == Type::I32 { (a as i32).into() } else { (a as i64).into() }
}

/// An operation on floats: `narrow` on `F32`, `wide` on `F64`.
fn float(
    ty: Type,
    [a, b]: [u64; 2],
    narrow: impl Fn(f32, f32) -> f32,
    wide: impl Fn(f64, f64) -> f64,
) -> u64 {
    match ty {
        Type::F32 => bits32(narrow(f32s(a), f32s(b))).into(),
        Type::F64 => bits64(wide(f64s(a), f64s(b))),
        Type::Bool | Type::I32 | Type::I64 | Type::Ptr => 0,
    }
}

fn is_float(ty: Type) -> bool {
    matches!(ty, Type::F32 | Type::F64)
}

/// A one-operand operation.
pub fn unary(op: UnaryOp, ty: Type, a: u64) -> u64 {
    let sign = 1 << (width(ty) - 1);
    let exact = i128::from(a);
    match op {
        UnaryOp::Neg if is_float(ty) => a ^ sign,
        UnaryOp::Abs if is_float(ty) => a & !sign,
        UnaryOp::Neg => cut(ty, -signed(ty, a)),
        UnaryOp::Abs => cut(ty, signed(ty, a).abs()),
        UnaryOp::Not => cut(ty, !exact),
        UnaryOp::LeadingZeros => (exact.leading_zeros() - (128 - width(ty))).into(),
        UnaryOp::PopCount => exact.count_ones().into(),
        UnaryOp::ReverseBits => a.reverse_bits() >> (64 - width(ty)),
    }
}

/// A two-operand operation; `None` where integers are divided by zero.
pub fn binary(op: BinaryOp, ty: Type, a: u64, b: u64) -> Option<u64> {
    use BinaryOp::*;
    let (sa, sb) = (signed(ty, a), signed(ty, b));
    let (ua, ub) = (i128::from(a), i128::from(b));
    let bits = width(ty);
    // A count of the width or more moves everything out.
    let count = ub.min(64) as u32;
    let exact = match op {
        Add | Sub | Mul | AddRn | SubRn | MulRn | DivF | MinF | MaxF if is_float(ty) => {
            return Some(float_binary(op, ty, a, b));
        }
        AddRn | SubRn | MulRn | DivF | MinF | MaxF => 0,
        Add => ua + ub,
        Sub => ua - ub,
        Mul => sa * sb,
        DivS => sa.checked_div(sb)?,
        DivU => ua.checked_div(ub)?,
        RemS => sa.checked_rem(sb)?,
        RemU => ua.checked_rem(ub)?,
        MulHighS => (sa * sb) >> bits,
        MulHighU => ((u128::from(a) * u128::from(b)) >> bits) as i128,
        And => ua & ub,
        Or => ua | ub,
        Xor => ua ^ ub,
        Shl => ua << count,
        ShrU => ua >> count,
        ShrS => sa >> count,
        MinS => sa.min(sb),
        MaxS => sa.max(sb),
        MinU => ua.min(ub),
        MaxU => ua.max(ub),
    };
    Some(cut(ty, exact))
}

fn float_binary(op: BinaryOp, ty: Type, a: u64, b: u64) -> u64 {
    use BinaryOp::*;
    match op {
        Add | AddRn => float(ty, [a, b], |x, y| x + y, |x, y| x + y),
        Sub | SubRn => float(ty, [a, b], |x, y| x - y, |x, y| x - y),
        Mul | MulRn => float(ty, [a, b], |x, y| x * y, |x, y| x * y),
        DivF => float(ty, [a, b], |x, y| x / y, |x, y| x / y),
        MinF | MaxF => {
            let value = |bits| if ty == Type::F32 { f64::from(f32s(bits)) } else { f64s(bits) };
            let (x, y) = (value(a), value(b));
            match (x.is_nan(), y.is_nan()) {
                (true, true) => float(ty, [a, b], |x, _| x, |x, _| x),
                (true, false) => b,
                (false, true) => a,
                // The total order has -0 below +0.
                (false, false) if x.total_cmp(&y).is_le() == (op == MinF) => a,
                (false, false) => b,
            }
        }
        DivS | DivU | RemS | RemU | MulHighS | MulHighU | And | Or | Xor | Shl | ShrS | ShrU | MinS
        | MaxS | MinU | MaxU => 0,
    }
}

/// `a·b + c`, rounded once.
pub fn fma(ty: Type, a: u64, b: u64, c: u64) -> u64 {
    float(ty, [a, b], |x, y| x.mul_add(y, f32s(c)), |x, y| x.mul_add(y, f64s(c)))
}

/// A function of the math library; arguments that it does not have are 0.
pub fn math(function: MathFunction, ty: Type, [a, b, c]: [u64; 3]) -> u64 {
    if ty == Type::F32 {
        math32(function, a as u32, b as u32, c as u32).into()
    } else {
        math64(function, a, b, c)
    }
}

/// Whether a comparison holds.
pub fn compare(op: CompareOp, ty: Type, a: u64, b: u64) -> bool {
    use CompareOp::*;
    // What an `F32` means, an `F64` can say.
    let value = |bits| if ty == Type::F32 { f64::from(f32s(bits)) } else { f64s(bits) };
    match op {
        Eq if is_float(ty) => value(a) == value(b),
        Ne if is_float(ty) => value(a) != value(b),
        LtF => value(a) < value(b),
        LeF => value(a) <= value(b),
        Eq => a == b,
        Ne => a != b,
        LtS => signed(ty, a) < signed(ty, b),
        LeS => signed(ty, a) <= signed(ty, b),
        LtU => a < b,
        LeU => a <= b,
    }
}

/// A conversion.
pub fn convert(op: Conversion, a: u64) -> u64 {
    use Conversion::*;
    let word = |value: i32| u64::from(value as u32);
    let single = |value: f32| u64::from(bits32(value));
    match op {
        Sign8 => word((a as i8).into()),
        Zero8 => (a as u8).into(),
        Sign16 => word((a as i16).into()),
        Zero16 => (a as u16).into(),
        SignExtend => i64::from(a as i32) as u64,
        ZeroExtend | BoolToI32 | F32Bits | BitsF32 | F64Bits | BitsF64 | PtrToI64 | I64ToPtr => a,
        Truncate => (a as u32).into(),
        S32ToF32 => single(a as i32 as f32),
        U32ToF32 => single(a as u32 as f32),
        S64ToF32 => single(a as i64 as f32),
        U64ToF32 => single(a as f32),
        S32ToF64 => bits64(f64::from(a as i32)),
        U32ToF64 => bits64(f64::from(a as u32)),
        S64ToF64 => bits64(a as i64 as f64),
        U64ToF64 => bits64(a as f64),
        // Rust's `as` rounds toward zero, saturates, and makes 0 of a NaN.
        F32ToS32 => word(f32s(a) as i32),
        F32ToU32 => (f32s(a) as u32).into(),
        F32ToS64 => f32s(a) as i64 as u64,
        F32ToU64 => f32s(a) as u64,
        F64ToS32 => word(f64s(a) as i32),
        F64ToU32 => (f64s(a) as u32).into(),
        F64ToS64 => f64s(a) as i64 as u64,
        F64ToU64 => f64s(a) as u64,
        F32ToF64 => bits64(f32s(a).into()),
        F64ToF32 => single(f64s(a) as f32),
        F16ToF32 => single(HALF.value(a as u16) as f32),
        F32ToF16 => HALF.nearest(f32s(a).into()).into(),
        F64ToF16 => HALF.nearest(f64s(a)).into(),
        F64ToBf16 => BRAIN.nearest(f64s(a)).into(),
        PtrToShared => pointer::offset(a) & u64::from(u32::MAX),
        SharedToPtr => pointer::pack(Space::Shared, WINDOW, a),
    }
}

/// 2 to an exponent that is one of a normal `double`.
fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

/// A floating-point format of 16 bits, as IEEE 754 defines them.
#[derive(Clone, Copy, Debug)]
pub struct Narrow {
    /// Bits of the significand that are stored.
    mantissa: u32,
    /// What is added to an exponent.
    bias: i32,
}

/// Binary16.
pub const HALF: Narrow = Narrow { mantissa: 10, bias: 15 };
/// bfloat16.
pub const BRAIN: Narrow = Narrow { mantissa: 7, bias: 127 };

impl Narrow {
    fn infinity(self) -> u16 {
        0x7fff >> self.mantissa << self.mantissa
    }

    /// The magnitude, as if the largest exponent were one as the others.
    fn magnitude(self, bits: u16) -> f64 {
        let exponent = i32::from((bits & 0x7fff) >> self.mantissa);
        let fraction = f64::from(bits & ((1 << self.mantissa) - 1)) / f64::from(1 << self.mantissa);
        match exponent {
            0 => fraction * power_of_two(1 - self.bias),
            _ => (1.0 + fraction) * power_of_two(exponent - self.bias),
        }
    }

    /// What a number of this format means.
    pub fn value(self, bits: u16) -> f64 {
        let magnitude = match (bits & 0x7fff).cmp(&self.infinity()) {
            std::cmp::Ordering::Less => self.magnitude(bits),
            std::cmp::Ordering::Equal => f64::INFINITY,
            std::cmp::Ordering::Greater => f64::NAN,
        };
        if bits >> 15 == 1 { -magnitude } else { magnitude }
    }

    /// The number nearest to `x`, of two the even one; from halfway to what would be the next finite number on, infinity. A
    /// NaN is `0x7fff`.
    pub fn nearest(self, x: f64) -> u16 {
        if x.is_nan() {
            return 0x7fff;
        }
        let (sign, x) = (u16::from(x.is_sign_negative()) << 15, x.abs());
        // Magnitudes grow with their bits: the last one that is not above `x`.
        let (mut low, mut high) = (0, self.infinity());
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if self.magnitude(middle) <= x { low = middle } else { high = middle }
        }
        let halfway = f64::midpoint(self.magnitude(low), self.magnitude(high));
        let up = x > halfway || x == halfway && low % 2 == 1;
        sign | if up { high } else { low }
    }
}

/// What an atomic operation leaves in memory where `old` was.
pub fn atomic(op: AtomicOp, ty: Type, old: u64, value: u64, compare: Option<u64>) -> u64 {
    let as_binary = |op| binary(op, ty, old, value).unwrap_or(0);
    match op {
        AtomicOp::Add => as_binary(BinaryOp::Add),
        AtomicOp::AddF16 => add_each(HALF, old, value),
        AtomicOp::AddBf16 => add_each(BRAIN, old, value),
        AtomicOp::MinS => as_binary(BinaryOp::MinS),
        AtomicOp::MaxS => as_binary(BinaryOp::MaxS),
        AtomicOp::MinU => as_binary(BinaryOp::MinU),
        AtomicOp::MaxU => as_binary(BinaryOp::MaxU),
        AtomicOp::And => as_binary(BinaryOp::And),
        AtomicOp::Or => as_binary(BinaryOp::Or),
        AtomicOp::Xor => as_binary(BinaryOp::Xor),
        AtomicOp::Exchange => value,
        AtomicOp::CompareSwap if compare == Some(old) => value,
        AtomicOp::CompareSwap => old,
        AtomicOp::IncrementWrap if old >= value => 0,
        AtomicOp::IncrementWrap => old + 1,
        AtomicOp::DecrementWrap if old == 0 || old > value => value,
        AtomicOp::DecrementWrap => old - 1,
    }
}

/// The sums of the numbers in the lower and the upper 16 bits.
fn add_each(format: Narrow, a: u64, b: u64) -> u64 {
    let sum = |shift: u32| {
        let [x, y] = [a, b].map(|pair| format.value((pair >> shift) as u16));
        u64::from(format.nearest(x + y)) << shift
    };
    sum(0) | sum(16)
}

/// What a load makes of the bytes of an element.
pub fn extend(ty: ElementType, raw: u64) -> u64 {
    match ty {
        ElementType::Bool => u64::from(raw != 0),
        ElementType::S8 => convert(Conversion::Sign8, raw),
        ElementType::S16 => convert(Conversion::Sign16, raw),
        ElementType::U8
        | ElementType::U16
        | ElementType::I32
        | ElementType::I64
        | ElementType::F32
        | ElementType::F64
        | ElementType::Ptr => raw,
    }
}
