//! Peephole rules: algebraic simplification and reassociation (Muchnick, *Advanced Compiler Design and Implementation*,
//! 12.3). Each returns a simpler instruction with the same value, exact to the bit.
//!
//! Integers are reassociated, which is exact in wrapping arithmetic. Floats are not, and no rule depends on the
//! absence of NaN, infinities or negative zero.

use super::ValueNumberer;
use super::value_table::{Expr, ValueId, is_commutative};
use crate::constant_folding;
use simt_ir::{
    BinaryOp, CompareOp, Constant, Conversion, InstKind, Location, Operand, Reg, Region, Type, UnaryOp,
};

impl ValueNumberer<'_> {
    /// Applies one rule; `None` if none matches. Instructions that the result needs go to `before`.
    pub(super) fn rewrite(
        &mut self,
        kind: &InstKind,
        location: Location,
        before: &mut Region,
    ) -> Option<InstKind> {
        match *kind {
            InstKind::Unary { dst, op, src } => {
                let Expr::Unary(inner, value) = self.expr_of(src) else {
                    return if op == UnaryOp::Not { self.invert(dst, src) } else { None };
                };
                let involution = matches!(op, UnaryOp::Neg | UnaryOp::Not | UnaryOp::ReverseBits);
                let src = self.operand_for(value).filter(|_| involution && inner == op)?;
                Some(InstKind::Copy { dst, src })
            }
            InstKind::Binary { dst, op, lhs, rhs } => match (lhs, rhs) {
                (Operand::Const(_), Operand::Const(_)) => None,
                (Operand::Const(c), Operand::Reg(_)) if is_commutative(op) => {
                    Some(InstKind::Binary { dst, op, lhs: rhs, rhs: c.into() })
                }
                (_, Operand::Const(c)) => match c {
                    Constant::F32(_) | Constant::F64(_) => float_with_constant(dst, op, lhs, c),
                    Constant::Bool(b) => bool_with_constant(dst, op, lhs, b),
                    Constant::I32(_) | Constant::I64(_) => {
                        self.integer_with_constant(dst, op, lhs, c, location, before)
                    }
                    Constant::Ptr(_) => None,
                },
                _ => self.binary(dst, op, lhs, rhs, location, before),
            },
            InstKind::Compare { dst, op, ty, lhs, rhs } => self.compare(dst, op, ty, lhs, rhs),
            InstKind::Select { dst, condition, on_true, on_false } => {
                self.select(dst, condition, on_true, on_false)
            }
            InstKind::Convert { dst, op, src } => self.convert(dst, op, src),
            InstKind::Offset { dst, address } if address.index.is_none() && address.offset == 0 => {
                Some(InstKind::Copy { dst, src: address.base })
            }
            _ => None,
        }
    }

    fn expr_of(&mut self, operand: Operand) -> Expr {
        let value = self.value_of(operand);
        self.table.expr(value)
    }

    /// `!(a op b)` as one comparison. Because of NaN, there is none for `<` and `<=` of floats.
    fn invert(&mut self, dst: Reg, src: Operand) -> Option<InstKind> {
        let Expr::Compare(op, ty, l, r) = self.expr_of(src) else { return None };
        let (lhs, rhs) = (self.operand_for(l)?, self.operand_for(r)?);
        let (op, lhs, rhs) = match op {
            CompareOp::Eq => (CompareOp::Ne, lhs, rhs),
            CompareOp::Ne => (CompareOp::Eq, lhs, rhs),
            CompareOp::LtS => (CompareOp::LeS, rhs, lhs),
            CompareOp::LeS => (CompareOp::LtS, rhs, lhs),
            CompareOp::LtU => (CompareOp::LeU, rhs, lhs),
            CompareOp::LeU => (CompareOp::LtU, rhs, lhs),
            CompareOp::LtF | CompareOp::LeF => return None,
        };
        Some(InstKind::Compare { dst, op, ty, lhs, rhs })
    }

    /// Rules for two operands that are not constant.
    fn binary(
        &mut self,
        dst: Reg,
        op: BinaryOp,
        lhs: Operand,
        rhs: Operand,
        location: Location,
        before: &mut Region,
    ) -> Option<InstKind> {
        let ty = self.registers[dst.index()].ty;
        let integer = matches!(ty, Type::I32 | Type::I64);
        if lhs == rhs {
            return match op {
                BinaryOp::Sub | BinaryOp::Xor if !matches!(ty, Type::F32 | Type::F64) => {
                    Some(InstKind::Copy { dst, src: Constant::zero(ty).into() })
                }
                BinaryOp::And
                | BinaryOp::Or
                | BinaryOp::MinS
                | BinaryOp::MaxS
                | BinaryOp::MinU
                | BinaryOp::MaxU => Some(InstKind::Copy { dst, src: lhs }),
                _ => None,
            };
        }
        if !integer || !matches!(op, BinaryOp::Add | BinaryOp::Sub) {
            return None;
        }
        // (x + c) ± (y + d) = (x ± y) + (c ± d)
        let (l, r) = (self.value_of(lhs), self.value_of(rhs));
        let (left, right) = (self.table.split_constant(l), self.table.split_constant(r));
        if left.is_none() && right.is_none() {
            return None;
        }
        let zero = Constant::zero(ty);
        let (x, c) = left.unwrap_or((l, zero));
        let (y, d) = right.unwrap_or((r, zero));
        let (lhs, rhs) = (self.operand_for(x)?, self.operand_for(y)?);
        let sum = constant_folding::binary(op, c, d)?;
        let core = self.materialise(InstKind::Binary { dst, op, lhs, rhs }, ty, location, before);
        Some(InstKind::Binary { dst, op: BinaryOp::Add, lhs: core, rhs: sum.into() })
    }

    fn integer_with_constant(
        &mut self,
        dst: Reg,
        op: BinaryOp,
        lhs: Operand,
        c: Constant,
        location: Location,
        before: &mut Region,
    ) -> Option<InstKind> {
        let (number, bits) = (c.bits(), if c.ty() == Type::I32 { 32 } else { 64 });
        let constant = |bits| Constant::from_bits(c.ty(), bits);
        let all_ones = c == constant(u64::MAX);
        let same = Some(InstKind::Copy { dst, src: lhs });
        let zero = Some(InstKind::Copy { dst, src: constant(0).into() });
        let with = |op, rhs: u64| Some(InstKind::Binary { dst, op, lhs, rhs: constant(rhs).into() });
        let value = self.value_of(lhs);
        // Signed and unsigned division are the same for such operands.
        let non_negative = self.table.is_non_negative(value) && number <= i32::MAX as u64;
        match op {
            BinaryOp::Add | BinaryOp::Or | BinaryOp::Xor | BinaryOp::Sub if number == 0 => same,
            BinaryOp::Shl | BinaryOp::ShrS | BinaryOp::ShrU if number == 0 => same,
            BinaryOp::Mul | BinaryOp::DivS | BinaryOp::DivU if number == 1 => same,
            BinaryOp::Mul | BinaryOp::And if number == 0 => zero,
            BinaryOp::RemS | BinaryOp::RemU if number == 1 => zero,
            BinaryOp::Shl | BinaryOp::ShrU if number >= bits => zero,
            BinaryOp::And if all_ones => same,
            BinaryOp::Or if all_ones => Some(InstKind::Copy { dst, src: c.into() }),
            BinaryOp::Sub => Some(InstKind::Binary {
                dst,
                op: BinaryOp::Add,
                lhs,
                rhs: constant_folding::unary(UnaryOp::Neg, c)?.into(),
            }),
            // The rules for sums and addresses match products, not shifts.
            BinaryOp::Shl => with(BinaryOp::Mul, 1 << number),
            BinaryOp::DivU if number.is_power_of_two() => {
                with(BinaryOp::ShrU, u64::from(number.trailing_zeros()))
            }
            BinaryOp::RemU if number.is_power_of_two() => with(BinaryOp::And, number - 1),
            // A negative constant is less than any non-negative value.
            BinaryOp::MaxS if self.table.is_non_negative(value) && number >> (bits - 1) == 1 => same,
            BinaryOp::DivS if non_negative && number > 0 => with(BinaryOp::DivU, number),
            BinaryOp::RemS if non_negative && number > 0 => with(BinaryOp::RemU, number),
            BinaryOp::Add => {
                let (core, summand) = self.table.split_constant(value)?;
                let sum = constant_folding::binary(BinaryOp::Add, summand, c)?;
                Some(InstKind::Binary { dst, op, lhs: self.operand_for(core)?, rhs: sum.into() })
            }
            BinaryOp::Mul => self.scaled(dst, value, c, location, before),
            _ => None,
        }
    }

    /// `value · c`, for a value that is itself a product or a sum with a constant.
    fn scaled(
        &mut self,
        dst: Reg,
        value: ValueId,
        c: Constant,
        location: Location,
        before: &mut Region,
    ) -> Option<InstKind> {
        if let Expr::Binary(BinaryOp::Mul, core, factor) = self.table.expr(value) {
            // (x·f)·c = x·(f·c)
            let product = constant_folding::binary(BinaryOp::Mul, self.table.as_constant(factor)?, c)?;
            let lhs = self.operand_for(core)?;
            return Some(InstKind::Binary { dst, op: BinaryOp::Mul, lhs, rhs: product.into() });
        }
        // (x + s)·c = x·c + s·c
        let (core, summand) = self.table.split_constant(value)?;
        let product = constant_folding::binary(BinaryOp::Mul, summand, c)?;
        let (core, ty) = (self.operand_for(core)?, c.ty());
        let scaled = InstKind::Binary { dst, op: BinaryOp::Mul, lhs: core, rhs: c.into() };
        let lhs = self.materialise(scaled, ty, location, before);
        Some(InstKind::Binary { dst, op: BinaryOp::Add, lhs, rhs: product.into() })
    }

    fn compare(&mut self, dst: Reg, op: CompareOp, ty: Type, lhs: Operand, rhs: Operand) -> Option<InstKind> {
        let outcome = |truth| Some(InstKind::Copy { dst, src: Constant::Bool(truth).into() });
        if lhs == rhs && !ty.is_float() && matches!(lhs, Operand::Reg(_)) {
            return outcome(matches!(op, CompareOp::Eq | CompareOp::LeS | CompareOp::LeU));
        }
        let (l, r) = (self.value_of(lhs), self.value_of(rhs));
        match op {
            CompareOp::Eq | CompareOp::Ne if matches!((lhs, rhs), (Operand::Const(_), Operand::Reg(_))) => {
                Some(InstKind::Compare { dst, op, ty, lhs: rhs, rhs: lhs })
            }
            CompareOp::Eq | CompareOp::Ne => {
                let equal = op == CompareOp::Eq;
                if let Operand::Const(Constant::Bool(truth)) = rhs {
                    return Some(if truth == equal {
                        InstKind::Copy { dst, src: lhs }
                    } else {
                        InstKind::Unary { dst, op: UnaryOp::Not, src: lhs }
                    });
                }
                let Expr::Convert(Conversion::BoolToI32, truth) = self.table.expr(l) else { return None };
                let src = self.operand_for(truth)?;
                match (rhs, equal) {
                    (Operand::Const(Constant::I32(0)), false) | (Operand::Const(Constant::I32(1)), true) => {
                        Some(InstKind::Copy { dst, src })
                    }
                    (Operand::Const(Constant::I32(0)), true) | (Operand::Const(Constant::I32(1)), false) => {
                        Some(InstKind::Unary { dst, op: UnaryOp::Not, src })
                    }
                    (Operand::Const(_), _) => outcome(!equal),
                    (Operand::Reg(_), _) => None,
                }
            }
            CompareOp::LtU | CompareOp::LeU | CompareOp::LtS | CompareOp::LeS if ty == Type::I32 => {
                self.compare_ranges(op, l, r).and_then(outcome)
            }
            _ => None,
        }
    }

    /// The outcome of `l op r`, if the operands' ranges decide it.
    fn compare_ranges(&self, op: CompareOp, l: ValueId, r: ValueId) -> Option<bool> {
        let min = |value| self.table.as_constant(value).map_or(0, Constant::bits);
        let (l_max, r_max, l_min, r_min) = (self.table.max(l), self.table.max(r), min(l), min(r));
        let strict = matches!(op, CompareOp::LtU | CompareOp::LtS);
        if matches!(op, CompareOp::LtS | CompareOp::LeS) {
            let is_negative = |value| matches!(self.table.as_constant(value), Some(Constant::I32(x)) if x > i32::MAX as u32);
            match (self.table.is_non_negative(l), self.table.is_non_negative(r)) {
                (true, true) => {}
                (true, false) if is_negative(r) => return Some(false),
                (false, true) if is_negative(l) => return Some(true),
                _ => return None,
            }
        }
        match strict {
            true if l_max < r_min => Some(true),
            true if l_min >= r_max => Some(false),
            false if l_max <= r_min => Some(true),
            false if l_min > r_max => Some(false),
            _ => None,
        }
    }

    fn select(
        &mut self,
        dst: Reg,
        condition: Operand,
        on_true: Operand,
        on_false: Operand,
    ) -> Option<InstKind> {
        if on_true == on_false {
            return Some(InstKind::Copy { dst, src: on_true });
        }
        if let Operand::Const(Constant::Bool(truth)) = condition {
            return Some(InstKind::Copy { dst, src: if truth { on_true } else { on_false } });
        }
        match (on_true, on_false) {
            (Operand::Const(Constant::Bool(true)), Operand::Const(Constant::Bool(false))) => {
                return Some(InstKind::Copy { dst, src: condition });
            }
            (Operand::Const(Constant::Bool(false)), Operand::Const(Constant::Bool(true))) => {
                return Some(InstKind::Unary { dst, op: UnaryOp::Not, src: condition });
            }
            (Operand::Const(Constant::Bool(true)), rhs) => {
                return Some(InstKind::Binary { dst, op: BinaryOp::Or, lhs: condition, rhs });
            }
            (rhs, Operand::Const(Constant::Bool(false))) => {
                return Some(InstKind::Binary { dst, op: BinaryOp::And, lhs: condition, rhs });
            }
            _ => {}
        }
        match self.expr_of(condition) {
            Expr::Unary(UnaryOp::Not, value) => {
                let condition = self.operand_for(value)?;
                Some(InstKind::Select { dst, condition, on_true: on_false, on_false: on_true })
            }
            Expr::Compare(op, Type::I32 | Type::I64, l, r) => {
                let (min, max) = match op {
                    CompareOp::LtS | CompareOp::LeS => (BinaryOp::MinS, BinaryOp::MaxS),
                    CompareOp::LtU | CompareOp::LeU => (BinaryOp::MinU, BinaryOp::MaxU),
                    _ => return None,
                };
                let (on_true_value, on_false_value) = (self.value_of(on_true), self.value_of(on_false));
                let op = if (on_true_value, on_false_value) == (l, r) {
                    min
                } else if (on_true_value, on_false_value) == (r, l) {
                    max
                } else {
                    return None;
                };
                Some(InstKind::Binary { dst, op, lhs: on_true, rhs: on_false })
            }
            _ => None,
        }
    }

    fn convert(&mut self, dst: Reg, op: Conversion, src: Operand) -> Option<InstKind> {
        use Conversion::*;
        let value = self.value_of(src);
        let max = self.table.max(value);
        let fits = match op {
            Sign8 => max <= 0x7f,
            Zero8 => max <= 0xff,
            Sign16 => max <= 0x7fff,
            Zero16 => max <= 0xffff,
            _ => false,
        };
        if fits {
            return Some(InstKind::Copy { dst, src });
        }
        let Expr::Convert(inner, origin) = self.table.expr(value) else { return None };
        let is_inverse = matches!(
            (op, inner),
            (Truncate, SignExtend | ZeroExtend)
                | (BitsF32, F32Bits)
                | (F32Bits, BitsF32)
                | (BitsF64, F64Bits)
                | (F64Bits, BitsF64)
                | (PtrToI64, I64ToPtr)
                | (I64ToPtr, PtrToI64)
                | (F64ToF32, F32ToF64)
        );
        let is_repeated = op == inner && matches!(op, Sign8 | Zero8 | Sign16 | Zero16);
        if is_inverse {
            Some(InstKind::Copy { dst, src: self.operand_for(origin)? })
        } else if is_repeated {
            Some(InstKind::Copy { dst, src })
        } else {
            None
        }
    }
}

