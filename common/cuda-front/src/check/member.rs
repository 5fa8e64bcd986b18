//! Members named through their class, pointers to members, and traits that only a compiler can tell.

use super::scopes::{Found, Symbol};
use super::ty::QTy;
use super::ty::{DeclTy, Ty};
use super::value::{Node, Value};
use super::{Checker, Source};
use crate::hir::{ExprKind, StructId};
use cuda_syntax::ast;
use cuda_syntax::parts::Part;
use source::{Code, Span};

impl<'a> Checker<'a> {
    /// The object of `a.C::m` as one of the class `C`.
    pub(super) fn through_class(
        &mut self,
        object: Value,
        class: StructId,
        through: Option<&'a ast::Path>,
    ) -> Option<(Value, StructId)> {
        let Some(path) = through else { return Some((object, class)) };
        let Ty::Struct(to) = self.named_type(path).q.ty else { return None };
        let Some(steps) = self.types.base_path(class, to) else {
            let (a, b) = (self.types.layout(class).name.clone(), self.types.layout(to).name.clone());
            self.sink.wrong(Code::NotABase, format!("`{b}` is not a base class of `{a}`"), path.span);
            return None;
        };
        let span = path.span;
        Some((steps.into_iter().fold(object, |v, field| self.field_of(v, field, span)), to))
    }

    /// `using B::m;` in a class.
    pub(super) fn using_members(&mut self, path: &'a ast::Path, pack: bool, class: StructId) {
        if pack {
            self.for_each_element(Part::Path(path), path.span, |c| c.using_member(path, class));
        } else {
            self.using_member(path, class);
        }
    }

    fn using_member(&mut self, path: &'a ast::Path, class: StructId) {
        let name = &path.last.name;
        let Ok(Some(from)) = self.qualifier_scope(path) else { return };
        let Some(base) = self.scopes.scope(from).class else {
            return self.sink.wrong(
                Code::NotABase,
                "`using` in a class names members of its bases",
                path.span,
            );
        };
        if base == class || self.types.base_path(class, base).is_none() {
            let (a, b) = (self.types.layout(class).name.clone(), self.types.layout(base).name.clone());
            return self.sink.wrong(Code::NotABase, format!("`{b}` is not a base class of `{a}`"), path.span);
        }
        let own = self.types.layout(base).name.split('<').next() == Some(name.text.as_str());
        if own || path.qualifiers.last().is_some_and(|q| q.name.text == name.text) {
            self.types.classes[class.0 as usize].inherits.push(base);
            return;
        }
        let to = self.types.class(class).scope;
        match self.scopes.lookup_in(from, &name.text) {
            Found::Entry(mut entry) => {
                let known = self.scopes.scope(to).names.get(&name.text).map(|e| e.symbol.clone());
                if let (Symbol::Functions(found), Some(Symbol::Functions(mut list))) = (&entry.symbol, known)
                {
                    list.extend(found.iter().copied().filter(|f| !list.contains(f)).collect::<Vec<_>>());
                    entry.symbol = Symbol::Functions(list);
                }
                self.scopes.bind_silently(to, &name.text, entry.symbol, 0, name.span);
            }
            // A field is found through the base anyway.
            _ if self.types.has_field(base, &name.text) => {}
            _ => return self.no_member(base, &name.text, name.span),
        }
        self.types.classes[class.0 as usize].hidden.insert(name.text.clone(), self.access);
    }

