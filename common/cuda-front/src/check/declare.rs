//! Declarations at file, namespace and class level, in source order.

use super::deduce::mentions_any;
use super::ids::ScopeId;
use super::scopes::{Entry, Found, Symbol};
use super::templates::Outside;
use super::ty::{self, DeclTy, EnumId, QTy, Ref, Ty};
use super::{AliasTemplate, BrokenAlias, Checker, EnumInfo, Func, FuncIdx, Param, Signature, Source};
use crate::hir::{Const, NamedConstant, Storage, StructId};
use cuda_syntax::ast::{self, FunctionBody, Item, TypeKind};
use cuda_syntax::budget::Cost;
use cuda_syntax::parts::Part;
use source::{Code, Diagnostic, Kind, Span};
use std::rc::Rc;

impl<'a> Checker<'a> {
    /// Registers the declarations of a file or namespace.
    pub(super) fn declare_items(&mut self, items: &'a [Item], scope: ScopeId) {
        let outer = std::mem::replace(&mut self.scopes.here.scope, scope);
        for item in items {
            if self.scopes.here.serial == 0 {
                self.scopes.order += 1;
            }
            self.declare_item(item, scope, None);
        }
        self.scopes.here.scope = outer;
    }

    /// Registers one declaration; `class` if it is a member.
    pub(super) fn declare_item(&mut self, item: &'a Item, scope: ScopeId, class: Option<StructId>) {
        if !self.sink.charge(Cost::Checks, 1, item.span()) {
            return;
        }
        if self.sink.is_marked(item.span()) {
            return;
        }
        match item {
            Item::Function(f) => self.declare_function(f, scope, class),
            Item::Variables(v) => self.declare_globals(v, scope),
            Item::Class(c) => {
                self.declare_class(c, scope);
            }
            Item::Enum(e) if !e.template.is_empty() => self.declare_outside(Outside::Enum(e), scope),
            Item::Enum(e) => self.declare_enum(e, scope),
            Item::Alias(a) => self.declare_alias(a, scope),
            Item::Namespace { name, items, .. } => self.declare_namespace(name.as_ref(), items, scope),
            Item::UsingNamespace { path, .. } => self.using_namespace(path, scope),
            Item::UsingName { path, pack, .. } => match self.scopes.scope(scope).class {
                Some(class) => self.using_members(path, *pack, class),
                None => self.using_name(path, scope),
            },
            Item::UsingEnum { path, span } => self.using_enum(path, *span, scope),
            Item::Friend { path, .. } => {
                if let Some(class) = self.scopes.scope(scope).class {
                    self.types.classes[class.0 as usize].friends.push(path.last.name.text.clone());
                }
            }
            Item::StaticAssert(s) => self.static_assert(s),
            Item::Instantiation { function, span } => self.explicit_instantiation(function, *span),
        }
    }

    fn declare_namespace(&mut self, name: Option<&'a ast::Name>, items: &'a [Item], scope: ScopeId) {
        let Some(name) = name else {
            let inner = self.scopes.unnamed_namespace(scope);
            return self.declare_items(items, inner);
        };
        let known = match self.scopes.scope(scope).names.get(&name.text).map(|e| e.symbol.clone()) {
            Some(Symbol::Namespace(id)) => Some(id),
            _ => None,
        };
        let inner = known.unwrap_or_else(|| {
            let id = self.scopes.new_scope(scope);
            self.scopes.scope_mut(id).is_namespace = true;
            let prefix = format!("{}{}::", self.scopes.scope(scope).prefix, name.text);
            self.scopes.scope_mut(id).prefix = prefix.into();
            self.bind(scope, name, Symbol::Namespace(id));
            id
        });
        self.declare_items(items, inner);
    }

    pub(super) fn using_namespace(&mut self, path: &'a ast::Path, scope: ScopeId) {
        match self.lookup_path(path) {
            Ok(Found::Entry(super::scopes::Entry { symbol: Symbol::Namespace(id), .. })) => {
                self.scopes.use_namespace(scope, id);
            }
            // Names of the standard library are known without their namespace.
            _ if cuda_syntax::parse::is_known_in_part(&path.last.name.text) => {}
            _ if super::builtins::unsupported::is_unsupported(&path.last.name.text) => {}
            _ if self.is_library(&path.last.name.text) => {}
            _ if path.qualifiers.first().is_some_and(|q| {
                q.name.text == "std" || super::builtins::unsupported::is_unsupported(&q.name.text)
            }) => {}
            Err(()) => {}
            _ => self.undeclared(&path.last.name.text, path.span, "a namespace"),
        }
    }

