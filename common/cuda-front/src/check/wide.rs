//! Integers of 128 bits.
//!
//! The checker has them as types of their own, so that promotions, conversions and overloads follow from the same rules as
//! those of other integers. The typed program has a pair of 64 bits, the lower ones first, and each operator is a call of a
//! `constexpr` function of the built-in header `int128.h`: neither evaluation nor lowering knows of more bits than 64.

use super::ty::{self, QTy, Ty};
use super::value::{Node, Value};
use super::{Checker, assign};
use crate::hir::{self, BinaryOp, CompareOp, Expr, ExprKind, PlaceKind, UnaryOp};
use cuda_syntax::ast;
use cuda_syntax::preprocess::composed;
use source::Span;

/// What is not known: the standard library counts them as integers with the extensions of GNU, and not without.
pub(super) const OPINION: &str =
    "a trait of an integer of 128 bits, which depends on options of the compiler";

impl<'a> Checker<'a> {
    /// A fundamental type, for which the typed program has something from now on.
    pub(super) fn known_scalar(&mut self, t: Ty) -> Ty {
        if t.is_wide()
            && self.types.wide.is_none()
            && let Some(Ty::Struct(pair)) = self.vector("ulonglong2")
        {
            self.types.wide = Some(pair);
        }
        t
    }

    /// A call of a function of the header on pairs and other scalars, as a value of type `to`.
    fn wide_call(&mut self, name: &str, operands: Vec<Value>, to: &Ty, span: Span) -> Value {
        if operands.iter().any(Value::is_error) {
            return Value::error(span);
        }
        let scope = self.scopes.namespace_named(composed::NAMESPACE);
        let list = scope.map(|s| self.scopes.functions_in(s, name)).unwrap_or_default();
        let pair = self.types.wide.map_or(Ty::Error, Ty::Struct);
        let as_pair =
            |v: Value| if v.ty.ty.is_wide() { Value { ty: QTy::plain(pair.clone()), ..v } } else { v };
        let operands: Vec<Value> = operands.into_iter().map(as_pair).collect();
        match self.try_resolve(&list, &[], &operands, None) {
            Some((pick, _)) => {
                let v = self.call_function(pick, operands, None, span);
                if v.is_error() { v } else { Value { ty: QTy::plain(to.clone()), ..v } }
            }
            None => {
                self.sink.unsupported("this operation on an integer of 128 bits", span);
                Value::error(span)
            }
        }
    }

    /// A conversion between an integer of 128 bits and another scalar.
    pub(super) fn apply_wide(&mut self, e: Box<Expr>, from: &Ty, to: &Ty, span: Span) -> Value {
        let is_signed = |t: &Ty| matches!(t, Ty::Int(i) if i.is_signed());
        let of = |e: Box<Expr>, t: &Ty| Value { node: Node::Rvalue(e), ty: QTy::plain(t.clone()), span };
        if let Ty::Enum(id) = from {
            let under = self.types.enums[id.0 as usize].underlying.clone();
            return self.apply_wide(e, &under, to, span);
        }
        if to.is_wide() {
            let through = match from {
                Ty::Float | Ty::Double => Ty::Double,
                t if is_signed(t) => ty::LLONG,
                _ => ty::ULLONG,
            };
            let v = self.types.apply_scalar(e, from, &through, span);
            return self.wide_call("__int128_of", vec![v], to, span);
        }
        match to {
            Ty::Bool => self.wide_call("__int128_truth", vec![of(e, from)], to, span),
            Ty::Float | Ty::Double => {
                let name = if *to == Ty::Float { "__int128_to_float" } else { "__int128_to_double" };
                let sign = self.types.make_bool(is_signed(from), span);
                self.wide_call(name, vec![of(e, from), sign], to, span)
            }
            _ => {
                let low = self.types.make(ExprKind::Field { value: e, field: 0 }, ty::ULLONG, span);
                let low = self.expr_of(low);
                self.types.apply_scalar(low, &ty::ULLONG, to, span)
            }
        }
    }

    /// `lhs op rhs` in a type of 128 bits; the count of a shift is an `unsigned`.
    pub(super) fn wide_arithmetic(
        &mut self,
        op: BinaryOp,
        operands: [Box<Expr>; 2],
        common: &Ty,
        span: Span,
    ) -> Value {
        let name = match op {
            BinaryOp::Add => "__int128_add",
            BinaryOp::Sub => "__int128_sub",
            BinaryOp::Mul => "__int128_mul",
            BinaryOp::Div => "__int128_div",
            BinaryOp::Rem => "__int128_rem",
            BinaryOp::And => "__int128_and",
            BinaryOp::Or => "__int128_or",
            BinaryOp::Xor => "__int128_xor",
            BinaryOp::Shl => "__int128_shl",
            BinaryOp::Shr => "__int128_shr",
        };
        let right = if matches!(op, BinaryOp::Shl | BinaryOp::Shr) { &ty::UINT } else { common };
        self.wide_operator(name, operands, [common, right, common], span)
    }