    /// The constructors that make objects of a class: its own, and those of its bases that it inherits.
    pub(super) fn constructors_of(&self, class: StructId) -> Vec<super::FuncIdx> {
        let mut found = self.types.class(class).constructors.clone();
        for base in &self.types.class(class).inherits {
            for f in self.constructors_of(*base) {
                let Some(signature) = &self.functions.func(f).signature else {
                    found.push(f);
                    continue;
                };
                let copies = matches!(signature.parameters.as_slice(), [p] if p.ty.q.ty == Ty::Struct(*base));
                let hidden = found.iter().any(|own| {
                    self.functions.func(*own).signature.as_ref().is_some_and(|s| {
                        let types = |s: &super::Signature<'a>| {
                            s.parameters.iter().map(|p| p.ty.clone()).collect::<Vec<_>>()
                        };
                        types(s) == types(signature)
                    })
                });
                if !copies && !hidden && !signature.parameters.is_empty() {
                    found.push(f);
                }
            }
        }
        found
    }

    /// A constructor of a base makes that part of the object, the other members are made by default.
    pub(super) fn inherited_constructor(
        &mut self,
        object: Value,
        (class, base): (StructId, StructId),
        constructor: super::FuncIdx,
        values: Vec<Value>,
        span: Span,
    ) -> Option<Value> {
        let Node::Place(target) = self.once(object).node else { return None };
        let made = self.new_temporary(&QTy::plain(Ty::Struct(class)), span);
        let object = self.local_place(made, span);
        let first = *self.types.base_path(class, base)?.first()?;
        let part = self.types.raw_field(object.clone(), first, span);
        let name = self.types.layout(base).name.clone();
        let scope = self.types.class(class).scope;
        let mut all =
            self.in_scope(scope, |c| c.constructor_call(part, &name, &[constructor], values, span))?;
        for i in (0..self.types.class(class).fields.len() as u32).filter(|i| *i != first) {
            let tree = self.default_field((made, class), i as usize)?;
            let field = self.types.raw_field(object.clone(), i, span);
            let mut stores = Vec::new();
            self.store_tree(field, &tree, &mut stores, span);
            all = stores.into_iter().fold(all, |a, s| {
                let effect = self.rvalue_for_effect(s);
                self.comma(a, effect, span)
            });
        }
        let stores = self.table_stores(&object, span);
        all = stores.into_iter().fold(all, |a, s| self.comma(a, s, span));
        self.body.prvalues.insert(made);
        let value = self.rvalue(object);
        let whole = self.comma(all, value, span);
        let whole = self.expr_of(whole);
        Some(self.made_in(target, whole, &Ty::Struct(class), span))
    }

    /// `T C::*`.
    pub(super) fn member_pointer_type(
        &mut self,
        class: &'a ast::Path,
        _to: &'a ast::TypeName,
        _is_const: bool,
    ) -> DeclTy {
        self.sink.unsupported("pointer to a member", class.span);
        Ty::Error.into()
    }

    /// Whether an expression is `C::m` of a member that belongs to objects.
    pub(super) fn names_member(&mut self, e: &'a ast::Expr) -> bool {
        let ast::ExprKind::Path(path) = &e.kind else { return false };
        if path.qualifiers.is_empty() {
            return false;
        }
        let (scope, _) = self.quietly(|c| c.qualifier_scope(path));
        let Ok(Some(scope)) = scope else { return false };
        let Some(class) = self.scopes.scope(scope).class else { return false };
        let name = &path.last.name.text;
        self.types.field_path(class, name).is_some()
            || matches!(self.scopes.lookup_in(scope, name), Found::Entry(entry)
                if matches!(&entry.symbol, Symbol::Functions(list) if list.iter().any(|f| !self.functions.func(*f).is_static)))
    }

    /// `a.*p`.
    pub(super) fn member_pointer(
        &mut self,
        (base, _): (&'a ast::Expr, bool),
        pointer: &'a ast::Expr,
        span: Span,
    ) -> Value {
        let (b, p) = (self.expr(base), self.expr(pointer));
        if !b.is_error() && !p.is_error() {
            self.sink.unsupported("pointer to a member", span);
        }
        Value::error(span)
    }

    /// `(a.*f)(x)`.
    pub(super) fn call_member_pointer(
        &mut self,
        (base, arrow): (&'a ast::Expr, bool),
        pointer: &'a ast::Expr,
        arguments: &'a [ast::Expr],
        span: Span,
    ) -> Value {
        self.arguments(arguments);
        self.member_pointer((base, arrow), pointer, span)
    }

    /// `noexcept(e)`: whether all functions that `e` calls promise it.
    pub(super) fn noexcept(&mut self, e: &'a ast::Expr, span: Span) -> Value {
        self.unevaluated(|c| c.expr(e));
        self.sink.unsupported("the operator `noexcept`", span);
        Value::error(span)
    }

    /// `__is_class(T)` and the like.
    pub(super) fn compiler_trait(
        &mut self,
        name: &'a ast::Name,
        types: &'a [ast::TypeName],
        span: Span,
    ) -> Value {
        let mut meant = Vec::new();
        for t in types {
            match &t.kind {
                ast::TypeKind::Pack(pattern) => {
                    let all =
                        self.for_each_element(Part::Type(pattern), pattern.span, |c| c.decl_type(pattern));
                    meant.extend(all.unwrap_or_default());
                }
                _ => meant.push(self.decl_type(t)),
            }
        }
        let types: Vec<DeclTy> = meant;
        if types.iter().any(|t| t.q.ty.has_error()) {
            return Value::error(span);
        }
        let first = types.first().cloned().unwrap_or_else(|| Ty::Void.into());
        let second = types.get(1).cloned().unwrap_or_else(|| Ty::Void.into());
        let object = first.reference.is_none();
        let ty = &first.q.ty;
        let truth = match name.text.as_str() {
            "__is_class" => object && matches!(ty, Ty::Struct(s) if !self.types.layout(*s).is_union),
            "__is_union" => object && matches!(ty, Ty::Struct(s) if self.types.layout(*s).is_union),
            "__is_enum" => object && matches!(ty, Ty::Enum(_)),
            "__is_empty" => object && self.types.is_empty_class(ty),
            "__is_integral" | "__is_signed" | "__is_unsigned" if object && ty.is_wide() => {
                self.sink.unsupported(super::wide::OPINION, span);
                return Value::error(span);
            }
            "__is_integral" => object && ty.is_integral(),
            "__is_floating_point" => object && ty.is_floating(),
            "__is_signed" => object && (ty.is_floating() || matches!(ty, Ty::Int(i) if i.is_signed())),
            "__is_unsigned" => object && (ty.is_unsigned() || *ty == Ty::Bool),
            "__is_trivially_copyable" => match ty.innermost() {
                Ty::Struct(s) => !self.needs_copy(*s) && !self.needs_destruction(ty),
                _ => true,
            },
            "__is_base_of" => match (&first.q.ty, &second.q.ty) {
                (Ty::Struct(base), Ty::Struct(derived)) => self.types.base_path(*derived, *base).is_some(),
                _ => false,
            },
            "__is_convertible" => self.is_convertible(&first, &second),
            "__is_constructible" => {
                let values: Vec<Value> = types[1..].iter().map(|t| self.value_of(t, span)).collect();
                self.is_constructible(&first, values, span)
            }
            other => {
                self.sink.unsupported(other, name.span);
                return Value::error(span);
            }
        };
        self.types.make_bool(truth, span)
    }

    /// Some value of a type, for what is never evaluated.
    pub(super) fn value_of(&mut self, t: &DeclTy, span: Span) -> Value {
        self.unevaluated(|c| {
            let pointer = c.types.make(ExprKind::Null, Ty::pointer(t.q.clone()), span);
            let place = c.deref(pointer, span);
            match t.reference {
                Some(super::ty::Ref::Left) => place,
                Some(super::ty::Ref::Right) => place.expiring(),
                None if t.q.ty == Ty::Void => Value::error(span),
                None => c.rvalue(place),
            }
        })
    }

    fn is_convertible(&mut self, from: &DeclTy, to: &DeclTy) -> bool {
        if to.q.ty == Ty::Void || from.q.ty == Ty::Void {
            return to.q.ty == from.q.ty;
        }
        let (v, clean) = self.quietly(|c| c.value_of(from, Span::default()));
        clean && self.rank_parameter(&v, to).is_some()
    }

    fn is_constructible(&mut self, t: &DeclTy, values: Vec<Value>, span: Span) -> bool {
        match (&t.q.ty, values.as_slice()) {
            (Ty::Struct(s), _) => {
                let s = *s;
                let (v, clean) = self.unevaluated(|c| c.quietly(|c| c.construct_class(s, values, span)));
                clean && !v.is_error()
            }
            (Ty::Void, _) => false,
            (_, []) => true,
            (_, [v]) => self.rank_parameter(v, t).is_some(),
            _ => false,
        }
    }

    /// A member of an object or a value.
    pub(super) fn member_value(&mut self, object: Value, member: u32, span: Span) -> Value {
        if let Ty::Struct(class) = object.ty.ty {
            let name = self.types.layout(class).fields[member as usize].name.clone();
            self.check_steps(class, &[member], &name, span);
        }
        self.field_of(object, member, span)
    }

    /// A method that takes these values, if the class has it.
    pub(super) fn opt_method(
        &mut self,
        object: &Value,
        name: &str,
        values: Vec<Value>,
        span: Span,
    ) -> Option<Value> {
        let Ty::Struct(class) = object.ty.ty else { return None };
        let scope = self.types.class(class).scope;
        let Found::Entry(super::scopes::Entry { symbol: Symbol::Functions(list), .. }) =
            self.scopes.lookup_in(scope, name)
        else {
            return None;
        };
        let pick = self.resolve(name, &list, &[], &values, Some(object), span)?;
        Some(self.call_function(pick, values, Some(object.clone()), span))
    }

    /// A function that argument-dependent look-up finds.
    pub(super) fn opt_associated(&mut self, name: &str, values: Vec<Value>, span: Span) -> Option<Value> {
        let mut list = Vec::new();
        self.add_associated(name, &values, &mut list);
        list.retain(|f| matches!(self.functions.func(*f).source, Source::Function(_)));
        if list.is_empty() {
            return None;
        }
        let pick = self.resolve(name, &list, &[], &values, None, span)?;
        Some(self.call_function(pick, values, None, span))
    }
}
