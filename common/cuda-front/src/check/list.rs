//! Class templates of `std` that the language itself uses, and `std::initializer_list` among them: what a braced list is where
//! nothing else says its type ([dcl.init.list]).
//!
//! The elements are an array of constants, a temporary; the object is a pointer to the first of them, and their number.

use super::conversion::Init;
use super::deduce::Bindings;
use super::ids::FuncIdx;
use super::scopes::{Entry, Found, Symbol};
use super::template::TArgSource;
use super::ty::{self, QTy, Ty};
use super::value::{Node, Value};
use super::{Checker, TArg};
use crate::hir::{Const, ExprKind, IntType, PlaceKind, StructId};
use cuda_syntax::ast::{self, TypeKind, TypeName};
use source::{Code, Span};
use std::rc::Rc;

impl<'a> Checker<'a> {
    /// The class template `std::NAME`, by its number.
    fn template_of_std(&self, name: &str) -> Option<usize> {
        match self.scopes.lookup_in(self.scopes.namespace_named("std")?, name) {
            Found::Entry(Entry { symbol: Symbol::ClassTemplate(id), .. }) => Some(id),
            _ => None,
        }
    }

    /// `std::NAME<…>` for these arguments, if it has a definition.
    pub(super) fn class_of_std(&mut self, name: &str, arguments: Vec<TArg>, span: Span) -> Option<StructId> {
        let id = self.template_of_std(name)?;
        let (ast, parent) = (self.templates.classes[id].ast, self.templates.classes[id].scope);
        let arguments: Vec<_> = arguments.into_iter().map(TArgSource::Known).collect();
        let (class, _) = self.quietly(|c| {
            let (arguments, scope) =
                c.template_arguments(&ast.template, parent, &arguments, &Bindings::default())?;
            Some(c.instance_of(id, arguments, scope, span))
        });
        match class {
            Some(Ty::Struct(class)) => self.types.class(class).complete.then_some(class),
            _ => None,
        }
    }

    /// Whether a type as written names `std::initializer_list`.
    pub(super) fn is_list_template(&mut self, ty: &'a TypeName) -> bool {
        let TypeKind::Named(path) = &ty.kind else { return false };
        let (found, _) = self.quietly(|c| c.lookup_path(path));
        matches!(found, Ok(Found::Entry(Entry { symbol: Symbol::ClassTemplate(id), .. }))
            if self.template_of_std("initializer_list") == Some(id))
    }

    /// What a `std::initializer_list` is of, if the type is one.
    pub(super) fn list_element(&self, ty: &Ty) -> Option<QTy> {
        let Ty::Struct(class) = ty else { return None };
        let (id, arguments) = self.types.class(*class).template.as_ref()?;
        match arguments.first() {
            Some(TArg::Type(t)) if self.template_of_std("initializer_list") == Some(*id) => Some(t.q.clone()),
            _ => None,
        }
    }

    /// The values of a list, not to be evaluated; `None` if one of them has an error.
    pub(super) fn list_values(&mut self, items: &'a [ast::Expr]) -> Option<Vec<Value>> {
        let (values, clean) = self.unevaluated(|c| c.quietly(|c| c.arguments(items)));
        clean.then_some(values)
    }

    /// The one type of all elements of a list that says no type ([dcl.type.auto.deduct]).
    pub(super) fn common_element(&mut self, items: &'a [ast::Expr], span: Span) -> Option<QTy> {
        let values = self.unevaluated(|c| c.arguments(items));
        if values.iter().any(Value::is_error) {
            return None;
        }
        let mut types = values.iter().map(|v| Ty::decayed(&v.ty));
        let first = types.next().filter(|first| types.all(|other| other == *first));
        match first {
            Some(Ty::Braces(_)) | None => {
                let title = "the elements of this list have no common type";
                self.sink.report(Code::InvalidRange, title, span, "all must be of one type");
                None
            }
            Some(first) => Some(QTy::plain(first)),
        }
    }

