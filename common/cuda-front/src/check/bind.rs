//! Structured bindings, and `for` over what is not an array.

use super::deduce::Bindings;
use super::scopes::{Entry, Found, Symbol};
use super::template::TArgSource;
use super::ty::{self, DeclTy, QTy, Ref, Ty};
use super::value::{Node, Value};
use super::{Checker, TArg};
use crate::hir::{self, Const, ExprKind, IntType, LocalId, PlaceKind, Stmt, StmtKind, Storage};
use cuda_syntax::ast::{self, TypeKind};
use source::{Code, Span};
use std::rc::Rc;

impl<'a> Checker<'a> {
    /// A local without a name that holds a value, or stands for an object.
    fn hidden(&mut self, v: Value, reference: bool, out: &mut Vec<Stmt>) -> Option<LocalId> {
        let span = v.span;
        if reference {
            let decl = DeclTy { q: v.ty.clone(), reference: Some(Ref::Left) };
            let place = match v.node {
                Node::Place(place) => place,
                Node::Rvalue(e) => self.temporary_place(e),
                Node::Bits(_) | Node::Error => return None,
            };
            let local = self.new_local("", &decl.q, Storage::Automatic, span);
            self.body.locals[local.0 as usize].is_reference = true;
            out.push(Stmt { kind: StmtKind::Bind { local, place }, span });
            return Some(local);
        }
        let q = QTy::plain(Ty::decayed(&v.ty));
        let v = self.convert(v, &q, "for this value");
        if v.is_error() {
            return None;
        }
        let value = self.owned(v);
        let local = self.new_local("", &q, Storage::Automatic, span);
        out.push(Stmt { kind: StmtKind::Declare { local, value: Some(value) }, span });
        Some(local)
    }

    /// `auto [a, b] = v;`: a hidden object, and names for its parts.
    pub(super) fn structured_binding(&mut self, v: &'a ast::Variable, value: Value, out: &mut Vec<Stmt>) {
        let span = v.name.span;
        if value.is_error() {
            return v.bindings.iter().for_each(|name| self.bind_broken(name));
        }
        let (reference, is_const) = match &v.ty.kind {
            TypeKind::Reference { to, .. } => (true, to.is_const),
            _ => (false, v.ty.is_const),
        };
        let whole = if let (Ty::Array(..), false, Node::Place(place)) = (&value.ty.ty, reference, &value.node)
        {
            Some(self.array_copy(place.clone(), &value.ty, span, out))
        } else {
            self.hidden(value, reference, out)
        };
        let Some(whole) = whole else {
            return v.bindings.iter().for_each(|name| self.bind_broken(name));
        };
        self.body.infos[whole.0 as usize].q.is_const |= is_const;
        let object = self.local_place(whole, span);
        let Some(parts) = self.parts(object.clone(), v.bindings.len(), span) else {
            return v.bindings.iter().for_each(|name| self.bind_broken(name));
        };
        if parts.len() != v.bindings.len() {
            let spelled = self.types.spell(&object.ty);
            let title =
                format!("`{spelled}` has {} parts, but there are {} names", parts.len(), v.bindings.len());
            self.sink.report(Code::BindingCount, title, span, "");
            return v.bindings.iter().for_each(|name| self.bind_broken(name));
        }
        for (name, part) in v.bindings.iter().zip(parts) {
            let part = Value { span: name.span, ..part };
            let is_value = !part.is_place();
            let Some(local) = self.hidden(part, !is_value, out) else { continue };
            self.body.locals[local.0 as usize].name.clone_from(&name.text);
            self.bind_local(name, local);
        }
    }

    fn bind_broken(&mut self, name: &'a ast::Name) {
        let local = self.new_local(&name.text, &QTy::plain(Ty::Error), Storage::Automatic, name.span);
        self.bind_local(name, local);
    }

    /// A copy of an array in a local of its own.
    pub(super) fn array_copy(
        &mut self,
        from: hir::Place,
        q: &QTy,
        span: Span,
        out: &mut Vec<Stmt>,
    ) -> LocalId {
        let q = QTy::plain(q.ty.clone());
        let local = self.new_local("", &q, Storage::Automatic, span);
        out.push(Stmt { kind: StmtKind::Declare { local, value: None }, span });
        let to = self.local_place(local, span);
        let from = Value { node: Node::Place(from), ty: q, span };
        self.copy_elements(to, from, out);
        local
    }

