//! Mathematical functions.

use super::Action::{Build, Is};
use super::{Row, binary, convert, intrinsic_call, real};
use crate::hir::{self, Expr, ExprKind, Intrinsic};
use simt_ir::MathFunction as M;
use source::Span;

const F1: &str = "f:f";
const D1: &str = "d:d";
const FD1: &str = "f:f d:d";
const F2: &str = "f:ff";
const FD2: &str = "f:ff d:dd d:fd d:df";
const D2: &str = "d:dd";
const INTEGERS: &str = "i:ii u:uu u:iu u:ui l:ll L:LL L:lL L:Ll q:qq Q:QQ Q:qQ Q:Qq f:ff d:dd d:fd d:df";

/// The rows of one function: overloaded, float, and the fast intrinsic if there is one.
macro_rules! rows {
    ($($name:literal $float:literal $m:ident;)*) => {
        &[$(($name, FD1, Is(Intrinsic::Math(M::$m))), ($float, F1, Is(Intrinsic::Math(M::$m)))),*]
    };
}

pub(super) const ROWS: &[Row] = &join();

const ONE: &[Row] = rows! {
    "sqrt" "sqrtf" Sqrt;
    "rsqrt" "rsqrtf" Rsqrt;
    "cbrt" "cbrtf" Cbrt;
    "sin" "sinf" Sin;
    "cos" "cosf" Cos;
    "tan" "tanf" Tan;
    "asin" "asinf" Asin;
    "acos" "acosf" Acos;
    "atan" "atanf" Atan;
    "sinh" "sinhf" Sinh;
    "cosh" "coshf" Cosh;
    "tanh" "tanhf" Tanh;
    "exp" "expf" Exp;
    "exp2" "exp2f" Exp2;
    "exp10" "exp10f" Exp10;
    "expm1" "expm1f" Expm1;
    "log" "logf" Log;
    "log2" "log2f" Log2;
    "log10" "log10f" Log10;
    "log1p" "log1pf" Log1p;
    "floor" "floorf" Floor;
    "ceil" "ceilf" Ceil;
    "trunc" "truncf" Trunc;
    "round" "roundf" Round;
    "rint" "rintf" RoundEven;
    "nearbyint" "nearbyintf" RoundEven;
    "erf" "erff" Erf;
    "erfc" "erfcf" Erfc;
    "asinh" "asinhf" Asinh;
    "acosh" "acoshf" Acosh;
    "atanh" "atanhf" Atanh;
    "lgamma" "lgammaf" Lgamma;
    "tgamma" "tgammaf" Tgamma;
};

