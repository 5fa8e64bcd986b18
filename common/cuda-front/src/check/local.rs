//! Local variables.

use super::consteval::Value as ConstValue;
use super::construct::Tree;
use super::conversion::Init;
use super::scopes::Symbol;
use super::ty::{DeclTy, QTy, Ref, Ty, UNSIZED};
use super::value::{Node, Value};
use super::{Checker, FieldInfo};
use crate::hir::{self, LocalId, Stmt, StmtKind, Storage};
use cuda_syntax::ast::{self, ExprKind as E, Initializer, Specifiers, TypeKind};
use source::{Code, Diagnostic, Kind, Span};

impl<'a> Checker<'a> {
    /// Declares the variables of a declaration statement.
    pub(super) fn declare_locals(&mut self, d: &'a ast::VariableDeclaration, out: &mut Vec<Stmt>) {
        let specifiers = self.specifiers(d);
        let mut deduced: Option<Ty> = None;
        for v in &d.variables {
            if v.bindings.is_empty() {
                self.declare_local(specifiers, v, out);
                if d.variables.len() > 1 && matches!(v.ty.kind, TypeKind::Auto(_)) {
                    self.same_deduced(v, &mut deduced);
                }
            } else {
                self.declare_bindings(specifiers, v, out);
            }
        }
    }

    /// All variables of a declaration with `auto` have the same type for it ([dcl.spec.auto]).
    fn same_deduced(&mut self, v: &'a ast::Variable, first: &mut Option<Ty>) {
        let Some(Symbol::Local(local, _)) =
            self.scopes.scope(self.scopes.here.scope).names.get(&v.name.text).map(|e| e.symbol.clone())
        else {
            return;
        };
        let ty = self.body.infos[local.0 as usize].q.ty.clone();
        match first {
            Some(known) if *known != ty && !ty.has_error() && !known.has_error() => {
                let (known, now) =
                    (self.types.spell(&QTy::plain(known.clone())), self.types.spell(&QTy::plain(ty)));
                let title =
                    format!("`auto` is `{now}` for `{}`, but `{known}` for an earlier variable", v.name.text);
                self.sink.report(Code::ConflictingResult, title, v.name.span, "declare it by itself");
            }
            Some(_) => {}
            None => *first = Some(ty),
        }
    }

    /// `auto [a, b] = e;`.
    fn declare_bindings(&mut self, s: Specifiers, v: &'a ast::Variable, out: &mut Vec<Stmt>) {
        if s.shared || s.is_static || s.constexpr {
            self.sink.wrong(Code::MisplacedSpecifier, "structured bindings are plain variables", v.name.span);
        }
        let value = match &v.initializer {
            Some(Initializer::Copy(e)) => e,
            Some(Initializer::Direct(list) | Initializer::List(list)) if list.len() == 1 => &list[0],
            _ => {
                self.sink.wrong(Code::MissingInitializer, "structured bindings need a value", v.name.span);
                return self.structured_binding(v, Value::error(v.name.span), out);
            }
        };
        let value = self.expr(value);
        self.structured_binding(v, value, out);
    }

    fn declare_local(&mut self, s: Specifiers, v: &'a ast::Variable, out: &mut Vec<Stmt>) {
        if s.shared {
            return self.declare_shared(s, v);
        }
        if !s.is_extern && (s.constant || ((s.device || s.managed) && !s.is_static)) {
            let what = match () {
                () if s.constant => "__constant__",
                () if s.managed => "__managed__",
                () => "__device__",
            };
            self.sink.push(
                Diagnostic::new(
                    Code::MisplacedSpecifier,
                    format!("a `{what}` variable cannot be declared in a function"),
                )
                .label(v.name.span, "")
                .help("declare it at file scope"),
            );
            return self.bind_error(v);
        }
        if s.is_static && !s.constexpr {
            if self.body.on_device {
                return self.static_local(s, v);
            }
            self.sink.unsupported("static local of a host function", v.name.span);
            return self.bind_error(v);
        }
        if s.is_extern {
            self.sink.unsupported("extern local variable", v.name.span);
            return self.bind_error(v);
        }
        let Some((decl, known)) = self.local_type(v) else { return self.bind_error(v) };
        if decl.reference.is_some() {
            return self.declare_reference(decl, v, known, out);
        }
        let mut q = decl.q;
        q.is_const |= s.constexpr;
        if !self.object_rules(&q, v) {
            return self.bind_error(v);
        }
        self.declare_object(s, q, v, known, out);
    }

