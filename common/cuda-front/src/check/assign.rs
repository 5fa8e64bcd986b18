//! Assignments and steps: what they do, and the objects that they are afterwards.

use super::conversion::Init;
use super::operators::{index_type, shift_count, suits};
use super::rank::Rank;
use super::resolve::Candidate;
use super::ty::{self, QTy, Ty};
use super::value::{Node, Value, assigned, choice};
use super::{Checker, Types, warn};
use crate::hir::{self, Expr, ExprKind, PlaceKind};
use crate::visit::{self, PartMut};
use cuda_syntax::ast::{self, BinaryOp, PostfixOp};
use source::{Code, Diagnostic, Span};
use std::sync::Arc;

/// Whether finding a place again gives the same object, whatever was evaluated in between.
fn is_fixed(place: &hir::Place) -> bool {
    match &place.kind {
        PlaceKind::Local(_) | PlaceKind::Global(_) => true,
        PlaceKind::Field { base, .. } => is_fixed(base),
        PlaceKind::Index { base, index } => is_fixed(base) && matches!(index.kind, ExprKind::Const(_)),
        PlaceKind::After { place, .. } => is_fixed(place),
        PlaceKind::Deref(pointer) => {
            matches!(&pointer.kind, ExprKind::AddressOf(place) if is_fixed(place))
        }
        PlaceKind::Temporary(_) => false,
    }
}

/// Whether evaluating the expression changes nothing.
pub(super) fn is_pure(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Const(_) | ExprKind::Null | ExprKind::Special(_) => true,
        ExprKind::Load(place) | ExprKind::AddressOf(place) => is_pure_place(place),
        ExprKind::Unary { operand, .. } | ExprKind::Convert { operand } | ExprKind::Bits { operand } => {
            is_pure(operand)
        }
        ExprKind::Binary { lhs, rhs, .. } | ExprKind::PointerAdd { pointer: lhs, count: rhs, .. } => {
            is_pure(lhs) && is_pure(rhs)
        }
        _ => false,
    }
}

pub(super) fn is_pure_place(place: &hir::Place) -> bool {
    match &place.kind {
        PlaceKind::Local(_) | PlaceKind::Global(_) => true,
        PlaceKind::Field { base, .. } => is_pure_place(base),
        PlaceKind::Index { base, index } => is_pure_place(base) && is_pure(index),
        PlaceKind::Deref(pointer) => is_pure(pointer),
        PlaceKind::After { .. } | PlaceKind::Temporary(_) => false,
    }
}

impl<'a> Checker<'a> {
    /// `a = b`, `a += b` and `++a` are objects in C++: the value as one, where it can be.
    pub(super) fn as_object(&mut self, v: Value) -> Value {
        let v = self.chosen_object(v);
        let Node::Rvalue(e) = &v.node else { return v };
        let Some(place) = assigned(e) else { return v };
        let value = match &e.kind {
            ExprKind::Assign { value, .. } => is_pure(value),
            ExprKind::CompoundAssign { by, .. } => is_pure(&by.value),
            ExprKind::PointerAssign { by, .. } => is_pure(&by.count),
            _ => true,
        };
        let once = value && is_pure_place(place);
        let (ty, is_volatile) = (place.ty.clone(), place.is_volatile);
        let (mut first, mut place) = (e.clone(), Box::new(place.clone()));
        if !is_fixed(&place) && !once {
            let object = self.once(Value { node: Node::Place(*place), ty: v.ty.clone(), span: v.span });
            let Node::Place(found) = object.node else { return Value::error(v.span) };
            let PlaceKind::After { place: again, .. } = &found.kind else { return Value::error(v.span) };
            place = again.clone();
            visit::parts_mut(&mut first, &mut |part| {
                if let PartMut::Place(assigned) = part {
                    *assigned = found.clone();
                }
            });
        }
        let kind = PlaceKind::After { first, place };
        let place = hir::Place { kind, ty, is_volatile, span: v.span };
        Value { node: Node::Place(place), ..v }
    }

