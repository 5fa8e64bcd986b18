//! Operators: on arithmetic types, enumerations and pointers, and the user's own on classes.

use super::rank::{Rank, better};
use super::resolve::{Candidate, Rewritten, best};
use super::ty::{self, QTy, Ty};
use super::value::{Node, Value};
use super::{Checker, Types, suspect, warn};
use crate::hir::{self, CompareOp, Expr, ExprKind, PlaceKind};
use cuda_syntax::ast::{self, BinaryOp, UnaryOp};
use source::{Code, Diagnostic, Span};
use std::cmp::Ordering;

/// Whether the operands' types suit an arithmetic operator.
pub(super) fn suits(op: hir::BinaryOp, t: &Ty) -> bool {
    match op {
        hir::BinaryOp::Add | hir::BinaryOp::Sub | hir::BinaryOp::Mul | hir::BinaryOp::Div => {
            t.is_arithmetic()
        }
        _ => t.is_integral(),
    }
}

/// The type that an index or a count of elements is converted to.
pub(super) fn index_type(t: &Ty) -> Ty {
    if t.is_wide() { ty::LONG } else { t.promoted() }
}

/// The type that the count of a shift of a `shifted` is converted to.
pub(super) fn shift_count(shifted: &Ty, t: &Ty) -> Ty {
    if shifted.is_wide() || t.is_wide() { ty::UINT } else { t.promoted() }
}

/// Whether an operator of the user makes objects of its operands.
fn makes_objects(own: &Candidate) -> bool {
    own.ranks.iter().any(Rank::is_user)
}

impl<'a> Checker<'a> {
    /// `a op b`.
    pub(super) fn binary(&mut self, e: &'a ast::Expr, op: BinaryOp, op_span: Span) -> Value {
        let ast::ExprKind::Binary { sides, .. } = &e.kind else { return Value::error(e.span) };
        let [lhs, rhs] = &**sides;
        match op {
            BinaryOp::And | BinaryOp::Or => return self.logical(op, lhs, rhs, e.span),
            BinaryOp::Comma => {
                let first = self.expr(lhs);
                let second = self.expr(rhs);
                if (first.ty.ty.is_struct() || second.ty.ty.is_struct())
                    && let Some(v) = self.user_operator("operator,", &[&first, &second], e.span)
                {
                    return v;
                }
                let first = self.rvalue_for_effect(first);
                return self.sequence(first, second, e.span);
            }
            _ => {}
        }
        let l = self.expr(lhs);
        let r = self.expr(rhs);
        if l.is_error() || r.is_error() {
            return Value::error(e.span);
        }
        warn::double_literal(self, (lhs, &l), (rhs, &r), op_span);
        suspect::binary(self, (op, op_span), (lhs, &l), (rhs, &r));
        self.binary_values(op, op_span, l, r, e.span)
    }

    /// `a, b`: the object that `b` is, if it is one.
    fn sequence(&mut self, first: Value, second: Value, span: Span) -> Value {
        // The value of a constant of the host is known without its object, which the device does not have.
        let is_object = matches!(&second.node, Node::Place(place)
            if super::value::root_global(place).is_none() || self.folded_place(place).is_none());
        match second.node {
            Node::Place(place) if is_object && !first.is_error() && !second.ty.ty.has_error() => {
                let first = self.expr_of(first);
                self.types.make_place(PlaceKind::After { first, place: Box::new(place) }, second.ty, span)
            }
            _ => self.comma(first, second, span),
        }
    }

    pub(super) fn comma(&mut self, first: Value, second: Value, span: Span) -> Value {
        if first.is_error() || second.is_error() {
            return Value::error(span);
        }
        let ty = Ty::decayed(&second.ty);
        let first = self.expr_of(first);
        let second = self.expr_of(second);
        self.types.make(ExprKind::Comma { first, second }, ty, span)
    }