    pub(super) fn bind_error(&mut self, v: &'a ast::Variable) {
        let local = self.new_local(&v.name.text, &QTy::plain(Ty::Error), Storage::Automatic, v.name.span);
        self.bind_local(&v.name, local);
    }

    pub(super) fn bind_local(&mut self, name: &ast::Name, local: LocalId) {
        let serial = self.scopes.here.serial;
        let scope = self.scopes.here.scope;
        self.bind(scope, name, Symbol::Local(local, serial));
    }

    /// The type of a local; for `auto` the initial value too, which is evaluated once.
    fn local_type(&mut self, v: &'a ast::Variable) -> Option<(DeclTy, Option<Value>)> {
        let found = self.unconstrained_type(v)?;
        self.check_placeholder(&v.ty, &found.0, v.name.span);
        Some(found)
    }

    fn unconstrained_type(&mut self, v: &'a ast::Variable) -> Option<(DeclTy, Option<Value>)> {
        let (is_auto, reference, is_const) = match &v.ty.kind {
            TypeKind::Auto(_) => (true, None, v.ty.is_const),
            TypeKind::Reference { to, rvalue } if matches!(to.kind, TypeKind::Auto(_)) => {
                (true, Some(if *rvalue { Ref::Right } else { Ref::Left }), to.is_const)
            }
            TypeKind::Pointer { to, .. } if matches!(to.kind, TypeKind::Auto(_)) => {
                (true, None, v.ty.is_const)
            }
            _ => (false, None, false),
        };
        if let (TypeKind::DecltypeAuto(_), Some(Initializer::Copy(e))) = (&v.ty.kind, &v.initializer) {
            let t = self.decltype_auto(e);
            let value = self.expr(e);
            return (!value.is_error()).then_some((t, Some(value)));
        }
        if let TypeKind::Named(path) = &v.ty.kind
            && let Some(id) = self.undeduced(path)
        {
            return self.deduced_variable(v, id);
        }
        if !is_auto {
            let t = self.decl_type(&v.ty);
            if t.q.ty.has_error() {
                // The value is looked at all the same, for its own mistakes.
                if let Some(Initializer::Copy(e)) = &v.initializer
                    && !matches!(e.kind, E::Braces(_))
                {
                    self.expr(e);
                }
                return None;
            }
            return Some((t, None));
        }
        let e = match &v.initializer {
            Some(Initializer::Copy(e)) => e,
            Some(Initializer::Direct(list) | Initializer::List(list)) if list.len() == 1 => &list[0],
            _ => {
                self.sink.wrong(
                    Code::MissingInitializer,
                    format!("`{}` is `auto` and needs a value", v.name.text),
                    v.name.span,
                );
                return None;
            }
        };
        let value = match (&v.initializer, &e.kind) {
            (Some(Initializer::Copy(_)), E::Braces(items)) => self.deduced_list(items, e.span),
            _ => {
                let v = self.expr_or_function(e);
                self.one_meaning(v)
            }
        };
        if value.is_error() {
            return None;
        }
        if let (TypeKind::Pointer { to, .. }, Ty::Pointer(q)) = (&v.ty.kind, Ty::decayed(&value.ty)) {
            let mut q = q.q.clone();
            q.is_const |= to.is_const;
            let ty = Ty::pointer(q);
            return Some((QTy { ty, is_const, is_volatile: false }.into(), Some(value)));
        }
        let decl = match reference {
            // A reference to a function is a pointer to it.
            Some(_) if matches!(value.ty.ty, Ty::Function(_)) && !value.is_place() => {
                QTy::constant(value.ty.ty.clone()).into()
            }
            Some(r) => {
                let r = if value.is_left() { Ref::Left } else { r };
                let mut q = value.ty.clone();
                q.is_const |= is_const;
                DeclTy { q, reference: Some(r) }
            }
            None => QTy { ty: Ty::decayed(&value.ty), is_const, is_volatile: v.ty.is_volatile }.into(),
        };
        if decl.q.ty == Ty::Void {
            self.sink.report(Code::VoidVariable, "this value is `void`", e.span, "nothing to keep");
            return None;
        }
        Some((decl, Some(value)))
    }