    /// `c ? a : b` of two objects of a type is one of them: by its address, taken only where the object is needed.
    pub(super) fn chosen_object(&mut self, v: Value) -> Value {
        let Node::Rvalue(e) = &v.node else { return v };
        let Some((condition, a, b)) = choice(e) else { return v };
        self.one_of((condition, a, b), v.ty.ty.clone(), v.span)
    }

    /// One of two objects, as an object.
    pub(super) fn one_of(
        &mut self,
        (condition, a, b): (&hir::Expr, &hir::Place, &hir::Place),
        ty: Ty,
        span: Span,
    ) -> Value {
        let is_const = self.is_const_place(a) || self.is_const_place(b);
        let (of, is_volatile) = (a.ty.clone(), a.is_volatile || b.is_volatile);
        let pointee = hir::Pointee { ty: of.clone(), is_const, is_volatile };
        let pointer = hir::Type::Pointer(Arc::new(pointee));
        let address = |place: &hir::Place| {
            let kind = ExprKind::AddressOf(place.clone());
            Box::new(hir::Expr { kind, ty: pointer.clone(), span: place.span })
        };
        let kind = ExprKind::Conditional {
            condition: Box::new(condition.clone()),
            then: address(a),
            otherwise: address(b),
        };
        let chosen = hir::Expr { kind, ty: pointer.clone(), span };
        let place = hir::Place { kind: PlaceKind::Deref(Box::new(chosen)), ty: of, is_volatile, span };
        Value { node: Node::Place(place), ty: QTy { ty, is_const, is_volatile }, span }
    }

    fn is_const_place(&self, place: &hir::Place) -> bool {
        match &place.kind {
            PlaceKind::Local(id) => self.body.infos[id.0 as usize].q.is_const,
            PlaceKind::Global(id) => self
                .variables
                .by_global
                .get(id)
                .is_none_or(|var| self.variables.all[var.0 as usize].q.is_const),
            PlaceKind::Index { base, .. } | PlaceKind::Field { base, .. } => self.is_const_place(base),
            PlaceKind::After { place, .. } => self.is_const_place(place),
            PlaceKind::Deref(e) => matches!(&e.ty, hir::Type::Pointer(to) if to.is_const),
            PlaceKind::Temporary(_) => true,
        }
    }

    /// `e++` and the like.
    pub(super) fn postfix(&mut self, op: PostfixOp, operand: &'a ast::Expr, span: Span) -> Value {
        let v = self.expr(operand);
        if v.ty.ty.is_struct() {
            let name = if op == PostfixOp::Increment { "operator++" } else { "operator--" };
            let zero = self.types.make_int(0, span);
            if let Some(v) = self.user_operator(name, &[&v, &zero], span) {
                return v;
            }
        }
        self.step(v, if op == PostfixOp::Increment { 1 } else { -1 }, true, span)
    }

    pub(super) fn step(&mut self, v: Value, by: i32, postfix: bool, span: Span) -> Value {
        if v.is_error() {
            return Value::error(span);
        }
        if matches!(v.node, Node::Bits(_)) {
            return self.step_bits(v, by, postfix, span);
        }
        let v = self.as_stepped(v, span);
        let q = v.ty.clone();
        let steps = match &q.ty {
            Ty::Int(_) | Ty::Float | Ty::Double => true,
            // Gone since C++17, but nvcc takes it.
            Ty::Bool => by > 0,
            Ty::Pointer(to) => !self.pointee_incomplete(&to.ty.clone(), span),
            _ => false,
        };
        if !steps {
            let (name, s) = (self.types.spell(&q), if by > 0 { "++" } else { "--" });
            self.sink.wrong(Code::InvalidOperands, format!("`{s}` does not take `{name}`"), span);
            return Value::error(span);
        }
        if q.ty.is_wide() {
            return self.wide_step(v, by, postfix, span);
        }
        let Some(place) = self.assignable(v, span) else { return Value::error(span) };
        self.types.make(ExprKind::Step { place, by, postfix }, q.ty, span)
    }

