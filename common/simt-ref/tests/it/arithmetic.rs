//! Values: integers, floats, comparisons and conversions, at the edges of their types.

use simt_ir::math::{NAN32, NAN64};
use simt_ir::{BinaryOp, CompareOp, Conversion, MathFunction, Type, UnaryOp};
use simt_ref::value::{BRAIN, HALF, binary, compare, convert, fma, math, unary};

const MIN32: u64 = 0x8000_0000;
const MIN64: u64 = 1 << 63;
const ONES: u64 = 0xffff_ffff;

fn i32s(op: BinaryOp, a: i32, b: i32) -> Option<i32> {
    binary(op, Type::I32, u64::from(a as u32), u64::from(b as u32)).map(|bits| bits as i32)
}

fn i64s(op: BinaryOp, a: i64, b: i64) -> Option<i64> {
    binary(op, Type::I64, a as u64, b as u64).map(|bits| bits as i64)
}

fn f32s(op: BinaryOp, a: f32, b: f32) -> u64 {
    binary(op, Type::F32, a.to_bits().into(), b.to_bits().into()).unwrap()
}

fn bits(x: f32) -> u64 {
    x.to_bits().into()
}

#[test]
fn integers_wrap() {
    use BinaryOp::*;
    assert_eq!(i32s(Add, i32::MAX, 1), Some(i32::MIN));
    assert_eq!(i32s(Sub, i32::MIN, 1), Some(i32::MAX));
    assert_eq!(i32s(Mul, 0x1_0001, 0x1_0001), Some(0x2_0001));
    assert_eq!(i64s(Add, i64::MAX, 1), Some(i64::MIN));
    assert_eq!(i64s(Mul, i64::MIN, -1), Some(i64::MIN));
    assert_eq!(i64s(Mul, i64::MAX, i64::MAX), Some(1));
    assert_eq!((i32s(MulHighS, -2, 3), i32s(MulHighU, -2, 3)), (Some(-1), Some(2)));
    assert_eq!((i64s(MulHighS, -2, 3), i64s(MulHighU, -1, -1)), (Some(-1), Some(-2)));
    assert_eq!(unary(UnaryOp::Neg, Type::I32, MIN32), MIN32);
    assert_eq!(unary(UnaryOp::Abs, Type::I32, MIN32), MIN32);
    assert_eq!(unary(UnaryOp::Abs, Type::I64, (-5i64) as u64), 5);
}

#[test]
fn division_goes_toward_zero_and_not_by_zero() {
    use BinaryOp::*;
    assert_eq!((i32s(DivS, -7, 2), i32s(RemS, -7, 2)), (Some(-3), Some(-1)));
    assert_eq!((i32s(DivS, 7, -2), i32s(RemS, 7, -2)), (Some(-3), Some(1)));
    assert_eq!((i32s(DivU, -1, 2), i32s(RemU, -1, 10)), (Some(i32::MAX), Some(5)));
    assert_eq!((i32s(DivS, i32::MIN, -1), i32s(RemS, i32::MIN, -1)), (Some(i32::MIN), Some(0)));
    assert_eq!((i64s(DivS, i64::MIN, -1), i64s(RemS, i64::MIN, -1)), (Some(i64::MIN), Some(0)));
    for op in [DivS, DivU, RemS, RemU] {
        assert_eq!((i32s(op, 1, 0), i64s(op, 1, 0)), (None, None));
    }
}

#[test]
fn a_shift_by_the_width_or_more_leaves_nothing_or_the_sign() {
    use BinaryOp::*;
    for count in [32, 40, 64, 128, 160, -1] {
        assert_eq!((i32s(Shl, -1, count), i32s(ShrU, -1, count)), (Some(0), Some(0)), "{count}");
        assert_eq!((i32s(ShrS, -8, count), i32s(ShrS, 8, count)), (Some(-1), Some(0)), "{count}");
    }
    assert_eq!(
        (i32s(Shl, 3, 31), i32s(ShrU, -1, 31), i32s(ShrS, -8, 2)),
        (Some(i32::MIN), Some(1), Some(-2))
    );
    assert_eq!((i64s(Shl, 3, 63), i64s(ShrU, -1, 63)), (Some(i64::MIN), Some(1)));
    assert_eq!(
        (i64s(Shl, -1, 64), i64s(ShrS, -1, 1 << 40), i64s(ShrU, -1, 64)),
        (Some(0), Some(-1), Some(0))
    );
}

