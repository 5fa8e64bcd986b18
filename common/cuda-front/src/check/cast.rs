//! Explicit conversions.

use super::Checker;
use super::Types;
use super::conversion::Init;
use super::ty::{DeclTy, QTy, Ty};
use super::value::{Node, Value};
use crate::hir::{ExprKind, PlaceKind};
use cuda_syntax::ast::NamedCast;
use source::{Code, Span};

impl<'a> Checker<'a> {
    /// A C cast, which tries the named ones in turn, or `T(e)`.
    pub(super) fn c_cast(&mut self, v: Value, to: &DeclTy, span: Span) -> Value {
        if v.is_error() || to.q.ty.has_error() {
            return Value::error(span);
        }
        if to.reference.is_some() {
            return self.reference_cast(v, to, true, span);
        }
        if to.q.ty == Ty::Void {
            let mut v = self.rvalue_for_effect(v);
            v.span = span;
            return v;
        }
        match self.opt_static_cast(v.clone(), &to.q, span) {
            Some(v) => v,
            None => self.reinterpret(v, &to.q, true, span),
        }
    }

    fn opt_static_cast(&mut self, v: Value, to: &QTy, span: Span) -> Option<Value> {
        if let (Ty::Struct(s), false) = (&to.ty, matches!(v.ty.ty, Ty::Braces(_))) {
            return Some(self.construct_class(*s, vec![v], span));
        }
        self.can_static_cast(&v, to).then(|| self.static_cast(v, to, span))
    }

    /// `static_cast` and the like.
    pub(super) fn named_cast(&mut self, cast: NamedCast, v: Value, to: &DeclTy, span: Span) -> Value {
        if v.is_error() || to.q.ty.has_error() {
            return Value::error(span);
        }
        if cast == NamedCast::Dynamic {
            self.sink.unsupported("dynamic_cast", span);
            return Value::error(span);
        }
        if to.reference.is_some() {
            return self.reference_cast(v, to, cast == NamedCast::Static, span);
        }
        match cast {
            NamedCast::Static if to.q.ty == Ty::Void => self.rvalue_for_effect(v),
            NamedCast::Static => {
                let done = self.opt_static_cast(v.clone(), &to.q, span);
                done.unwrap_or_else(|| self.cast_error("static_cast", &v, &to.q, span))
            }
            NamedCast::Reinterpret => self.reinterpret(v, &to.q, false, span),
            NamedCast::Const | NamedCast::Dynamic => self.const_cast(v, &to.q, span),
        }
    }

    /// Evaluates something for its effect alone.
    pub(super) fn rvalue_for_effect(&mut self, v: Value) -> Value {
        let span = v.span;
        if v.is_error() {
            return v;
        }
        if v.ty.ty == Ty::Void {
            return v;
        }
        let operand = match v.node {
            // The value of a place is dropped: nothing is read unless it is volatile.
            Node::Place(crate::hir::Place { kind: PlaceKind::After { first, place }, .. })
                if !place.is_volatile && pure_place(&place) =>
            {
                first
            }
            Node::Place(ref place) if !place.is_volatile && pure_place(place) => {
                return self.types.make(
                    ExprKind::Convert { operand: self.types.zero_expr(span) },
                    Ty::Void,
                    span,
                );
            }
            _ => self.expr_of(v),
        };
        self.types.make(ExprKind::Convert { operand }, Ty::Void, span)
    }

    fn can_static_cast(&mut self, v: &Value, to: &QTy) -> bool {
        if self.conversion(v, to, Init::Direct).is_some() {
            return true;
        }
        let from = Ty::decayed(&v.ty);
        match (&from, &to.ty) {
            (Ty::Enum(_), t) | (t, Ty::Enum(_)) if t.is_arithmetic() || matches!(t, Ty::Enum(_)) => true,
            (Ty::Pointer(a), Ty::Pointer(b)) => {
                let kept = (b.is_const || !a.is_const) && (b.is_volatile || !a.is_volatile);
                let derived = matches!((&a.ty, &b.ty), (Ty::Struct(x), Ty::Struct(y))
                    if self.types.base_path(*y, *x).is_some());
                kept && (a.ty == Ty::Void || derived)
            }
            _ => false,
        }
    }

    fn static_cast(&mut self, v: Value, to: &QTy, span: Span) -> Value {
        let (from, target) = (Ty::decayed(&v.ty), &to.ty);
        if let (Ty::Pointer(a), Ty::Pointer(b)) = (&from, target)
            && let (Ty::Struct(base), Ty::Struct(derived)) = (&a.ty, &b.ty)
            && base != derived
            && let Some(path) = self.types.base_path(*derived, *base)
        {
            return self.derived_pointer(v, true, (*derived, &path), to, span);
        }
        if v.ty.ty.is_struct() {
            return self.convert_by(v, to, "", Init::Direct);
        }
        let mut v = self.rvalue(v);
        v.span = span;
        if let Node::Rvalue(e) = &mut v.node
            && !matches!(e.kind, ExprKind::Const(_))
        {
            e.span = span;
        }
        self.apply(v, &to.ty)
    }

    /// A pointer to a base as one to the object that it is part of. What is behind a reference is not null.
    pub(super) fn derived_pointer(
        &mut self,
        v: Value,
        may_be_null: bool,
        (derived, path): (crate::hir::StructId, &[u32]),
        to: &QTy,
        span: Span,
    ) -> Value {
        let offset = self.types.base_offset(derived, path);
        let v = self.rvalue(v);
        if v.is_error() {
            return v;
        }
        let bytes = Ty::pointer(QTy::plain(Ty::Int(crate::hir::IntType::Char)));
        self.unless_null(v, offset > 0 && may_be_null, &to.ty, |c, operand| {
            let mut moved = c.types.make(ExprKind::Bits { operand }, bytes.clone(), span);
            if offset > 0 {
                let pointer = c.expr_of(moved);
                let count = c.types.make_int(offset as i64, span);
                let count = c.expr_of(count);
                moved = c.types.make(ExprKind::PointerAdd { pointer, count, negative: true }, bytes, span);
            }
            let operand = c.expr_of(moved);
            c.types.make(ExprKind::Bits { operand }, to.ty.clone(), span)
        })
    }

