//! Lives of objects: copies through the class's own constructors, and destructors at the end of a scope or a full
//! expression.
//!
//! A value of a class that is made for an expression (a prvalue) lies in a temporary `t` and is written `(make t, t)`. What
//! takes such a value over (a variable, a parameter, a member, a result) claims it, and nothing is copied; what is not claimed
//! is destroyed where the full expression ends, if the branch of `?:`, `&&` or `||` that makes it was taken. So is a parameter, by the caller.
//! What is refused: destructors of arrays of more than [`MAX_ELEMENTS`] objects.

use super::ty::{DeclTy, QTy, Ty};
use super::value::{Node, Value};
use super::{Checker, FuncIdx, Source};
use crate::hir::{Const, Expr, ExprKind, IntType, LocalId, Place, PlaceKind, Stmt, StmtKind, StructId};
use cuda_syntax::ast::FunctionBody;
use cuda_syntax::budget::Cost;
use source::{Code, Span};

/// Objects of an array that are destroyed one by one.
const MAX_ELEMENTS: u64 = 256;

/// The temporary of a prvalue, and whether `e` is one.
fn temporary(e: &Expr) -> Option<LocalId> {
    let ExprKind::Comma { second, .. } = &e.kind else { return None };
    match &second.kind {
        ExprKind::Load(Place { kind: PlaceKind::Local(t), .. }) => Some(*t),
        _ => None,
    }
}

/// The temporary that a place is, or is a part of.
fn extended(place: &Place) -> Option<LocalId> {
    match &place.kind {
        PlaceKind::Field { base, .. } | PlaceKind::Index { base, .. } => extended(base),
        PlaceKind::After { place, .. } => match place.kind {
            PlaceKind::Local(t) => Some(t),
            _ => extended(place),
        },
        PlaceKind::Local(_) | PlaceKind::Global(_) | PlaceKind::Deref(_) | PlaceKind::Temporary(_) => None,
    }
}

/// What the destruction of an object counts: the call that is made for it takes the time and the memory of several expressions, and each way
/// out of a scope has one for each object.
const DESTRUCTION: u64 = 8;

impl<'a> Checker<'a> {
    /// A temporary that a reference names, or names a part of, lives as long as the reference ([class.temporary]).
    pub(super) fn extend_life(&mut self, place: &Place) {
        if let Some(t) = extended(place).filter(|t| self.cx.pending.contains(t)) {
            self.cx.pending.retain(|p| *p != t);
            self.begin_life(t);
        }
    }

    /// The destructor that the class itself defines.
    fn own_destructor(&self, s: StructId) -> Option<FuncIdx> {
        let f = self.class(s).destructor?;
        match self.func(f).source {
            Source::Function(ast) if !matches!(ast.body, FunctionBody::Defaulted) => Some(f),
            _ => None,
        }
    }

    /// Whether something happens when an object of the type ends.
    pub(super) fn needs_destruction(&self, ty: &Ty) -> bool {
        let Ty::Struct(s) = ty.innermost() else { return false };
        self.own_destructor(*s).is_some()
            || self.class(*s).fields.iter().any(|f| !f.is_reference && self.needs_destruction(&f.q.ty))
    }

    /// Whether a parameter of the type stands for an object of the caller: a reference, or an object that the caller makes and, at the end
    /// of its full expression, destroys.
    pub(super) fn by_address(&self, ty: &DeclTy) -> bool {
        ty.reference.is_some() || self.needs_destruction(&ty.q.ty)
    }

    /// Whether a copy of an object of the class is more than its bytes.
    pub(super) fn needs_copy(&self, s: StructId) -> bool {
        self.has_copy_constructor(s)
            || self.class(s).fields.iter().any(|f| {
                !f.is_reference && matches!(f.q.ty.innermost(), Ty::Struct(t) if self.needs_copy(*t))
            })
    }

    /// The local that holds a prvalue of a class whose lives matter.
    pub(super) fn prvalue(&self, e: &Expr) -> Option<LocalId> {
        temporary(e).filter(|t| self.cx.prvalues.contains(t))
    }

    /// Notes that an expression makes an object in a temporary, which is destroyed unless it is claimed.
    pub(super) fn note_prvalue(&mut self, t: LocalId) {
        if self.cx.unevaluated > 0 {
            return;
        }
        self.cx.prvalues.insert(t);
        let ty = self.cx.infos[t.0 as usize].q.ty.clone();
        if self.needs_destruction(&ty) {
            self.cx.pending.push(t);
        }
    }