    pub(super) fn using_name(&mut self, path: &'a ast::Path, scope: ScopeId) {
        match self.qualifier_scope(path) {
            // A name of the standard library.
            Err(_) => {}
            Ok(_)
                if path.qualifiers.iter().any(|q| q.name.text == "std")
                    && !matches!(self.lookup_path(path), Ok(Found::Entry(_))) => {}
            Ok(_) => match self.lookup_path(path) {
                Ok(Found::Entry(Entry { symbol: Symbol::Functions(list), .. })) => {
                    self.bind_functions(scope, &path.last.name, list);
                }
                Ok(Found::Entry(entry)) => self.bind(scope, &path.last.name, entry.symbol),
                _ => self.undeclared(&path.last.name.text, path.span, "a name of that namespace"),
            },
        }
    }

    /// `using enum E;`: its enumerators are names of this scope, too.
    fn using_enum(&mut self, path: &'a ast::Path, span: Span, scope: ScopeId) {
        let Some(Ty::Enum(e)) = self.opt_named_type(path).map(|t| t.q.ty) else {
            return self.undeclared(&path.last.name.text, path.span, "an enumeration");
        };
        let of_enum = &self.scopes.scope(self.types.enums[e.0 as usize].scope).names;
        let names: Vec<_> =
            of_enum.iter().map(|(text, entry)| (text.clone(), entry.symbol.clone())).collect();
        for (text, symbol) in names {
            self.bind(scope, &ast::Name { text, span }, symbol);
        }
    }

    /// Adds functions of another scope to the overloads of a name.
    fn bind_functions(&mut self, scope: ScopeId, name: &ast::Name, list: Vec<FuncIdx>) {
        match self.scopes.scope_mut(scope).names.get_mut(&name.text) {
            Some(Entry { symbol: Symbol::Functions(known), .. }) => {
                let new: Vec<_> = list.into_iter().filter(|f| !known.contains(f)).collect();
                known.extend(new);
            }
            _ => self.bind(scope, name, Symbol::Functions(list)),
        }
    }

    pub(super) fn declare_alias(&mut self, a: &'a ast::Alias, scope: ScopeId) {
        if !a.template.is_empty() {
            let id = self.templates.aliases.len();
            self.templates.aliases.push(AliasTemplate { ast: a, scope });
            return self.bind(scope, &a.name, Symbol::AliasTemplate(id));
        }
        // A type that is only named, as a function pointer of host code, is refused where it is used.
        let (t, clean) = self.quietly(|c| c.exact_type(&a.ty));
        if !clean && self.scopes.here.serial > 0 {
            self.exact_type(&a.ty);
        }
        if !clean && self.scopes.here.serial == 0 {
            // `typedef struct X X;` of a class with mistakes: they are reported where `X` is used.
            if self.scopes.type_in(scope, &a.name.text).is_some() {
                return;
            }
            let order = self.scopes.definition_order(scope);
            self.templates.broken.push(BrokenAlias { ty: &a.ty, scope, order, is_open: false });
            return self.bind(scope, &a.name, Symbol::BrokenAlias(self.templates.broken.len() - 1));
        }
        for e in &a.align {
            if self.alignment(e) != self.types.align_of(&t.q.ty) {
                self.sink.unsupported("an alias whose alignment is not that of its type", e.span);
            }
        }
        let symbol = Symbol::Type(t);
        // Of a type of the same name: it is no name of a class alone any more.
        if self.types.is_tag(&symbol, &a.name) {
            self.scopes.scope_mut(scope).aliases.push(a.name.text.clone());
        }
        self.bind(scope, &a.name, symbol);
    }

    /// Up to the closing brace, an enumerator has the underlying type if that is fixed, and otherwise the type of its value;
    /// then it has the type of the enumeration ([dcl.enum]).
    pub(super) fn declare_enum(&mut self, e: &'a ast::Enum, scope: ScopeId) {
        let scope = match &e.name {
            Some(path) if !path.qualifiers.is_empty() => match self.qualifier_scope(path) {
                Ok(within) => {
                    let name = &path.last.name.text;
                    let within = within.map(|within| self.scopes.declaring(within, name));
                    match within.filter(|within| self.scopes.type_in(*within, name).is_some()) {
                        Some(within) => within,
                        None => return self.undeclared(name, path.span, "an enumeration"),
                    }
                }
                Err(_) => return,
            },
            _ => scope,
        };
        self.declare_enum_in(e, scope);
    }