    fn reinterpret(&mut self, v: Value, to: &QTy, c_style: bool, span: Span) -> Value {
        let from = Ty::decayed(&v.ty);
        let kept = |a: &QTy, b: &QTy| (b.is_const || !a.is_const) && (b.is_volatile || !a.is_volatile);
        let allowed = match (&from, &to.ty) {
            (Ty::Pointer(a), Ty::Pointer(b)) => c_style || kept(a, b),
            (Ty::Pointer(_), to) if to.is_wide() => {
                self.sink.unsupported("a pointer as an integer of 128 bits", span);
                return Value::error(span);
            }
            (Ty::Pointer(_), Ty::Int(i)) => i.bits() == 64,
            (Ty::Int(_), Ty::Pointer(_)) => true,
            (a, b) => a == b,
        };
        if !allowed {
            return self.cast_error(if c_style { "cast" } else { "reinterpret_cast" }, &v, to, span);
        }
        let v = self.rvalue(v);
        let v = match (&from, &to.ty) {
            (Ty::Int(i), Ty::Pointer(_)) if i.bits() != 64 => self.apply(v, &super::ty::ULLONG),
            _ => v,
        };
        if v.is_error() || self.types.hir_type(&v.ty.ty) == self.types.hir_type(&to.ty) {
            return Value { ty: QTy::plain(to.ty.clone()), ..v };
        }
        let operand = self.expr_of(v);
        self.types.make(ExprKind::Bits { operand }, to.ty.clone(), span)
    }

    fn const_cast(&mut self, v: Value, to: &QTy, span: Span) -> Value {
        match (Ty::decayed(&v.ty), &to.ty) {
            (Ty::Pointer(a), Ty::Pointer(b)) if a.ty == b.ty => self.reinterpret(v, to, true, span),
            _ => self.cast_error("const_cast", &v, to, span),
        }
    }

    /// A cast to a reference: another view of the same object, where `related` to another class of its hierarchy.
    fn reference_cast(&mut self, v: Value, to: &DeclTy, related: bool, span: Span) -> Value {
        let is_right = to.reference == Some(super::ty::Ref::Right);
        let v = self.as_object(v);
        if v.ty.ty == to.q.ty && v.is_place() {
            let v = Value { ty: to.q.clone(), span, ..v };
            return if is_right { v.expiring() } else { v };
        }
        if related && self.types.reference_compatible(&v.ty.ty, &to.q.ty) && v.is_place() {
            let v = self.base_object(Value { span, ..v }, &to.q.ty);
            return if is_right { v.expiring() } else { v };
        }
        if let (Ty::Struct(base), Ty::Struct(derived), true, true) =
            (&v.ty.ty, &to.q.ty, v.is_place(), related)
            && let Some(path) = self.types.base_path(*derived, *base)
        {
            let derived = *derived;
            let pointer = self.address_of(v.clone(), span);
            let target = Ty::pointer(to.q.clone());
            let pointer = self.derived_pointer(pointer, false, (derived, &path), &QTy::plain(target), span);
            if pointer.is_error() {
                return pointer;
            }
            let pointer = self.expr_of(pointer);
            let v = self.types.make_place(PlaceKind::Deref(pointer), to.q.clone(), span);
            return if is_right { v.expiring() } else { v };
        }
        if related && self.rank_bound(&v, to, Init::Direct).is_some() {
            let Some(place) = self.bind_by(v, to, "", Init::Direct) else { return Value::error(span) };
            let v = Value { node: Node::Place(place), ty: to.q.clone(), span };
            return if is_right { v.expiring() } else { v };
        }
        if !v.is_place() {
            return self.cast_error("cast", &v, &to.q, span);
        }
        let Node::Place(place) = v.node else { return Value::error(span) };
        let pointer = self.types.make(ExprKind::AddressOf(place), Ty::pointer(v.ty.clone()), span);
        let operand = self.expr_of(pointer);
        let cast = self.types.make(ExprKind::Bits { operand }, Ty::pointer(to.q.clone()), span);
        let cast = self.expr_of(cast);
        self.types.make_place(PlaceKind::Deref(cast), to.q.clone(), span)
    }

    fn cast_error(&mut self, cast: &str, v: &Value, to: &QTy, span: Span) -> Value {
        let (a, b) = (self.types.spell(&v.ty), self.types.spell(to));
        self.sink.wrong(Code::InvalidCast, format!("`{cast}` cannot turn `{a}` into `{b}`"), span);
        Value::error(span)
    }
}

/// Whether naming a place has no effect.
fn pure_place(place: &crate::hir::Place) -> bool {
    match &place.kind {
        PlaceKind::Local(_) | PlaceKind::Global(_) => true,
        PlaceKind::Field { base, .. } => pure_place(base),
        PlaceKind::Index { base, index } => {
            pure_place(base) && matches!(index.kind, ExprKind::Const(_) | ExprKind::Load(_))
        }
        PlaceKind::Deref(_) | PlaceKind::Temporary(_) | PlaceKind::After { .. } => false,
    }
}

impl<'a> Types<'a> {
    fn zero_expr(&self, span: Span) -> Box<crate::hir::Expr> {
        let Node::Rvalue(e) = self.make_int(0, span).node else { unreachable!("a constant is a value") };
        e
    }
}
