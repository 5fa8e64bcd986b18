//! Conversions with a rounding mode, and reinterpretation of bits.
//!
//! Wide integers to floats in a direction are composed of others (`headers/device_functions.h`).

use super::Action::{Bits, Build, Convert, Is};
use super::{Row, convert, int, intrinsic_call};
use crate::hir::{self, Expr, IntType, Intrinsic};
use simt_ir::{Direction, MathFunction as M};
use source::Span;

pub(super) const ROWS: &[Row] = &[
    ("__float_as_int", "i:f", Bits),
    ("__int_as_float", "f:i", Bits),
    ("__float_as_uint", "u:f", Bits),
    ("__uint_as_float", "f:u", Bits),
    ("__double_as_longlong", "q:d", Bits),
    ("__longlong_as_double", "d:q", Bits),
    ("__float2int_rz", "i:f", Convert),
    ("__float2int_rn", "i:f", Build(nearest)),
    ("__float2int_rd", "i:f", Build(down)),
    ("__float2int_ru", "i:f", Build(up)),
    ("__float2uint_rz", "u:f", Convert),
    ("__float2uint_rn", "u:f", Build(nearest)),
    ("__float2uint_rd", "u:f", Build(down)),
    ("__float2uint_ru", "u:f", Build(up)),
    ("__float2ll_rz", "q:f", Convert),
    ("__float2ll_rn", "q:f", Build(nearest)),
    ("__float2ll_rd", "q:f", Build(down)),
    ("__float2ll_ru", "q:f", Build(up)),
    ("__float2ull_rz", "Q:f", Convert),
    ("__float2ull_rn", "Q:f", Build(nearest)),
    ("__float2ull_rd", "Q:f", Build(down)),
    ("__float2ull_ru", "Q:f", Build(up)),
    ("__double2int_rz", "i:d", Convert),
    ("__double2int_rn", "i:d", Build(nearest)),
    ("__double2int_rd", "i:d", Build(down)),
    ("__double2int_ru", "i:d", Build(up)),
    ("__double2uint_rz", "u:d", Convert),
    ("__double2uint_rn", "u:d", Build(nearest)),
    ("__double2uint_rd", "u:d", Build(down)),
    ("__double2uint_ru", "u:d", Build(up)),
    ("__double2ll_rz", "q:d", Convert),
    ("__double2ll_rn", "q:d", Build(nearest)),
    ("__double2ll_rd", "q:d", Build(down)),
    ("__double2ll_ru", "q:d", Build(up)),
    ("__double2ull_rz", "Q:d", Convert),
    ("__double2ull_rn", "Q:d", Build(nearest)),
    ("__double2ull_rd", "Q:d", Build(down)),
    ("__double2ull_ru", "Q:d", Build(up)),
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

fn nearest(arguments: Vec<Expr>, ty: hir::Type, span: Span) -> Expr {
    rounded(M::RoundEven, arguments, ty, span)
}

fn down(arguments: Vec<Expr>, ty: hir::Type, span: Span) -> Expr {
    rounded(M::Floor, arguments, ty, span)
}

fn up(arguments: Vec<Expr>, ty: hir::Type, span: Span) -> Expr {
    rounded(M::Ceil, arguments, ty, span)
}
