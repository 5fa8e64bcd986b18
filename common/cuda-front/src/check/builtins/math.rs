//! Mathematical functions.

use super::Action::{Build, Is};
use super::{Row, compare, convert, intrinsic_call, real};
use crate::hir::{self, Expr, ExprKind, Intrinsic};
use simt_ir::{Direction, MathFunction as M};
use source::Span;

const F1: &str = "f:f";
const D1: &str = "d:d";
const FD1: &str = "f:f d:d";
const F2: &str = "f:ff";
const FD2: &str = "f:ff d:dd d:fd d:df";
const D2: &str = "d:dd";
const INTEGERS: &str = "i:ii u:uu u:iu u:ui l:ll L:LL L:lL L:Ll q:qq Q:QQ Q:qQ Q:Qq f:ff d:dd d:fd d:df";

/// Rows of functions of the math library: overloaded, and of `float` alone, each kind with its signatures.
macro_rules! rows {
    ($all:ident $float:ident: $($name:literal $own:literal $m:ident;)*) => {
        &[$(($name, $all, Is(Intrinsic::Math(M::$m))), ($own, $float, Is(Intrinsic::Math(M::$m)))),*]
    };
}

/// Rows of what rounds once in a direction: toward zero, up and down. `$action` makes a row's meaning of the function and the direction.
macro_rules! directed {
    ($action:ident: $($name:literal $signature:expr, $function:ident;)*) => {
        &[$(
            (concat!($name, "_rz"), $signature, $action!($function, Zero)),
            (concat!($name, "_ru"), $signature, $action!($function, Up)),
            (concat!($name, "_rd"), $signature, $action!($function, Down)),
        )*]
    };
}

macro_rules! function {
    ($m:ident, $direction:ident) => {
        Is(Intrinsic::Math(M::$m(Direction::$direction)))
    };
}

macro_rules! composed {
    ($build:ident, $direction:ident) => {
        Build(|a, t, s| $build(Direction::$direction, a, t, s))
    };
}

pub(super) const ROWS: &[&[Row]] = &[ONE, TWO, DIRECTED, COMPOSED, OTHER];

const ONE: &[Row] = rows! {
    FD1 F1:
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
    "sinpi" "sinpif" SinPi;
    "cospi" "cospif" CosPi;
    "erfcx" "erfcxf" Erfcx;
    "erfinv" "erfinvf" ErfInv;
    "erfcinv" "erfcinvf" ErfcInv;
    "normcdf" "normcdff" NormCdf;
    "normcdfinv" "normcdfinvf" NormCdfInv;
    "j0" "j0f" J0;
    "j1" "j1f" J1;
    "y0" "y0f" Y0;
    "y1" "y1f" Y1;
    "cyl_bessel_i0" "cyl_bessel_i0f" I0;
    "cyl_bessel_i1" "cyl_bessel_i1f" I1;
};

const TWO: &[Row] = rows! {
    FD2 F2:
    "pow" "powf" Pow;
    "atan2" "atan2f" Atan2;
    "hypot" "hypotf" Hypot;
    "fmod" "fmodf" Fmod;
    "remainder" "remainderf" Remainder;
    "copysign" "copysignf" CopySign;
};

const DIRECTED: &[Row] = directed! {
    function:
    "__fadd" F2, AddTo;
    "__fmul" F2, MulTo;
    "__fdiv" F2, DivTo;
    "__fsqrt" F1, SqrtTo;
    "__fmaf" "f:fff", FmaTo;
    "__fmaf_ieee" "f:fff", FmaTo;
    "__dadd" D2, AddTo;
    "__dmul" D2, MulTo;
    "__ddiv" D2, DivTo;
    "__dsqrt" D1, SqrtTo;
    "__fma" "d:ddd", FmaTo;
};

const COMPOSED: &[Row] = directed! {
    composed:
    "__fsub" F2, difference;
    "__dsub" D2, difference;
    "__frcp" F1, inverse;
    "__drcp" D1, inverse;
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
    ("ldexp", "f:fi d:di", Build(scaled)),
    ("ldexpf", "f:fi", Build(scaled)),
    ("scalbn", "f:fi d:di", Build(scaled)),
    ("scalbnf", "f:fi", Build(scaled)),
    ("scalbln", "f:fl d:dl", Build(scaled)),
    ("scalblnf", "f:fl", Build(scaled)),
    ("jn", "f:if d:id", Build(|a, t, s| ordered(M::Jn, a, t, s))),
    ("jnf", "f:if", Build(|a, t, s| ordered(M::Jn, a, t, s))),
    ("yn", "f:if d:id", Build(|a, t, s| ordered(M::Yn, a, t, s))),
    ("ynf", "f:if", Build(|a, t, s| ordered(M::Yn, a, t, s))),
    ("rcbrt", FD1, Build(rcbrt)),
    ("rcbrtf", F1, Build(rcbrt)),
    ("__tanhf", F1, Is(Intrinsic::Math(M::Tanh))),
    ("__fmaf_ieee_rn", "f:fff", Is(Intrinsic::Fma)),
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
    ("rhypotf", F2, Build(rhypot)),
    ("rhypot", FD2, Build(rhypot)),
];

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
    compare(hir::CompareOp::Lt, sign, zero, span)
}

/// `1 / hypot(a, b)`.
fn rhypot(arguments: Vec<Expr>, ty: hir::Type, span: Span) -> Expr {
    let length = intrinsic_call(Intrinsic::Math(M::Hypot), arguments, ty.clone(), span);
    reciprocal(vec![length], ty, span)
}

fn rcbrt(arguments: Vec<Expr>, ty: hir::Type, span: Span) -> Expr {
    let root = math(M::Cbrt, first(arguments, &ty, span), span);
    reciprocal(vec![root], ty, span)
}

/// `a - b` as `a + -b`, rounded once in a direction.
fn difference(direction: Direction, mut arguments: Vec<Expr>, ty: hir::Type, span: Span) -> Expr {
    if let Some(b) = arguments.pop() {
        let negative = ExprKind::Unary { op: hir::UnaryOp::Neg, operand: Box::new(b) };
        arguments.push(Expr { kind: negative, ty: ty.clone(), span });
    }
    intrinsic_call(Intrinsic::Math(M::AddTo(direction)), arguments, ty, span)
}

/// `1 / x`, rounded in a direction.
fn inverse(direction: Direction, mut arguments: Vec<Expr>, ty: hir::Type, span: Span) -> Expr {
    arguments.insert(0, real(1.0, &ty, span));
    intrinsic_call(Intrinsic::Math(M::DivTo(direction)), arguments, ty, span)
}

/// A Bessel function whose order comes first.
fn ordered(m: M, mut arguments: Vec<Expr>, ty: hir::Type, span: Span) -> Expr {
    if let Some(order) = arguments.first_mut() {
        *order = convert(order.clone(), ty.clone());
    }
    intrinsic_call(Intrinsic::Math(m), arguments, ty, span)
}

/// `x·2^n`; an exponent beyond what a `float` tells apart changes nothing any more.
fn scaled(mut arguments: Vec<Expr>, ty: hir::Type, span: Span) -> Expr {
    if let Some(n) = arguments.get_mut(1) {
        *n = convert(n.clone(), ty.clone());
    }
    intrinsic_call(Intrinsic::Math(M::Scale), arguments, ty, span)
}
