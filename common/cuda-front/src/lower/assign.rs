//! Assignments. The right side is evaluated before the left, as C++17 has it, and the place once.

use super::builder::{Lowerer, Target, Value};
use super::{layout, visit};
use crate::hir::{Expr, Offset, Place, Type, Update};
use simt_ir::{Address, BinaryOp as IrOp, Constant, Operand};
use smallvec::smallvec;

impl Lowerer<'_> {
    /// `place = value`; gives what was stored.
    pub(super) fn assign(&mut self, place: &Place, value: &Expr) -> Value {
        let value = self.expr(value);
        let value = self.snapshot_before(value, visit::place_writes_variables(place));
        let target = self.place(place, false);
        self.write(&target, &place.ty, value)
    }

    /// Stores; gives the object's value from now on.
    fn write(&mut self, target: &Target, ty: &Type, value: Value) -> Value {
        self.store(target, ty, &value);
        match target {
            Target::Registers(registers) => registers.iter().map(|r| Operand::Reg(*r)).collect(),
            Target::Memory(_) => value,
        }
    }

    fn read_scalar(&mut self, target: &Target, place: &Place) -> Operand {
        let value = self.at(place.span, |s| s.load(target, &place.ty));
        value.first().copied().unwrap_or_else(|| Constant::zero(layout::register(&place.ty)).into())
    }

    /// `place op= value`.
    pub(super) fn compound_assign(&mut self, place: &Place, by: &Update) -> Value {
        let Update { op, compute, value } = by;
        let rhs = self.scalar(value);
        let rhs = if visit::place_writes_variables(place) { self.snapshot(rhs) } else { rhs };
        let target = self.place(place, false);
        let old = self.read_scalar(&target, place);
        let old = self.convert(old, &place.ty, compute);
        let new = self.arithmetic(*op, compute, old, rhs, &value.ty);
        let new = self.convert(new, compute, &place.ty);
        self.write(&target, &place.ty, smallvec![new])
    }

    /// `place += count` on a pointer.
    pub(super) fn pointer_assign(&mut self, place: &Place, by: &Offset) -> Value {
        let target = self.place(place, false);
        let target = if visit::writes_variables(&by.count) { self.pin(target) } else { target };
        let base = self.read_scalar(&target, place);
        let scale = self.pointee_size(&place.ty);
        let address = Address { base, index: None, offset: 0 };
        let address = self.add_index(address, &by.count, scale, by.negative, false);
        let new = self.pointer(address);
        self.write(&target, &place.ty, smallvec![new])
    }

    /// `++place` and the like.
    pub(super) fn step(&mut self, place: &Place, by: i32, postfix: bool) -> Value {
        let target = self.place(place, false);
        let old = self.read_scalar(&target, place);
        let old = if postfix { self.snapshot(old) } else { old };
        let new = match &place.ty {
            Type::Pointer(_) => {
                let offset = (self.pointee_size(&place.ty) as i64).wrapping_mul(i64::from(by));
                self.pointer(Address { base: old, index: None, offset })
            }
            Type::Int(int) => {
                let one = Constant::from_bits(self.type_of(old), i64::from(by) as u64);
                let sum = self.binary(IrOp::Add, one.ty(), old, one.into());
                let wide = if int.bits() == 64 { *int } else { crate::hir::IntType::Int };
                self.convert(sum, &Type::Int(wide), &place.ty)
            }
            Type::Float => self.binary(IrOp::Add, simt_ir::Type::F32, old, Constant::f32(by as f32).into()),
            Type::Double => self.binary(IrOp::Add, simt_ir::Type::F64, old, Constant::f64(by.into()).into()),
            Type::Bool => Constant::Bool(true).into(),
            Type::Void | Type::Array(..) | Type::Struct(_) | Type::Texture => old,
        };
        let stored = self.write(&target, &place.ty, smallvec![new]);
        if postfix { smallvec![old] } else { stored }
    }
}