    /// `a op b` on checked operands.
    pub(super) fn binary_values(
        &mut self,
        op: BinaryOp,
        op_span: Span,
        l: Value,
        r: Value,
        span: Span,
    ) -> Value {
        if l.is_error() || r.is_error() {
            return Value::error(span);
        }
        let may_have_own = |v: &Value| matches!(v.ty.ty, Ty::Enum(_) | Ty::Struct(_));
        if may_have_own(&l) || may_have_own(&r) {
            let own = self.operator_or_rewritten(op, &l, &r);
            let converts =
                l.ty.ty.is_struct() || r.ty.ty.is_struct() || own.as_ref().is_some_and(makes_objects);
            let built_in = if converts { self.built_in(op, &l, &r) } else { None };
            match (own, built_in) {
                (Some(own), Some(b)) if better(&b.ranks, &own.ranks) != Ordering::Less => {
                    return self.call_rewritten(own, (op, op_span), l, r, span);
                }
                (Some(own), None) => return self.call_rewritten(own, (op, op_span), l, r, span),
                (_, Some(b)) if l.ty.ty.is_struct() || r.ty.ty.is_struct() => {
                    let (l, r) = self.built_in_operands(b, l, r);
                    return self.binary_values(op, op_span, l, r, span);
                }
                // Enumerators are what built-in operators take anyway.
                (_, Some(_)) => {}
                (None, None) if converts => return self.no_operator(op, op_span, &l, &r, span),
                (None, None) => {}
            }
        }
        let hop = match op {
            BinaryOp::Arithmetic(hop) => hop,
            BinaryOp::Compare(compare) => return self.compare(compare, op_span, l, r, span),
            BinaryOp::ThreeWay => return self.three_way(op_span, l, r, span),
            BinaryOp::And | BinaryOp::Or | BinaryOp::Comma => return Value::error(span),
        };
        if l.ty.ty.decays_to_pointer() || r.ty.ty.decays_to_pointer() {
            return self.pointer_arithmetic(op, op_span, l, r, span);
        }
        let (l, r) = (self.unscoped(l), self.unscoped(r));
        let (a, b) = (&l.ty.ty, &r.ty.ty);
        if !suits(hop, a) || !suits(hop, b) {
            return self.no_operator(op, op_span, &l, &r, span);
        }
        let shift = matches!(hop, hir::BinaryOp::Shl | hir::BinaryOp::Shr);
        let common = if shift { a.promoted() } else { ty::usual(a, b) };
        let right = if shift { shift_count(&common, b) } else { common.clone() };
        let lhs = self.operand(l, &QTy::plain(common.clone()));
        let rhs = self.operand(r, &QTy::plain(right));
        let (Some(lhs), Some(rhs)) = (lhs, rhs) else { return Value::error(span) };
        warn::arithmetic(self, hop, &common, rhs.constant(), op_span);
        if common.is_wide() {
            return self.wide_arithmetic(hop, [lhs, rhs], &common, span);
        }
        self.types.make(ExprKind::Binary { op: hop, lhs, rhs }, common, span)
    }

    /// An unscoped enumeration as its underlying integer; a texture handle as an integer; a bit-field as its promoted value, whose type may
    /// be another than the one it is declared with.
    #[inline]
    pub(super) fn unscoped(&mut self, v: Value) -> Value {
        let v = if matches!(v.node, Node::Bits(_)) { self.rvalue(v) } else { v };
        let to = match &v.ty.ty {
            Ty::Enum(e) if !self.types.enums[e.0 as usize].scoped => {
                self.types.enums[e.0 as usize].underlying.clone()
            }
            Ty::Texture => ty::ULLONG,
            _ => return v,
        };
        let v = self.rvalue(v);
        self.apply(v, &to)
    }

    pub(super) fn no_operator(
        &mut self,
        op: BinaryOp,
        op_span: Span,
        l: &Value,
        r: &Value,
        span: Span,
    ) -> Value {
        let (a, b) = (self.types.spell(&l.ty), self.types.spell(&r.ty));
        let s = op.spelling();
        let mut d = Diagnostic::new(Code::InvalidOperands, format!("`{s}` does not take `{a}` and `{b}`"))
            .label(op_span, "")
            .label(l.span, format!("this is `{a}`"))
            .label(r.span, format!("this is `{b}`"));
        if op == BinaryOp::Arithmetic(hir::BinaryOp::Rem) && (l.ty.ty.is_floating() || r.ty.ty.is_floating())
        {
            d = d.help("`%` is for integers; use `fmodf` for `float`");
        } else if l.ty.ty.is_pointer() || r.ty.ty.is_pointer() {
            d = d.help("to compute with what a pointer points to, write `*p` or `p[i]`");
        }
        if op == BinaryOp::Arithmetic(hir::BinaryOp::Xor) && (l.ty.ty.is_floating() || r.ty.ty.is_floating())
        {
            d = d.help("`^` is exclusive or of integers; for a power write `x * x`, or `powf(x, y)`");
        }
        let vector = |t: &Ty| matches!(t, Ty::Struct(s) if self.types.class(*s).vector.is_some());
        if vector(&l.ty.ty) || vector(&r.ty.ty) {
            d = d.help("CUDA defines no operators on vector types: work on `.x`, `.y` … or define one");
        }
        self.sink.push(d);
        Value::error(span)
    }