    fn object_rules(&mut self, q: &QTy, v: &ast::Variable) -> bool {
        match q.ty.innermost() {
            Ty::Void => {
                self.sink.wrong(
                    Code::VoidVariable,
                    format!("the variable `{}` cannot be `void`", v.name.text),
                    v.ty.span,
                );
                false
            }
            Ty::Struct(s) if !self.types.class(*s).complete => {
                let name = self.types.layout(*s).name.clone();
                self.sink.wrong(
                    Code::IncompleteType,
                    format!("`{name}` is declared but not defined"),
                    v.ty.span,
                );
                false
            }
            ty => !self.refuse_abstract(ty, "an object of this class", v.name.span),
        }
    }

    fn declare_reference(
        &mut self,
        mut decl: DeclTy,
        v: &'a ast::Variable,
        known: Option<Value>,
        out: &mut Vec<Stmt>,
    ) {
        let value = match (known, &v.initializer) {
            (Some(v), _) => v,
            (None, Some(Initializer::Copy(ast::Expr { kind: E::Braces(list), .. }))) => {
                self.reference_list(&decl, list, v.name.span)
            }
            (None, Some(Initializer::Copy(e))) => self.expr(e),
            (None, Some(Initializer::Direct(list))) if list.len() == 1 => self.expr(&list[0]),
            (None, Some(Initializer::List(list))) => self.reference_list(&decl, list, v.name.span),
            _ => {
                self.sink.wrong(
                    Code::MissingInitializer,
                    format!("the reference `{}` must refer to something", v.name.text),
                    v.name.span,
                );
                return self.bind_error(v);
            }
        };
        if let (Ty::Array(of, UNSIZED), Ty::Array(_, n)) = (&decl.q.ty, &value.ty.ty) {
            decl.q.ty = Ty::Array(of.clone(), *n);
        }
        let Some(place) = self.bind_reference(value, &decl, "what the reference refers to") else {
            return self.bind_error(v);
        };
        // A reference to an element may outlive the register that holds it only by name: the place is bound once.
        self.bind_named(&v.name, &decl.q, decl.reference, place, out);
    }

    /// `T &r{a}`: the object that `a` is, or a temporary that the list makes ([dcl.init.list]).
    fn reference_list(&mut self, to: &DeclTy, items: &'a [ast::Expr], span: Span) -> Value {
        if let [item] = items
            && !matches!(item.kind, E::Braces(_))
        {
            let (v, _) = self.unevaluated(|c| c.quietly(|c| c.expr(item)));
            if self.types.reference_compatible(&v.ty.ty, &to.q.ty) || !to.q.ty.is_struct() {
                return self.expr(item);
            }
        }
        self.list_value(&QTy::plain(to.q.ty.clone()), items, span, Init::Copy)
    }

