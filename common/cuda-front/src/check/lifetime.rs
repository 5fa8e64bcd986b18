//! Lives of objects: copies through the class's own constructors, who takes a value over, and destructors that are called by name.
//!
//! A value of a class that is made for an expression (a prvalue) lies in a temporary `t` and is written `(make t, t)`. What
//! takes such a value over (a variable, a parameter, a member, a result) claims it, and nothing is copied; what is not claimed
//! is destroyed where the full expression ends (`explicit`). So is a parameter, by the caller.

use super::ty::{DeclTy, QTy, Ty};
use super::value::{Node, Value};
use super::{Body, Checker, FuncIdx, Source};
use crate::explicit::{Classes, TooManyObjects};
use crate::hir::{Const, Expr, ExprKind, LocalId, Place, PlaceKind, StructId};
use cuda_syntax::ast::FunctionBody;
use cuda_syntax::budget::Cost;
use source::Span;

/// The temporary of a prvalue, and whether `e` is one.
fn temporary(e: &Expr) -> Option<LocalId> {
    let ExprKind::Comma { second, .. } = &e.kind else { return None };
    match &second.kind {
        ExprKind::Load(Place { kind: PlaceKind::Local(t), .. }) => Some(*t),
        _ => None,
    }
}

impl<'a> Checker<'a> {
    /// The destructor that the class itself defines, and its body.
    fn own_destructor(&self, s: StructId) -> Option<(FuncIdx, &'a FunctionBody)> {
        let f = self.types.class(s).destructor?;
        match self.functions.func(f).source {
            Source::Function(ast) if !matches!(ast.body, FunctionBody::Defaulted) => Some((f, &ast.body)),
            _ => None,
        }
    }

    /// Whether something happens when an object of the type ends.
    pub(super) fn needs_destruction(&self, ty: &Ty) -> bool {
        self.has_destructor(ty, |_| true)
    }

    /// The types of the members and bases that an object of the class ends with: none of a union's.
    fn ending_parts(&self, s: StructId) -> impl Iterator<Item = &Ty> {
        let is_union = self.types.layout(s).is_union;
        self.types.class(s).fields.iter().filter(move |f| !f.is_reference && !is_union).map(|f| &f.q.ty)
    }

    /// Whether an object of the type, or one that is part of it, has a destructor with such a body.
    pub(super) fn has_destructor(&self, ty: &Ty, is_one: fn(&FunctionBody) -> bool) -> bool {
        let Ty::Struct(s) = ty.innermost() else { return false };
        self.own_destructor(*s).is_some_and(|(_, body)| is_one(body))
            || self.ending_parts(*s).any(|ty| self.has_destructor(ty, is_one))
    }

    /// Whether a parameter of the type stands for an object of the caller: a reference, or an object that the caller makes and, at the end
    /// of its full expression, destroys.
    pub(super) fn by_address(&self, ty: &DeclTy) -> bool {
        ty.reference.is_some() || self.needs_destruction(&ty.q.ty)
    }

    /// Whether a copy of an object of the class is more than its bytes.
    pub(super) fn needs_copy(&self, s: StructId) -> bool {
        self.types.class(s).is_polymorphic || self.copies_members(s)
    }

    /// Whether its constructor, or one of its members, copies more than bytes.
    fn copies_members(&self, s: StructId) -> bool {
        self.has_copy_constructor(s)
            || self.types.class(s).fields.iter().any(|f| {
                !f.is_reference && matches!(f.q.ty.innermost(), Ty::Struct(t) if self.copies_members(*t))
            })
    }

    /// Notes that an expression makes an object in a temporary, which is destroyed unless it is claimed.
    pub(super) fn note_prvalue(&mut self, t: LocalId) {
        if self.body.unevaluated > 0 {
            return;
        }
        self.body.prvalues.insert(t);
        let ty = self.body.infos[t.0 as usize].q.ty.clone();
        if self.needs_destruction(&ty) {
            self.body.lives.temporaries.insert(t);
        }
    }

