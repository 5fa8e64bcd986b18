//! Conversions with a rounding mode, and reinterpretation of bits.
//!
//! Wide integers to floats in a direction are composed of others (`headers/device_functions.h`).

use super::Action::{Bits, Build, Convert, Is};
use super::{Row, convert, int, intrinsic_call};
use crate::hir::{self, Expr, IntType, Intrinsic};
use simt_ir::{Direction, MathFunction as M};
use source::Span;

/// Rows of conversions to an integer, which a cast rounds toward zero; the others are rounded before it.
macro_rules! to_integers {
    ($($name:literal $signature:literal;)*) => {
        &[$(
            (concat!($name, "_rz"), $signature, Convert),
            (concat!($name, "_rn"), $signature, Build(|a, t, s| rounded(M::RoundEven, a, t, s))),
            (concat!($name, "_rd"), $signature, Build(|a, t, s| rounded(M::Floor, a, t, s))),
            (concat!($name, "_ru"), $signature, Build(|a, t, s| rounded(M::Ceil, a, t, s))),
        )*]
    };
}

pub(super) const TO_INTEGERS: &[Row] = to_integers! {
    "__float2int" "i:f";
    "__float2uint" "u:f";
    "__float2ll" "q:f";
    "__float2ull" "Q:f";
    "__double2int" "i:d";
    "__double2uint" "u:d";
    "__double2ll" "q:d";
    "__double2ull" "Q:d";
};

pub(super) const ROWS: &[Row] = &[
    ("__float_as_int", "i:f", Bits),
    ("__int_as_float", "f:i", Bits),
    ("__float_as_uint", "u:f", Bits),
    ("__uint_as_float", "f:u", Bits),
    ("__double_as_longlong", "q:d", Bits),
    ("__longlong_as_double", "d:q", Bits),
    ("__double2float_rn", "f:d", Convert),
    ("__double2float_rz", "f:d", Build(|a, t, s| rounded(M::SingleTo(Direction::Zero), a, t, s))),
    ("__double2float_ru", "f:d", Build(|a, t, s| rounded(M::SingleTo(Direction::Up), a, t, s))),
    ("__double2float_rd", "f:d", Build(|a, t, s| rounded(M::SingleTo(Direction::Down), a, t, s))),
    ("__int2float_rn", "f:i", Convert),
    ("__uint2float_rn", "f:u", Convert),
    ("__ll2float_rn", "f:q", Convert),
    ("__ull2float_rn", "f:Q", Convert),
    ("__int2double_rn", "d:i", Convert),
    ("__uint2double_rn", "d:u", Convert),
    ("__ll2double_rn", "d:q", Convert),
    ("__half_bits_to_float", "f:S", Is(Intrinsic::HalfToFloat)),
    ("__to_half_bits", "S:f S:d", Is(Intrinsic::ToHalf)),
    ("__to_bfloat16_bits", "S:d", Is(Intrinsic::ToBrain)),
    ("__ull2double_rn", "d:Q", Convert),
];

fn rounded(m: M, arguments: Vec<Expr>, ty: hir::Type, span: Span) -> Expr {
    let x = arguments.into_iter().next().unwrap_or_else(|| int(0, IntType::Int, span));
    let t = x.ty.clone();
    convert(intrinsic_call(Intrinsic::Math(m), vec![x], t, span), ty)
}
