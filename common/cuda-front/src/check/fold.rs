//! Arithmetic on constants, and their bytes in memory.

use super::consteval::{Eval, Value, not};
use super::ty::{truth, wrap};
use crate::hir::{BinaryOp, CompareOp, Const, IntType, Struct, Type, UnaryOp};
use source::Span;

/// The bytes of a constant in memory, little-endian.
pub(super) fn write_bytes(v: &Value, ty: &Type, structs: &[Struct], out: &mut [u8]) {
    match (v, ty) {
        (Value::Scalar(c), _) => {
            let bytes: [u8; 8] = match *c {
                Const::Bool(b) => i64::from(b).to_le_bytes(),
                Const::Int(v, _) => v.to_le_bytes(),
                Const::Float(f) => u64::from(f.to_bits()).to_le_bytes(),
                Const::Double(d) => d.to_le_bytes(),
            };
            let n = (ty.bytes(structs) as usize).min(8).min(out.len());
            out[..n].copy_from_slice(&bytes[..n]);
        }
        (Value::Aggregate(parts), Type::Array(a)) => {
            let size = a.of.bytes(structs) as usize;
            for (i, part) in parts.iter().enumerate() {
                if let Some(slot) = out.get_mut(i * size..(i + 1) * size) {
                    write_bytes(part, &a.of, structs, slot);
                }
            }
        }
        (Value::Aggregate(parts), Type::Struct(s)) => {
            let Some(layout) = structs.get(s.0 as usize) else { return };
            for (part, field) in parts.iter().zip(&layout.fields) {
                let start = field.offset as usize;
                let end = start + field.ty.bytes(structs) as usize;
                if let Some(slot) = out.get_mut(start..end) {
                    write_bytes(part, &field.ty, structs, slot);
                }
            }
        }
        (Value::Unset | Value::Null | Value::Pointer(_) | Value::Aggregate(_), _) => {}
    }
}

/// `op c`; `None` if it overflows, unless it `wraps` then.
pub(super) fn fold_unary(op: UnaryOp, c: Const, wraps: bool) -> Option<Const> {
    Some(match (op, c) {
        (UnaryOp::Neg, Const::Int(v, t)) => {
            let r = wrap(v.wrapping_neg(), t);
            if t.is_signed() && v != 0 && r == v && !wraps {
                return None;
            }
            Const::Int(r, t)
        }
        (UnaryOp::Neg, Const::Float(v)) => Const::Float(-v),
        (UnaryOp::Neg, Const::Double(v)) => Const::Double(-v),
        (UnaryOp::BitNot, Const::Int(v, t)) => Const::Int(wrap(!v, t), t),
        (UnaryOp::Not, c) => Const::Bool(!truth(c)),
        (UnaryOp::Neg | UnaryOp::BitNot, _) => return None,
    })
}

pub(super) fn compare(op: CompareOp, l: Const, r: Const) -> bool {
    let order = match (l, r) {
        (Const::Int(a, t), Const::Int(b, _)) if t.is_signed() => Some(a.cmp(&b)),
        (Const::Int(a, _), Const::Int(b, _)) => Some((a as u64).cmp(&(b as u64))),
        (Const::Float(a), Const::Float(b)) => a.partial_cmp(&b),
        (Const::Double(a), Const::Double(b)) => a.partial_cmp(&b),
        (a, b) => Some(truth(a).cmp(&truth(b))),
    };
    op.holds(order)
}

/// `l op r` of one type (the right one of a shift has its own); whether signed integers wrap, or are not constant where they overflow.
pub(super) fn binary(op: BinaryOp, l: Const, r: Const, wraps: bool, span: Span) -> Eval<Const> {
    match (l, r) {
        (Const::Int(a, t), Const::Int(b, _)) => integer(op, (a, b), t, wraps, span),
        (Const::Float(a), Const::Float(b)) => match op {
            BinaryOp::Add => Ok(Const::Float(a + b)),
            BinaryOp::Sub => Ok(Const::Float(a - b)),
            BinaryOp::Mul => Ok(Const::Float(a * b)),
            BinaryOp::Div => Ok(Const::Float(a / b)),
            _ => not(span, "not an operation on floats"),
        },
        (Const::Double(a), Const::Double(b)) => match op {
            BinaryOp::Add => Ok(Const::Double(a + b)),
            BinaryOp::Sub => Ok(Const::Double(a - b)),
            BinaryOp::Mul => Ok(Const::Double(a * b)),
            BinaryOp::Div => Ok(Const::Double(a / b)),
            _ => not(span, "not an operation on floats"),
        },
        _ => not(span, "the operands differ in type"),
    }
}

fn integer(op: BinaryOp, (a, b): (i64, i64), t: IntType, wraps: bool, span: Span) -> Eval<Const> {
    let (wide_a, wide_b) = if t.is_signed() {
        (i128::from(a), i128::from(b))
    } else {
        (i128::from(a as u64), i128::from(b as u64))
    };
    let exact = match op {
        BinaryOp::Add => wide_a + wide_b,
        BinaryOp::Sub => wide_a - wide_b,
        BinaryOp::Mul => wide_a.wrapping_mul(wide_b),
        BinaryOp::Div | BinaryOp::Rem if wide_b == 0 => return not(span, "this divides by zero"),
        BinaryOp::Div => wide_a / wide_b,
        BinaryOp::Rem => wide_a % wide_b,
        BinaryOp::And => wide_a & wide_b,
        BinaryOp::Or => wide_a | wide_b,
        BinaryOp::Xor => wide_a ^ wide_b,
        BinaryOp::Shl | BinaryOp::Shr => {
            let Ok(n) = u32::try_from(b) else { return not(span, "the shift count is negative") };
            // All bits go: CUDA's compiler warns and goes on.
            let n = n.min(64);
            return Ok(Const::Int(
                wrap(if op == BinaryOp::Shl { (wide_a << n) as i64 } else { (wide_a >> n) as i64 }, t),
                t,
            ));
        }
    };
    let wrapped = wrap(exact as i64, t);
    if t.is_signed() && !wraps && i128::from(wrapped) != exact {
        return not(span, format!("{exact} does not fit into `{}`", t.name()));
    }
    Ok(Const::Int(wrapped, t))
}