    /// Registers an enumeration as a name of a scope.
    pub(super) fn declare_enum_in(&mut self, e: &'a ast::Enum, scope: ScopeId) {
        let fixed = match &e.underlying {
            Some(t) => {
                let span = t.span;
                let t = self.object_type(t);
                if t.ty.is_wide() {
                    self.sink.unsupported("an enumeration of 128 bits", span);
                }
                Some(if t.ty.is_integral() && !t.ty.is_wide() { t.ty } else { ty::INT })
            }
            None => e.scoped.then_some(ty::INT),
        };
        let own = e.name.as_ref().map(|path| &path.last.name);
        let name = own.map_or("unnamed enum".to_owned(), |n| n.text.to_string());
        let underlying = fixed.clone().unwrap_or(ty::INT);
        // One with a fixed type may be declared without its enumerators, before and after they are given.
        let declared = own.and_then(|n| match self.scopes.type_in(scope, &n.text)?.q.ty {
            Ty::Enum(id) => Some((id, &self.types.enums[id.0 as usize])),
            _ => None,
        });
        let known = declared.filter(|(_, known)| {
            let is_first = self.scopes.scope(known.scope).names.is_empty();
            let is_same = known.scoped == e.scoped && fixed.as_ref() == Some(&known.underlying);
            is_same && (is_first || e.enumerators.is_empty())
        });
        let (id, inner) = match known {
            Some((id, known)) => (id, known.scope),
            None => {
                let id = EnumId(self.types.enums.len() as u32);
                let inner = self.scopes.new_scope(scope);
                self.types.enums.push(EnumInfo {
                    name: name.clone(),
                    underlying: underlying.clone(),
                    scoped: e.scoped,
                    scope: inner,
                });
                if let Some(n) = own {
                    self.bind(scope, n, Symbol::Type(Ty::Enum(id).into()));
                }
                (id, inner)
            }
        };
        let outer = std::mem::replace(&mut self.scopes.here.scope, inner);
        let mut values: Vec<i128> = Vec::new();
        let (mut next, mut own) = (0, underlying);
        for (enumerator, value) in &e.enumerators {
            match value.as_ref().and_then(|value| self.enumerator_value(value)) {
                Some((value, of)) => {
                    next = value;
                    own = fixed.clone().unwrap_or(of);
                }
                None if fixed.is_none() && !is_in_range(next, &own) => own = enum_type(&[next]),
                None => {}
            }
            self.bind(inner, enumerator, Symbol::Constant(enum_constant(next, &own), own.clone()));
            values.push(next);
            next += 1;
        }
        self.scopes.here.scope = outer;
        let underlying = fixed.unwrap_or_else(|| enum_type(&values));
        self.types.enums[id.0 as usize].underlying = underlying.clone();
        let prefix = match e.scoped {
            true => format!("{}{name}::", self.scopes.scope(scope).prefix),
            false => self.scopes.scope(scope).prefix.to_string(),
        };
        for ((enumerator, _), value) in e.enumerators.iter().zip(values) {
            let value = enum_constant(value, &underlying);
            let symbol = Symbol::Constant(value, Ty::Enum(id));
            if let Some(entry) = self.scopes.scope_mut(inner).names.get_mut(&enumerator.text) {
                entry.symbol = symbol.clone();
            }
            if !e.scoped {
                self.bind(scope, enumerator, symbol);
            }
            if self.scopes.here.serial == 0 {
                let name = format!("{prefix}{}", enumerator.text);
                self.program.constants.push(NamedConstant { name, value, span: enumerator.span });
            }
        }
    }

    /// The value of an enumerator as written, and its type.
    fn enumerator_value(&mut self, e: &'a ast::Expr) -> Option<(i128, Ty)> {
        let what = "the value of an enumerator";
        let value = self.integral_constant(e, what, Code::NotConstant)?;
        Some(match value {
            Const::Bool(b) => (i128::from(b), Ty::Bool),
            Const::Int(v, t) if t.is_signed() => (i128::from(v), Ty::Int(t)),
            Const::Int(v, t) => (i128::from(v as u64), Ty::Int(t)),
            Const::Float(_) | Const::Double(_) => return None,
        })
    }