    /// `a = b` and `a op= b`.
    pub(super) fn assign(
        &mut self,
        op: Option<BinaryOp>,
        op_span: Span,
        lhs: &'a ast::Expr,
        rhs: &'a ast::Expr,
        span: Span,
    ) -> Value {
        let l = self.expr(lhs);
        if let (ast::ExprKind::Braces(items), None) = (&rhs.kind, op) {
            if l.is_error() {
                return Value::error(span);
            }
            if let Ty::Struct(class) = l.ty.ty {
                let list = self.scopes.functions_in(self.types.class(class).scope, "operator=");
                if list.iter().any(|f| self.takes_list(*f)) {
                    self.sink.unsupported("an assignment that takes a `std::initializer_list`", rhs.span);
                    return Value::error(span);
                }
            }
            let q = QTy::plain(l.ty.ty.clone());
            let r = self.list_value(&q, items, rhs.span, Init::Copy);
            return self.assign_values(None, op_span, l, r, span);
        }
        let r = if l.ty.ty.is_arithmetic() { self.expr(rhs) } else { self.expr_or_function(rhs) };
        if l.is_error() || r.is_error() {
            return Value::error(span);
        }
        if let (None, Ty::Struct(class), true) = (op, &l.ty.ty, l.ty.ty == r.ty.ty)
            && let Some((member, declared)) = self.fixed_member(*class, false)
        {
            let name = self.types.layout(*class).name.clone();
            let title = format!("`{name}` has no assignment: its member `{member}` cannot be changed");
            let d = Diagnostic::new(Code::DeletedFunction, title).label(op_span, "assigned here");
            self.sink.push(d.label(declared, "a constant or a reference"));
            return Value::error(span);
        }
        match op {
            Some(_) => warn::double_literal(self, (lhs, &l), (rhs, &r), op_span),
            None => warn::assigned_sign(self, op_span, rhs),
        }
        self.assign_values(op, op_span, l, r, span)
    }

    pub(super) fn assign_values(
        &mut self,
        op: Option<BinaryOp>,
        op_span: Span,
        l: Value,
        r: Value,
        span: Span,
    ) -> Value {
        if matches!(l.node, Node::Bits(_)) {
            return self.assign_bits(op, op_span, l, r, span);
        }
        let may_have_own = |v: &Value| matches!(v.ty.ty, Ty::Struct(_) | Ty::Enum(_));
        if l.ty.ty.is_struct() || (op.is_some() && (may_have_own(&l) || may_have_own(&r))) {
            let name = format!("operator{}=", op.map_or("", BinaryOp::spelling));
            let found = self.operator_function(&name, &[&l, &r]);
            let user = found.filter(|own| op.is_some() || !self.types.copies_better(own, &l, &r));
            let user = user.map(|own| self.call_operator(own, vec![l.clone(), r.clone()], span));
            match (user, op) {
                (Some(v), _) => return v,
                (None, Some(op)) if l.ty.ty.is_struct() => {
                    let object = self.as_stepped(l.clone(), span);
                    if object.ty.ty.is_struct() {
                        return self.no_operator(op, op_span, &l, &r, span);
                    }
                    return self.compound(op, op_span, object, r, span);
                }
                (None, Some(_)) => {}
                (None, None) => {
                    if let Some(v) = self.assign_members(&l, &r, op_span, span) {
                        return v;
                    }
                }
            }
        }
        let q = l.ty.clone();
        let Some(op) = op else {
            // The bytes are copied, whatever the copy constructor does.
            let r = if r.ty.ty == q.ty && q.ty.is_struct() { self.rvalue(r) } else { r };
            let value = self.convert(r, &QTy::plain(q.ty.clone()), "in this assignment");
            let Some(place) = self.assignable(l, span) else { return Value::error(span) };
            if value.is_error() {
                return Value::error(span);
            }
            let value = self.expr_of(value);
            warn::assigned_fraction(self, op_span, &place, &value);
            return self.types.make(ExprKind::Assign { place, value }, q.ty, span);
        };
        self.compound(op, op_span, l, r, span)
    }