const OTHER: &[Row] = &[
    ("__sinf", F1, Is(Intrinsic::Math(M::Sin))),
    ("__cosf", F1, Is(Intrinsic::Math(M::Cos))),
    ("__tanf", F1, Is(Intrinsic::Math(M::Tan))),
    ("__expf", F1, Is(Intrinsic::Math(M::Exp))),
    ("__exp10f", F1, Is(Intrinsic::Math(M::Exp10))),
    ("__logf", F1, Is(Intrinsic::Math(M::Log))),
    ("__log2f", F1, Is(Intrinsic::Math(M::Log2))),
    ("__log10f", F1, Is(Intrinsic::Math(M::Log10))),
    ("__saturatef", F1, Is(Intrinsic::Math(M::Saturate))),
    ("__fsqrt_rn", F1, Is(Intrinsic::Math(M::Sqrt))),
    ("__frsqrt_rn", F1, Is(Intrinsic::Math(M::Rsqrt))),
    ("__dsqrt_rn", D1, Is(Intrinsic::Math(M::Sqrt))),
    ("__powf", F2, Is(Intrinsic::Math(M::Pow))),
    ("pow", FD2, Is(Intrinsic::Math(M::Pow))),
    ("powf", F2, Is(Intrinsic::Math(M::Pow))),
    ("atan2", FD2, Is(Intrinsic::Math(M::Atan2))),
    ("atan2f", F2, Is(Intrinsic::Math(M::Atan2))),
    ("hypot", FD2, Is(Intrinsic::Math(M::Hypot))),
    ("hypotf", F2, Is(Intrinsic::Math(M::Hypot))),
    ("fmod", FD2, Is(Intrinsic::Math(M::Fmod))),
    ("fmodf", F2, Is(Intrinsic::Math(M::Fmod))),
    ("remainder", FD2, Is(Intrinsic::Math(M::Remainder))),
    ("remainderf", F2, Is(Intrinsic::Math(M::Remainder))),
    ("normcdf", FD1, Build(normal)),
    ("normcdff", F1, Build(normal)),
    ("ldexpf", "f:fi", Build(scaled)),
    ("scalbnf", "f:fi", Build(scaled)),
    ("copysign", FD2, Is(Intrinsic::Math(M::CopySign))),
    ("copysignf", F2, Is(Intrinsic::Math(M::CopySign))),
    ("fma", "f:fff d:ddd", Is(Intrinsic::Fma)),
    ("fmaf", "f:fff", Is(Intrinsic::Fma)),
    ("__fmaf_rn", "f:fff", Is(Intrinsic::Fma)),
    ("__fma_rn", "d:ddd", Is(Intrinsic::Fma)),
    ("fabs", FD1, Is(Intrinsic::Abs)),
    ("fabsf", F1, Is(Intrinsic::Abs)),
    ("abs", "i:i l:l q:q f:f d:d", Is(Intrinsic::Abs)),
    ("labs", "l:l", Is(Intrinsic::Abs)),
    ("llabs", "q:q", Is(Intrinsic::Abs)),
    ("min", INTEGERS, Is(Intrinsic::Min)),
    ("max", INTEGERS, Is(Intrinsic::Max)),
    ("fmin", FD2, Is(Intrinsic::Min)),
    ("fmax", FD2, Is(Intrinsic::Max)),
    ("fminf", F2, Is(Intrinsic::Min)),
    ("fmaxf", F2, Is(Intrinsic::Max)),
    ("umin", "u:uu", Is(Intrinsic::Min)),
    ("umax", "u:uu", Is(Intrinsic::Max)),
    ("llmin", "q:qq", Is(Intrinsic::Min)),
    ("llmax", "q:qq", Is(Intrinsic::Max)),
    ("ullmin", "Q:QQ", Is(Intrinsic::Min)),
    ("ullmax", "Q:QQ", Is(Intrinsic::Max)),
    ("__fadd_rn", F2, Is(Intrinsic::ExactAdd)),
    ("__fsub_rn", F2, Is(Intrinsic::ExactSub)),
    ("__fmul_rn", F2, Is(Intrinsic::ExactMul)),
    ("__dadd_rn", D2, Is(Intrinsic::ExactAdd)),
    ("__dsub_rn", D2, Is(Intrinsic::ExactSub)),
    ("__dmul_rn", D2, Is(Intrinsic::ExactMul)),
    ("__fdividef", F2, Is(Intrinsic::Divide)),
    ("fdividef", F2, Is(Intrinsic::Divide)),
    ("fdivide", F2, Is(Intrinsic::Divide)),
    ("__fdiv_rn", F2, Is(Intrinsic::Divide)),
    ("__ddiv_rn", D2, Is(Intrinsic::Divide)),
    ("__frcp_rn", F1, Build(reciprocal)),
    ("__drcp_rn", D1, Build(reciprocal)),
    ("fdim", "f:ff d:dd", Build(positive_difference)),
    ("fdimf", F2, Build(positive_difference)),
    ("sinpi", FD1, Build(sinpi)),
    ("sinpif", F1, Build(sinpi)),
    ("cospi", FD1, Build(cospi)),
    ("cospif", F1, Build(cospi)),
    ("lrint", "l:f l:d", Build(round_even)),
    ("lrintf", "l:f", Build(round_even)),
    ("llrint", "q:f q:d", Build(round_even)),
    ("llrintf", "q:f", Build(round_even)),
    ("lround", "l:f l:d", Build(round_away)),
    ("lroundf", "l:f", Build(round_away)),
    ("llround", "q:f q:d", Build(round_away)),
    ("llroundf", "q:f", Build(round_away)),
    ("isnan", "b:f b:d", Is(Intrinsic::IsNan)),
    ("isinf", "b:f b:d", Is(Intrinsic::IsInf)),
    ("isfinite", "b:f b:d", Is(Intrinsic::IsFinite)),
    ("signbit", "b:f b:d", Build(sign_bit)),
    ("norm3df", "f:fff", Build(norm)),
    ("norm3d", "d:ddd", Build(norm)),
    ("rnorm3df", "f:fff", Build(rnorm)),
    ("rnorm3d", "d:ddd", Build(rnorm)),
    ("norm4df", "f:ffff", Build(norm)),
    ("norm4d", "d:dddd", Build(norm)),
    ("rnorm4df", "f:ffff", Build(rnorm)),
    ("rhypotf", F2, Build(rnorm)),
    ("rhypot", FD2, Build(rnorm)),
];

/// Both lists as one, at compile time.
const fn join() -> [Row; ONE.len() + OTHER.len()] {
    let mut all = [OTHER[0]; ONE.len() + OTHER.len()];
    let mut i = 0;
    while i < ONE.len() {
        all[i] = ONE[i];
        i += 1;
    }
    while i < ONE.len() + OTHER.len() {
        all[i] = OTHER[i - ONE.len()];
        i += 1;
    }
    all
}