    /// A comparison of two integers of 128 bits.
    pub(super) fn wide_comparison(
        &mut self,
        op: CompareOp,
        operands: [Box<Expr>; 2],
        common: &Ty,
        span: Span,
    ) -> Value {
        let name = match op {
            CompareOp::Eq => "__int128_eq",
            CompareOp::Ne => "__int128_ne",
            CompareOp::Lt => "__int128_lt",
            CompareOp::Le => "__int128_le",
            CompareOp::Gt => "__int128_gt",
            CompareOp::Ge => "__int128_ge",
        };
        self.wide_operator(name, operands, [common, common, &Ty::Bool], span)
    }

    /// A call of an operator's function, whose last parameter says whether the left operand has a sign.
    fn wide_operator(
        &mut self,
        name: &str,
        [l, r]: [Box<Expr>; 2],
        [left, right, to]: [&Ty; 3],
        span: Span,
    ) -> Value {
        let value =
            |e: Box<Expr>, t: &Ty| Value { span: e.span, node: Node::Rvalue(e), ty: QTy::plain(t.clone()) };
        let sign = self.types.make_bool(!left.is_unsigned(), span);
        self.wide_call(name, vec![value(l, left), value(r, right), sign], to, span)
    }

    /// `-v` or `~v`.
    pub(super) fn wide_unary(&mut self, op: UnaryOp, v: Value, span: Span) -> Value {
        let to = v.ty.ty.clone();
        self.wide_call(if op == UnaryOp::Neg { "__int128_neg" } else { "__int128_not" }, vec![v], &to, span)
    }

    /// `l op= r` computed in 128 bits: `l = l op r` on one object, which is found after `r` is evaluated ([expr.ass]).
    pub(super) fn wide_compound(
        &mut self,
        (op, op_span): (ast::BinaryOp, Span),
        l: Value,
        r: Value,
        span: Span,
    ) -> Value {
        let q = QTy::plain(l.ty.ty.clone());
        let Some(place) = self.assignable(l.clone(), l.span) else { return Value::error(span) };
        let l = self.once(Value { node: Node::Place(place), ..l });
        let r = self.rvalue(r);
        let (Node::Place(place), Node::Rvalue(value)) = (l.node, &r.node) else { return Value::error(span) };
        let is_kept = match &place.kind {
            PlaceKind::After { .. } => !matches!(value.kind, ExprKind::Const(_)),
            _ => !assign::is_pure(value),
        };
        let (first, r) = match is_kept {
            true => self.kept(r, span).map_or((None, Value::error(span)), |(keep, kept)| (Some(keep), kept)),
            false => (None, r),
        };
        let (found, place) = match place.kind {
            PlaceKind::After { first, place } => (Some(first), *place),
            _ => (None, place),
        };
        let before = [first, found.map(|e| Value { node: Node::Rvalue(e), ty: QTy::plain(Ty::Void), span })];
        let object = Value { node: Node::Place(place.clone()), ty: l.ty, span };
        let new = self.binary_values(op, op_span, object.clone(), r, span);
        let new = self.convert(new, &q, "");
        if new.is_error() {
            return new;
        }
        let value = self.expr_of(new);
        let change = self.types.make(ExprKind::Assign { place: place.clone(), value }, q.ty, span);
        let Some(all) = before.into_iter().flatten().reduce(|a, b| self.comma(a, b, span)) else {
            return change;
        };
        let all = self.comma(all, change, span);
        let kind = PlaceKind::After { first: self.expr_of(all), place: Box::new(place) };
        self.types.make_place(kind, object.ty, span)
    }

    /// `++v`, `v++` and the like.
    pub(super) fn wide_step(&mut self, v: Value, by: i32, postfix: bool, span: Span) -> Value {
        let op = (ast::BinaryOp::ADD, span);
        let by = self.types.make_int(i64::from(by), span);
        if !postfix {
            return self.wide_compound(op, v, by, span);
        }
        let v = self.once(v);
        let old = self.rvalue(v.clone());
        if old.is_error() {
            return old;
        }
        let Some((keep, kept)) = self.kept(old, span) else { return Value::error(span) };
        let object = match v.node {
            Node::Place(hir::Place { kind: PlaceKind::After { place, .. }, .. }) => {
                Value { node: Node::Place(*place), ..v }
            }
            _ => v,
        };
        let change = self.wide_compound(op, object, by, span);
        let both = self.comma(keep, change, span);
        self.comma(both, kept, span)
    }
}