    /// A value of a class as a prvalue in a temporary of its own, if its destruction matters.
    pub(super) fn materialized(&mut self, v: Value) -> Value {
        let known = matches!(&v.node, Node::Rvalue(e) if self.prvalue(e).is_some());
        if known || v.is_error() || self.cx.unevaluated > 0 || !self.needs_destruction(&v.ty.ty) {
            return v;
        }
        let (ty, span) = (v.ty.ty.clone(), v.span);
        let Node::Rvalue(e) = v.node else { return v };
        let t = self.new_temporary(&QTy::plain(ty.clone()), span);
        let Node::Place(place) = self.local_place(t, span).node else { return Value::error(span) };
        let first = self.make(ExprKind::Assign { place, value: e }, ty, span);
        let place = self.local_place(t, span);
        let second = self.rvalue(place);
        self.note_prvalue(t);
        self.comma(first, second, span)
    }

    /// Another object takes over the object that a value is.
    pub(super) fn claim(&mut self, e: &Expr) {
        if let Some(t) = self.prvalue(e) {
            self.cx.pending.retain(|p| *p != t);
        }
    }

    /// The expression of a value that becomes an object.
    pub(super) fn owned(&mut self, v: Value) -> Box<Expr> {
        let e = self.expr_of(v);
        self.claim(&e);
        e
    }

