//! Expressions with a value. Assignments are in [`super::assign`], built-in functions in [`super::intrinsic`].

use super::builder::{Lowerer, Target, Value};
use super::{layout, visit};
use crate::hir::{BinaryOp, CompareOp, Const, Expr, ExprKind, IntType, Place, Type, UnaryOp};
use simt_ir::{
    BinaryOp as IrOp, CompareOp as IrCompare, Constant, Conversion, GlobalIndex, InstKind, Node, Operand,
    Region,
};
use smallvec::smallvec;

impl Lowerer<'_> {
    /// The leaves of the expression's value.
    pub(super) fn expr(&mut self, expr: &Expr) -> Value {
        self.at(expr.span, |s| s.expr_here(expr))
    }

    /// The value of a scalar expression.
    pub(super) fn scalar(&mut self, expr: &Expr) -> Operand {
        let value = self.expr(expr);
        value.first().copied().unwrap_or_else(|| Constant::zero(layout::register(&expr.ty)).into())
    }

    /// Two scalars, left to right.
    pub(super) fn pair(&mut self, lhs: &Expr, rhs: &Expr) -> (Operand, Operand) {
        let left = self.scalar(lhs);
        let left = if visit::writes_variables(rhs) { self.snapshot(left) } else { left };
        (left, self.scalar(rhs))
    }

    fn expr_here(&mut self, expr: &Expr) -> Value {
        match &expr.kind {
            ExprKind::Const(constant) => smallvec![const_operand(*constant)],
            ExprKind::Null => smallvec![Constant::Ptr(0).into()],
            ExprKind::Str(text) => {
                let number = self.tables.literal(text);
                let global = GlobalIndex((self.program.globals.len() + number) as u32);
                smallvec![self.address_of(simt_ir::VariableRef::Global(global))]
            }
            ExprKind::Load(place) => {
                let target = self.place(place, false);
                self.at(place.span, |s| s.load(&target, &place.ty))
            }
            ExprKind::AddressOf(_) | ExprKind::PointerAdd { .. } => {
                let address = self.address(expr);
                smallvec![self.pointer(address)]
            }
            ExprKind::Assign { place, value } => self.assign(place, value),
            ExprKind::CompoundAssign { place, by } => self.compound_assign(place, by),
            ExprKind::PointerAssign { place, by } => self.pointer_assign(place, by),
            ExprKind::Step { place, by, postfix } => self.step(place, *by, *postfix),
            ExprKind::Unary { op, operand } => smallvec![self.negate(*op, operand)],
            ExprKind::Binary { op, lhs, rhs } => {
                let (left, right) = self.pair(lhs, rhs);
                smallvec![self.arithmetic(*op, &expr.ty, left, right, &rhs.ty)]
            }
            ExprKind::Compare { op, lhs, rhs } => smallvec![self.comparison(*op, lhs, rhs)],
            ExprKind::And { lhs, rhs } => smallvec![self.short_circuit(lhs, rhs, true)],
            ExprKind::Or { lhs, rhs } => smallvec![self.short_circuit(lhs, rhs, false)],
            ExprKind::Conditional { condition, then, otherwise } => {
                self.conditional(condition, then, otherwise, &expr.ty)
            }
            ExprKind::Comma { first, second } => {
                self.effect(first);
                self.expr(second)
            }
            ExprKind::Convert { operand } => self.converted(operand, &expr.ty),
            ExprKind::Bits { operand } => self.reinterpreted(operand, &expr.ty),
            ExprKind::PointerDifference { lhs, rhs } => smallvec![self.pointer_difference(lhs, rhs)],
            ExprKind::Struct(values) => self.aggregate(values, &expr.ty),
            ExprKind::Field { value, field } => self.field_of_value(value, *field),
            ExprKind::Call { function, arguments } => self.call(*function, arguments),
            ExprKind::Special(value) => {
                let value = *value;
                smallvec![self.computed(simt_ir::Type::I32, |dst| InstKind::Special { dst, value })]
            }
            ExprKind::Intrinsic { intrinsic, arguments } => {
                self.intrinsic(*intrinsic, arguments, &expr.ty, true)
            }
        }
    }

    /// Evaluates for the effect alone.
    pub(super) fn effect(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Intrinsic { intrinsic, arguments } => {
                self.at(expr.span, |s| s.intrinsic(*intrinsic, arguments, &expr.ty, false));
            }
            ExprKind::Step { place, by, postfix: _ } => {
                self.at(expr.span, |s| s.step(place, *by, false));
            }
            ExprKind::Convert { operand } if expr.ty == Type::Void => self.effect(operand),
            ExprKind::Comma { first, second } => {
                self.effect(first);
                self.effect(second);
            }
            _ => drop(self.expr(expr)),
        }
    }

    fn converted(&mut self, operand: &Expr, to: &Type) -> Value {
        if *to == Type::Void {
            self.effect(operand);
            return Value::new();
        }
        let value = self.expr(operand);
        match value.as_slice() {
            [scalar] if layout::memory(to).is_some() => smallvec![self.convert(*scalar, &operand.ty, to)],
            _ => value,
        }
    }

    fn reinterpreted(&mut self, operand: &Expr, to: &Type) -> Value {
        let value = self.expr(operand);
        match value.as_slice() {
            [scalar] if layout::memory(&operand.ty).is_some() && layout::memory(to).is_some() => {
                smallvec![self.bits(*scalar, &operand.ty, to)]
            }
            _ => {
                // Bytes of an aggregate mean something else only in memory, which must be aligned for both readings.
                let align = layout::align_of(self.program, to);
                let object = self.fresh("", &operand.ty, true, align, operand.span);
                self.store(&object, &operand.ty, &value);
                self.load(&object, to)
            }
        }
    }

    fn negate(&mut self, op: UnaryOp, operand: &Expr) -> Operand {
        let value = self.scalar(operand);
        let op = match op {
            UnaryOp::Neg => simt_ir::UnaryOp::Neg,
            UnaryOp::BitNot | UnaryOp::Not => simt_ir::UnaryOp::Not,
        };
        self.unary(op, self.type_of(value), value)
    }

    /// `lhs op rhs` in type `ty`; a shift count has a type of its own.
    pub(super) fn arithmetic(
        &mut self,
        op: BinaryOp,
        ty: &Type,
        lhs: Operand,
        rhs: Operand,
        rhs_ty: &Type,
    ) -> Operand {
        let register = layout::register(ty);
        let float = matches!(ty, Type::Float | Type::Double);
        let signed = layout::is_signed(ty);
        let op = match op {
            BinaryOp::Add => IrOp::Add,
            BinaryOp::Sub => IrOp::Sub,
            BinaryOp::Mul => IrOp::Mul,
            BinaryOp::Div if float => IrOp::DivF,
            BinaryOp::Div if signed => IrOp::DivS,
            BinaryOp::Div => IrOp::DivU,
            BinaryOp::Rem if signed => IrOp::RemS,
            BinaryOp::Rem => IrOp::RemU,
            BinaryOp::And => IrOp::And,
            BinaryOp::Or => IrOp::Or,
            BinaryOp::Xor => IrOp::Xor,
            BinaryOp::Shl => IrOp::Shl,
            BinaryOp::Shr if signed => IrOp::ShrS,
            BinaryOp::Shr => IrOp::ShrU,
        };
        let rhs = match op {
            IrOp::Shl | IrOp::ShrS | IrOp::ShrU => self.convert(rhs, rhs_ty, &same_width_int(register)),
            _ => rhs,
        };
        self.binary(op, register, lhs, rhs)
    }

    fn comparison(&mut self, op: CompareOp, lhs: &Expr, rhs: &Expr) -> Operand {
        let (mut left, mut right) = self.pair(lhs, rhs);
        let mut ty = layout::register(&lhs.ty);
        let equality = matches!(op, CompareOp::Eq | CompareOp::Ne);
        if ty == simt_ir::Type::Bool && !equality {
            left = self.conversion(Conversion::BoolToI32, left);
            right = self.conversion(Conversion::BoolToI32, right);
            ty = simt_ir::Type::I32;
        }
        if matches!(op, CompareOp::Gt | CompareOp::Ge) {
            std::mem::swap(&mut left, &mut right);
        }
        let float = matches!(lhs.ty, Type::Float | Type::Double);
        let signed = layout::is_signed(&lhs.ty);
        let op = match op {
            CompareOp::Eq => IrCompare::Eq,
            CompareOp::Ne => IrCompare::Ne,
            CompareOp::Lt | CompareOp::Gt if float => IrCompare::LtF,
            CompareOp::Lt | CompareOp::Gt if signed => IrCompare::LtS,
            CompareOp::Lt | CompareOp::Gt => IrCompare::LtU,
            CompareOp::Le | CompareOp::Ge if float => IrCompare::LeF,
            CompareOp::Le | CompareOp::Ge if signed => IrCompare::LeS,
            CompareOp::Le | CompareOp::Ge => IrCompare::LeU,
        };
        self.compare(op, ty, left, right)
    }

    /// Whether the expression can be evaluated where its value may not be wanted.
    pub(super) fn is_cheap(&self, expr: &Expr) -> bool {
        visit::is_cheap(expr, &|place: &Place| {
            crate::visit::root_local(place).is_some_and(|local| {
                let function = self.frame.function.0 as usize;
                let bound = &self.frame.locals[local.0 as usize];
                let automatic =
                    self.function().locals[local.0 as usize].storage == crate::hir::Storage::Automatic;
                match bound {
                    Some(target) => matches!(target, Target::Registers(_)),
                    None => automatic && !self.scans[function].in_memory[local.0 as usize],
                }
            })
        })
    }

    fn short_circuit(&mut self, lhs: &Expr, rhs: &Expr, and: bool) -> Operand {
        let left = self.scalar(lhs);
        if self.is_cheap(rhs) {
            let right = self.scalar(rhs);
            let op = if and { IrOp::And } else { IrOp::Or };
            return self.binary(op, simt_ir::Type::Bool, left, right);
        }
        let dst = self.variable(simt_ir::Type::Bool, None);
        self.copy(dst, left);
        let right = self.nested(|s| {
            let right = s.scalar(rhs);
            s.copy(dst, right);
        });
        let (then, otherwise) = if and { (right, Region::new()) } else { (Region::new(), right) };
        let location = self.location;
        self.push(Node::If { condition: dst.into(), then, otherwise, location });
        dst.into()
    }

    fn conditional(&mut self, condition: &Expr, then: &Expr, otherwise: &Expr, ty: &Type) -> Value {
        let condition = self.scalar(condition);
        let scalar = layout::memory(ty).is_some();
        if scalar && self.is_cheap(then) && self.is_cheap(otherwise) {
            let (on_true, on_false) = (self.scalar(then), self.scalar(otherwise));
            let select = |dst| InstKind::Select { dst, condition, on_true, on_false };
            return smallvec![self.computed(layout::register(ty), select)];
        }
        let leaves = layout::leaves(self.program, ty);
        let result = self.variables("", &leaves);
        let side = |s: &mut Self, expr: &Expr| {
            s.nested(|s| {
                let value = s.expr(expr);
                s.copy_all(&result, &value);
            })
        };
        let then = side(self, then);
        let otherwise = side(self, otherwise);
        let location = self.location;
        self.push(Node::If { condition, then, otherwise, location });
        result.into_iter().map(Operand::Reg).collect()
    }

    fn pointer_difference(&mut self, lhs: &Expr, rhs: &Expr) -> Operand {
        let i64 = simt_ir::Type::I64;
        let (left, right) = self.pair(lhs, rhs);
        let left = self.conversion(Conversion::PtrToI64, left);
        let right = self.conversion(Conversion::PtrToI64, right);
        let bytes = self.binary(IrOp::Sub, i64, left, right);
        match self.pointee_size(&lhs.ty).max(1) {
            1 => bytes,
            size => self.binary(IrOp::DivS, i64, bytes, Constant::I64(size).into()),
        }
    }

    fn aggregate(&mut self, values: &[Expr], ty: &Type) -> Value {
        if let Type::Struct(id) = ty
            && self.program.structs[id.0 as usize].is_union
        {
            return self.union(values, ty);
        }
        let mut leaves = Value::new();
        let last_write = values.iter().rposition(visit::writes_variables);
        for (number, value) in values.iter().enumerate() {
            let later = last_write > Some(number);
            let value = self.expr(value);
            leaves.extend(self.snapshot_before(value, later));
        }
        leaves
    }

    /// A union's value is its bytes: written as its first field, read as units.
    fn union(&mut self, values: &[Expr], ty: &Type) -> Value {
        let span = values.first().map_or(self.function().span, |v| v.span);
        let object = self.fresh("", ty, true, 0, span);
        let zeros = self.zeros(ty);
        self.store(&object, ty, &zeros);
        if let Some(first) = values.first() {
            let value = self.expr(first);
            self.store(&object, &first.ty, &value);
        }
        self.load(&object, ty)
    }

    fn field_of_value(&mut self, value: &Expr, field: u32) -> Value {
        let leaves = self.expr(value);
        let Type::Struct(id) = value.ty else { return leaves };
        let layout = &self.program.structs[id.0 as usize];
        if layout.is_union {
            let object = self.fresh("", &value.ty, true, 0, value.span);
            self.store(&object, &value.ty, &leaves);
            let field = &layout.fields[field as usize];
            return self.load(&Self::moved(&object, field.offset), &field.ty);
        }
        leaves.get(layout::field_leaves(self.program, id, field)).unwrap_or_default().into()
    }
}

fn const_operand(constant: Const) -> Operand {
    let constant = match constant {
        Const::Bool(value) => Constant::Bool(value),
        Const::Int(value, ty) if ty.bits() == 64 => Constant::I64(value as u64),
        Const::Int(value, _) => Constant::I32(value as u32),
        Const::Float(value) => Constant::f32(value),
        Const::Double(value) => Constant::f64(value),
    };
    constant.into()
}

/// An integer type as wide as the register.
fn same_width_int(register: simt_ir::Type) -> Type {
    Type::Int(if register == simt_ir::Type::I64 { IntType::Long } else { IntType::Int })
}