    fn logical(&mut self, op: BinaryOp, lhs: &'a ast::Expr, rhs: &'a ast::Expr, span: Span) -> Value {
        let l = self.expr(lhs);
        let r = self.expr(rhs);
        if l.is_error() || r.is_error() {
            return Value::error(span);
        }
        suspect::logical(self, op, lhs, rhs);
        if (l.ty.ty.is_struct() || r.ty.ty.is_struct())
            && let Some(v) = self.user_operator(op.function(), &[&l, &r], span)
        {
            return v;
        }
        let (lhs, rhs) = (self.condition(l), self.condition(r));
        let kind = if op == BinaryOp::And { ExprKind::And { lhs, rhs } } else { ExprKind::Or { lhs, rhs } };
        self.types.make(kind, Ty::Bool, span)
    }

    /// The best function for an operator; for a comparison also `==` and `<=>`, with the operands in either order.
    fn operator_or_rewritten(&mut self, op: BinaryOp, l: &Value, r: &Value) -> Option<Candidate<'a>> {
        let other = match op {
            BinaryOp::EQUAL | BinaryOp::NOT_EQUAL => BinaryOp::EQUAL,
            BinaryOp::Compare(_) | BinaryOp::ThreeWay => BinaryOp::ThreeWay,
            _ => return self.operator_function(op.function(), &[l, r]),
        };
        let mut found = self.operator_candidates(op.function(), &[l, r]);
        if other != op {
            let rewritten = self.operator_candidates(other.function(), &[l, r]);
            found.extend(rewritten.into_iter().map(|c| Candidate { rewritten: Rewritten::Yes, ..c }));
        }
        for mut reversed in self.operator_candidates(other.function(), &[r, l]) {
            reversed.ranks.reverse();
            found.push(Candidate { rewritten: Rewritten::Reversed, ..reversed });
        }
        match best(found)? {
            Ok(best) => Some(best),
            Err(several) => several.into_iter().next(),
        }
    }

    /// Calls the function that an operator means: `!(a == b)` for `a != b`, `(a <=> b) < 0` for `a < b`.
    fn call_rewritten(
        &mut self,
        own: Candidate<'a>,
        (op, op_span): (BinaryOp, Span),
        l: Value,
        r: Value,
        span: Span,
    ) -> Value {
        let how = own.rewritten;
        let is_equality = matches!(op, BinaryOp::EQUAL | BinaryOp::NOT_EQUAL);
        let operands = if how == Rewritten::Reversed { vec![r, l] } else { vec![l, r] };
        let v = self.call_operator(own, operands, span);
        match (how, op) {
            _ if v.is_error() => v,
            (Rewritten::No, _) | (_, BinaryOp::EQUAL) => v,
            _ if is_equality => {
                let operand = self.condition(v);
                self.types.make(ExprKind::Unary { op: hir::UnaryOp::Not, operand }, Ty::Bool, span)
            }
            _ => {
                let zero = self.types.make_int(0, span);
                let (l, r) = if how == Rewritten::Reversed { (zero, v) } else { (v, zero) };
                self.binary_values(op, op_span, l, r, span)
            }
        }
    }

    fn compare(&mut self, hop: CompareOp, op_span: Span, l: Value, r: Value, span: Span) -> Value {
        let op = BinaryOp::Compare(hop);
        let (l, r, common) = match self.compared(op, op_span, l, r, span) {
            Ok(found) => found,
            Err(failed) => return failed,
        };
        if common.is_arithmetic() {
            warn::comparison(self, hop, &l, &r, op_span);
        }
        let is_wide = common.is_wide();
        let to = QTy::plain(common);
        let (l_span, r_span) = (l.span, r.span);
        let lhs = self.operand(l, &to).unwrap_or_else(|| Expr::stand_in(l_span));
        let rhs = self.operand(r, &to).unwrap_or_else(|| Expr::stand_in(r_span));
        if is_wide {
            return self.wide_comparison(hop, [lhs, rhs], &to.ty, span);
        }
        self.types.make(ExprKind::Compare { op: hop, lhs, rhs }, Ty::Bool, span)
    }

    /// The operands of a built-in comparison and their common type.
    fn compared(
        &mut self,
        op: BinaryOp,
        op_span: Span,
        l: Value,
        r: Value,
        span: Span,
    ) -> Result<(Value, Value, Ty), Value> {
        let (a, b) = (&l.ty.ty, &r.ty.ty);
        if let (Ty::Array(..), Ty::Array(..)) = (a, b) {
            self.sink.unsupported("a comparison of two arrays", span);
            return Err(Value::error(span));
        }
        let points = |t: &Ty| t.decays_to_pointer() || matches!(t, Ty::NullPtr | Ty::Function(_));
        if points(a) || points(b) {
            return match self.types.common_pointer(&l, &r) {
                Some(common) => Ok((l, r, common)),
                None => Err(self.no_operator(op, op_span, &l, &r, span)),
            };
        }
        if let (Ty::Enum(e), Ty::Enum(other)) = (a, b)
            && e == other
        {
            let under = self.types.enums[e.0 as usize].underlying.clone();
            let (l, r) = (self.rvalue(l), self.rvalue(r));
            return Ok((self.apply(l, &under), self.apply(r, &under), under));
        }
        let (l, r) = (self.unscoped(l), self.unscoped(r));
        if !l.ty.ty.is_arithmetic() || !r.ty.ty.is_arithmetic() {
            return Err(self.no_operator(op, op_span, &l, &r, span));
        }
        let common = ty::usual(&l.ty.ty, &r.ty.ty);
        Ok((l, r, common))
    }

    /// `a <=> b` of built-in types: a function of `<compare>` for their common type.
    fn three_way(&mut self, op_span: Span, l: Value, r: Value, span: Span) -> Value {
        let (l, r, common) = match self.compared(BinaryOp::ThreeWay, op_span, l, r, span) {
            Ok(found) => found,
            Err(failed) => return failed,
        };
        let std = self.scopes.namespace_named("std");
        let list = std.map(|std| self.scopes.functions_in(std, "__three_way")).unwrap_or_default();
        if list.is_empty() {
            let title = "`<=>` gives a type of `<compare>`, which is not included";
            let d = Diagnostic::new(Code::UndeclaredName, title).label(op_span, "");
            self.sink.push(d.help("write `#include <compare>`"));
            return Value::error(span);
        }
        let to = QTy::plain(common);
        let operands = vec![self.convert(l, &to, ""), self.convert(r, &to, "")];
        if operands.iter().any(Value::is_error) {
            return Value::error(span);
        }
        match self.try_resolve(&list, &[], &operands, None) {
            Some((pick, _)) => self.call_function(pick, operands, None, span),
            None => Value::error(span),
        }
    }

    fn pointer_arithmetic(&mut self, op: BinaryOp, op_span: Span, l: Value, r: Value, span: Span) -> Value {
        let (a, b) = (Ty::decayed(&l.ty), Ty::decayed(&r.ty));
        match (&a, &b, op) {
            (Ty::Pointer(x), Ty::Pointer(y), BinaryOp::SUB) if x.ty == y.ty => {
                if self.pointee_incomplete(&x.ty, l.span) {
                    return Value::error(span);
                }
                let (lhs, rhs) = (self.expr_of(l), self.expr_of(r));
                self.types.make(ExprKind::PointerDifference { lhs, rhs }, ty::LONG, span)
            }
            (Ty::Pointer(_), _, BinaryOp::ADD | BinaryOp::SUB) if self.types.is_count(&b) => {
                self.pointer_add(l, r, op == BinaryOp::SUB, span)
            }
            (_, Ty::Pointer(_), BinaryOp::ADD) if self.types.is_count(&a) => {
                self.pointer_add(r, l, false, span)
            }
            _ => self.no_operator(op, op_span, &l, &r, span),
        }
    }

    pub(super) fn pointee_incomplete(&mut self, t: &Ty, span: Span) -> bool {
        let incomplete = match t {
            Ty::Void => true,
            Ty::Struct(s) => !self.types.class(*s).complete,
            _ => false,
        };
        if incomplete {
            let name = self.types.spell_ty(t);
            let title = format!("arithmetic on a pointer to `{name}`, whose size is not known");
            self.sink.push(
                Diagnostic::new(Code::IncompleteType, title)
                    .label(span, "")
                    .help("declare it as a pointer to the type of its elements, such as `float *`"),
            );
        }
        incomplete
    }

    /// `p + n`.
    pub(super) fn pointer_add(&mut self, pointer: Value, count: Value, negative: bool, span: Span) -> Value {
        let ty = Ty::decayed(&pointer.ty);
        if let Ty::Pointer(q) = &ty
            && self.pointee_incomplete(&q.ty, pointer.span)
        {
            return Value::error(span);
        }
        let pointer = self.rvalue(pointer);
        let count = self.unscoped(count);
        let to = index_type(&count.ty.ty);
        let count = self.convert(count, &QTy::plain(to), "");
        if pointer.is_error() || count.is_error() {
            return Value::error(span);
        }
        let (pointer, count) = (self.expr_of(pointer), self.expr_of(count));
        self.types.make(ExprKind::PointerAdd { pointer, count, negative }, ty, span)
    }

    /// `-e` and the like.
    pub(super) fn unary(&mut self, op: UnaryOp, operand: &'a ast::Expr, span: Span) -> Value {
        if op == UnaryOp::AddressOf && self.names_member(operand) {
            self.sink.unsupported("pointer to a member", span);
            return Value::error(span);
        }
        let v = self.expr_or_overloads(operand);
        if op == UnaryOp::AddressOf && matches!(v.ty.ty, Ty::Overloads(_)) {
            return v;
        }
        let v = self.one_meaning(v);
        if v.is_error() {
            return Value::error(span);
        }
        if (v.ty.ty.is_struct() || matches!(v.ty.ty, Ty::Enum(_)))
            && let Some(v) = self.user_operator(op.function(), &[&v], span)
        {
            return v;
        }
        // `&f` and `*f` of a function are the function.
        let decays = op == UnaryOp::Deref || (op == UnaryOp::AddressOf && !v.is_place());
        if matches!(v.ty.ty, Ty::Function(_)) && decays {
            return v;
        }
        match op {
            UnaryOp::AddressOf => self.address_of(v, span),
            UnaryOp::Deref => {
                let v = self.as_built_in(v, Ty::is_pointer);
                self.deref(v, span)
            }
            UnaryOp::PreIncrement => self.step(v, 1, false, span),
            UnaryOp::PreDecrement => self.step(v, -1, false, span),
            UnaryOp::Not => {
                let operand = self.condition(v);
                self.types.make(ExprKind::Unary { op: hir::UnaryOp::Not, operand }, Ty::Bool, span)
            }
            UnaryOp::Plus | UnaryOp::Minus | UnaryOp::BitNot => self.sign(op, v, span),
        }
    }

    fn sign(&mut self, op: UnaryOp, v: Value, span: Span) -> Value {
        let points = |t: &Ty| t.is_pointer() || matches!(t, Ty::Function(_));
        let v = self.as_built_in(v, |t| match op {
            UnaryOp::BitNot => t.is_integral(),
            UnaryOp::Plus => t.is_arithmetic() || points(t),
            _ => t.is_arithmetic(),
        });
        let v = if op == UnaryOp::Plus && points(&Ty::decayed(&v.ty)) {
            return self.rvalue(v);
        } else {
            self.unscoped(v)
        };
        let fits = if op == UnaryOp::BitNot { v.ty.ty.is_integral() } else { v.ty.ty.is_arithmetic() };
        if !fits {
            let (name, s) = (self.types.spell(&v.ty), if op == UnaryOp::BitNot { "~" } else { "-" });
            self.sink.wrong(Code::InvalidOperands, format!("`{s}` does not take `{name}`"), span);
            return Value::error(span);
        }
        let to = v.ty.ty.promoted();
        let v = self.convert(v, &QTy::plain(to.clone()), "");
        if op == UnaryOp::Plus || v.is_error() {
            return Value { span, ..v };
        }
        let hop = if op == UnaryOp::Minus { hir::UnaryOp::Neg } else { hir::UnaryOp::BitNot };
        if let Some(c) = v.constant().and_then(|c| super::fold::fold_unary(hop, c, false)) {
            return self.types.make_const(c, to, span);
        }
        if to.is_wide() {
            return self.wide_unary(hop, v, span);
        }
        let operand = self.expr_of(v);
        self.types.make(ExprKind::Unary { op: hop, operand }, to, span)
    }

    pub(super) fn address_of(&mut self, v: Value, span: Span) -> Value {
        if matches!(v.node, Node::Bits(_)) {
            self.sink.wrong(Code::NotAnObject, "a bit-field has no address", span);
            return Value::error(span);
        }
        let v = self.as_object(v);
        let Node::Place(place) = v.node else {
            self.sink.wrong(Code::NotAnObject, "the address of a temporary value cannot be taken", span);
            return Value::error(span);
        };
        if let PlaceKind::Deref(pointer) = place.kind {
            let ty = Ty::pointer(v.ty);
            return Value { node: Node::Rvalue(pointer), ty: QTy::plain(ty), span };
        }
        if let Some(global) = super::value::root_global(&place)
            && let Some(var) = self.variables.by_global.get(&global)
            && self.body.on_device
            && matches!(self.variables.all[var.0 as usize].kind, super::VarKind::HostConstant)
        {
            let name = self.variables.all[var.0 as usize].name.clone();
            self.sink.push(
                Diagnostic::new(
                    Code::HostVariable,
                    format!("the address of the host constant `{name}` is taken in device code"),
                )
                .label(span, "the device has only its value")
                .help(format!("declare `{name}` with `__constant__`")),
            );
            return Value::error(span);
        }
        let ty = Ty::pointer(v.ty);
        self.types.make(ExprKind::AddressOf(place), ty, span)
    }

    /// `*p`.
    pub(super) fn deref(&mut self, v: Value, span: Span) -> Value {
        let Ty::Pointer(to) = Ty::decayed(&v.ty) else {
            let name = self.types.spell(&v.ty);
            self.sink.wrong(Code::NotAPointer, format!("`*` needs a pointer, but this is `{name}`"), span);
            return Value::error(span);
        };
        if to.ty == Ty::Void {
            self.sink.push(
                Diagnostic::new(Code::NotAPointer, "a `void` pointer cannot be dereferenced")
                    .label(span, "")
                    .help("declare it as a pointer to the type of its elements, such as `float *`"),
            );
            return Value::error(span);
        }
        let v = self.rvalue(v);
        if v.is_error() {
            return v;
        }
        let pointer = self.expr_of(v);
        suspect::null(self, &pointer, span);
        self.types.make_place(PlaceKind::Deref(pointer), to.q.clone(), span)
    }
}