    /// A value of a class as a prvalue in a temporary of its own, if its destruction matters.
    pub(super) fn materialized(&mut self, v: Value) -> Value {
        let known = matches!(&v.node, Node::Rvalue(e) if self.body.prvalue(e).is_some());
        if known || v.is_error() || self.body.unevaluated > 0 || !self.needs_destruction(&v.ty.ty) {
            return v;
        }
        let (ty, span) = (v.ty.ty.clone(), v.span);
        let Node::Rvalue(e) = v.node else { return v };
        let t = self.new_temporary(&QTy::plain(ty.clone()), span);
        let Node::Place(place) = self.local_place(t, span).node else { return Value::error(span) };
        let first = self.types.make(ExprKind::Assign { place, value: e }, ty, span);
        let place = self.local_place(t, span);
        let second = self.rvalue(place);
        self.note_prvalue(t);
        self.comma(first, second, span)
    }

    /// The expression of a value that becomes an object.
    pub(super) fn owned(&mut self, v: Value) -> Box<Expr> {
        let e = self.expr_of(v);
        self.body.claim(&e);
        e
    }

    /// A copy of an object: by the class's constructor, or member by member.
    pub(super) fn copied(&mut self, v: Value, s: StructId) -> Value {
        let span = v.span;
        if self.has_copy_constructor(s) {
            return self.construct_class(s, vec![v], span);
        }
        if !self.copies_members(s) {
            let v = self.rvalue(v);
            return self.with_tables(v);
        }
        let v = self.once(v);
        let expiring = v.is_expiring();
        let mut parts = Vec::new();
        for i in 0..self.types.class(s).fields.len() as u32 {
            let field = self.types.raw_field(v.clone(), i, span);
            let q = QTy::plain(field.ty.ty.clone());
            if matches!(q.ty, Ty::Array(..)) {
                self.sink.unsupported(
                    "a copy of a class that has both an array and a copy constructor inside",
                    span,
                );
                return Value::error(span);
            }
            let field = if expiring { field.expiring() } else { field };
            let part = self.convert(field, &q, "");
            if part.is_error() {
                return part;
            }
            parts.push(*self.owned(part));
        }
        let whole = self.types.make(ExprKind::Struct(parts), Ty::Struct(s), span);
        let whole = self.with_tables(whole);
        self.materialized(whole)
    }

    /// The same object, found without a further effect each time.
    pub(super) fn once(&mut self, v: Value) -> Value {
        let span = v.span;
        let Node::Place(place) = &v.node else { return v };
        if super::assign::is_pure_place(place) || v.is_expiring() {
            return v;
        }
        let q = v.ty.clone();
        let pointer = self.address_of(v, span);
        let Some((first, kept)) = self.kept(pointer, span) else { return Value::error(span) };
        let object = self.deref(kept, span);
        let Node::Place(place) = object.node else { return Value::error(span) };
        let kind = PlaceKind::After { first: self.expr_of(first), place: Box::new(place) };
        self.types.make_place(kind, q, span)
    }

    /// What keeps a value in a temporary of its own, and the temporary.
    pub(super) fn kept(&mut self, v: Value, span: Span) -> Option<(Value, Value)> {
        let ty = v.ty.ty.clone();
        let t = self.new_temporary(&v.ty, span);
        let Node::Place(place) = self.local_place(t, span).node else { return None };
        let value = self.expr_of(v);
        let keep = self.types.make(ExprKind::Assign { place, value }, ty, span);
        Some((keep, self.local_place(t, span)))
    }

    /// Asks for the destructors that run when an object of the type ends.
    pub(super) fn want_destructors(&mut self, ty: &Ty, span: Span) {
        let Ty::Struct(s) = ty.innermost() else { return };
        if !self.needs_destruction(ty) || !self.sink.charge(Cost::Checks, 1, span) {
            return;
        }
        let known = self.functions.destructors.entry(*s).or_default();
        if known.is_none()
            && let Some((f, _)) = self.own_destructor(*s)
            && self.may_call(f, span)
            && self.check_function(f, None, span)
            && let Some(signature) = self.functions.func(f).signature.clone()
        {
            let id = self.instance(f, Vec::new(), self.functions.func(f).scope, signature, Some(span));
            self.functions.destructors.insert(*s, Some(id));
        }
        let parts: Vec<_> = self.ending_parts(*s).cloned().collect();
        parts.iter().for_each(|part| self.want_destructors(part, span));
    }