    /// Registers a function; its body is checked later.
    pub(super) fn declare_function(&mut self, f: &'a ast::Function, scope: ScopeId, class: Option<StructId>) {
        // `friend T f<>(T);` names an instance of a template that is declared outside.
        if let (Some(class), true, true) = (class, f.specifiers.friend, f.name.last.arguments.is_some()) {
            self.types.classes[class.0 as usize].friends.push(f.name.last.name.text.clone());
            return;
        }
        // `S::method` defined outside of its class.
        let (scope, class) = if f.name.qualifiers.is_empty() {
            (scope, class)
        } else {
            // Otherwise it is a member template of a specialised class.
            let templated = f.name.qualifiers.iter().any(|q| mentions_any(Part::Member(q), &f.template));
            if templated {
                return self.declare_outside(Outside::Function(f), scope);
            }
            match self.qualifier_scope(&f.name) {
                Ok(Some(s)) => (s, self.scopes.scope(s).class),
                _ => return,
            }
        };
        self.declare_in(f, scope, class, 0);
    }

    /// Registers a function as a name of a scope.
    pub(super) fn declare_in(
        &mut self,
        f: &'a ast::Function,
        scope: ScopeId,
        class: Option<StructId>,
        outer: usize,
    ) {
        let is_template = f.template.len() > outer;
        let name = f.name.last.name.clone();
        self.function_rules(f, &name);
        let s = &f.specifiers;
        let in_class = class.is_some() && f.name.qualifiers.is_empty() && !s.friend;
        if !in_class && (s.is_virtual || s.is_override || s.is_final || s.is_pure) {
            let title = format!("`{}` is declared outside a class", name.text);
            let d = Diagnostic::new(Code::InvalidOverride, title);
            self.sink.push(d.label(
                name.span,
                "`virtual`, `override`, `final` and `= 0` belong to the declaration in a class",
            ));
        }
        if class.is_none() && f.name.qualifiers.is_empty() {
            self.member_rules(f, &name);
        }
        let runs_here =
            matches!(f.body, FunctionBody::Block(_) | FunctionBody::Declared | FunctionBody::Defaulted);
        let caller = std::mem::replace(&mut self.scopes.here.scope, scope);
        let mut signature = None;
        if !is_template {
            let host_only = !f.execution.device && !f.execution.global && !f.specifiers.constexpr;
            let (s, clean) = self.quietly(|c| c.signature(Source::Function(f), scope));
            if !clean && !host_only && runs_here {
                self.signature(Source::Function(f), scope);
            }
            signature = Some(Rc::new(s));
        }
        self.scopes.here.scope = caller;
        if f.is_specialization && f.name.qualifiers.iter().any(|q| q.arguments.is_some()) {
            return self.specialize_member(f, scope, signature);
        }
        if f.is_specialization {
            let special = self.specialization(f, scope, class, signature);
            return self.declare_specialization(special, f);
        }
        let defaults = f.parameters.iter().map(|p| p.default.as_ref()).collect();
        let func = Func {
            name: name.text.clone(),
            source: Source::Function(f),
            scope,
            class,
            is_static: class.is_some() && f.specifiers.is_static,
            is_virtual: false,
            specifiers: f.specifiers,
            access: if class.is_some() { self.access } else { ast::Access::Public },
            body_order: self.scopes.definition_order(scope),
            call_order: self.scopes.call_order(),
            is_template,
            outer,
            signature,
            defaults,
            instances: Vec::new(),
            specializations: Vec::new(),
            span: name.span,
        };
        match class {
            // A friend is a function of the namespace around, though its body sees the class.
            Some(class) if f.specifiers.friend => {
                let around = self.scopes.namespace_of(scope);
                self.types.classes[class.0 as usize].friends.push(name.text.clone());
                let func = Func { class: None, is_static: false, access: ast::Access::Public, ..func };
                self.add_overload(func, f, around, &name);
            }
            _ => self.add_overload(func, f, scope, &name),
        }
    }

    /// What CUDA asks of a kernel's declaration.
    fn function_rules(&mut self, f: &'a ast::Function, name: &ast::Name) {
        if f.execution.global && f.execution.device {
            self.sink.report(
                Code::KernelAndDevice,
                format!("`{}` cannot be both `__global__` and `__device__`", name.text),
                name.span,
                "a kernel is launched, a device function is called",
            );
        }
        if f.execution.global && f.execution.host {
            let title = format!("`{}` cannot be both `__global__` and `__host__`", name.text);
            self.sink.report(Code::KernelAndDevice, title, name.span, "a kernel runs on the device only");
        }
        if f.execution.global {
            let is_void =
                matches!(&f.result, Some(t) if matches!(t.kind, TypeKind::Builtin(ast::BuiltinType::Void)));
            if !is_void {
                let span = f.result.as_ref().map_or(name.span, |t| t.span);
                self.sink.push(
                    Diagnostic::new(
                        Code::KernelResult,
                        format!("the kernel `{}` must return `void`", name.text),
                    )
                    .label(span, "a kernel has no result")
                    .help("write results through a pointer parameter"),
                );
            }
            for p in &f.parameters {
                if let TypeKind::Reference { .. } = p.ty.kind {
                    self.sink.push(
                        Diagnostic::new(
                            Code::KernelReferenceParameter,
                            "a kernel's parameter that is a reference leads to the host's memory",
                        )
                        .with_kind(Kind::Warning)
                        .label(p.ty.span, "the kernel cannot access what it refers to")
                        .help("pass it by value, or pass a pointer to device memory"),
                    );
                }
            }
        }
    }

