//! Template arguments of classes, deduced from what an object is made of: `Pair p(1, 2);`.
//!
//! Deduction guides come first, then the constructors of the template; another object of the template is copied. What is
//! not here: constructors that are templates themselves.

use super::construct::Tree;
use super::deduce::Deduction;
use super::scopes::{Entry, Found, Symbol};
use super::ty::{DeclTy, QTy, Ty};
use super::value::Value;
use super::{Checker, FuncIdx};
use crate::hir::StructId;
use cuda_syntax::ast::{self, Initializer, Item, TypeKind};
use source::{Code, Diagnostic, Span};

/// The name under which the parser keeps the guides of a class template.
fn guides(class: &str) -> String {
    format!("guide#{class}")
}

impl<'a> Checker<'a> {
    /// The class template that a path names without its arguments, outside its own members.
    pub(super) fn undeduced(&mut self, path: &'a ast::Path) -> Option<usize> {
        if path.last.arguments.is_some() {
            return None;
        }
        match self.quietly(|c| c.lookup_path(path)).0 {
            Ok(Found::Entry(Entry { symbol: Symbol::ClassTemplate(id), .. })) => {
                self.enclosing_instance(id).is_none().then_some(id)
            }
            _ => None,
        }
    }

    /// The type and value of a variable whose class has its template arguments deduced.
    pub(super) fn deduced_variable(
        &mut self,
        v: &'a ast::Variable,
        id: usize,
    ) -> Option<(DeclTy, Option<Value>)> {
        let values = match &v.initializer {
            None => Vec::new(),
            Some(Initializer::Copy(ast::Expr { kind: ast::ExprKind::Braces(items), .. })) => {
                self.arguments(items)
            }
            Some(Initializer::Copy(e)) => vec![self.expr(e)],
            Some(Initializer::Direct(items) | Initializer::List(items)) => self.arguments(items),
        };
        let value = self.deduced_object(id, values, v.ty.span);
        if value.is_error() {
            return None;
        }
        let q = QTy { ty: value.ty.ty.clone(), is_const: v.ty.is_const, is_volatile: v.ty.is_volatile };
        Some((q.into(), Some(value)))
    }

    /// `P(a, b)` and `P{a, b}` of a type name that is a class template without arguments.
    pub(super) fn opt_deduced(
        &mut self,
        ty: &'a ast::TypeName,
        arguments: &'a [ast::Expr],
        span: Span,
    ) -> Option<Value> {
        let TypeKind::Named(path) = &ty.kind else { return None };
        let id = self.undeduced(path)?;
        let values = self.arguments(arguments);
        Some(self.deduced_object(id, values, span))
    }

    /// An object of a class template, made of values that say its arguments.
    pub(super) fn deduced_object(&mut self, id: usize, values: Vec<Value>, span: Span) -> Value {
        if values.iter().any(Value::is_error) {
            return Value::error(span);
        }
        let (ast, parent) = (self.templates.classes[id].ast, self.templates.classes[id].scope);
        let lists = ast.members.iter().flatten().any(|item| match item {
            Item::Function(f) if f.result.is_none() => {
                f.parameters.first().is_some_and(|p| self.in_scope(parent, |c| c.is_list_template(&p.ty)))
            }
            _ => false,
        });
        if lists {
            self.sink.unsupported("arguments of a class template deduced from a list", span);
            return Value::error(span);
        }
        let Some(class) = self.deduced_class(id, &values, span) else {
            let name =
                self.templates.classes[id].ast.name.as_ref().map_or("", |p| &p.last.name.text).to_owned();
            let types = self.types.argument_types(&values);
            let declared = self.templates.classes[id].ast.span;
            self.sink.push(
                Diagnostic::new(
                    Code::TemplateArgument,
                    format!("the template arguments of `{name}` cannot be deduced from {types}"),
                )
                .label(span, "")
                .label(declared, "declared here")
                .help(format!("write them: `{name}<…>`")),
            );
            return Value::error(span);
        };
        if self.constructors_of(class).is_empty() && !self.is_copy(class, &values) {
            return self.aggregate(class, values, span);
        }
        self.construct_class(class, values, span)
    }

    fn is_copy(&self, class: StructId, values: &[Value]) -> bool {
        matches!(values, [v] if v.ty.ty == Ty::Struct(class))
    }