#[test]
fn bits_are_counted_in_the_width_of_the_type() {
    use UnaryOp::*;
    assert_eq!((unary(LeadingZeros, Type::I32, 0), unary(LeadingZeros, Type::I64, 0)), (32, 64));
    assert_eq!((unary(LeadingZeros, Type::I32, 1), unary(LeadingZeros, Type::I64, MIN64)), (31, 0));
    assert_eq!((unary(PopCount, Type::I32, ONES), unary(PopCount, Type::I64, u64::MAX)), (32, 64));
    assert_eq!((unary(ReverseBits, Type::I32, 1), unary(ReverseBits, Type::I64, 1)), (MIN32, MIN64));
    assert_eq!((unary(Not, Type::I32, 0), unary(Not, Type::I64, 0)), (ONES, u64::MAX));
    assert_eq!((unary(Not, Type::Bool, 0), unary(Not, Type::Bool, 1)), (1, 0));
}

#[test]
fn the_sign_is_the_operations() {
    use BinaryOp::*;
    assert_eq!((i32s(MinS, -1, 1), i32s(MinU, -1, 1)), (Some(-1), Some(1)));
    assert_eq!((i64s(MaxS, -1, 1), i64s(MaxU, -1, 1)), (Some(1), Some(-1)));
    let of = |op| (compare(op, Type::I32, ONES, 1), compare(op, Type::I64, u64::MAX, 1));
    assert_eq!((of(CompareOp::LtS), of(CompareOp::LtU)), ((true, true), (false, false)));
    assert_eq!((of(CompareOp::LeS), of(CompareOp::LeU)), ((true, true), (false, false)));
    assert_eq!((of(CompareOp::Eq), of(CompareOp::Ne)), ((false, false), (true, true)));
}

#[test]
fn arithmetic_on_floats_is_ieee_with_one_nan() {
    use BinaryOp::*;
    assert_eq!(f32s(Add, 1e30, 1.0), bits(1e30));
    assert_eq!(f32s(Mul, 1e-30, 1e-15), bits(1e-45), "subnormal");
    assert_eq!(f32s(DivF, 1.0, 0.0), bits(f32::INFINITY));
    assert_eq!(f32s(Sub, f32::INFINITY, f32::INFINITY), u64::from(NAN32));
    assert_eq!(f32s(AddRn, f32::from_bits(0xffc0_1234), 1.0), u64::from(NAN32));
    let zero = 0f64.to_bits();
    assert_eq!(binary(DivF, Type::F64, zero, zero), Some(NAN64));
    assert_eq!(math(MathFunction::Sqrt, Type::F32, [bits(2.0), 0, 0]), bits(2f32.sqrt()));
    assert_eq!(math(MathFunction::Sqrt, Type::F64, [(-1f64).to_bits(), 0, 0]), NAN64);
    // The sign of a NaN may be flipped, as of anything.
    assert_eq!(unary(UnaryOp::Neg, Type::F32, 0x7fc0_0001), 0xffc0_0001);
    assert_eq!(unary(UnaryOp::Abs, Type::F64, (-2.5f64).to_bits()), 2.5f64.to_bits());
}

#[test]
fn minimum_and_maximum_return_the_operand_that_is_no_nan() {
    use BinaryOp::*;
    for op in [MinF, MaxF] {
        assert_eq!((f32s(op, f32::NAN, 2.0), f32s(op, 2.0, f32::NAN)), (bits(2.0), bits(2.0)));
        assert_eq!(f32s(op, -f32::NAN, f32::NAN), u64::from(NAN32));
    }
    assert_eq!((f32s(MinF, 1.0, -2.0), f32s(MaxF, 1.0, -2.0)), (bits(-2.0), bits(1.0)));
    for (a, b) in [(0.0, -0.0), (-0.0, 0.0)] {
        assert_eq!((f32s(MinF, a, b), f32s(MaxF, a, b)), (bits(-0.0), bits(0.0)));
    }
}

#[test]
fn a_fused_multiply_add_rounds_once() {
    let a = 1.0 + f32::EPSILON;
    let product = fma(Type::F32, bits(a), bits(a), bits(-(1.0 + 2.0 * f32::EPSILON)));
    assert_eq!(product, bits(f32::EPSILON * f32::EPSILON));
    let infinity = f64::INFINITY.to_bits();
    assert_eq!(fma(Type::F64, infinity, 0, 0), NAN64);
}

#[test]
fn comparisons_with_a_nan_are_false_but_for_one() {
    use CompareOp::*;
    for ty in [Type::F32, Type::F64] {
        let (nan, one) = match ty {
            Type::F32 => (u64::from(NAN32), bits(1.0)),
            _ => (NAN64, 1f64.to_bits()),
        };
        for (a, b) in [(nan, one), (one, nan), (nan, nan)] {
            assert_eq!([Eq, LtF, LeF, Ne].map(|op| compare(op, ty, a, b)), [false, false, false, true]);
        }
        assert_eq!([Eq, LtF, LeF, Ne].map(|op| compare(op, ty, one, one)), [true, false, true, false]);
    }
    assert!(compare(Eq, Type::F32, bits(0.0), bits(-0.0)));
}

