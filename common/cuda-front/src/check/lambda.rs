//! Lambdas: a class with the captures as fields, and a call operator.
//!
//! A capture by reference is a field that points to the variable, so a variable captured so has its address taken.

use super::construct::Tree;
use super::ids::ScopeId;
use super::scopes::{Entry, Found, Symbol};
use super::ty::{QTy, Ty};
use super::value::{Node, Value};
use super::{Checker, FieldInfo, Func, Source};
use crate::hir::{self, Const, IntType, PlaceKind};
use cuda_syntax::Word;
use cuda_syntax::ast::{self, CaptureMode, Lambda, TypeKind};
use cuda_syntax::parts::Part;
use source::{Code, Span};
use std::rc::Rc;
use std::sync::LazyLock;

/// Elements of an array that a lambda copies one by one.
const MAX_COPIED: u64 = 256;

/// The name of a call operator.
static CALL: LazyLock<Word> = LazyLock::new(|| "operator()".into());

/// The name of the function to which a pointer to a lambda without captures points.
pub(super) static INVOKER: LazyLock<Word> = LazyLock::new(|| "invoker#".into());

/// The name of the field that holds what `this` points to.
pub(super) const THIS: &str = "this#";

/// What is captured and how; of a capture with a value the value, and where its names are looked up.
type Capture<'a> = (ast::Name, CaptureMode, Option<(&'a ast::Expr, ScopeId)>);

impl<'a> Checker<'a> {
    /// `[captures](parameters) { … }`.
    pub(super) fn lambda(&mut self, lambda: &'a Lambda, span: Span) -> Value {
        // Packs that it captures under new names are known in it alone.
        let is_pack = |e: &ast::Expr| matches!(e.kind, ast::ExprKind::PackExpansion(_));
        let scope = match lambda.captures.iter().any(|c| c.2.as_ref().is_some_and(is_pack)) {
            true => self.scopes.new_scope(self.scopes.here.scope),
            false => self.scopes.here.scope,
        };
        self.in_scope(scope, |c| c.lambda_object(lambda, span))
    }

    fn lambda_object(&mut self, lambda: &'a Lambda, span: Span) -> Value {
        let scope = self.scopes.here.scope;
        let class = self.new_class("lambda", scope);
        self.types.classes[class.0 as usize].is_lambda = true;
        let mut values: Vec<Tree> = Vec::new();
        let mut failed = false;
        for (name, mode, value) in self.captures(lambda) {
            failed |= self.add_capture(class, &name, mode, value, &mut values).is_none();
        }
        self.lay_out(class, 1);
        self.types.classes[class.0 as usize].complete = true;
        self.add_call_operator(class, lambda, span);
        if failed {
            return Value::error(span);
        }
        // The expression may be checked more than once, and has one type in each scope all the same.
        let class = *self.types.closures.entry((span, scope)).or_insert(class);
        let v = self.tree_value(&Tree::Aggregate(values), &Ty::Struct(class), span);
        self.reclaimed(v)
    }