    fn declare_object(
        &mut self,
        s: Specifiers,
        mut q: QTy,
        v: &'a ast::Variable,
        known: Option<Value>,
        out: &mut Vec<Stmt>,
    ) {
        let span = v.name.span;
        if s.constexpr {
            self.body.constant += 1;
        }
        if known.is_none() && v.initializer.is_none() && !(s.constexpr && self.is_made_constant(&q.ty)) {
            return self.declare_uninitialized(s, q, v, out);
        }
        // The name is known in its own initial value: `T t(&t)`, `int n = sizeof n`.
        let local = self.new_local(&v.name.text, &q, Storage::Automatic, span);
        let mut tree = match (known, &v.initializer) {
            (Some(value), _) => {
                let value = self.convert(value, &QTy::plain(q.ty.clone()), "for this initial value");
                self.bind_local(&v.name, local);
                if value.is_error() { None } else { Some(Tree::Leaf(self.owned(value))) }
            }
            (None, init) => {
                self.bind_local(&v.name, local);
                match init {
                    Some(init) => self.init_tree(&mut q, init, span),
                    None => self.list_tree(&mut q, &[], span, Init::Direct),
                }
            }
        };
        if s.constexpr {
            self.body.constant -= 1;
        }
        if tree.as_ref().is_some_and(|tree| super::suspect::own_value(self, local, tree)) {
            tree = None;
        }
        if let Ty::Array(_, UNSIZED) = q.ty {
            if tree.is_some() {
                self.sink.wrong(
                    Code::InvalidArray,
                    format!("the length of `{}` is missing", v.name.text),
                    span,
                );
            }
            self.body.infos[local.0 as usize].q = QTy::plain(Ty::Error);
            return;
        }
        let variable = &mut self.body.locals[local.0 as usize];
        variable.ty = self.types.hir_type(&q.ty);
        variable.align = s.align.unwrap_or(0);
        self.body.infos[local.0 as usize].q = q.clone();
        let Some(tree) = tree else { return };
        let tree = self.remember_constant(s, &q, local, &tree, v).unwrap_or(tree);
        let in_place = match &tree {
            Tree::Leaf(value) => self.body.prvalue(value).is_some(),
            _ => self.has_made_parts(&tree),
        };
        if in_place {
            out.push(Stmt { kind: StmtKind::Declare { local, value: None }, span });
            let mut stores = Vec::new();
            let object = self.local_place(local, span);
            self.store_tree(object, &tree, &mut stores, span);
            return self.push_effects(stores, out);
        }
        let kind = match self.tree_of(tree, &q.ty, span) {
            Ok(value) => StmtKind::Declare { local, value: Some(value) },
            Err(tree) => {
                let mut elements = Vec::new();
                self.flatten(&tree, &q.ty, 0, &mut elements);
                StmtKind::DeclareAggregate { local, elements }
            }
        };
        out.push(Stmt { kind, span });
    }

    /// A tree as one value; the tree again if it must be stored part by part.
    fn tree_of(&mut self, tree: Tree, ty: &Ty, span: Span) -> Result<Box<hir::Expr>, Box<Tree>> {
        if let Ty::Array(..) = ty {
            return Err(Box::new(tree));
        }
        if let (Tree::Aggregate(_), Ty::Struct(s)) = (&tree, ty)
            && self.has_array(*s)
        {
            return Err(Box::new(tree));
        }
        if let Tree::Leaf(value) = tree {
            return Ok(value);
        }
        match self.tree_value(&tree, ty, span).node {
            Node::Rvalue(e) => Ok(e),
            Node::Place(_) | Node::Bits(_) | Node::Error => Err(Box::new(tree)),
        }
    }

    fn has_array(&self, s: hir::StructId) -> bool {
        self.types.layout(s).is_union
            || self.types.class(s).fields.iter().any(|f: &FieldInfo| match &f.q.ty {
                Ty::Array(..) => true,
                Ty::Struct(t) => self.has_array(*t),
                _ => false,
            })
    }

    /// Whether a `constexpr` object of a type needs no initializer: its constructor gives all members values.
    pub(super) fn is_made_constant(&mut self, ty: &Ty) -> bool {
        let Ty::Struct(class) = *ty else { return false };
        self.types.is_empty_class(ty) || (self.needs_construction(class) && !self.leaves_unset(class))
    }