    /// Adds a function that is visible from there on.
    pub(super) fn add_function(&mut self, func: Func<'a>, order: u32) -> FuncIdx {
        self.functions.all.push(func);
        self.scopes.add_function(order);
        FuncIdx(self.functions.all.len() as u32 - 1)
    }

    /// Adds to the overloads of a name, or completes an earlier declaration.
    fn add_overload(&mut self, func: Func<'a>, f: &'a ast::Function, scope: ScopeId, name: &ast::Name) {
        let list = match self.scopes.scope(scope).names.get(&name.text).map(|e| e.symbol.clone()) {
            Some(Symbol::Functions(list)) => list,
            _ => Vec::new(),
        };
        let is_constructor = func.class.is_some() && f.result.is_none() && !name.text.starts_with("operator");
        let list = match func.class {
            Some(class) if is_constructor => self.types.class(class).constructors.clone(),
            _ => list,
        };
        // What a class declares itself hides what `using` brought from a base.
        let mut list = list;
        if func.class.is_some() {
            list.retain(|old| {
                self.functions.func(*old).class == func.class || !self.same_function(*old, &func)
            });
        }
        let known = match func.class {
            // The type may be called by another name.
            Some(class) if name.text.starts_with("operator ") => self.conversion_functions(class),
            _ => list.clone(),
        };
        let mut known = known;
        if !f.name.qualifiers.is_empty()
            && func.class.is_none()
            && let Found::Entry(Entry { symbol: Symbol::Functions(list), .. }) =
                self.scopes.lookup_in(scope, &name.text)
        {
            known.extend(list);
        }
        self.sink.charge_scan(8 * known.len());
        let is_same =
            |c: &mut Self, old| c.functions.func(old).class == func.class && c.same_function(old, &func);
        if let Some(old) = known.into_iter().find(|old| is_same(self, *old)) {
            return self.redeclare(old, func, f);
        }
        if !f.name.qualifiers.is_empty() && f.template.is_empty() && func.signature.is_some() {
            return self.undeclared_member(f, !list.is_empty());
        }
        let class = func.class;
        let is_built_in = |ty: &Ty| {
            matches!(ty, Ty::Bool | Ty::Int(_) | Ty::Float | Ty::Double | Ty::Pointer(_) | Ty::Array(..))
        };
        let is_for_built_in = class.is_none()
            && !func.is_template
            && name
                .text
                .strip_prefix("operator")
                .is_some_and(|op| op.starts_with(|c: char| c.is_ascii_punctuation() && c != '"' && c != '_'))
            && func.signature.as_ref().is_some_and(|s| s.parameters.iter().all(|p| is_built_in(&p.ty.q.ty)));
        let id = self.add_function(func, self.scopes.current_order());
        if is_for_built_in {
            let title = "an operator outside a class needs a parameter of a class or an enumeration";
            self.sink.wrong(Code::OperatorOutside, title, name.span);
        }
        if name.text.starts_with("operator") {
            self.functions.operators.insert(&name.text, ());
        }
        self.trailing_defaults(f);
        if let (Some(class), true) = (class, name.text.starts_with('~')) {
            self.types.classes[class.0 as usize].destructor = Some(id);
        }
        if let (Some(class), true) = (class, is_constructor) {
            self.types.classes[class.0 as usize].constructors.push(id);
            return;
        }
        list.push(id);
        match self.scopes.scope_mut(scope).names.get_mut(&name.text) {
            Some(Entry { symbol: symbol @ Symbol::Functions(_), .. }) => *symbol = Symbol::Functions(list),
            _ => self.bind(scope, name, Symbol::Functions(list)),
        }
    }