    /// Whether assigning an object of the class is more than copying its bytes.
    fn needs_assignment(&self, s: hir::StructId) -> bool {
        let own = self.scopes.scope(self.types.class(s).scope).names.get("operator=");
        let user = own.is_some_and(|entry| match &entry.symbol {
            super::scopes::Symbol::Functions(list) => {
                list.iter().any(|f| !self.functions.func(*f).source.is_defaulted())
            }
            _ => false,
        });
        user || self.types.class(s).is_polymorphic
            || self.types.class(s).fields.iter().any(|f| {
                !f.is_reference && matches!(f.q.ty.innermost(), Ty::Struct(t) if self.needs_assignment(*t))
            })
    }

    /// `a = b` of a class some of whose members have an assignment of their own.
    fn assign_members(&mut self, l: &Value, r: &Value, op_span: Span, span: Span) -> Option<Value> {
        let Ty::Struct(s) = l.ty.ty else { return None };
        let is_polymorphic = self.types.class(s).is_polymorphic;
        let inside = is_polymorphic
            || self.types.class(s).fields.iter().any(|f| {
                !f.is_reference && matches!(f.q.ty.innermost(), Ty::Struct(t) if self.needs_assignment(*t))
            });
        let is_part =
            is_polymorphic && matches!(r.ty.ty, Ty::Struct(from) if self.types.base_path(from, s).is_some());
        if !inside || (r.ty.ty != l.ty.ty && !is_part) {
            return None;
        }
        let r = match &r.node {
            Node::Rvalue(e) => {
                let kind = PlaceKind::Temporary(e.clone());
                self.types.make_place(kind, r.ty.clone(), r.span)
            }
            _ => r.clone(),
        };
        let r = self.base_object(r, &l.ty.ty);
        let (l, r) = (self.once(l.clone()), self.once(r));
        let mut all: Option<Value> = None;
        // An object keeps its table: it is of the same class as before.
        for i in (0..self.types.class(s).fields.len() as u32)
            .filter(|i| !self.types.is_table(s, *i as usize))
            .collect::<Vec<_>>()
        {
            let (to, from) =
                (self.types.raw_field(l.clone(), i, span), self.types.raw_field(r.clone(), i, span));
            if matches!(to.ty.ty, Ty::Array(..)) {
                self.sink.unsupported(
                    "assignment of a class that has an array and its own assignment inside",
                    span,
                );
                return Some(Value::error(span));
            }
            let one = self.assign_values(None, op_span, to, from, span);
            let one = self.rvalue_for_effect(one);
            all = Some(match all {
                Some(before) => self.comma(before, one, span),
                None => one,
            });
        }
        let nothing = self.types.make_int(0, span);
        let first = self.expr_of(all.unwrap_or(nothing));
        let Node::Place(place) = l.node else { return None };
        let place = Box::new(place);
        Some(self.types.make_place(PlaceKind::After { first, place }, l.ty, span))
    }

    fn compound(&mut self, op: BinaryOp, op_span: Span, l: Value, r: Value, span: Span) -> Value {
        let q = l.ty.clone();
        let r =
            self.as_built_in(r, |t| if q.ty.is_arithmetic() { t.is_arithmetic() } else { t.is_integral() });
        if q.ty.is_pointer() && matches!(op, BinaryOp::ADD | BinaryOp::SUB) && self.types.is_count(&r.ty.ty) {
            let r = self.unscoped(r);
            let to = index_type(&r.ty.ty);
            let count = *self.convert_expr(r, &QTy::plain(to), "");
            let Some(place) = self.assignable(l, span) else { return Value::error(span) };
            let by = Box::new(hir::Offset { count, negative: op == BinaryOp::SUB });
            return self.types.make(ExprKind::PointerAssign { place, by }, q.ty, span);
        }
        let r = self.unscoped(r);
        let BinaryOp::Arithmetic(hop) = op else { return Value::error(span) };
        if !suits(hop, &q.ty) || !suits(hop, &r.ty.ty) {
            return self.no_operator(op, op_span, &l, &r, span);
        }
        let shift = matches!(hop, hir::BinaryOp::Shl | hir::BinaryOp::Shr);
        let compute = if shift { q.ty.promoted() } else { ty::usual(&q.ty, &r.ty.ty) };
        if compute.is_wide() || q.ty.is_wide() {
            return self.wide_compound((op, op_span), l, r, span);
        }
        let right = if shift { shift_count(&compute, &r.ty.ty) } else { compute.clone() };
        let r = self.convert(r, &QTy::plain(right), "");
        self.goes_to(&r, &q.ty);
        if r.is_error() {
            return r;
        }
        warn::divisor(self, hop, r.constant(), op_span);
        let value = *self.expr_of(r);
        if matches!(hop, hir::BinaryOp::Add | hir::BinaryOp::Sub) && matches!(q.ty, Ty::Int(_)) {
            warn::added_fraction(self, op_span, &QTy::plain(q.ty.clone()), &value);
        }
        let Some(place) = self.assignable(l, span) else { return Value::error(span) };
        let compute = self.types.hir_type(&compute);
        let by = Box::new(hir::Update { op: hop, compute, value });
        self.types.make(ExprKind::CompoundAssign { place, by }, q.ty, span)
    }

