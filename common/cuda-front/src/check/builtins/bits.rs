//! Integer functions.

use super::Action::{Build, Is};
use super::{Row, binary, convert, int, intrinsic_call};
use crate::hir::{self, BinaryOp, Expr, ExprKind, IntType, Intrinsic};
use source::Span;

pub(super) const ROWS: &[Row] = &[
    ("__clz", "i:i", Is(Intrinsic::LeadingZeros)),
    ("__clzll", "i:q", Is(Intrinsic::LeadingZeros)),
    ("__popc", "i:u", Is(Intrinsic::PopCount)),
    ("__popcll", "i:Q", Is(Intrinsic::PopCount)),
    ("__brev", "u:u", Is(Intrinsic::ReverseBits)),
    ("__brevll", "Q:Q", Is(Intrinsic::ReverseBits)),
    ("__ffs", "i:i", Is(Intrinsic::FindFirstSet)),
    ("__ffsll", "i:q", Is(Intrinsic::FindFirstSet)),
    ("__mulhi", "i:ii", Is(Intrinsic::MulHigh)),
    ("__umulhi", "u:uu", Is(Intrinsic::MulHigh)),
    ("__mul64hi", "q:qq", Is(Intrinsic::MulHigh)),
    ("__umul64hi", "Q:QQ", Is(Intrinsic::MulHigh)),
    ("__mul24", "i:ii", Build(mul24)),
    ("__umul24", "u:uu", Build(mul24)),
    ("__sad", "u:iiu", Build(sum_of_difference)),
    ("__usad", "u:uuu", Build(sum_of_difference)),
    ("__hadd", "i:ii", Build(|a, t, s| halving(a, t, 0, s))),
    ("__uhadd", "u:uu", Build(|a, t, s| halving(a, t, 0, s))),
    ("__rhadd", "i:ii", Build(|a, t, s| halving(a, t, 1, s))),
    ("__urhadd", "u:uu", Build(|a, t, s| halving(a, t, 1, s))),
    ("__funnelshift_l", "u:uuu", Build(funnel_left)),
    ("__funnelshift_r", "u:uuu", Build(funnel_right)),
    ("expect", "l:ll", Build(first)),
    // Of GNU's compiler; the device has no others.
    ("__builtin_popcount", "i:u", Is(Intrinsic::PopCount)),
    ("__builtin_popcountll", "i:Q", Is(Intrinsic::PopCount)),
    ("__builtin_clz", "i:u", Is(Intrinsic::LeadingZeros)),
    ("__builtin_clzll", "i:Q", Is(Intrinsic::LeadingZeros)),
    ("__builtin_ffs", "i:i", Is(Intrinsic::FindFirstSet)),
    ("__builtin_ffsll", "i:q", Is(Intrinsic::FindFirstSet)),
];

fn first(arguments: Vec<Expr>, _: hir::Type, span: Span) -> Expr {
    arguments.into_iter().next().unwrap_or_else(|| int(0, IntType::Int, span))
}

fn pair(arguments: Vec<Expr>, span: Span) -> (Expr, Expr, Option<Expr>) {
    let mut rest = arguments.into_iter();
    let zero = || int(0, IntType::Int, span);
    let a = rest.next().unwrap_or_else(zero);
    let b = rest.next().unwrap_or_else(zero);
    (a, b, rest.next())
}

/// The low 24 bits of an operand, extended by the type's sign.
fn low24(e: Expr, span: Span) -> Expr {
    let eight = || int(8, IntType::Int, span);
    binary(BinaryOp::Shr, binary(BinaryOp::Shl, e, eight()), eight())
}

fn mul24(arguments: Vec<Expr>, _: hir::Type, span: Span) -> Expr {
    let (a, b, _) = pair(arguments, span);
    binary(BinaryOp::Mul, low24(a, span), low24(b, span))
}

/// `|x - y| + z` as `max - min`, which cannot overflow when taken as unsigned.
fn sum_of_difference(arguments: Vec<Expr>, ty: hir::Type, span: Span) -> Expr {
    let (a, b, c) = pair(arguments, span);
    let t = a.ty.clone();
    let wide = hir::Type::Int(IntType::LongLong);
    let both = || vec![a.clone(), b.clone()];
    let most = convert(intrinsic_call(Intrinsic::Max, both(), t.clone(), span), wide.clone());
    let least = convert(intrinsic_call(Intrinsic::Min, both(), t.clone(), span), wide);
    let difference = convert(binary(BinaryOp::Sub, most, least), ty);
    match c {
        Some(c) => binary(BinaryOp::Add, difference, c),
        None => difference,
    }
}

fn halving(arguments: Vec<Expr>, ty: hir::Type, plus: i64, span: Span) -> Expr {
    let (a, b, _) = pair(arguments, span);
    let wide = hir::Type::Int(IntType::LongLong);
    let sum = binary(BinaryOp::Add, convert(a, wide.clone()), convert(b, wide));
    let sum = binary(BinaryOp::Add, sum, int(plus, IntType::LongLong, span));
    convert(binary(BinaryOp::Shr, sum, int(1, IntType::Int, span)), ty)
}

/// `hi:lo` as 64 bits, and the count modulo 32.
fn funnel(arguments: Vec<Expr>, span: Span) -> (Expr, Expr) {
    let (lo, hi, shift) = pair(arguments, span);
    let wide = hir::Type::Int(IntType::UnsignedLongLong);
    let high = binary(BinaryOp::Shl, convert(hi, wide.clone()), int(32, IntType::Int, span));
    let both = binary(BinaryOp::Or, high, convert(lo, wide));
    let shift = shift.unwrap_or_else(|| int(0, IntType::UnsignedInt, span));
    (both, binary(BinaryOp::And, shift, int(31, IntType::UnsignedInt, span)))
}

fn funnel_left(arguments: Vec<Expr>, ty: hir::Type, span: Span) -> Expr {
    let (both, shift) = funnel(arguments, span);
    let shifted = binary(BinaryOp::Shl, both, shift);
    convert(binary(BinaryOp::Shr, shifted, int(32, IntType::Int, span)), ty)
}

fn funnel_right(arguments: Vec<Expr>, ty: hir::Type, span: Span) -> Expr {
    let (both, shift) = funnel(arguments, span);
    let kind = ExprKind::Binary { op: BinaryOp::Shr, lhs: Box::new(both.clone()), rhs: Box::new(shift) };
    convert(Expr { kind, ty: both.ty, span }, ty)
}