    /// After a parameter with a default argument each has one.
    fn trailing_defaults(&mut self, f: &'a ast::Function) {
        let first = f.parameters.iter().position(|p| p.default.is_some()).unwrap_or(f.parameters.len());
        let pack = |p: &ast::Parameter| matches!(p.ty.kind, TypeKind::Pack(_));
        if let Some(p) = f.parameters.iter().skip(first).find(|p| p.default.is_none() && !pack(p)) {
            self.sink.report(
                Code::MissingDefaultArgument,
                "a parameter after one with a default argument needs one too",
                p.span,
                "no default argument",
            );
        }
    }

    fn redeclare(&mut self, old: FuncIdx, new: Func<'a>, f: &'a ast::Function) {
        let Source::Function(first) = self.functions.func(old).source else { return };
        let defined = |f: &ast::Function| !matches!(f.body, FunctionBody::Declared);
        let specializes = new.is_template && new.outer == 0 && self.functions.func(old).outer > 0;
        if defined(first) && defined(f) && !specializes {
            let span = self.functions.func(old).span;
            self.sink.push(
                Diagnostic::new(Code::RedefinedFunction, format!("`{}` is defined twice", new.name))
                    .label(new.span, "defined again here")
                    .label(span, "first defined here"),
            );
            return;
        }
        let results =
            [&self.functions.func(old).signature, &new.signature].map(|s| s.as_ref()?.result.clone());
        if let [Some(a), Some(b)] = results
            && a != b
            && !a.q.ty.has_error()
            && !b.q.ty.has_error()
        {
            let (before, now) = (self.types.spell_decl(&a), self.types.spell_decl(&b));
            let declared = self.functions.func(old).span;
            self.sink.push(
                Diagnostic::new(
                    Code::OverloadedByResult,
                    format!("`{}` was declared with result type `{before}`, and now has `{now}`", new.name),
                )
                .label(new.span, format!("returns `{now}`"))
                .label(declared, format!("returns `{before}`"))
                .help("functions with the same name must differ in their parameters, not only in the result type"),
            );
            return;
        }
        let (order, call_order) = (new.body_order, new.call_order);
        let twice = self.functions.func(old).defaults.iter().zip(&new.defaults).find_map(|(a, b)| a.and(*b));
        if let Some(again) = twice {
            let title = "an earlier declaration already gave this default argument";
            self.sink.report(Code::RedefinedDefaultArgument, title, again.span, "given again here");
        }
        let (own, outer) = (self.functions.own_template(old), new.outer);
        self.templates.redeclare(own, f.template.get(outer..).unwrap_or(&[]));
        let entry = &mut self.functions.all[old.0 as usize];
        for (a, b) in entry.defaults.iter_mut().zip(&new.defaults) {
            *a = a.or(*b);
        }
        if defined(f) {
            // The definition's names; the declaration's visibility, class and overload stay.
            entry.source = new.source;
            entry.signature = new.signature;
            entry.body_order = order;
            entry.call_order = call_order;
            entry.outer = new.outer;
            entry.span = new.span;
            entry.is_static |= first.specifiers.is_static && entry.class.is_some();
        }
        if let Some(s) = &mut entry.signature {
            Rc::make_mut(s).add_defaults(&entry.defaults);
        }
    }

    /// `template <> void S<int>::f() { … }`: this instance's method has a body of its own. Or it is a specialisation of a template
    /// that this instance has as a member.
    fn specialize_member(
        &mut self,
        f: &'a ast::Function,
        scope: ScopeId,
        signature: Option<Rc<Signature<'a>>>,
    ) {
        let name = &f.name.last.name;
        let class = self.scopes.scope(scope).class;
        let list = match (class, self.scopes.scope(scope).names.get(&name.text).map(|e| e.symbol.clone())) {
            (Some(class), _) if f.result.is_none() && !name.text.starts_with('~') => {
                self.types.class(class).constructors.clone()
            }
            (_, Some(Symbol::Functions(list))) => list,
            _ => return self.undeclared(&name.text, name.span, "a method to specialise"),
        };
        let special = self.specialization(f, scope, class, signature);
        let method = list.into_iter().find(|m| self.same_signature(*m, &special));
        let Some(method) = method.filter(|_| f.name.last.arguments.is_none()) else {
            return self.declare_specialization(special, f);
        };
        let entry = &mut self.functions.all[method.0 as usize];
        entry.source = special.source;
        entry.signature = special.signature;
        entry.span = name.span;
    }