    fn not_assignable(&mut self, v: &Value) {
        let text = self.map.text(v.span);
        let builtin = ["threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize"];
        let d = match builtin.iter().find(|b| text.starts_with(**b)) {
            Some(name) => Diagnostic::new(Code::AssignToBuiltin, format!("`{name}` cannot be changed"))
                .label(v.span, "set by the launch")
                .help("copy it into a variable of your own, and change the copy"),
            None => {
                let title = "this is a value, not a variable: it cannot be assigned";
                Diagnostic::new(Code::NotAssignable, title).label(v.span, "")
            }
        };
        self.sink.push(d);
    }

    /// The place of something that may be changed; an error if it may not.
    pub(super) fn assignable(&mut self, v: Value, span: Span) -> Option<hir::Place> {
        let v = self.as_object(v);
        if v.is_error() {
            return None;
        }
        let Node::Place(place) = v.node else {
            if let Node::Rvalue(e) = &v.node
                && matches!(e.kind, ExprKind::Conditional { .. })
            {
                self.sink.unsupported("assignment to `?:`", v.span);
                return None;
            }
            self.not_assignable(&v);
            return None;
        };
        if let Ty::Array(..) = v.ty.ty {
            self.sink.wrong(Code::NotAssignable, "an array as a whole cannot be assigned", v.span);
            return None;
        }
        if let Some(global) = super::value::root_global(&place)
            && let Some(var) = self.variables.by_global.get(&global)
            && self.variables.all[var.0 as usize].kind == super::VarKind::Constant
        {
            let (name, declared) =
                (self.variables.all[var.0 as usize].name.clone(), self.variables.all[var.0 as usize].span);
            self.sink.push(
                Diagnostic::new(Code::ConstantMemoryWrite, format!("`{name}` is in constant memory"))
                    .label(span, "device code cannot write to it")
                    .label(declared, "declared `__constant__` here")
                    .help(
                        "the host sets it with `cudaMemcpyToSymbol`; use `__device__` for variables that kernels write",
                    ),
            );
            return None;
        }
        if v.ty.is_const {
            let declared = crate::visit::root_local(&place)
                .map(|l| (self.body.locals[l.0 as usize].name.clone(), self.body.locals[l.0 as usize].span));
            let spelled = self.types.spell(&v.ty);
            let mut d =
                Diagnostic::new(Code::AssignToConst, format!("this is `{spelled}`: it cannot be changed"))
                    .label(v.span, "");
            if let Some((name, at)) = declared
                && !name.is_empty()
            {
                d = d.label(at, format!("`{name}` is declared here"));
            }
            self.sink.push(d);
            return None;
        }
        Some(place)
    }
}

impl<'a> Types<'a> {
    /// Whether the assignment that each class has takes the right operand better than the user's: as it is, where the user's
    /// would convert it.
    fn copies_better(&self, own: &Candidate, l: &Value, r: &Value) -> bool {
        let same = matches!((&r.ty.ty, &l.ty.ty), (Ty::Struct(from), Ty::Struct(to)) if self.base_path(*from, *to).is_some());
        same && own.ranks.get(1).is_some_and(Rank::is_user)
    }
}