    fn deduced_class(&mut self, id: usize, values: &[Value], span: Span) -> Option<StructId> {
        if let [Value { ty: QTy { ty: Ty::Struct(s), .. }, .. }] = values
            && self.types.class(*s).template.as_ref().is_some_and(|t| t.0 == id)
        {
            return Some(*s);
        }
        let (ast, parent) = (self.templates.classes[id].ast, self.templates.classes[id].scope);
        let name = &ast.name.as_ref()?.last.name.text;
        if let Found::Entry(Entry { symbol: Symbol::Functions(list), .. }) =
            self.scopes.lookup_in(parent, &guides(name))
            && let Some((pick, false)) = self.try_resolve(&list, &[], values, None)
            && let Some(DeclTy { q: QTy { ty: Ty::Struct(s), .. }, .. }) = pick.signature.result
        {
            return Some(s);
        }
        for item in ast.members.iter().flatten() {
            let Item::Function(f) = item else { continue };
            let is_constructor =
                f.result.is_none() && f.name.last.name.text == *name && f.template.is_empty();
            if !is_constructor {
                continue;
            }
            if let (Some(found), true) = self.quietly(|c| c.by_constructor(id, f, values, span)) {
                return Some(found);
            }
        }
        // A class that is made of a list of its members ([over.match.class.deduct]).
        if let (Some(found), true) = self.quietly(|c| c.by_members(id, values, span)) {
            return Some(found);
        }
        // What has a default for each of its arguments.
        if values.is_empty()
            && let (Ty::Struct(s), true) = self.quietly(|c| c.class_instance(id, &[], span))
        {
            return Some(s);
        }
        None
    }

    /// The instance of a template without bases and constructors whose first members the values are.
    fn by_members(&mut self, id: usize, values: &[Value], span: Span) -> Option<StructId> {
        let (ast, parent) = (self.templates.classes[id].ast, self.templates.classes[id].scope);
        let mut types = Vec::new();
        for item in ast.members.iter().flatten() {
            match item {
                Item::Function(f) if f.result.is_none() => return None,
                Item::Variables(v) if !v.specifiers.is_static => {
                    types.extend(v.variables.iter().map(|v| &v.ty))
                }
                _ => {}
            }
        }
        if values.is_empty() || values.len() > types.len() || !ast.bases.is_empty() {
            return None;
        }
        let mut found = Deduction::of(&ast.template);
        let mut pairs = types.into_iter().zip(values);
        if !self.in_scope(parent, |c| pairs.all(|(ty, v)| c.deduce_one(ty, v, &mut found))) {
            return None;
        }
        let (arguments, scope) = self.template_arguments(&ast.template, parent, &[], &found.bindings)?;
        let Ty::Struct(class) = self.instance_of(id, arguments, scope, span) else { return None };
        Some(class)
    }

    /// The instance that one of the constructors makes of the values.
    fn by_constructor(
        &mut self,
        id: usize,
        f: &'a ast::Function,
        values: &[Value],
        span: Span,
    ) -> Option<StructId> {
        let (ast, parent) = (self.templates.classes[id].ast, self.templates.classes[id].scope);
        let required = f.parameters.iter().filter(|p| p.default.is_none()).count();
        if values.len() < required || values.len() > f.parameters.len() {
            return None;
        }
        let mut found = Deduction::of(&ast.template);
        let fits = self.in_scope(parent, |c| c.deduce(&f.parameters, values, &mut found));
        if !fits {
            return None;
        }
        let (arguments, scope) = self.template_arguments(&ast.template, parent, &[], &found.bindings)?;
        let Ty::Struct(class) = self.instance_of(id, arguments, scope, span) else { return None };
        let constructors: Vec<FuncIdx> = self.types.class(class).constructors.clone();
        self.try_resolve(&constructors, &[], values, None).is_some().then_some(class)
    }

    /// An aggregate of values that were evaluated already: those of its first bases and members.
    pub(super) fn aggregate(&mut self, class: StructId, values: Vec<Value>, span: Span) -> Value {
        let count = self.types.class(class).fields.len();
        let of_bits = self.types.layout(class).fields.iter().any(|f| f.is_unit());
        if of_bits || self.types.class(class).fields.iter().any(|f| f.is_reference) {
            self.sink.unsupported("values in parentheses for bit-fields or references", span);
            return Value::error(span);
        }
        if values.len() > count {
            let name = self.types.layout(class).name.clone();
            let title = format!("`{name}` has {count} members, but {} values are given", values.len());
            self.sink.wrong(Code::TooManyInitializers, title, span);
            return Value::error(span);
        }
        let object = self.new_temporary(&QTy::plain(Ty::Struct(class)), span);
        let mut parts = Vec::new();
        let mut values = values.into_iter();
        for i in 0..count {
            parts.push(match values.next() {
                Some(v) => {
                    let q = QTy::plain(self.types.class(class).fields[i].q.ty.clone());
                    let v = self.convert(v, &q, "for this member");
                    if v.is_error() {
                        return v;
                    }
                    Tree::Leaf(self.owned(v))
                }
                None => match self.default_field((object, class), i) {
                    Some(part) => part,
                    None => return Value::error(span),
                },
            });
        }
        let Some(tree) = self.aggregate_tree((object, class), 0..count, parts, span) else {
            return Value::error(span);
        };
        let whole = self.tree_value(&tree, &Ty::Struct(class), span);
        self.reclaimed(whole)
    }
}
