//! Constant folding: operations on constants, as [`simt_ir`] defines them (Muchnick, *Advanced Compiler Design and
//! Implementation*, 12.1).
//!
//! `None` leaves an operation to the machine. A division by zero must fault there. A NaN is not folded, nor is the minimum or
//! maximum of two equal floats, nor what has a 16-bit float or an address in shared memory.

use simt_ir::value::{self, Una};
use simt_ir::{BinaryOp, CompareOp, Constant, Conversion, IndexKind, Type, UnaryOp};

/// The byte offset `offset + index·scale` of an address, if it fits; `index` is of that kind.
pub(crate) fn add_index(offset: i64, index: Constant, kind: IndexKind, scale: u32) -> Option<i64> {
    let index = match (index, kind) {
        (Constant::I32(x), IndexKind::Signed32) => i64::from(x as i32),
        (Constant::I32(x), IndexKind::Unsigned32) => i64::from(x),
        (Constant::I64(x), IndexKind::Wide) => x as i64,
        _ => return None,
    };
    offset.checked_add(index.checked_mul(i64::from(scale))?)
}

/// `op src`.
pub(crate) fn unary(op: UnaryOp, src: Constant) -> Option<Constant> {
    let (ty, bits) = (src.ty(), src.bits());
    op.takes(ty).then(|| {
        let op = Una::of(op, ty);
        let result = if is_wide(ty) { value::una64(op, bits) } else { value::una32(op, bits as u32).into() };
        Constant::from_bits(ty, result)
    })
}

/// `lhs op rhs`.
pub(crate) fn binary(op: BinaryOp, lhs: Constant, rhs: Constant) -> Option<Constant> {
    let (ty, a, b) = (lhs.ty(), lhs.bits(), rhs.bits());
    let is_left = match op {
        BinaryOp::MinF | BinaryOp::MaxF => compare(CompareOp::Eq, lhs, rhs) != Some(false),
        _ => op.divides() && b == 0,
    };
    if rhs.ty() != ty || !op.takes(ty) || is_left {
        return None;
    }
    let op = op.of(ty);
    number(ty, if is_wide(ty) { value::alu64(op, a, b) } else { value::alu32(op, a as u32, b as u32).into() })
}

/// `lhs op rhs`.
pub(crate) fn compare(op: CompareOp, lhs: Constant, rhs: Constant) -> Option<bool> {
    let (ty, a, b) = (lhs.ty(), lhs.bits(), rhs.bits());
    (rhs.ty() == ty && op.takes(ty)).then(|| match is_wide(ty) {
        true => value::cmp64(op, ty.is_float(), a, b),
        false => value::cmp32(op, ty.is_float(), a as u32, b as u32),
    })
}

/// `op(src)`.
pub(crate) fn convert(op: Conversion, src: Constant) -> Option<Constant> {
    use Conversion::*;
    let (from, to) = op.types();
    let bits = value::convert(op, src.bits());
    match op {
        _ if src.ty() != from => None,
        F16ToF32 | F32ToF16 | F64ToF16 | F64ToBf16 | PtrToShared | SharedToPtr => None,
        BitsF32 | BitsF64 => Some(Constant::from_bits(to, bits)),
        _ => number(to, bits),
    }
}

/// `a·b + c`, rounded once.
pub(crate) fn fma(a: Constant, b: Constant, c: Constant) -> Option<Constant> {
    let (ty, [a, b, c]) = (a.ty(), [a, b, c].map(Constant::bits));
    number(
        ty,
        if is_wide(ty) { value::fma64(a, b, c) } else { value::fma32(a as u32, b as u32, c as u32).into() },
    )
}

fn is_wide(ty: Type) -> bool {
    matches!(ty, Type::I64 | Type::F64 | Type::Ptr)
}

/// The constant of a type with these bits, if it is no NaN.
fn number(ty: Type, bits: u64) -> Option<Constant> {
    let is_nan = match ty {
        Type::F32 => f32::from_bits(bits as u32).is_nan(),
        Type::F64 => f64::from_bits(bits).is_nan(),
        _ => false,
    };
    (!is_nan).then(|| Constant::from_bits(ty, bits))
}