    /// An array of what a list has, a temporary.
    pub(super) fn list_array(&mut self, element: &QTy, items: &'a [ast::Expr], span: Span) -> Value {
        if self.needs_destruction(&element.ty) {
            self.sink.unsupported("a list of objects with a destructor", span);
            return Value::error(span);
        }
        let mut q = QTy::plain(Ty::Array(Rc::new(element.ty.clone()), ty::UNSIZED));
        let Some(tree) = self.list_tree(&mut q, items, span, Init::Copy) else { return Value::error(span) };
        let local = self.new_temporary(&q, span);
        let place = self.local_place(local, span);
        let mut stores = Vec::new();
        self.store_tree(place, &tree, &mut stores, span);
        let array = self.local_place(local, span);
        let (Some(all), Node::Place(place)) =
            (stores.into_iter().reduce(|a, b| self.comma(a, b, span)), array.node)
        else {
            return Value::error(span);
        };
        let first = self.expr_of(all);
        self.types.make_place(PlaceKind::After { first, place: Box::new(place) }, QTy::constant(q.ty), span)
    }

    /// The `std::initializer_list` that a list makes.
    pub(super) fn list_object(
        &mut self,
        class: StructId,
        element: &QTy,
        items: &'a [ast::Expr],
        span: Span,
    ) -> Value {
        let constant = QTy { is_const: true, ..element.clone() };
        let pointer = Ty::pointer(constant);
        let (first, count) = if items.is_empty() {
            (self.types.make(ExprKind::Null, pointer, span), 0)
        } else {
            let array = self.list_array(element, items, span);
            let Ty::Array(_, count) = array.ty.ty else { return Value::error(span) };
            (self.rvalue(array), count)
        };
        let length = Const::Int(count as i64, IntType::UnsignedLong);
        let length = self.types.make_const(length, ty::ULONG, span);
        let parts = vec![*self.expr_of(first), *self.expr_of(length)];
        self.types.make(ExprKind::Struct(parts), Ty::Struct(class), span)
    }

    /// `auto l = {a, b}`.
    pub(super) fn deduced_list(&mut self, items: &'a [ast::Expr], span: Span) -> Value {
        let Some(element) = self.common_element(items, span) else { return Value::error(span) };
        match self.class_of_std("initializer_list", vec![TArg::Type(element.clone().into())], span) {
            Some(class) => self.list_object(class, &element, items, span),
            None => {
                self.sink.unsupported("a list without a type in a file that does not name `std`", span);
                Value::error(span)
            }
        }
    }

    /// Whether a function's first parameter is a `std::initializer_list`.
    pub(super) fn takes_list(&mut self, f: FuncIdx) -> bool {
        let (scope, source) = (self.functions.func(f).scope, self.functions.func(f).source);
        let Some(first) = source.parameters().first() else { return false };
        let ty = match &first.ty.kind {
            TypeKind::Reference { to, .. } => to,
            _ => &first.ty,
        };
        self.in_scope(scope, |c| c.is_list_template(ty))
    }

    /// The constructor that takes a list as a `std::initializer_list`: it is preferred to all others, but for an empty list if the
    /// class has a default constructor ([over.match.list]).
    pub(super) fn list_constructor(&mut self, class: StructId, list: u32) -> Option<FuncIdx> {
        let mut constructors = self.constructors_of(class);
        let parameters = |c: &Checker<'a>, f: FuncIdx| c.functions.func(f).source.parameters();
        let has_default = constructors.iter().any(|f| parameters(self, *f).is_empty());
        if self.lists[list as usize].is_empty() && has_default {
            return None;
        }
        constructors.retain(|f| self.takes_list(*f));
        if constructors.is_empty() {
            return None;
        }
        let list = self.list_argument(list, Span::default());
        self.try_resolve(&constructors, &[], &[list], None).map(|(pick, _)| pick.func)
    }

    /// Such a constructor for the items of a list, and the list as its argument.
    pub(super) fn listed(
        &mut self,
        class: StructId,
        items: &'a [ast::Expr],
        span: Span,
    ) -> Option<(FuncIdx, Value)> {
        let (list, argument) = self.noted_list(items, span);
        Some((self.list_constructor(class, list)?, argument))
    }

    /// A list that is an argument: its number, and the argument. What it becomes depends on the parameter.
    pub(super) fn noted_list(&mut self, items: &'a [ast::Expr], span: Span) -> (u32, Value) {
        self.lists.push(items);
        let list = self.lists.len() as u32 - 1;
        (list, self.list_argument(list, span))
    }

    fn list_argument(&self, list: u32, span: Span) -> Value {
        let zero = self.types.make_int(0, span);
        Value { ty: QTy::plain(Ty::Braces(list)), ..zero }
    }
}