    /// The expressions that destroy an object.
    pub(super) fn destruction(&mut self, object: &Value, out: &mut Vec<Expr>) {
        self.want_destructors(&object.ty.ty.clone(), object.span);
        let Node::Place(place) = &object.node else { return };
        let place = Place { span: object.span, ..place.clone() };
        let classes = Classes { structs: &self.types.structs, destructors: &self.functions.destructors };
        if let Err(TooManyObjects) = classes.destruction(&place, self.sink.budget, out) {
            self.sink.unsupported(TooManyObjects::WHAT, object.span);
        }
    }

    /// `c ? a : b` of a class whose lives matter, of which one at least is no object yet: the one chosen is made in a temporary
    /// of its own.
    pub(super) fn chosen_value(
        &mut self,
        condition: Box<Expr>,
        a: Value,
        b: Value,
        ty: &Ty,
        span: Span,
    ) -> Value {
        let to = QTy::plain(ty.clone());
        let t = self.new_temporary(&to, span);
        let branch = |c: &mut Checker<'a>, v: Value| {
            let v = c.convert(v, &to, "");
            let value = c.owned(v);
            let Node::Place(place) = c.local_place(t, span).node else { return value };
            let e = c.made_in(place, value, &to.ty, span);
            let e = c.rvalue_for_effect(e);
            c.expr_of(e)
        };
        let then = branch(self, a);
        let otherwise = branch(self, b);
        let first = self.types.make(ExprKind::Conditional { condition, then, otherwise }, Ty::Void, span);
        let place = self.local_place(t, span);
        let second = self.rvalue(place);
        self.note_prvalue(t);
        self.comma(first, second, span)
    }

    /// `p->~T()`.
    pub(super) fn destructor_call(
        &mut self,
        base: &'a cuda_syntax::ast::Expr,
        arrow: bool,
        span: Span,
    ) -> Value {
        let b = self.expr(base);
        let object = if arrow { self.deref(b, base.span) } else { b };
        if object.is_error() {
            return object;
        }
        let object = Value { ty: QTy::plain(object.ty.ty.clone()), span, ..self.once(object) };
        if let Ty::Struct(class) = object.ty.ty
            && self.has_virtual_destructor(class)
            && !self.knows_class(&object)
        {
            let whole = self.destroy_virtually(object, span);
            return self.rvalue_for_effect(whole);
        }
        let mut calls = Vec::new();
        self.destruction(&object, &mut calls);
        let zero = self.types.make_int(0, span);
        let nothing = self.rvalue_for_effect(zero);
        let mut calls = calls.into_iter();
        let Some(first) = calls.next() else { return nothing };
        let value = |e| Value { node: Node::Rvalue(Box::new(e)), ty: QTy::plain(Ty::Void), span };
        calls.fold(value(first), |a, e| self.comma(a, value(e), span))
    }
}

impl Value {
    /// The object as one that may be moved from: what `static_cast<T &&>(x)` gives.
    pub(super) fn expiring(self) -> Value {
        let Node::Place(place) = &self.node else { return self };
        if self.is_expiring() {
            return self;
        }
        let (ty, is_volatile, span) = (place.ty.clone(), place.is_volatile, place.span);
        let nothing = ExprKind::Const(Const::Bool(false));
        let first = Box::new(Expr { kind: nothing, ty: crate::hir::Type::Bool, span });
        let kind = PlaceKind::After { first, place: Box::new(place.clone()) };
        Value { node: Node::Place(Place { kind, ty, is_volatile, span }), ..self }
    }

    /// Whether it is an lvalue: an object that may not be moved from.
    pub(super) fn is_left(&self) -> bool {
        self.is_object() && !self.is_expiring()
    }

    /// Whether it is an object that may be moved from.
    pub(super) fn is_expiring(&self) -> bool {
        let Node::Place(Place { kind, .. }) = &self.node else { return false };
        let mut kind = kind;
        loop {
            match kind {
                PlaceKind::After { first, .. } => return matches!(first.kind, ExprKind::Const(_)),
                PlaceKind::Field { base, .. } => kind = &base.kind,
                _ => return false,
            }
        }
    }
}

impl<'a> Body<'a> {
    /// Another object takes over the object that a value is.
    pub(super) fn claim(&mut self, e: &Expr) {
        if let Some(t) = self.prvalue(e) {
            self.lives.temporaries.remove(&t);
        }
    }

    /// The local that holds a prvalue of a class whose lives matter.
    pub(super) fn prvalue(&self, e: &Expr) -> Option<LocalId> {
        temporary(e).filter(|t| self.prvalues.contains(t))
    }
}