    /// What a lambda captures: what it names, and with a default those locals of the function that its text names.
    fn captures(&mut self, lambda: &'a Lambda) -> Vec<Capture<'a>> {
        let here = self.scopes.here.scope;
        let mut found: Vec<Capture<'a>> = Vec::new();
        for (mode, name, value) in &lambda.captures {
            let Some(ast::Expr { kind: ast::ExprKind::PackExpansion(pattern), .. }) = value else {
                found.push((name.clone(), *mode, value.as_ref().map(|value| (value, here))));
                continue;
            };
            // Each element of a new pack is a capture of its own, which nothing else can name.
            let scopes = self.for_each_element(Part::Expr(pattern), pattern.span, |c| c.scopes.here.scope);
            let mut names = Vec::new();
            for (i, scope) in scopes.into_iter().flatten().enumerate() {
                let text = Word::from(format!("{}#{i}", name.text));
                names.push(text.clone());
                let span = name.span;
                self.scopes.bind_silently(here, &text, Symbol::Captured(text.clone()), 0, span);
                found.push((ast::Name { text, span }, *mode, Some((&**pattern, scope))));
            }
            self.scopes.bind_silently(here, &name.text, Symbol::LocalPack(names), 0, name.span);
        }
        for (n, (mode, name, value)) in lambda.captures.iter().enumerate() {
            if let Some((_, first, _)) =
                lambda.captures[..n].iter().find(|(_, other, _)| other.text == name.text)
            {
                let first = first.span;
                self.redeclared(name, first);
            } else if value.is_none() && lambda.default_capture == Some(*mode) && !name.text.ends_with("this")
            {
                let title = format!("`{}` is captured in this way anyway", name.text);
                self.sink.report(Code::RedeclaredName, title, name.span, "as the default says already");
            }
        }
        // A pack is captured as its elements.
        let elements = |c: &Self, name: &Word| match c.scopes.lookup(c.scopes.here.scope, name) {
            Found::Entry(Entry { symbol: Symbol::LocalPack(names), .. }) => Some(names),
            _ => None,
        };
        found = found
            .into_iter()
            .flat_map(|(name, mode, value)| match elements(self, &name.text).filter(|_| value.is_none()) {
                Some(names) => names
                    .iter()
                    .map(|text| (ast::Name { text: text.clone(), span: name.span }, mode, None))
                    .collect(),
                None => vec![(name, mode, value)],
            })
            .collect();
        let words = &lambda.words;
        let packed = words.iter().filter_map(|word| elements(self, word)).flat_map(|names| names.to_vec());
        let packed: Vec<Word> = packed.collect();
        if lambda.default_capture.is_some()
            && !found.iter().any(|f| f.0.text.ends_with("this"))
            && let Some(Value { ty: QTy { ty: Ty::Struct(own), .. }, .. }) =
                self.method_object(lambda.body.span)
            && words.iter().any(|w| w == "this" || self.is_member(own, w))
        {
            let name = ast::Name { text: "this".into(), span: lambda.body.span };
            found.push((name, CaptureMode::Value, None));
        }
        for word in words.iter().chain(&packed) {
            if found.iter().any(|f| f.0.text == *word) {
                continue;
            }
            let Found::Entry(entry) = self.lookup_value(word) else { continue };
            let name = ast::Name { text: word.clone(), span: lambda.body.span };
            if let Symbol::Field = entry.symbol
                && let (Some(mode), Some(v)) = (lambda.default_capture, self.captured_around(&name))
            {
                let table = v.ty.is_const && matches!(v.ty.ty, Ty::Array(..));
                found.push((name, if table { CaptureMode::Reference } else { mode }, None));
                continue;
            }
            let Symbol::Local(local, serial) = entry.symbol else { continue };
            if serial != self.scopes.here.serial {
                continue;
            }
            if self.variables.local_constants.contains_key(&(local, serial)) {
                continue;
            }
            // A shared variable is no part of the thread's frame: it needs no capture in C++, and is one here.
            let mode = match (self.body.locals[local.0 as usize].storage, lambda.default_capture) {
                // A table of constants is no different as a copy.
                (hir::Storage::Automatic, Some(_))
                    if self.body.infos[local.0 as usize].constant.is_some() =>
                {
                    CaptureMode::Reference
                }
                (hir::Storage::Automatic, Some(mode)) => mode,
                (hir::Storage::Automatic, None) => continue,
                (hir::Storage::Shared | hir::Storage::FileShared | hir::Storage::DynamicShared, _) => {
                    CaptureMode::Reference
                }
            };
            found.push((name, mode, None));
        }
        found
    }

    /// Whether a word is a field or method of a class.
    fn is_member(&self, class: hir::StructId, word: &str) -> bool {
        let scope = self.types.class(class).scope;
        self.types.field_path(class, word).is_some()
            || self.types.class(class).bit_fields.iter().any(|b| b.name == word)
            || matches!(self.scopes.lookup_in(scope, word), Found::Entry(e) if matches!(&e.symbol, Symbol::Functions(list)
                if list.iter().any(|f| self.functions.func(*f).class.is_some() && !self.functions.func(*f).is_static)))
    }

    /// A capture of the lambda whose body is at hand.
    pub(super) fn captured_here(&mut self, name: &ast::Name) -> Option<Value> {
        let (_, class) = self.body.this?;
        let fields = self.types.field_path(class, &name.text)?;
        let object = self.this_object(name.span)?;
        Some(fields.into_iter().fold(object, |v, field| self.field_of(v, field, name.span)))
    }

    /// What the lambda around the one at hand has captured, or holds under a name of its own.
    fn captured_around(&mut self, name: &ast::Name) -> Option<Value> {
        self.body.this.filter(|(_, class)| self.types.class(*class).is_lambda)?;
        self.captured_here(name)
    }

    fn add_capture(
        &mut self,
        class: hir::StructId,
        name: &ast::Name,
        mode: CaptureMode,
        value: Option<(&'a ast::Expr, ScopeId)>,
        values: &mut Vec<Tree>,
    ) -> Option<()> {
        let v = match value {
            Some((e, scope)) => self.in_scope(scope, |c| c.expr(e)),
            None if name.text == "this" || name.text == "*this" => {
                let Some(object) = self.method_object(name.span) else {
                    self.sink.wrong(Code::NoThis, "`this` exists only in methods", name.span);
                    return None;
                };
                object
            }
            None => match self.lookup_value(&name.text) {
                Found::Entry(Entry { symbol: Symbol::Local(local, serial), .. })
                    if serial == self.scopes.here.serial =>
                {
                    self.local_place(local, name.span)
                }
                found => match self.captured_around(name) {
                    Some(v) if matches!(found, Found::Entry(Entry { symbol: Symbol::Field, .. })) => v,
                    _ => {
                        self.undeclared(&name.text, name.span, "a local variable to capture");
                        return None;
                    }
                },
            },
        };
        let is_reference = mode == CaptureMode::Reference || name.text == "this";
        let field_name = if name.text.ends_with("this") { THIS } else { &name.text };
        let (tree, q) = if is_reference {
            let to = v.ty.clone();
            let pointer = self.address_of(v, name.span);
            if pointer.is_error() {
                (None, QTy::plain(Ty::pointer(to)))
            } else {
                let q = QTy::plain(pointer.ty.ty.clone());
                (Some(Tree::Leaf(self.expr_of(pointer))), q)
            }
        } else if let (Ty::Array(..), None) = (&v.ty.ty, value) {
            let q = QTy::plain(v.ty.ty.clone());
            (self.copied_elements(v, name.span), q)
        } else {
            let q = QTy::plain(Ty::decayed(&v.ty));
            let v = self.convert(v, &q, "for this capture");
            ((!v.is_error()).then(|| Tree::Leaf(self.owned(v))), q)
        };
        let ty = self.types.hir_type(&q.ty);
        self.types.structs[class.0 as usize].fields.push(hir::Field {
            name: field_name.to_owned(),
            ty,
            offset: 0,
        });
        self.types.classes[class.0 as usize].fields.push(FieldInfo {
            span: name.span,
            is_reference,
            ..FieldInfo::public(q)
        });
        values.push(tree?);
        Some(())
    }

    /// The elements of an array, one by one.
    fn copied_elements(&mut self, array: Value, span: Span) -> Option<Tree> {
        let (Ty::Array(of, n), Node::Place(base)) = (array.ty.ty.clone(), array.node) else { return None };
        if n > MAX_COPIED {
            self.sink.unsupported("capture of a large array by value", span);
            return None;
        }
        let mut parts = Vec::new();
        for i in 0..n {
            let index = self.types.make_const(Const::Int(i as i64, IntType::Int), super::ty::INT, span);
            let index = self.expr_of(index);
            let kind = PlaceKind::Index { base: Box::new(base.clone()), index };
            let element = self.types.make_place(kind, QTy::plain((*of).clone()), span);
            parts.push(match &*of {
                Ty::Array(..) => self.copied_elements(element, span)?,
                _ => {
                    let v = self.convert(element, &QTy::plain((*of).clone()), "for this capture");
                    if v.is_error() {
                        return None;
                    }
                    Tree::Leaf(self.owned(v))
                }
            });
        }
        Some(Tree::Aggregate(parts))
    }

    fn add_call_operator(&mut self, class: hir::StructId, lambda: &'a Lambda, span: Span) {
        let scope = self.scopes.here.scope;
        let generic = !lambda.template.is_empty();
        let signature =
            if generic { None } else { Some(Rc::new(self.signature(Source::Lambda(lambda), scope))) };
        let func = Func {
            name: CALL.clone(),
            source: Source::Lambda(lambda),
            scope,
            class: Some(class),
            is_static: false,
            is_virtual: false,
            specifiers: ast::Specifiers::default(),
            access: ast::Access::Public,
            body_order: self.scopes.definition_order(scope),
            call_order: self.scopes.here.order,
            is_template: generic,
            outer: 0,
            signature,
            defaults: lambda.parameters.iter().map(|p| p.default.as_ref()).collect(),
            instances: Vec::new(),
            specializations: Vec::new(),
            span,
        };
        let inner = self.types.class(class).scope;
        if lambda.default_capture.is_none() && lambda.captures.is_empty() {
            let invoker = Func { name: INVOKER.clone(), is_static: true, ..func.clone() };
            let id = self.add_function(invoker, 0);
            self.scopes.bind_silently(inner, &*INVOKER, Symbol::Functions(vec![id]), 0, span);
        }
        let id = self.add_function(func, 0);
        self.scopes.bind_silently(inner, &*CALL, Symbol::Functions(vec![id]), 0, span);
        // Its body is looked at whether or not it is called.
        if let Some(signature) = self.functions.func(id).signature.clone() {
            let instance = self.instance(id, Vec::new(), scope, signature, None);
            self.ensure_checked(instance);
        }
    }
}

pub(super) fn mentions_auto(t: &ast::TypeName) -> bool {
    match &t.kind {
        TypeKind::Auto(_) | TypeKind::DecltypeAuto(_) => true,
        TypeKind::Pointer { to, .. } | TypeKind::Reference { to, .. } => mentions_auto(to),
        TypeKind::Array { of, .. } => mentions_auto(of),
        TypeKind::Builtin(_)
        | TypeKind::Named(_)
        | TypeKind::Decltype(_)
        | TypeKind::Typeof(_)
        | TypeKind::Member { .. }
        | TypeKind::Function { .. }
        | TypeKind::Pack(_) => false,
    }
}