#[test]
fn conversions_to_integers_truncate_saturate_and_make_zero_of_a_nan() {
    use Conversion::*;
    let of = |op, x: f32| convert(op, bits(x));
    assert_eq!((of(F32ToS32, -1.9) as i32, of(F32ToU32, 1.9)), (-1, 1));
    assert_eq!((of(F32ToS32, 3e9), of(F32ToS32, -3e9)), (0x7fff_ffff, MIN32));
    assert_eq!((of(F32ToU32, -1.5), of(F32ToU32, 1e10)), (0, ONES));
    assert_eq!((of(F32ToS64, 1e19), of(F32ToU64, 1e20)), (i64::MAX as u64, u64::MAX));
    for op in [F32ToS32, F32ToU32, F32ToS64, F32ToU64] {
        assert_eq!(of(op, f32::NAN), 0);
    }
    let of = |op, x: f64| convert(op, x.to_bits());
    assert_eq!((of(F64ToS32, -2147483648.9), of(F64ToU32, 4294967295.9)), (MIN32, ONES));
    assert_eq!((of(F64ToS64, -1e300), of(F64ToU64, f64::NAN)), (MIN64, 0));
}

#[test]
fn narrow_integers_and_numbers_of_other_widths() {
    use Conversion::*;
    assert_eq!((convert(Sign8, 0x1ff), convert(Zero8, 0x1ff)), (ONES, 0xff));
    assert_eq!((convert(Sign16, 0x1_8000), convert(Zero16, 0x1_8000)), (0xffff_8000, 0x8000));
    assert_eq!((convert(SignExtend, MIN32), convert(ZeroExtend, MIN32)), (0xffff_ffff_8000_0000, MIN32));
    assert_eq!((convert(Truncate, MIN64 | 7), convert(BoolToI32, 1)), (7, 1));
    assert_eq!((convert(S32ToF32, ONES), convert(U32ToF32, ONES)), (bits(-1.0), bits(4294967296.0)));
    assert_eq!(
        (convert(S64ToF32, u64::MAX), convert(U64ToF32, u64::MAX)),
        (bits(-1.0), bits(18446744073709551616.0))
    );
    assert_eq!(convert(S32ToF32, 0x0100_0001), bits(16777216.0), "to even");
    assert_eq!(
        (convert(S64ToF64, MIN64), convert(U32ToF64, ONES)),
        ((-9223372036854775808f64).to_bits(), 4294967295f64.to_bits())
    );
    assert_eq!(convert(F64ToF32, 1e300f64.to_bits()), bits(f32::INFINITY));
    assert_eq!((convert(F64ToF32, NAN64), convert(F32ToF64, u64::from(NAN32))), (u64::from(NAN32), NAN64));
    assert_eq!(convert(BitsF32, 0x7fc0_0001), 0x7fc0_0001, "bits are not looked at");
}

#[test]
fn floats_of_16_bits_are_rounded_once_to_even() {
    for bits in 0..=0xffffu16 {
        for format in [HALF, BRAIN] {
            let x = format.value(bits);
            if !x.is_nan() {
                assert_eq!(format.nearest(x), bits);
            }
        }
        if !f32::from_bits(u32::from(bits) << 16).is_nan() {
            assert_eq!(BRAIN.value(bits), f64::from(f32::from_bits(u32::from(bits) << 16)));
        }
    }
    assert_eq!((HALF.value(0x3555), HALF.value(0x0001)), (0.333251953125, 1.0 / f64::from(1 << 24)));
    let half = |x: f64| convert(Conversion::F64ToF16, x.to_bits());
    assert_eq!((half(1.0 + 1.0 / 2048.0), half(1.0 + 3.0 / 2048.0)), (0x3c00, 0x3c02));
    assert_eq!(half(1.0 + 1.0 / 2048.0 + 1e-12), 0x3c01);
    assert_eq!((half(65519.9), half(65520.0), half(-1e300)), (0x7bff, 0x7c00, 0xfc00));
    assert_eq!((half(1.0 / f64::from(1 << 25)), half(1.1 / f64::from(1 << 25)), half(-0.0)), (0, 1, 0x8000));
    let brain = |x: f64| convert(Conversion::F64ToBf16, x.to_bits());
    assert_eq!((half(f64::NAN), brain(f64::NAN), brain(1e39), brain(5e-324)), (0x7fff, 0x7fff, 0x7f80, 0));
    assert_eq!(convert(Conversion::F32ToF16, bits(-2.0)), 0xc000);
    assert_eq!(convert(Conversion::F16ToF32, 0x7e01), u64::from(NAN32));
    assert_eq!(convert(Conversion::F16ToF32, 0xfc00), bits(f32::NEG_INFINITY));
}
