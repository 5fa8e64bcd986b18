//! Built-in values: the indices, and the constants of the standard headers.

use super::super::Checker;
use super::super::ty::{self, QTy, Ty};
use super::super::value::{Node, Value};
use crate::hir::{Const, Expr, ExprKind, IntType};
use simt_ir::{Axis, Special};
use source::{Code, Span};

/// Names for suggestions.
pub(super) const NAMES: &[&str] = &["threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize"];

/// The value of a name, if it is one of these.
pub(in super::super) fn value(c: &mut Checker, name: &str, span: Span) -> Option<Value> {
    let special: fn(Axis) -> Special = match name {
        "threadIdx" => Special::ThreadIdx,
        "blockIdx" => Special::BlockIdx,
        "blockDim" => Special::BlockDim,
        "gridDim" => Special::GridDim,
        _ => return constant(c, name, span),
    };
    if !c.body.on_device && c.body.unevaluated == 0 {
        c.sink.wrong(Code::MisplacedCall, format!("`{name}` exists only in device code"), span);
        return Some(Value::error(span));
    }
    let ty = c.vector(if name.ends_with("Dim") { "dim3" } else { "uint3" })?;
    let hir = c.types.hir_type(&ty::UINT);
    let axis = |a| Expr { kind: ExprKind::Special(special(a)), ty: hir.clone(), span };
    let parts = vec![axis(Axis::X), axis(Axis::Y), axis(Axis::Z)];
    Some(c.types.make(ExprKind::Struct(parts), ty, span))
}

fn constant(c: &Checker, name: &str, span: Span) -> Option<Value> {
    let int = |v: i64, t: IntType| Some((Const::Int(v, t), Ty::Int(t)));
    let float = |v: f32| Some((Const::Float(v), Ty::Float));
    let double = |v: f64| Some((Const::Double(v), Ty::Double));
    use std::f64::consts as k;
    let (value, ty) = match name {
        "cudaBoundaryModeZero" => int(0, IntType::Int),
        "cudaBoundaryModeClamp" => int(1, IntType::Int),
        "cudaBoundaryModeTrap" => int(2, IntType::Int),
        "warpSize" => int(32, IntType::Int),
        "INT_MAX" => int(i64::from(i32::MAX), IntType::Int),
        "INT_MIN" => int(i64::from(i32::MIN), IntType::Int),
        "UINT_MAX" => int(i64::from(u32::MAX), IntType::UnsignedInt),
        "LLONG_MAX" => int(i64::MAX, IntType::LongLong),
        "LLONG_MIN" => int(i64::MIN, IntType::LongLong),
        "LONG_MAX" => int(i64::MAX, IntType::Long),
        "LONG_MIN" => int(i64::MIN, IntType::Long),
        "ULLONG_MAX" => int(-1, IntType::UnsignedLongLong),
        "ULONG_MAX" => int(-1, IntType::UnsignedLong),
        "CHAR_BIT" => int(8, IntType::Int),
        "SHRT_MAX" => int(i64::from(i16::MAX), IntType::Int),
        "UCHAR_MAX" => int(255, IntType::Int),
        "RAND_MAX" => int(i64::from(i32::MAX), IntType::Int),
        "FLT_MAX" => float(f32::MAX),
        "FLT_MIN" => float(f32::MIN_POSITIVE),
        "FLT_EPSILON" => float(f32::EPSILON),
        "DBL_MAX" => double(f64::MAX),
        "DBL_MIN" => double(f64::MIN_POSITIVE),
        "DBL_EPSILON" => double(f64::EPSILON),
        "INFINITY" | "HUGE_VALF" | "CUDART_INF_F" => float(f32::INFINITY),
        "NAN" | "CUDART_NAN_F" => float(f32::NAN),
        "CUDART_INF" | "HUGE_VAL" => double(f64::INFINITY),
        "CUDART_PI_F" => float(std::f32::consts::PI),
        "CUDART_PI" | "M_PI" => double(k::PI),
        "M_PI_2" => double(k::FRAC_PI_2),
        "M_PI_4" => double(k::FRAC_PI_4),
        "M_1_PI" => double(k::FRAC_1_PI),
        "M_E" => double(k::E),
        "M_SQRT2" => double(k::SQRT_2),
        "M_LN2" => double(k::LN_2),
        "M_LOG2E" => double(k::LOG2_E),
        _ => None,
    }?;
    let expr = Expr { kind: ExprKind::Const(value), ty: c.types.hir_type(&ty), span };
    Some(Value { node: Node::Rvalue(Box::new(expr)), ty: QTy::plain(ty), span })
}
