//! Structured bindings, and `for` over what is not an array.

use super::scopes::{Entry, Found, Symbol};
use super::template::TArgSource;
use super::ty::{self, DeclTy, QTy, Ref, Ty};
use super::value::{Node, Value};
use super::{Checker, FuncIdx, TArg};
use crate::hir::{self, Const, ExprKind, IntType, LocalId, PlaceKind, Stmt, StmtKind, Storage, StructId};
use cuda_syntax::ast::{self, TemplateParameter, TypeKind};
use source::{Code, Span};

impl<'a> Checker<'a> {
    /// A local without a name that holds a value, or stands for an object.
    fn hidden(&mut self, v: Value, reference: bool, out: &mut Vec<Stmt>) -> Option<LocalId> {
        let span = v.span;
        if reference {
            let v = self.as_object(v);
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
        let is_left = reference && value.is_left();
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
        if let Ty::Struct(class) = object.ty.ty
            && let Some(size) =
                self.class_of_std("tuple_size", vec![TArg::Type(Ty::Struct(class).into())], span)
        {
            let object = if is_left { object } else { object.expiring() };
            return self.bind_tuple(v, &object, size, out);
        }
        let Some(parts) = self.parts(object.clone(), span) else {
            return v.bindings.iter().for_each(|name| self.bind_broken(name));
        };
        if !self.has_parts(v, &object, parts.len() as i64) {
            return;
        }
        for (name, part) in v.bindings.iter().zip(parts) {
            let part = Value { span: name.span, ..part };
            let is_value = !part.is_place();
            let Some(local) = self.hidden(part, !is_value, out) else { continue };
            self.body.locals[local.0 as usize].name.clone_from(&name.text);
            self.bind_local(name, local);
        }
    }

    /// Whether a class has as many parts as there are names; the names stand for nothing if not.
    fn has_parts(&mut self, v: &'a ast::Variable, object: &Value, count: i64) -> bool {
        let names = v.bindings.len();
        if count != names as i64 {
            let spelled = self.types.spell(&object.ty);
            let title = format!("`{spelled}` has {count} parts, but there are {names} names");
            self.sink.wrong(Code::BindingCount, title, v.name.span);
            v.bindings.iter().for_each(|name| self.bind_broken(name));
        }
        count == names as i64
    }

    /// The names for an object of a class with a `std::tuple_size`: each refers to what `get` gives, and is of the type that
    /// `std::tuple_element` says ([dcl.struct.bind]).
    fn bind_tuple(&mut self, v: &'a ast::Variable, object: &Value, size: StructId, out: &mut Vec<Stmt>) {
        let span = v.name.span;
        let count = match self.scopes.lookup_in(self.types.class(size).scope, "value") {
            Found::Entry(entry) => self.named_constant(&entry.symbol),
            _ => None,
        };
        let Some(Const::Int(count, _)) = count else {
            let title = "`std::tuple_size` of this class has no constant `value`";
            self.sink.wrong(Code::NotConstant, title, span);
            return v.bindings.iter().for_each(|name| self.bind_broken(name));
        };
        if !self.has_parts(v, object, count) {
            return;
        }
        for (i, name) in v.bindings.iter().enumerate() {
            if self.bind_part(name, object, i, out).is_none() {
                self.bind_broken(name);
            }
        }
    }

    fn bind_part(
        &mut self,
        name: &'a ast::Name,
        object: &Value,
        i: usize,
        out: &mut Vec<Stmt>,
    ) -> Option<()> {
        let index = TArg::Value(Const::Int(i as i64, IntType::UnsignedLong));
        let element = vec![index.clone(), TArg::Type(object.ty.clone().into())];
        let element = self.class_of_std("tuple_element", element, name.span);
        let found = element.map(|e| self.scopes.lookup_in(self.types.class(e).scope, "type"));
        let Some(Found::Entry(Entry { symbol: Symbol::Type(ty), .. })) = found else {
            let spelled = self.types.spell(&object.ty);
            let title = format!("`std::tuple_element<{i}, {spelled}>` has no `type`");
            self.sink.wrong(Code::IncompleteType, title, name.span);
            return None;
        };
        let part = self.get_part(object.clone(), index, name.span)?;
        let is_left = ty.reference == Some(Ref::Left) || part.is_left();
        let reference = Some(if is_left { Ref::Left } else { Ref::Right });
        let decl = DeclTy { q: ty.q, reference };
        let place = self.bind_reference(part, &decl, "what `get` returns")?;
        self.bind_named(name, &decl.q, ty.reference, place, out);
        Some(())
    }

    /// A local that refers to a place; `reference` is as what it is declared.
    pub(super) fn bind_named(
        &mut self,
        name: &'a ast::Name,
        q: &QTy,
        reference: Option<Ref>,
        place: hir::Place,
        out: &mut Vec<Stmt>,
    ) {
        let local = self.new_local(&name.text, q, Storage::Automatic, name.span);
        self.body.locals[local.0 as usize].is_reference = true;
        self.body.infos[local.0 as usize].reference = reference;
        self.bind_local(name, local);
        out.push(Stmt { kind: StmtKind::Bind { local, place }, span: name.span });
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
                    let index = c.types.make_const(Const::Int(i as i64, IntType::Int), ty::INT, span);
                    let index = c.expr_of(index);
                    let kind = PlaceKind::Index { base: Box::new(base.clone()), index };
                    c.types.make_place(kind, QTy::plain((**of).clone()), span)
                };
                let (x, y) = (element(self, a), element(self, b));
                self.copy_elements(x, y, out);
            }
            return;
        }
        let q = QTy::plain(to.ty.ty.clone());
        let value = self.convert_expr(from, &q, "for this copy");
        let Node::Place(place) = to.node else { return };
        let e = self.types.make(ExprKind::Assign { place, value }, q.ty, span);
        let e = self.expr_of(e);
        out.push(Stmt { kind: StmtKind::Expr(e), span });
    }

    /// What structured bindings name: elements, or the members of one class.
    fn parts(&mut self, object: Value, span: Span) -> Option<Vec<Value>> {
        match object.ty.ty.clone() {
            Ty::Array(of, n) => {
                let Node::Place(base) = &object.node else { return None };
                let base = base.clone();
                let element = |i: u64, c: &mut Checker<'a>| {
                    let index = c.types.make_const(Const::Int(i as i64, IntType::Int), ty::INT, span);
                    let index = c.expr_of(index);
                    let q = QTy { ty: (*of).clone(), ..object.ty.clone() };
                    c.types.make_place(PlaceKind::Index { base: Box::new(base.clone()), index }, q, span)
                };
                Some((0..n).map(|i| element(i, self)).collect())
            }
            Ty::Struct(s) => {
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
                self.sink.wrong(Code::NotAClass, format!("`{spelled}` has no parts to name"), span);
                None
            }
        }
    }

    /// `object.get<i>()` if the class has such a template, or else `get<i>(object)`.
    fn get_part(&mut self, object: Value, index: TArg, span: Span) -> Option<Value> {
        let Ty::Struct(class) = object.ty.ty else { return None };
        let index = [TArgSource::Known(index)];
        let mut list = self.scopes.functions_in(self.types.class(class).scope, "get");
        let is_indexed = |f: &FuncIdx| {
            matches!(self.functions.own_template(*f).first(), Some(TemplateParameter::Value { .. }))
        };
        let (values, object) = if list.iter().any(is_indexed) {
            (Vec::new(), Some(object))
        } else {
            list.clear();
            self.add_associated("get", std::slice::from_ref(&object), &mut list);
            (vec![object], None)
        };
        let pick = self.resolve("get", &list, &index, &values, object.as_ref(), span)?;
        let part = self.call_function(pick, values, object, span);
        (!part.is_error()).then_some(part)
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