    /// A copy of an object: by the class's constructor, or member by member.
    pub(super) fn copied(&mut self, v: Value, s: StructId) -> Value {
        let span = v.span;
        if self.has_copy_constructor(s) {
            return self.construct_class(s, vec![v], span);
        }
        let v = self.once(v);
        let expiring = v.is_expiring();
        let mut parts = Vec::new();
        for i in 0..self.class(s).fields.len() as u32 {
            let field = self.raw_field(v.clone(), i, span);
            let q = QTy::plain(field.ty.ty.clone());
            if matches!(q.ty, Ty::Array(..)) {
                self.unsupported(
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
        let whole = self.make(ExprKind::Struct(parts), Ty::Struct(s), span);
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
        let ty = pointer.ty.clone();
        let t = self.new_temporary(&ty, span);
        let Node::Place(target) = self.local_place(t, span).node else { return Value::error(span) };
        let value = self.expr_of(pointer);
        let first = Expr { kind: ExprKind::Assign { place: target, value }, ty: self.hir_type(&ty.ty), span };
        let again = self.local_place(t, span);
        let object = self.deref(again, span);
        let Node::Place(place) = object.node else { return Value::error(span) };
        let kind = PlaceKind::After { first: Box::new(first), place: Box::new(place) };
        self.make_place(kind, q, span)
    }

    /// Remembers that a variable is to be destroyed at the end of its scope.
    pub(super) fn begin_life(&mut self, local: LocalId) {
        let q = self.cx.infos[local.0 as usize].q.clone();
        if let Ty::Struct(class) = q.ty.innermost() {
            self.check_destructor(*class, self.cx.locals[local.0 as usize].span);
        }
        if self.needs_destruction(&q.ty) {
            self.cx.alive.push(local);
        }
    }

    /// The expressions that destroy an object: its destructor, then its members from the last to the first.
    fn destruction(&mut self, object: Value, out: &mut Vec<Expr>) {
        let span = object.span;
        if !self.charge(Cost::Checks, DESTRUCTION, span) {
            return;
        }
        match object.ty.ty.clone() {
            Ty::Array(of, n) => {
                if n > MAX_ELEMENTS {
                    return self.unsupported("destruction of a large array", span);
                }
                for i in (0..n).rev() {
                    let Node::Place(base) = object.node.clone() else { return };
                    let index = Const::Int(i as i64, IntType::Int);
                    let index = self.make_const(index, super::ty::INT, span);
                    let index = self.expr_of(index);
                    let kind = PlaceKind::Index { base: Box::new(base), index };
                    let element = self.make_place(kind, QTy::plain((*of).clone()), span);
                    self.destruction(element, out);
                }
            }
            Ty::Struct(s) => {
                if let Some(f) = self.own_destructor(s) {
                    let Some(signature) = self.func(f).signature.clone() else { return };
                    let scope = self.func(f).scope;
                    let pick = super::resolve::Pick { func: f, arguments: Vec::new(), scope, signature };
                    let call = self.call_function(pick, Vec::new(), Some(object.clone()), span);
                    if !call.is_error() {
                        out.push(self.plain_expr(call));
                    }
                }
                for i in (0..self.class(s).fields.len() as u32).rev() {
                    let f = &self.class(s).fields[i as usize];
                    if !f.is_reference && self.needs_destruction(&f.q.ty.clone()) {
                        let field = self.raw_field(object.clone(), i, span);
                        self.destruction(field, out);
                    }
                }
            }
            _ => {}
        }
    }

    fn destroy_local(&mut self, local: LocalId, out: &mut Vec<Expr>) {
        let span = self.cx.locals[local.0 as usize].span;
        let object = self.local_place(local, span);
        let object = Value { ty: QTy::plain(object.ty.ty), ..object };
        let Some(guards) = self.cx.guards.get(&local).cloned() else { return self.destruction(object, out) };
        let mut calls = Vec::new();
        self.destruction(object, &mut calls);
        for call in calls {
            let guarded =
                guards.iter().fold(call, |call, (flag, when)| self.only_if(*flag, *when, call, span));
            out.push(guarded);
        }
    }

    /// An expression without a value, evaluated if a flag is so.
    fn only_if(&mut self, flag: LocalId, when: bool, e: Expr, span: Span) -> Expr {
        let condition = self.local_place(flag, span);
        let condition = self.expr_of(condition);
        let zero = self.make_int(0, span);
        let nothing = self.rvalue_for_effect(zero);
        let (e, nothing) = (Box::new(e), self.expr_of(nothing));
        let (then, otherwise) = if when { (e, nothing) } else { (nothing, e) };
        let kind = ExprKind::Conditional { condition, then, otherwise };
        Expr { kind, ty: crate::hir::Type::Void, span }
    }

    /// A condition whose value is kept until the full expression ends: whether the temporaries of a branch were made.
    /// `branches` are the branches' temporaries, and for which value of the condition they are made.
    pub(super) fn guarded<const N: usize>(
        &mut self,
        condition: Box<Expr>,
        branches: [(Vec<LocalId>, bool); N],
    ) -> Box<Expr> {
        if branches.iter().all(|(made, _)| made.is_empty()) {
            return condition;
        }
        let span = condition.span;
        let flag = self.new_kept(&condition.ty.clone(), span);
        self.cx.infos[flag.0 as usize].q = QTy::plain(Ty::Bool);
        for (made, when) in branches {
            for t in made {
                self.cx.guards.entry(t).or_default().push((flag, when));
                self.cx.pending.push(t);
            }
        }
        let ty = condition.ty.clone();
        let place = Place { kind: PlaceKind::Local(flag), ty: ty.clone(), is_volatile: false, span };
        Box::new(Expr { kind: ExprKind::Assign { place, value: condition }, ty, span })
    }

    /// `c ? a : b` of a class whose lives matter, of which one at least is no object yet: the one chosen is made in a temporary
    /// of its own. `made` are the temporaries of the two branches so far.
    pub(super) fn chosen_value(
        &mut self,
        condition: Box<Expr>,
        (a, b): (Value, Value),
        (mut made_a, mut made_b): (Vec<LocalId>, Vec<LocalId>),
        ty: &Ty,
        span: Span,
    ) -> Value {
        let to = QTy::plain(ty.clone());
        let mark = self.cx.pending.len();
        let t = self.new_temporary(&to, span);
        let branch = |c: &mut Checker<'a>, v: Value, made: &mut Vec<LocalId>| {
            c.cx.pending.append(made);
            let v = c.convert(v, &to, "");
            let value = c.owned(v);
            *made = c.cx.pending.split_off(mark);
            let Node::Place(place) = c.local_place(t, span).node else { return value };
            let e = c.make(ExprKind::Assign { place, value }, to.ty.clone(), span);
            let e = c.rvalue_for_effect(e);
            c.expr_of(e)
        };
        let then = branch(self, a, &mut made_a);
        let otherwise = branch(self, b, &mut made_b);
        let condition = self.guarded(condition, [(made_a, true), (made_b, false)]);
        let first = self.make(ExprKind::Conditional { condition, then, otherwise }, Ty::Void, span);
        let place = self.local_place(t, span);
        let second = self.rvalue(place);
        self.note_prvalue(t);
        self.comma(first, second, span)
    }

    /// Destroys the variables that came to life after `mark`, but `kept`; they stay known for other ways out.
    pub(super) fn leave_scopes(&mut self, mark: usize, kept: Option<LocalId>, out: &mut Vec<Stmt>) {
        let leaving: Vec<LocalId> = self.cx.alive[mark..].iter().rev().copied().collect();
        let mut calls = Vec::new();
        for local in leaving.into_iter().filter(|l| Some(*l) != kept) {
            self.destroy_local(local, &mut calls);
        }
        out.extend(calls.into_iter().map(|e| Stmt { span: e.span, kind: StmtKind::Expr(Box::new(e)) }));
    }

    /// The end of a scope.
    pub(super) fn end_scope(&mut self, mark: usize, out: &mut Vec<Stmt>) {
        if self.cx.alive.len() > mark && super::switch::falls_through(out) {
            self.leave_scopes(mark, None, out);
        }
        self.cx.alive.truncate(mark);
    }

    /// A full expression that ends here: its value, after the temporaries since `mark` are destroyed.
    pub(super) fn end_expression(&mut self, e: Box<Expr>, mark: usize) -> Box<Expr> {
        if self.cx.pending.len() <= mark {
            return e;
        }
        let mut ended = self.cx.pending.split_off(mark);
        ended.reverse();
        let mut calls = Vec::new();
        for t in ended {
            self.destroy_local(t, &mut calls);
        }
        let span = e.span;
        let chain = |first: Box<Expr>, second: Expr| {
            let ty = second.ty.clone();
            Box::new(Expr { kind: ExprKind::Comma { first, second: Box::new(second) }, ty, span })
        };
        if e.ty == crate::hir::Type::Void {
            return calls.into_iter().fold(e, chain);
        }
        // The value is kept while the destructors run.
        let ty = e.ty.clone();
        let kept = self.new_kept(&ty, span);
        let place = || Place { kind: PlaceKind::Local(kept), ty: ty.clone(), is_volatile: false, span };
        let kind = ExprKind::Assign { place: place(), value: e };
        let first = Box::new(Expr { kind, ty: ty.clone(), span });
        let all = calls.into_iter().fold(first, chain);
        chain(all, Expr { kind: ExprKind::Load(place()), ty: ty.clone(), span })
    }

    /// A statement that ends here: the temporaries since `mark` are destroyed.
    pub(super) fn end_statement(&mut self, mark: usize, out: &mut Vec<Stmt>) {
        if self.cx.pending.len() > mark {
            let span = out.last().map(|s| s.span).unwrap_or_default();
            let zero = self.make_int(0, span);
            let nothing = self.rvalue_for_effect(zero);
            let nothing = self.expr_of(nothing);
            let ended = self.end_expression(nothing, mark);
            out.push(Stmt { span, kind: StmtKind::Expr(ended) });
        }
    }

    pub(super) fn new_kept(&mut self, ty: &crate::hir::Type, span: Span) -> LocalId {
        let t = self.new_temporary(&QTy::plain(super::ty::INT), span);
        self.cx.locals[t.0 as usize].ty = ty.clone();
        t
    }

    /// `new (place) T(a, b)`: the object is made where the pointer points to.
    pub(super) fn placement_new(
        &mut self,
        place: &'a cuda_syntax::ast::Expr,
        value: &'a cuda_syntax::ast::Expr,
        span: Span,
    ) -> Value {
        use cuda_syntax::ast::ExprKind as E;
        let (E::Construct { ty, arguments } | E::ConstructList { ty, arguments }) = &value.kind else {
            return Value::error(span);
        };
        let to = self.decl_type(ty).q;
        let pointer = self.expr_rvalue(place);
        if pointer.is_error() || to.ty.has_error() {
            return Value::error(span);
        }
        if !pointer.ty.ty.is_pointer() {
            let title = "a placement `new` needs a pointer to the storage of the object";
            self.report(Code::InvalidPlacement, title, place.span, "this is not a pointer");
            return Value::error(span);
        }
        let target = Ty::pointer(QTy { is_const: false, ..to.clone() });
        let operand = self.expr_of(pointer);
        let address = self.make(ExprKind::Bits { operand }, target.clone(), span);
        let kept = self.new_temporary(&QTy::plain(target.clone()), span);
        let Node::Place(slot) = self.local_place(kept, span).node else { return Value::error(span) };
        let address = self.expr_of(address);
        let first = self.make(ExprKind::Assign { place: slot, value: address }, target, span);
        let again = self.local_place(kept, span);
        let object = self.deref(again, span);
        let by_constructor = match &to.ty {
            Ty::Struct(s) => Some(*s).filter(|s| !self.class(*s).constructors.is_empty()),
            _ => None,
        };
        let made = match by_constructor {
            Some(s) => {
                let (name, constructors) = (self.layout(s).name.clone(), self.constructors_of(s));
                let values = self.arguments(arguments);
                self.constructor_call(object, &name, &constructors, values, span)
            }
            None => {
                let v = self.expr(value);
                let Node::Place(place) = object.node else { return Value::error(span) };
                (!v.is_error()).then(|| {
                    let value = self.owned(v);
                    self.make(ExprKind::Assign { place, value }, to.ty.clone(), span)
                })
            }
        };
        let Some(made) = made else { return Value::error(span) };
        let made = self.rvalue_for_effect(made);
        let result = self.local_place(kept, span);
        let rest = self.comma(made, result, span);
        self.comma(first, rest, span)
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
        let mut calls = Vec::new();
        self.destruction(object, &mut calls);
        let zero = self.make_int(0, span);
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