fn math(m: M, x: Expr, span: Span) -> Expr {
    let ty = x.ty.clone();
    intrinsic_call(Intrinsic::Math(m), vec![x], ty, span)
}

fn first(arguments: Vec<Expr>, ty: &hir::Type, span: Span) -> Expr {
    arguments.into_iter().next().unwrap_or_else(|| real(0.0, ty, span))
}

fn reciprocal(arguments: Vec<Expr>, ty: hir::Type, span: Span) -> Expr {
    let one = real(1.0, &ty, span);
    let x = first(arguments, &ty, span);
    intrinsic_call(Intrinsic::Divide, vec![one, x], ty, span)
}

/// `max(x - y, 0)`; a NaN is not kept, as the larger operand is.
fn positive_difference(arguments: Vec<Expr>, ty: hir::Type, span: Span) -> Expr {
    let difference = intrinsic_call(Intrinsic::ExactSub, arguments, ty.clone(), span);
    let zero = real(0.0, &ty, span);
    intrinsic_call(Intrinsic::Max, vec![difference, zero], ty, span)
}

fn times_pi(arguments: Vec<Expr>, ty: &hir::Type, span: Span) -> Expr {
    let x = convert(first(arguments, ty, span), hir::Type::Double);
    binary(hir::BinaryOp::Mul, x, real(std::f64::consts::PI, &hir::Type::Double, span))
}

fn sinpi(arguments: Vec<Expr>, ty: hir::Type, span: Span) -> Expr {
    convert(math(M::Sin, times_pi(arguments, &ty, span), span), ty)
}

fn cospi(arguments: Vec<Expr>, ty: hir::Type, span: Span) -> Expr {
    convert(math(M::Cos, times_pi(arguments, &ty, span), span), ty)
}

fn round_even(arguments: Vec<Expr>, ty: hir::Type, span: Span) -> Expr {
    convert(math(M::RoundEven, first(arguments, &ty, span), span), ty)
}

fn round_away(arguments: Vec<Expr>, ty: hir::Type, span: Span) -> Expr {
    convert(math(M::Round, first(arguments, &ty, span), span), ty)
}

/// `copysign(1, x) < 0`, which sees the sign of a zero too.
fn sign_bit(arguments: Vec<Expr>, ty: hir::Type, span: Span) -> Expr {
    let x = first(arguments, &ty, span);
    let t = x.ty.clone();
    let one = real(1.0, &t, span);
    let sign = intrinsic_call(Intrinsic::Math(M::CopySign), vec![one, x], t.clone(), span);
    let zero = real(0.0, &t, span);
    let kind = ExprKind::Compare { op: hir::CompareOp::Lt, lhs: Box::new(sign), rhs: Box::new(zero) };
    Expr { kind, ty: hir::Type::Bool, span }
}

/// Length of a vector by nested `hypot`.
fn norm(arguments: Vec<Expr>, ty: hir::Type, span: Span) -> Expr {
    let zero = real(0.0, &ty, span);
    arguments
        .into_iter()
        .fold(zero, |a, b| intrinsic_call(Intrinsic::Math(M::Hypot), vec![a, b], ty.clone(), span))
}

fn rnorm(arguments: Vec<Expr>, ty: hir::Type, span: Span) -> Expr {
    let length = norm(arguments, ty.clone(), span);
    reciprocal(vec![length], ty, span)
}

/// The normal distribution: `erfc(-x / sqrt(2)) / 2`, in double precision.
fn normal(arguments: Vec<Expr>, ty: hir::Type, span: Span) -> Expr {
    let x = convert(first(arguments, &ty, span), hir::Type::Double);
    let x = binary(hir::BinaryOp::Mul, x, real(-std::f64::consts::FRAC_1_SQRT_2, &hir::Type::Double, span));
    let half = real(0.5, &hir::Type::Double, span);
    convert(binary(hir::BinaryOp::Mul, math(M::Erfc, x, span), half), ty)
}

/// `x·2^n` for `float`: exact in double precision, rounded once. Beyond 400 either way nothing changes any more.
fn scaled(arguments: Vec<Expr>, ty: hir::Type, span: Span) -> Expr {
    let mut arguments = arguments.into_iter();
    let (Some(x), Some(n)) = (arguments.next(), arguments.next()) else { return real(0.0, &ty, span) };
    let double = hir::Type::Double;
    let bound = |e, intrinsic, at| {
        intrinsic_call(intrinsic, vec![e, real(at, &hir::Type::Double, span)], hir::Type::Double, span)
    };
    let n = bound(bound(convert(n, double.clone()), Intrinsic::Min, 400.0), Intrinsic::Max, -400.0);
    convert(binary(hir::BinaryOp::Mul, convert(x, double), math(M::Exp2, n, span)), ty)
}