impl<'a> Types<'a> {
    pub(super) fn is_count(&self, t: &Ty) -> bool {
        t.is_integral() || matches!(t, Ty::Enum(e) if !self.enums[e.0 as usize].scoped)
    }

    /// The composite pointer type of two operands.
    pub(super) fn common_pointer(&mut self, l: &Value, r: &Value) -> Option<Ty> {
        let (a, b) = (Ty::decayed(&l.ty), Ty::decayed(&r.ty));
        match (&a, &b) {
            (Ty::Pointer(x), Ty::Pointer(y)) => {
                let q = |t: Ty| QTy {
                    ty: t,
                    is_const: x.is_const || y.is_const,
                    is_volatile: x.is_volatile || y.is_volatile,
                };
                if x.ty == y.ty {
                    return Some(Ty::pointer(q(x.ty.clone())));
                }
                if x.ty == Ty::Void || y.ty == Ty::Void {
                    return Some(Ty::pointer(q(Ty::Void)));
                }
                if self.rank_types(&a, &b).is_some() {
                    return Some(b);
                }
                self.rank_types(&b, &a).map(|_| a)
            }
            (Ty::Pointer(_) | Ty::Function(_), Ty::NullPtr) => Some(a),
            (Ty::NullPtr, Ty::Pointer(_) | Ty::NullPtr | Ty::Function(_)) => Some(b),
            (Ty::Function(x), Ty::Function(y)) if x == y => Some(a),
            (Ty::Pointer(_) | Ty::NullPtr | Ty::Function(_), _) if r.is_zero() => Some(a),
            (_, Ty::Pointer(_) | Ty::NullPtr | Ty::Function(_)) if l.is_zero() => Some(b),
            _ => None,
        }
    }
}