    /// Keeps the value of a `constexpr` local, and of a `const` integer whose value is known. Answers the initial value of the
    /// former where it can be written as constants: it may have been computed from what only the host has.
    fn remember_constant(
        &mut self,
        s: Specifiers,
        q: &QTy,
        local: LocalId,
        tree: &Tree,
        v: &'a ast::Variable,
    ) -> Option<Tree> {
        let integer = q.ty.is_integral() || matches!(q.ty, Ty::Enum(_));
        if !(s.constexpr || (q.is_const && integer && !q.is_volatile)) {
            return None;
        }
        let result = self.tree_constant(tree, &q.ty);
        match result {
            Ok(value) => {
                if q.ty.is_wide() || matches!(value, ConstValue::Scalar(_)) {
                    self.variables
                        .local_constants
                        .insert((local, self.scopes.here.serial), (q.ty.clone(), value.clone()));
                }
                let tree = self.constant_tree(&value, &q.ty, v.name.span).filter(|_| s.constexpr);
                self.check_addresses(&value, v.name.span);
                self.body.infos[local.0 as usize].constant = Some(value);
                tree
            }
            Err(e) if s.constexpr => {
                let span = match &v.initializer {
                    Some(Initializer::Copy(e)) => e.span,
                    _ => v.name.span,
                };
                self.not_constant(e, "the value of a `constexpr` variable", Code::NotConstant, span);
                None
            }
            Err(_) => None,
        }
    }

    fn declare_uninitialized(&mut self, s: Specifiers, q: QTy, v: &'a ast::Variable, out: &mut Vec<Stmt>) {
        let span = v.name.span;
        if s.constexpr {
            self.body.constant -= 1;
        }
        let constructed = match q.ty.innermost() {
            Ty::Struct(t) if self.needs_construction(*t) => Some(*t),
            _ => None,
        };
        if s.constexpr || (q.is_const && constructed.is_none() && !self.types.is_empty_class(&q.ty)) {
            self.sink.wrong(
                Code::MissingInitializer,
                format!("the constant `{}` needs a value", v.name.text),
                span,
            );
        }
        if let Ty::Struct(class) = q.ty.innermost()
            && let Some((member, declared)) = self.fixed_member(*class, true)
        {
            let title = format!("the member `{member}` of `{}` needs a value", v.name.text);
            let d = Diagnostic::new(Code::MissingInitializer, title).label(span, "it can only be given here");
            self.sink.push(d.label(declared, "a constant or a reference"));
        }
        if let Ty::Array(_, UNSIZED) = q.ty {
            self.sink.wrong(Code::InvalidArray, format!("the length of `{}` is missing", v.name.text), span);
            return self.bind_error(v);
        }
        let local = self.new_local(&v.name.text, &q, Storage::Automatic, span);
        if let Some(align) = s.align {
            self.body.locals[local.0 as usize].align = align;
        }
        self.bind_local(&v.name, local);
        match (constructed, &q.ty) {
            (Some(_), Ty::Array(..)) => {
                out.push(Stmt { kind: StmtKind::Declare { local, value: None }, span });
                let array = self.local_place(local, span);
                let array = Value { ty: QTy { is_const: false, ..array.ty }, ..array };
                let mut body = Vec::new();
                self.construct_elements(array, span, &mut body);
                out.push(Stmt { kind: StmtKind::Block(body), span });
            }
            // Its members stay without values.
            (Some(class), _) if self.has_only_tables(class) => {
                out.push(Stmt { kind: StmtKind::Declare { local, value: None }, span });
                let object = self.local_place(local, span);
                for store in self.table_stores(&object, span) {
                    let e = self.expr_of(store);
                    out.push(Stmt { kind: StmtKind::Expr(e), span });
                }
            }
            (Some(class), _) => {
                let value = self.construct_class(class, Vec::new(), span);
                out.push(Stmt { kind: StmtKind::Declare { local, value: None }, span });
                let (false, Node::Place(place)) = (value.is_error(), self.local_place(local, span).node)
                else {
                    return;
                };
                let value = self.owned(value);
                let made = self.made_in(place, value, &q.ty, span);
                self.push_effects(vec![made], out);
            }
            (None, _) => out.push(Stmt { kind: StmtKind::Declare { local, value: None }, span }),
        }
    }