fn bool_with_constant(dst: Reg, op: BinaryOp, lhs: Operand, c: bool) -> Option<InstKind> {
    match (op, c) {
        (BinaryOp::And, true) | (BinaryOp::Or | BinaryOp::Xor, false) => {
            Some(InstKind::Copy { dst, src: lhs })
        }
        (BinaryOp::And, false) | (BinaryOp::Or, true) => {
            Some(InstKind::Copy { dst, src: Constant::Bool(c).into() })
        }
        (BinaryOp::Xor, true) => Some(InstKind::Unary { dst, op: UnaryOp::Not, src: lhs }),
        _ => None,
    }
}

/// Identities that hold for every float except for the payload of a NaN: x·1, x/1, x - 0, x + -0, and division by a
/// power of two, whose reciprocal is exact.
fn float_with_constant(dst: Reg, op: BinaryOp, lhs: Operand, c: Constant) -> Option<InstKind> {
    let (value, reciprocal) = match c {
        Constant::F32(bits) => {
            let x = f32::from_bits(bits);
            let r = x.recip();
            (f64::from(x), (bits.trailing_zeros() >= 23 && r.is_normal()).then(|| Constant::f32(r)))
        }
        Constant::F64(bits) => {
            let x = f64::from_bits(bits);
            let r = x.recip();
            (x, (bits.trailing_zeros() >= 52 && r.is_normal()).then(|| Constant::f64(r)))
        }
        _ => return None,
    };
    let negative_zero = value == 0.0 && value.is_sign_negative();
    let positive_zero = value == 0.0 && !value.is_sign_negative();
    let same = match op {
        BinaryOp::Mul | BinaryOp::MulRn | BinaryOp::DivF => value == 1.0,
        BinaryOp::Add | BinaryOp::AddRn => negative_zero,
        BinaryOp::Sub | BinaryOp::SubRn => positive_zero,
        _ => false,
    };
    if same {
        return Some(InstKind::Copy { dst, src: lhs });
    }
    if op == BinaryOp::DivF && value.is_normal() {
        // Never contracted, as the division would not have been.
        let rhs = reciprocal?.into();
        return Some(InstKind::Binary { dst, op: BinaryOp::MulRn, lhs, rhs });
    }
    None
}