    fn copy_elements(&mut self, to: Value, from: Value, out: &mut Vec<Stmt>) {
        let span = to.span;
        if let (Ty::Array(of, n), Node::Place(a), Node::Place(b)) = (&to.ty.ty.clone(), &to.node, &from.node)
        {
            for i in 0..*n {
                let element = |c: &mut Checker<'a>, base: &hir::Place| {
                    let index = c.make_const(Const::Int(i as i64, IntType::Int), ty::INT, span);
                    let index = c.expr_of(index);
                    let kind = PlaceKind::Index { base: Box::new(base.clone()), index };
                    c.make_place(kind, QTy::plain((**of).clone()), span)
                };
                let (x, y) = (element(self, a), element(self, b));
                self.copy_elements(x, y, out);
            }
            return;
        }
        let q = QTy::plain(to.ty.ty.clone());
        let value = self.convert_expr(from, &q, "for this copy");
        let Node::Place(place) = to.node else { return };
        let e = self.make(ExprKind::Assign { place, value }, q.ty, span);
        let e = self.expr_of(e);
        out.push(Stmt { kind: StmtKind::Expr(e), span });
    }

    /// What structured bindings name: elements, parts that `get` gives, or the members of one class.
    fn parts(&mut self, object: Value, count: usize, span: Span) -> Option<Vec<Value>> {
        match object.ty.ty.clone() {
            Ty::Array(of, n) => {
                let Node::Place(base) = &object.node else { return None };
                let base = base.clone();
                let element = |i: u64, c: &mut Checker<'a>| {
                    let index = c.make_const(Const::Int(i as i64, IntType::Int), ty::INT, span);
                    let index = c.expr_of(index);
                    let q = QTy { ty: (*of).clone(), ..object.ty.clone() };
                    c.make_place(PlaceKind::Index { base: Box::new(base.clone()), index }, q, span)
                };
                Some((0..n).map(|i| element(i, self)).collect())
            }
            Ty::Struct(s) => {
                if let Some(parts) = self.tuple_parts(&object, s, count, span) {
                    return parts;
                }
                if self.has_own_tuple_size(s) {
                    self.sink.unsupported(
                        "structured bindings of a class with a `std::tuple_size` of its own",
                        span,
                    );
                    return None;
                }
                // The members may be those of one base class.
                let mut object = object;
                let mut class = s;
                while let (true, [base]) =
                    (self.types.class(class).fields.len() == 1, self.types.class(class).bases.as_slice())
                {
                    class = *base;
                    object = self.field_of(object, 0, span);
                }
                if !self.types.class(class).bit_fields.is_empty() {
                    self.sink.unsupported("structured bindings of bit-fields", span);
                    return None;
                }
                let fields = self.types.members(class);
                Some(fields.into_iter().map(|m| self.member_value(object.clone(), m, span)).collect())
            }
            _ => {
                let spelled = self.types.spell(&object.ty);
                self.sink.report(Code::NotAClass, format!("`{spelled}` has no parts to name"), span, "");
                None
            }
        }
    }

    /// The parts of a class for which the file (or a header) specialises `std::tuple_size`.
    fn tuple_parts(
        &mut self,
        object: &Value,
        s: hir::StructId,
        count: usize,
        span: Span,
    ) -> Option<Option<Vec<Value>>> {
        let template = self.types.class(s).template.as_ref()?.0;
        let name = self.templates.classes[template].ast.name.as_ref()?.last.name.text.clone();
        let library =
            self.scopes.scope(self.templates.classes[template].scope).prefix.as_ref() == "__containers::";
        if !library || !matches!(name.as_str(), "tuple" | "pair" | "array") {
            return None;
        }
        let mut parts = Vec::new();
        for i in 0..count {
            let index = TArg::Value(Const::Int(i as i64, IntType::UnsignedLong));
            let Some(v) = self.get_part(object.clone(), index, span) else { return Some(None) };
            parts.push(v);
        }
        Some(Some(parts))
    }

    /// Whether the file specialises `std::tuple_size` for a class.
    fn has_own_tuple_size(&mut self, class: hir::StructId) -> bool {
        let Some(std) = self.namespace_named("std") else { return false };
        let Found::Entry(Entry { symbol: Symbol::ClassTemplate(id), .. }) =
            self.scopes.lookup_in(std, "tuple_size")
        else {
            return false;
        };
        let (ast, parent) = (self.templates.classes[id].ast, self.templates.classes[id].scope);
        let argument = TArgSource::Known(TArg::Type(Ty::Struct(class).into()));
        let (size, _) = self.quietly(|c| {
            let (arguments, scope) =
                c.template_arguments(&ast.template, parent, &[argument], &Bindings::default())?;
            Some(c.instance_of(id, arguments, scope, ast.span))
        });
        matches!(size, Some(Ty::Struct(size)) if self.types.class(size).complete)
    }

    /// `get<i>(object)` of the library.
    fn get_part(&mut self, object: Value, index: TArg, span: Span) -> Option<Value> {
        let mut list = Vec::new();
        self.add_associated("get", std::slice::from_ref(&object), &mut list);
        let pick = list
            .into_iter()
            .find_map(|f| self.pick_with(f, std::slice::from_ref(&index), std::slice::from_ref(&object)))?;
        Some(self.call_function(pick, vec![object], None, span))
    }

    /// `{a, b, c}` as a range: an array of them.
    pub(super) fn list_range(&mut self, items: &'a [ast::Expr], span: Span) -> Value {
        let Some(first) = items.first() else {
            self.sink.report(Code::InvalidRange, "an empty list has no type", span, "");
            return Value::error(span);
        };
        self.body.unevaluated += 1;
        let (v, _) = self.quietly(|c| c.expr(first));
        self.body.unevaluated -= 1;
        let mut q = QTy::plain(Ty::Array(Rc::new(Ty::decayed(&v.ty)), items.len() as u64));
        match self.list_tree(&mut q, items, span) {
            Some(tree) => {
                let t = self.new_temporary(&q, span);
                let place = self.local_place(t, span);
                let mut stores = Vec::new();
                self.store_tree(place, &tree, &mut stores, span);
                let place = self.local_place(t, span);
                let (ty, Node::Place(inner)) = (place.ty.clone(), place.node) else {
                    return Value::error(span);
                };
                let all = stores.into_iter().reduce(|a, b| self.comma(a, b, span));
                let Some(all) = all else { return Value::error(span) };
                let first = self.expr_of(all);
                self.make_place(PlaceKind::After { first, place: Box::new(inner) }, ty, span)
            }
            None => Value::error(span),
        }
    }

    /// `for (T x : r)` of a class: `begin` and `end`, members or found by the class.
    pub(super) fn range_for_class(
        &mut self,
        variable: &'a ast::Variable,
        r: Value,
        body: &'a ast::Stmt,
        unroll: Option<&'a ast::Unroll>,
        span: Span,
    ) -> Vec<Stmt> {
        let mut out = Vec::new();
        let at = r.span;
        let Some(range) = self.hidden(r, true, &mut out) else { return out };
        let mut ends = Vec::new();
        for name in ["begin", "end"] {
            let object = self.local_place(range, at);
            let v = if self.has_method(&object, "begin") {
                self.opt_method(&object, name, Vec::new(), at)
            } else {
                self.opt_associated(name, vec![object], at)
            };
            let Some(v) = v.filter(|v| !v.is_error()) else {
                let title = "a range-based `for` takes an array, or a class with `begin` and `end`";
                self.sink.report(Code::InvalidRange, title, at, "it has no suitable `begin` and `end`");
                return Vec::new();
            };
            let Some(local) = self.hidden(v, false, &mut out) else { return Vec::new() };
            ends.push(local);
        }
        let place = |c: &Checker<'a>, i: usize| c.local_place(ends[i], at);
        let (a, b) = (place(self, 0), place(self, 1));
        let differ = self.binary_values(ast::BinaryOp::NOT_EQUAL, at, a, b, at);
        let condition = self.condition(differ);
        let object = place(self, 0);
        let element = if object.ty.ty.is_struct() {
            match self.user_operator("operator*", &[&object], at) {
                Some(v) => v,
                None => self.deref(object, at),
            }
        } else {
            self.deref(object, at)
        };
        let object = place(self, 0);
        let next = if object.ty.ty.is_struct() {
            match self.user_operator("operator++", &[&object], at) {
                Some(v) => v,
                None => self.step(object, 1, false, at),
            }
        } else {
            self.step(object, 1, false, at)
        };
        let next = self.rvalue_for_effect(next);
        let step = self.expr_of(next);
        let unroll = self.unroll(unroll);
        let inner = self.range_body(variable, element, body);
        let kind = StmtKind::Loop { condition: Some(condition), step: Some(step), body: inner, unroll };
        out.push(Stmt { kind, span });
        out
    }

    fn has_method(&self, object: &Value, name: &str) -> bool {
        let Ty::Struct(class) = object.ty.ty else { return false };
        let scope = self.types.class(class).scope;
        matches!(self.scopes.lookup_in(scope, name), Found::Entry(e) if matches!(e.symbol, Symbol::Functions(_)))
    }
}