    /// A function written with `template <>`.
    fn specialization(
        &self,
        f: &'a ast::Function,
        scope: ScopeId,
        class: Option<StructId>,
        signature: Option<Rc<Signature<'a>>>,
    ) -> Func<'a> {
        Func {
            name: f.name.last.name.text.clone(),
            source: Source::Function(f),
            scope,
            class,
            is_static: false,
            is_virtual: false,
            specifiers: f.specifiers,
            access: ast::Access::Public,
            body_order: self.scopes.definition_order(scope),
            call_order: u32::MAX,
            is_template: false,
            outer: 0,
            signature,
            defaults: Vec::new(),
            instances: Vec::new(),
            specializations: Vec::new(),
            span: f.name.last.name.span,
        }
    }

    fn declare_specialization(&mut self, mut func: Func<'a>, f: &'a ast::Function) {
        let name = &f.name.last.name;
        let Found::Entry(super::scopes::Entry { symbol: Symbol::Functions(list), .. }) =
            self.scopes.lookup_in(func.scope, &name.text)
        else {
            return self.undeclared(&name.text, name.span, "a function template to specialise");
        };
        let Some(count) = func.signature.as_ref().map(|s| s.parameters.len()) else { return };
        for template in list.into_iter().filter(|t| self.functions.func(*t).is_template).collect::<Vec<_>>() {
            let of = self.functions.func(template);
            if of.source.object() != f.object {
                continue;
            }
            func.is_static = of.is_static;
            let Some(arguments) = self.specialized_arguments(template, count, f) else { continue };
            let known = &self.functions.func(template).specializations;
            if let Some((_, old)) = known.iter().find(|(of, _)| *of == arguments) {
                return self.redeclare(*old, func, f);
            }
            let id = self.add_function(func, self.scopes.current_order());
            self.functions.all[template.0 as usize].specializations.push((arguments, id));
            return;
        }
        if !f.execution.device && !f.execution.global && !f.specifiers.constexpr {
            return;
        }
        self.sink.wrong(
            Code::NoTemplate,
            format!("no template `{}` matches this specialisation", name.text),
            name.span,
        );
    }

    /// Parameters and result of a function, in a scope in which template parameters are bound. `autos` are the types
    /// that `auto` parameters of a lambda stand for.
    pub(super) fn signature(&mut self, source: Source<'a>, scope: ScopeId) -> Signature<'a> {
        let outer = std::mem::replace(&mut self.scopes.here.scope, scope);
        let result = match source {
            Source::Function(f) => f.result.as_ref(),
            Source::Lambda(l) => l.result.as_ref(),
        };
        let parameters = self.parameters(source.parameters(), scope);
        let result = match (source, result) {
            (Source::Lambda(_), None) => None,
            (Source::Function(_), None) => Some(Ty::Void.into()),
            (_, Some(t)) if super::lambda::mentions_auto(t) => None,
            (_, Some(t)) => {
                if mentions_expression(t) {
                    self.name_parameters(&parameters, scope);
                }
                Some(self.decl_type(t))
            }
        };
        self.scopes.here.scope = outer;
        Signature { parameters, result }
    }

    /// Parameters as written, packs among them as their elements.
    pub(super) fn parameters(&mut self, list: &'a [ast::Parameter], scope: ScopeId) -> Vec<Param<'a>> {
        let mut parameters = Vec::with_capacity(list.len());
        for p in list {
            match &p.ty.kind {
                TypeKind::Pack(_) => parameters.extend(self.pack_parameters(p, scope)),
                _ => {
                    if mentions_expression(&p.ty) {
                        self.name_parameters(&parameters, scope);
                    }
                    let ty = self.parameter_type(&p.ty);
                    parameters.push(self.parameter(p, ty, scope, None));
                }
            }
        }
        parameters
    }

    /// Makes parameters visible in the types of later ones and in that of the result.
    pub(super) fn name_parameters(&mut self, parameters: &[Param<'a>], scope: ScopeId) {
        self.scopes.here.scope = self.scopes.new_scope(scope);
        for p in parameters.iter().filter(|p| !p.name.is_empty()) {
            let local = self.new_local(&p.name, &p.ty.q, Storage::Automatic, p.span);
            self.body.locals[local.0 as usize].is_reference = is_reference(&p.ty);
            self.body.infos[local.0 as usize].reference = p.ty.reference;
            let symbol = Symbol::Local(local, self.scopes.here.serial);
            self.scopes.bind_silently(self.scopes.here.scope, &p.name, symbol, 0, p.span);
        }
    }

    pub(super) fn parameter(
        &mut self,
        p: &'a ast::Parameter,
        ty: DeclTy,
        scope: ScopeId,
        index: Option<usize>,
    ) -> Param<'a> {
        let base = p.name.as_ref().map(|n| n.text.clone()).unwrap_or_default();
        let name = match index {
            Some(i) if !base.is_empty() => format!("{base}#{i}").into(),
            _ => base,
        };
        let span = p.name.as_ref().map_or(p.span, |n| n.span);
        if ty.q.ty == Ty::Void && ty.reference.is_none() {
            self.sink.wrong(Code::VoidVariable, "a parameter cannot be `void`", p.span);
        }
        if ty.reference.is_none() {
            self.refuse_abstract(&ty.q.ty, "a parameter of this type", span);
        }
        let restrict = matches!(p.ty.kind, TypeKind::Pointer { restrict: true, .. });
        Param { name, ty, restrict, default: p.default.as_ref(), span, scope }
    }

    /// The type of a parameter: an array is a pointer.
    pub(super) fn parameter_type(&mut self, t: &'a ast::TypeName) -> DeclTy {
        if let TypeKind::Array { of, length } = &t.kind {
            if let Some(length) = length {
                // The length has no meaning, but its names must exist.
                self.unevaluated(|c| c.expr(length));
            }
            let element = self.decl_type(of);
            if element.reference.is_some() {
                self.sink.wrong(Code::InvalidArray, "there are no arrays of references", t.span);
                return Ty::Error.into();
            }
            if let Ty::Array(_, super::ty::UNSIZED) = element.q.ty {
                let title = "only the first dimension of an array may be left out";
                self.sink.wrong(Code::InvalidArray, title, t.span);
                return Ty::Error.into();
            }
            return Ty::pointer(element.q).into();
        }
        let decl = self.decl_type(t);
        match &decl.q.ty {
            // An array by another name: its qualifiers are the elements'.
            Ty::Array(of, _) if decl.reference.is_none() => {
                Ty::pointer(QTy { ty: (**of).clone(), ..decl.q }).into()
            }
            _ => decl,
        }
    }
}

fn is_literal(e: &ast::Expr) -> bool {
    matches!(e.kind, ast::ExprKind::Int { .. })
}

/// Whether an expression is part of a type, which may name the parameters.
pub(super) fn mentions_expression(t: &ast::TypeName) -> bool {
    match &t.kind {
        TypeKind::Decltype(_) | TypeKind::Typeof(_) => true,
        TypeKind::Named(path) => path.qualifiers.iter().chain([&path.last]).any(|part| {
            part.arguments.iter().flatten().any(|a| match a {
                ast::TemplateArgument::Type(t) => mentions_expression(t),
                ast::TemplateArgument::Value(e) => !is_literal(e),
            })
        }),
        TypeKind::Pointer { to, .. } | TypeKind::Reference { to, .. } | TypeKind::Member { to, .. } => {
            mentions_expression(to)
        }
        TypeKind::Array { of, length } => {
            length.as_ref().is_some_and(|e| !is_literal(e)) || mentions_expression(of)
        }
        TypeKind::Pack(inner) => mentions_expression(inner),
        TypeKind::Builtin(_) | TypeKind::Auto(_) | TypeKind::DecltypeAuto(_) | TypeKind::Function { .. } => {
            false
        }
    }
}

/// Whether a parameter is passed by reference.
pub(super) fn is_reference(t: &DeclTy) -> bool {
    matches!(t.reference, Some(Ref::Left | Ref::Right))
}

/// The place of a function in messages.
pub(super) fn function_span(f: &ast::Function) -> Span {
    f.name.last.name.span
}

/// Whether an integer type has this value.
fn is_in_range(value: i128, ty: &Ty) -> bool {
    match ty {
        Ty::Int(t) if t.is_signed() => (-(1 << (t.bits() - 1))..1 << (t.bits() - 1)).contains(&value),
        Ty::Int(t) => (0..1 << t.bits()).contains(&value),
        _ => (0..2).contains(&value),
    }
}

/// The type of an enumeration that has none written: the first that has all values.
fn enum_type(values: &[i128]) -> Ty {
    let types = [ty::INT, ty::UINT, ty::LONG];
    types.into_iter().find(|t| values.iter().all(|v| is_in_range(*v, t))).unwrap_or(ty::ULONG)
}

fn enum_constant(value: i128, ty: &Ty) -> Const {
    match ty {
        Ty::Int(t) => Const::Int(ty::wrap(value as i64, *t), *t),
        _ => Const::Bool(value != 0),
    }
}