    /// All `extern __shared__` arrays of one name are one variable, and have one type.
    fn same_dynamic(&mut self, name: &ast::Name, q: &QTy) {
        let known =
            self.variables.dynamic_names.entry(name.text.clone()).or_insert_with(|| (q.clone(), name.span));
        if known.0 == *q {
            return;
        }
        let (first, spelled) = (known.1, self.types.spell(q));
        self.sink.push(
            Diagnostic::new(
                Code::DynamicSharedType,
                format!("`{}` is `{spelled}` here and something else in another function", name.text),
            )
            .label(name.span, "declarations with the same name are one variable")
            .label(first, "declared here first")
            .help("choose another name, or declare bytes and `reinterpret_cast` them"),
        );
    }

    /// `__shared__ T a[n];` and `extern __shared__ T a[];`.
    fn declare_shared(&mut self, s: Specifiers, v: &'a ast::Variable) {
        let span = v.name.span;
        let t = self.decl_type(&v.ty);
        if !self.body.on_device {
            self.sink.wrong(Code::MisplacedSpecifier, "shared memory exists only in device code", span);
            return self.bind_error(v);
        }
        if t.q.ty.has_error() || !self.object_rules(&t.q, v) {
            return self.bind_error(v);
        }
        if t.reference.is_some() {
            self.sink.wrong(Code::MisplacedSpecifier, "a reference cannot be `__shared__`", span);
            return self.bind_error(v);
        }
        if v.initializer.is_some() {
            self.sink.push(
                Diagnostic::new(
                    Code::SharedInitializer,
                    format!("the shared variable `{}` cannot have an initial value", v.name.text),
                )
                .label(span, "one object for the whole block")
                .help("let one thread assign it, then `__syncthreads()`"),
            );
        }
        let mut q = t.q;
        let storage = match (&q.ty, s.is_extern) {
            (Ty::Array(of, UNSIZED), true) => {
                q.ty = Ty::Array(of.clone(), UNSIZED);
                Storage::DynamicShared
            }
            (_, true) => {
                self.sink.push(
                    Diagnostic::new(
                        Code::DynamicSharedSize,
                        format!(
                            "`extern __shared__` needs an array without a length, and `{}` is not one",
                            v.name.text
                        ),
                    )
                    .label(span, "")
                    .help("write `extern __shared__ T name[];`; the launch gives the size"),
                );
                return self.bind_error(v);
            }
            (Ty::Array(_, UNSIZED), false) => {
                self.sink.push(
                    Diagnostic::new(
                        Code::InvalidArray,
                        format!("the length of the shared array `{}` is missing", v.name.text),
                    )
                    .label(span, "")
                    .help("if the launch gives the size, write `extern __shared__`"),
                );
                return self.bind_error(v);
            }
            (_, false) => Storage::Shared,
        };
        if storage == Storage::DynamicShared {
            self.same_dynamic(&v.name, &q);
        }
        if let Ty::Struct(class) = q.ty.innermost()
            && self.needs_construction(*class)
        {
            self.sink.push(
                Diagnostic::new(
                    Code::SharedInitializer,
                    format!("no constructor is run for the shared variable `{}`", v.name.text),
                )
                .with_kind(Kind::Warning)
                .label(span, "one object for the whole block")
                .help("let one thread assign it, then `__syncthreads()`"),
            );
        }
        let local = self.new_local(&v.name.text, &q, storage, span);
        if let Some(align) = s.align {
            self.body.locals[local.0 as usize].align = align;
        }
        self.bind_local(&v.name, local);
    }
}
