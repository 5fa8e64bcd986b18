//! Instances of templates.

use super::constraint::Normal;
use super::deduce::{Bindings, Deduction};
use super::ids::ScopeId;
use super::ids::TemplateName;
use super::scopes::{Found, Symbol};
use super::ty::{self, DeclTy, QTy, Ty};
use super::value::Node;
use super::{
    Checker, FuncIdx, Functions, Instance, MAX_INSTANTIATION_DEPTH, Signature, Source, State, TArg, Types,
    VarIdx,
};
use crate::hir::{Const, ExprKind, FunctionId, IntType, Kernel, StructId};
use cuda_syntax::ast::{self, TemplateArgument, TemplateParameter, TypeKind};
use cuda_syntax::budget::Cost;
use source::{Code, Diagnostic, Span};
use std::cmp::Ordering;
use std::rc::Rc;

pub(super) fn parameter_name(p: &TemplateParameter) -> Option<&ast::Name> {
    match p {
        TemplateParameter::Type { name, .. }
        | TemplateParameter::Value { name, .. }
        | TemplateParameter::Template { name, .. } => name.as_ref(),
        TemplateParameter::Constraint(_) => None,
    }
}

pub(super) fn is_pack(p: &TemplateParameter) -> bool {
    match p {
        TemplateParameter::Type { pack, .. }
        | TemplateParameter::Value { pack, .. }
        | TemplateParameter::Template { pack, .. } => *pack,
        TemplateParameter::Constraint(_) => false,
    }
}

fn has_default(p: &TemplateParameter) -> bool {
    match p {
        TemplateParameter::Type { default, .. } | TemplateParameter::Template { default, .. } => {
            default.is_some()
        }
        TemplateParameter::Value { default, .. } => default.is_some(),
        TemplateParameter::Constraint(_) => false,
    }
}

/// What an argument in a pack is charged as [`Cost::Names`].
const ARGUMENT_BYTES: u64 = 64;

/// The number that stands for a null pointer.
const NULL: Const = Const::Int(0, IntType::UnsignedLong);

impl<'a> Checker<'a> {
    /// A template argument as written. `value` is the type of a value parameter, `None` where a type is expected or
    /// nothing is.
    pub(super) fn template_argument(&mut self, a: &'a TemplateArgument, value: Option<&Ty>) -> Option<TArg> {
        match (a, value) {
            (TemplateArgument::Type(t), None) => {
                let t = self.exact_type(t);
                (!t.q.ty.has_error()).then_some(TArg::Type(t))
            }
            (TemplateArgument::Value(e), None) => {
                if let ast::ExprKind::Path(path) = &e.kind
                    && !matches!(self.lookup_path(path), Ok(Found::Entry(e)) if e.symbol.is_value())
                    && let Some(t) = self.opt_named_type(path)
                {
                    return (!t.q.ty.has_error()).then_some(TArg::Type(t));
                }
                let v = self.constant_expr(e);
                self.scalar_constant(v, "a template argument", Code::NotConstant, e.span).map(TArg::Value)
            }
            // `auto N`: as it is.
            (TemplateArgument::Value(e), Some(Ty::Error)) => {
                if let Some(var) = self.named_object(e, None) {
                    return Some(TArg::Object(var));
                }
                let v = self.constant_expr(e);
                let ty = v.ty.ty.clone();
                let c = self.scalar_constant(v, "a template argument", Code::NotConstant, e.span)?;
                let typed = matches!(ty, Ty::Enum(_) | Ty::Function(_));
                if typed { Some(TArg::Typed(c, ty)) } else { self.value_argument(c, e.span) }
            }
            (TemplateArgument::Value(e), Some(Ty::Pointer(to)))
                if self.named_object(e, Some(to)).is_some() =>
            {
                self.named_object(e, Some(to)).map(TArg::Object)
            }
            (TemplateArgument::Value(e), Some(ty)) => {
                let TArg::Value(c) = self.constant_argument(e, ty, "a template argument")? else {
                    return Some(TArg::Typed(NULL, ty.clone()));
                };
                self.value_argument(c, e.span)
            }
            (TemplateArgument::Type(t), Some(_)) => {
                if let TypeKind::Named(path) = &t.kind
                    && let Ok(Found::Entry(entry)) = self.lookup_path(path)
                    && let Some(c) = self.named_constant(&entry.symbol)
                {
                    return Some(TArg::Value(c));
                }
                // `T()` is a type of functions, which nvcc takes for a value all the same.
                if matches!(t.kind, TypeKind::Function { .. }) {
                    self.sink.unsupported("a value that looks like a type, as a template argument", t.span);
                    return None;
                }
                self.sink.wrong(Code::TemplateArgument, "expected a constant, but this is a type", t.span);
                None
            }
        }
    }

    /// The value of a template argument of a type: a number, or a null pointer.
    fn constant_argument(&mut self, e: &'a ast::Expr, ty: &Ty, what: &str) -> Option<TArg> {
        let v = self.in_constant(|c| {
            let v = c.expr_or_function(e);
            c.convert(v, &QTy::plain(ty.clone()), what)
        });
        if matches!(&v.node, Node::Rvalue(e) if matches!(e.kind, ExprKind::Null)) {
            return Some(TArg::Typed(NULL, ty.clone()));
        }
        (!v.is_error()).then(|| self.scalar_constant(v, what, Code::NotConstant, e.span))?.map(TArg::Value)
    }

    /// A constant as an argument. Two are the same if they are equal, which says too little of some.
    fn value_argument(&mut self, c: Const, span: Span) -> Option<TArg> {
        let v = match c {
            Const::Float(v) => f64::from(v),
            Const::Double(v) => v,
            Const::Bool(_) | Const::Int(..) => 1.0,
        };
        if v.is_nan() || (v == 0.0 && v.is_sign_negative()) {
            self.sink.unsupported("a NaN or a negative zero as a template argument", span);
            return None;
        }
        Some(TArg::Value(c))
    }

    /// The variable at file scope that `&x`, or an array `x`, points to; for a parameter of pointer or reference type.
    fn named_object(&mut self, e: &'a ast::Expr, to: Option<&QTy>) -> Option<VarIdx> {
        let (inner, address) = match &e.kind {
            ast::ExprKind::Paren(inner) => return self.named_object(inner, to),
            ast::ExprKind::Unary { op: ast::UnaryOp::AddressOf, operand } => (&**operand, true),
            _ => (e, false),
        };
        let ast::ExprKind::Path(path) = &inner.kind else { return None };
        let Ok(Found::Entry(entry)) = self.quietly(|c| c.lookup_path(path)).0 else { return None };
        let (Symbol::Var(var) | Symbol::Address(var)) = entry.symbol else { return None };
        let info = &self.variables.all[var.0 as usize];
        if !matches!(info.kind, super::VarKind::Device | super::VarKind::Constant) {
            return None;
        }
        let fits = match (to, &info.q.ty) {
            (None, _) => address,
            (Some(to), Ty::Array(of, _)) if !address => **of == to.ty || info.q.ty == to.ty,
            (Some(to), ty) => *ty == to.ty && (to.is_const || !info.q.is_const),
        };
        fits.then_some(var)
    }

    /// Binds a template parameter in the scope of an instance.
    pub(super) fn bind_argument(
        &mut self,
        scope: ScopeId,
        p: &TemplateParameter,
        a: &TArg,
        value: Option<&Ty>,
    ) {
        let Some(name) = parameter_name(p) else { return };
        if let TArg::Pack(items) = a {
            let _ = self.sink.charge(Cost::Names, ARGUMENT_BYTES * items.len() as u64, name.span);
        }
        let symbol = match a {
            TArg::Type(t) => Symbol::Type(t.clone()),
            TArg::Value(c) => match value {
                Some(ty @ (Ty::Enum(_) | Ty::Function(_))) => Symbol::Constant(*c, ty.clone()),
                _ => Symbol::Constant(*c, const_ty(*c)),
            },
            TArg::Typed(c, ty) => Symbol::Constant(*c, ty.clone()),
            TArg::Object(var) => match p {
                TemplateParameter::Value { ty, .. } if matches!(ty.kind, TypeKind::Reference { .. }) => {
                    Symbol::Var(*var)
                }
                _ => Symbol::Address(*var),
            },
            TArg::Pack(items) => Symbol::Pack(items.clone()),
            TArg::Template(template) => template.symbol(),
        };
        self.scopes.bind_silently(scope, &name.text, symbol, 0, name.span);
    }

    /// All arguments of a template: those written, those deduced (by parameter name), the defaults. Gives the scope in
    /// which they are bound.
    pub(super) fn template_arguments(
        &mut self,
        parameters: &'a [TemplateParameter],
        parent: ScopeId,
        written: &[TArgSource<'a>],
        deduced: &Bindings,
    ) -> Option<(Vec<TArg>, ScopeId)> {
        let scope = self.scopes.new_scope(parent);
        self.scopes.scope_mut(scope).is_template = true;
        let caller = self.scopes.here.scope;
        let mut arguments = Vec::new();
        let mut next = 0;
        for p in parameters {
            let name = parameter_name(p).map(|n| n.text.as_str()).unwrap_or("");
            if let TemplateParameter::Constraint(e) = p {
                if !self.in_scope(scope, |c| c.is_satisfied(e)) {
                    return None;
                }
                arguments.push(TArg::Pack(Vec::new()));
                continue;
            }
            self.scopes.here.scope = scope;
            let value_ty = match p {
                TemplateParameter::Type { .. }
                | TemplateParameter::Template { .. }
                | TemplateParameter::Constraint(_) => None,
                TemplateParameter::Value { ty, .. } if matches!(ty.kind, TypeKind::Auto(_)) => {
                    Some(Ty::Error)
                }
                TemplateParameter::Value { ty, .. } => {
                    let decl = self.decl_type(ty);
                    let is_object = decl.reference.is_some() && !matches!(decl.q.ty, Ty::Function(_));
                    if decl.q.ty.is_struct() && !is_object {
                        self.sink.unsupported("an object as a template argument", ty.span);
                    }
                    Some(if is_object { Ty::pointer(decl.q) } else { decl.q.ty })
                }
            };
            self.scopes.here.scope = caller;
            let is_template = matches!(p, TemplateParameter::Template { .. });
            let argument = if is_pack(p) {
                self.sink.charge_scan(16 * written.len());
                let mut items = Vec::new();
                while let Some(a) = written.get(next) {
                    items.push(self.argument_for(a, value_ty.as_ref(), is_template)?);
                    next += 1;
                }
                if items.is_empty()
                    && let Some(TArg::Pack(found)) = deduced.get(name)
                {
                    items = found.clone();
                }
                Some(TArg::Pack(items))
            } else if let Some(a) = written.get(next) {
                next += 1;
                Some(self.argument_for(a, value_ty.as_ref(), is_template)?)
            } else if let Some(a) = deduced.get(name) {
                self.types.fit_deduced(a, value_ty.as_ref())
            } else {
                let declared = self.declared_default(parameters, &arguments, scope);
                let (p, scope) = declared.unwrap_or((p, scope));
                self.in_scope(scope, |c| c.default_template_argument(p, value_ty.as_ref()))
            };
            let argument = argument?;
            if let (TemplateParameter::Type { .. }, TArg::Value(_)) = (p, &argument) {
                let span = match next.checked_sub(1).and_then(|i| written.get(i)) {
                    Some(TArgSource::Written(TemplateArgument::Value(e))) => e.span,
                    _ => return None,
                };
                self.sink.wrong(
                    Code::TemplateArgument,
                    format!("`{name}` is a type, but this is a value"),
                    span,
                );
                return None;
            }
            self.bind_argument(scope, p, &argument, value_ty.as_ref());
            arguments.push(argument);
        }
        (next >= written.len()).then_some((arguments, scope))
    }

    /// The next template parameter as an earlier declaration has it, if only that gives its default, and a scope for its names.
    fn declared_default(
        &mut self,
        parameters: &'a [TemplateParameter],
        arguments: &[TArg],
        scope: ScopeId,
    ) -> Option<(&'a TemplateParameter, ScopeId)> {
        let declared = *self.templates.declared.get(&parameters.as_ptr())?;
        let p = declared.get(arguments.len()).filter(|_| !has_default(&parameters[arguments.len()]))?;
        let inner = self.scopes.new_scope(scope);
        for (p, argument) in declared.iter().zip(arguments) {
            self.bind_argument(inner, p, argument, None);
        }
        Some((p, inner))
    }

    /// The default of a template parameter.
    fn default_template_argument(&mut self, p: &'a TemplateParameter, value: Option<&Ty>) -> Option<TArg> {
        match p {
            TemplateParameter::Type { default: Some(t), .. } => Some(TArg::Type(self.exact_type(t))),
            TemplateParameter::Template { default: Some(t), .. } => match &t.kind {
                TypeKind::Named(path) => self.named_template(path),
                _ => None,
            },
            TemplateParameter::Value { default: Some(e), .. } => {
                let what = "a default template argument";
                match value.unwrap_or(&ty::INT) {
                    // `auto N = 4`: as it is.
                    Ty::Error => {
                        let v = self.constant_expr(e);
                        self.scalar_constant(v, what, Code::NotConstant, e.span).map(TArg::Value)
                    }
                    ty => self.constant_argument(e, ty, what),
                }
            }
            _ => None,
        }
    }

    fn argument_for(&mut self, a: &TArgSource<'a>, value: Option<&Ty>, is_template: bool) -> Option<TArg> {
        if !is_template {
            return self.one_argument(a, value);
        }
        let path = match a {
            TArgSource::Known(known @ TArg::Template(_)) => return Some(known.clone()),
            TArgSource::Written(
                TemplateArgument::Type(ast::TypeName { kind: TypeKind::Named(path), .. })
                | TemplateArgument::Value(ast::Expr { kind: ast::ExprKind::Path(path), .. }),
            ) => path,
            _ => return None,
        };
        let found = self.named_template(path);
        if found.is_none() {
            let text = path.last.name.text.clone();
            self.sink.wrong(Code::TemplateArgument, format!("`{text}` is not a class template"), path.span);
        }
        found
    }

    /// The template that a name means.
    fn named_template(&mut self, path: &'a ast::Path) -> Option<TArg> {
        match self.lookup_path(path) {
            Ok(Found::Entry(entry)) => TemplateName::of(&entry.symbol).map(TArg::Template),
            _ => None,
        }
    }

    fn one_argument(&mut self, a: &TArgSource<'a>, value: Option<&Ty>) -> Option<TArg> {
        match a {
            TArgSource::Written(a) => self.template_argument(a, value),
            TArgSource::Known(a) => self.types.fit_deduced(a, value),
        }
    }

    /// The class that a class template is for these arguments.
    pub(super) fn class_instance(&mut self, id: usize, written: &'a [TemplateArgument], span: Span) -> Ty {
        let (ast, parent) = (self.templates.classes[id].ast, self.templates.classes[id].scope);
        let name = ast.name.as_ref().map(|p| p.last.name.text.clone()).unwrap_or_default();
        // Inside of the template its name alone means the instance at hand.
        if written.is_empty()
            && let Some(s) = self.enclosing_instance(id)
        {
            return Ty::Struct(s);
        }
        let sources = self.written_arguments(written);
        let none = Bindings::default();
        let before = self.sink.reported().len();
        let Some((arguments, scope)) = self.template_arguments(&ast.template, parent, &sources, &none) else {
            if self.sink.reported().len() == before {
                self.sink.push(
                    Diagnostic::new(
                        Code::TemplateArgument,
                        format!("`{name}` does not take these arguments"),
                    )
                    .label(span, "")
                    .label(ast.span, "declared here"),
                );
            }
            return Ty::Error;
        };
        self.instance_of(id, arguments, scope, span)
    }

    /// The class that a class template is for all of its arguments, which are bound in `scope`.
    pub(super) fn instance_of(&mut self, id: usize, arguments: Vec<TArg>, scope: ScopeId, span: Span) -> Ty {
        self.sink.charge_scan(8 * self.templates.classes[id].instances.len());
        if let Some((_, s)) = self.templates.classes[id].instances.iter().find(|(a, _)| *a == arguments) {
            return Ty::Struct(*s);
        }
        if !self.sink.charge(Cost::Instances, 1, span) || !self.enter_instance(span) {
            return Ty::Error;
        }
        let ast = self.templates.classes[id].ast;
        let name = ast.name.as_ref().map(|p| p.last.name.text.clone()).unwrap_or_default();
        let general = (self.templates.classes[id].order, ast, scope);
        let (definition, ast, scope) = self.specialized_class(id, &arguments).unwrap_or(general);
        self.scopes.scope_mut(scope).order = definition;
        let order = std::mem::replace(&mut self.scopes.order, 0);
        let spelled = format!("{name}{}", self.spell_arguments(&arguments));
        let _ = self.sink.charge(Cost::Names, spelled.len() as u64, span);
        let class = self.new_class(&spelled, scope);
        self.types.classes[class.0 as usize].template = Some((id, arguments.clone()));
        self.types.classes[class.0 as usize].pattern = Some(ast);
        self.templates.classes[id].instances.push((arguments, class));
        self.define_class(class, ast);
        for member in self.templates.classes[id].outside.clone() {
            self.add_outside(class, ast, member);
        }
        self.scopes.order = order;
        self.depth -= 1;
        Ty::Struct(class)
    }

    pub(super) fn enclosing_instance(&self, id: usize) -> Option<StructId> {
        let mut at = Some(self.scopes.here.scope);
        while let Some(s) = at {
            if let Some(class) = self.scopes.scope(s).class
                && self.types.class(class).template.as_ref().is_some_and(|t| t.0 == id)
            {
                return Some(class);
            }
            at = self.scopes.scope(s).parent;
        }
        None
    }

    /// The specialisation that fits, and the scope with its own parameters bound.
    fn specialized_class(&mut self, id: usize, arguments: &[TArg]) -> Option<(u32, &'a ast::Class, ScopeId)> {
        let candidates = self.templates.classes[id].specializations.clone();
        self.sink.charge_scan(32 * candidates.len());
        let parent = self.templates.classes[id].scope;
        let mut best: Option<(&'a [TemplateArgument], &'a ast::Class, ScopeId)> = None;
        let mut definition = 0;
        for (at, c) in candidates {
            let Some(patterns) = c.name.as_ref().and_then(|p| p.last.arguments.as_deref()) else { continue };
            let order = best.map_or(Ordering::Less, |known| {
                super::partial::arguments((patterns, &c.template), (known.0, &known.1.template))
            });
            let is_constrained = matches!(c.template.last(), Some(TemplateParameter::Constraint(_)));
            if order == Ordering::Greater || (order == Ordering::Equal && !is_constrained) {
                continue;
            }
            let found = self.tentatively(|checker| {
                let mut found = Deduction::of(&c.template);
                // What a pattern names is what its own namespace knows.
                let fits =
                    checker.in_scope(parent, |p| p.unify_with_defaults(id, patterns, arguments, &mut found));
                if !fits {
                    return None;
                }
                let (_, scope) = checker.template_arguments(&c.template, parent, &[], &found.bindings)?;
                // What nothing could be deduced from must come out the same.
                checker.arguments_equal(patterns, arguments, scope).then_some(scope)
            });
            let Some(Some(scope)) = found else { continue };
            if let (Ordering::Equal, Some((_, known, of_known))) = (order, best) {
                let (new, old) =
                    (self.normal_form(&c.template, scope), self.normal_form(&known.template, of_known));
                if !Normal::subsumes(new.as_ref(), old.as_ref()) {
                    continue;
                }
            }
            best = Some((patterns, c, scope));
            definition = at;
        }
        best.map(|(_, c, scope)| (definition, c, scope))
    }

    /// Whether arguments as written are the first of these, in a scope in which their parameters are bound.
    pub(super) fn arguments_equal(
        &mut self,
        written: &'a [TemplateArgument],
        arguments: &[TArg],
        scope: ScopeId,
    ) -> bool {
        let flat = flattened(arguments);
        self.in_scope(scope, |c| {
            let sources = c.written_arguments(written);
            // Default arguments may be left out where neither the template nor what is written has a pack.
            let has_pack = sources.iter().any(|s| matches!(s, TArgSource::Known(_)))
                || sources.len() != written.len()
                || arguments.iter().any(|a| matches!(a, TArg::Pack(_)));
            (sources.len() == flat.len() || (!has_pack && sources.len() < flat.len()))
                && sources.iter().zip(&flat).all(|(s, a)| match (s, a) {
                    (TArgSource::Known(k), a) => k == a,
                    (TArgSource::Written(_), TArg::Template(_)) => true,
                    (TArgSource::Written(w), a) => {
                        let value = match a {
                            TArg::Value(v) => Some(const_ty(*v)),
                            _ => None,
                        };
                        c.template_argument(w, value.as_ref()).as_ref() == Some(a)
                    }
                })
        })
    }

    /// The type that an alias template is for these arguments.
    pub(super) fn alias_instance(
        &mut self,
        id: usize,
        written: &'a [TemplateArgument],
        span: Span,
    ) -> DeclTy {
        let (ast, parent) = (self.templates.aliases[id].ast, self.templates.aliases[id].scope);
        let sources = self.written_arguments(written);
        let none = Bindings::default();
        let Some((_, scope)) = self.template_arguments(&ast.template, parent, &sources, &none) else {
            let name = ast.name.text.clone();
            self.sink.wrong(Code::TemplateArgument, format!("`{name}` does not take these arguments"), span);
            return Ty::Error.into();
        };
        if !self.sink.charge(Cost::Instances, 1, span) || !self.enter_instance(span) {
            return Ty::Error.into();
        }
        let outer = std::mem::replace(&mut self.scopes.here.scope, scope);
        let t = self.exact_type(&ast.ty);
        self.scopes.here.scope = outer;
        self.depth -= 1;
        t
    }

    /// Counts templates inside templates; an error (and false) if there are too many.
    pub(super) fn enter_instance(&mut self, span: Span) -> bool {
        if self.depth >= MAX_INSTANTIATION_DEPTH {
            // Heard even where a failure would be no error: no compiler goes on from here.
            let silent = self.sink.speak();
            self.sink.report(
                Code::TemplateDepth,
                format!(
                    "templates are instantiated inside each other more than {MAX_INSTANTIATION_DEPTH} deep"
                ),
                span,
                "does the recursion end?",
            );
            self.sink.silence(silent);
            self.sink.is_counted();
            return false;
        }
        self.depth += 1;
        true
    }

    /// The instance of a function for these template arguments (none for a plain function).
    pub(super) fn instance(
        &mut self,
        f: FuncIdx,
        arguments: Vec<TArg>,
        scope: ScopeId,
        signature: Rc<Signature<'a>>,
        origin: Option<Span>,
    ) -> FunctionId {
        let special = self.functions.func(f).specializations.iter().find(|(a, _)| *a == arguments);
        let (f, scope, signature, is_template) = match special {
            Some(&(_, special)) => {
                let s = self.functions.func(special).signature.clone().unwrap_or(signature);
                (special, self.functions.func(special).scope, s, true)
            }
            None => (f, scope, signature, self.functions.func(f).is_template),
        };
        let key = if is_template { arguments } else { Vec::new() };
        self.sink.charge_scan(
            8 * (self.functions.func(f).instances.len() + self.functions.func(f).specializations.len()),
        );
        let needed = self.body.unevaluated == 0;
        if let Some((_, id)) = self.functions.func(f).instances.iter().find(|(a, _)| *a == key) {
            let id = *id;
            let instance = &mut self.functions.instances[id.0 as usize];
            if needed && !instance.needed {
                instance.needed = true;
                self.functions.queue.push_back(id);
            }
            return id;
        }
        let span = origin.unwrap_or(self.functions.func(f).span);
        let _ = self.sink.charge(Cost::Instances, u64::from(is_template), span);
        let depth = self.body.instance_depth + u32::from(is_template);
        let id = FunctionId(self.functions.instances.len() as u32);
        let func = self.functions.func(f);
        let owner = func.class.map(|c| format!("{}::", self.types.layout(c).name)).unwrap_or_default();
        let lambda = matches!(func.source, Source::Lambda(_));
        let name = if lambda {
            "lambda".to_owned()
        } else {
            let spelled = if is_template { self.spell_arguments(&key) } else { String::new() };
            format!("{owner}{}{spelled}", func.name)
        };
        let _ = self.sink.charge(Cost::Names, name.len() as u64, span);
        let is_template = is_template && !lambda;
        self.functions.instances.push(Instance {
            func: f,
            scope,
            result: signature.result.clone(),
            signature,
            name,
            origin: if is_template { origin.or(Some(Span::default())) } else { None },
            state: State::Waiting,
            needed,
            depth,
        });
        self.functions.bodies.push(None);
        self.functions.all[f.0 as usize].instances.push((key, id));
        if depth > MAX_INSTANTIATION_DEPTH {
            let (span, name) = (self.functions.func(f).span, self.functions.func(f).name.clone());
            self.sink.push(
                Diagnostic::new(
                    Code::TemplateDepth,
                    format!(
                        "the template `{name}` refers to itself more than {MAX_INSTANTIATION_DEPTH} times"
                    ),
                )
                .label(span, "does the recursion end?"),
            );
            self.functions.instances[id.0 as usize].state = State::Done;
            return id;
        }
        if needed {
            self.functions.queue.push_back(id);
        }
        id
    }

    /// The instances that the file itself asks for: plain kernels and device functions, explicit instances, kernel
    /// templates whose parameters all have defaults, and `requests`.
    pub(super) fn instantiate_kernels(&mut self, requests: &[String]) {
        self.scopes.here.order = u32::MAX;
        for i in 0..self.functions.all.len() {
            let f = FuncIdx(i as u32);
            let func = self.functions.func(f);
            let Source::Function(ast) = func.source else { continue };
            let runs = ast.execution.device || ast.execution.global;
            let defined = matches!(ast.body, ast::FunctionBody::Block(_));
            if !runs || !defined {
                continue;
            }
            if func.is_template {
                if ast.execution.global {
                    self.instantiate_default(f, ast);
                }
                continue;
            }
            if ast.is_specialization && !ast.execution.global {
                continue;
            }
            // Members of an instance of a class template exist where they are used ([temp.inst]).
            if self.is_templated(func.scope) || ast.specifiers.defaulted {
                continue;
            }
            let (scope, Some(signature)) = (func.scope, func.signature.clone()) else { continue };
            let id = self.instance(f, Vec::new(), scope, signature, None);
            if ast.execution.global {
                self.add_kernel(id, ast);
            }
        }
        for (list, ast, span) in std::mem::take(&mut self.explicit) {
            self.instantiate_explicit(&list, ast, span);
        }
        for request in requests {
            self.instantiate_request(request);
        }
    }

    /// Whether a scope lies in an instance of a class template.
    fn is_templated(&self, scope: ScopeId) -> bool {
        let instance = |c: StructId| self.types.class(c).pattern.is_some_and(|p| !p.template.is_empty());
        self.scopes.outwards(scope).any(|s| self.scopes.scope(s).class.is_some_and(instance))
    }

    fn add_kernel(&mut self, id: FunctionId, ast: &'a ast::Function) {
        let instance = &self.functions.instances[id.0 as usize];
        let (name, scope) = (instance.name.clone(), instance.scope);
        let outer = std::mem::replace(&mut self.scopes.here.scope, scope);
        let max_threads = ast
            .launch_bounds
            .first()
            .and_then(|e| self.integer_constant(e, "a launch bound", Code::NotConstant))
            .and_then(|n| u32::try_from(n).ok());
        self.scopes.here.scope = outer;
        let prefix = self
            .scopes
            .scope(self.functions.func(self.functions.instances[id.0 as usize].func).scope)
            .prefix
            .clone();
        let prefix = if self.functions.func(self.functions.instances[id.0 as usize].func).is_template {
            "".into()
        } else {
            prefix
        };
        self.program.kernels.push(Kernel { name: format!("{prefix}{name}"), function: id, max_threads });
    }

    fn instantiate_default(&mut self, f: FuncIdx, ast: &'a ast::Function) {
        let (parent, own) = (self.functions.func(f).scope, self.functions.own_template(f));
        // Nobody means an empty pack, and a fold may have no value there.
        if own.iter().any(is_pack) {
            return;
        }
        let none = Bindings::default();
        let (found, clean) = self.quietly(|c| c.template_arguments(own, parent, &[], &none));
        if let (Some((arguments, scope)), true) = (found, clean) {
            self.instantiate_with(f, ast, arguments, scope, None);
        }
    }

    pub(super) fn instantiate_with(
        &mut self,
        f: FuncIdx,
        ast: &'a ast::Function,
        arguments: Vec<TArg>,
        scope: ScopeId,
        origin: Option<Span>,
    ) {
        let signature = Rc::new(self.signature(Source::Function(ast), scope));
        let id = self.instance(f, arguments, scope, signature, origin);
        if ast.execution.global {
            self.add_kernel(id, ast);
        }
    }

    /// `template __global__ void k<16>(float *);`
    pub(super) fn explicit_instantiation(&mut self, function: &'a ast::Function, span: Span) {
        let scope = self.scopes.here.scope;
        let name = &function.name.last.name;
        match self.scopes.lookup(scope, &name.text) {
            Found::Entry(super::scopes::Entry { symbol: Symbol::Functions(list), .. }) => {
                let templates = self.functions.templates(list);
                if !templates.is_empty() {
                    self.explicit.push((templates, function, span));
                }
            }
            _ => self.undeclared(&name.text, name.span, "a function template"),
        }
    }

    fn instantiate_explicit(&mut self, list: &[FuncIdx], request: &'a ast::Function, span: Span) {
        let mut is_ours = true;
        for f in list {
            let Source::Function(ast) = self.functions.func(*f).source else { continue };
            is_ours &= ast.execution.device || ast.execution.global;
            let found = self.tentatively(|c| c.explicit_arguments(*f, ast, request));
            if let (true, Some(Some((arguments, scope)))) = (is_ours, found) {
                return self.instantiate_with(*f, ast, arguments, scope, Some(span));
            }
        }
        if is_ours {
            self.sink.wrong(Code::TemplateArgument, "these arguments do not match the template", span);
        }
    }

    /// The arguments with which a template is the function that is asked for, and the scope in which they are bound.
    fn explicit_arguments(
        &mut self,
        f: FuncIdx,
        ast: &'a ast::Function,
        request: &'a ast::Function,
    ) -> Option<(Vec<TArg>, ScopeId)> {
        let arguments = self.specialized_arguments_of(f, request)?;
        let parent = self.functions.func(f).scope;
        let known: Vec<_> = flattened(&arguments).into_iter().map(TArgSource::Known).collect();
        let found = self.template_arguments(&ast.template, parent, &known, &Bindings::default())?;
        let asked: Vec<_> = request.parameters.iter().map(|p| self.parameter_type(&p.ty)).collect();
        let parameters = self.signature(Source::Function(ast), found.1).parameters;
        let is_same = |a: &DeclTy, b: &DeclTy| a.q.ty == b.q.ty && a.reference == b.reference;
        let fits = asked.len() == parameters.len()
            && asked.iter().zip(&parameters).all(|(asked, p)| is_same(asked, &p.ty));
        fits.then_some(found)
    }

    /// Written arguments, packs among them expanded.
    pub(super) fn written_arguments(&mut self, written: &'a [TemplateArgument]) -> Vec<TArgSource<'a>> {
        let mut out = Vec::new();
        for a in written {
            match self.expanded_argument(a) {
                Some(items) => out.extend(items.into_iter().map(TArgSource::Known)),
                None => out.push(TArgSource::Written(a)),
            }
        }
        out
    }
}

impl TemplateName {
    fn of(symbol: &Symbol) -> Option<TemplateName> {
        match symbol {
            Symbol::ClassTemplate(id) => Some(TemplateName::Class(*id)),
            Symbol::AliasTemplate(id) => Some(TemplateName::Alias(*id)),
            _ => None,
        }
    }

    pub(super) fn symbol(self) -> Symbol {
        match self {
            TemplateName::Class(id) => Symbol::ClassTemplate(id),
            TemplateName::Alias(id) => Symbol::AliasTemplate(id),
        }
    }
}

/// An argument as written, or already known.
pub(super) enum TArgSource<'a> {
    Written(&'a TemplateArgument),
    Known(TArg),
}

/// Arguments with the packs among them taken apart.
pub(super) fn flattened(arguments: &[TArg]) -> Vec<TArg> {
    let mut flat = Vec::new();
    for a in arguments {
        match a {
            TArg::Pack(items) => flat.extend(items.iter().cloned()),
            one => flat.push(one.clone()),
        }
    }
    flat
}

/// The type of a constant.
pub(super) fn const_ty(c: Const) -> Ty {
    match c {
        Const::Bool(_) => Ty::Bool,
        Const::Int(_, t) => Ty::Int(t),
        Const::Float(_) => Ty::Float,
        Const::Double(_) => Ty::Double,
    }
}

impl<'a> Types<'a> {
    fn fit_deduced(&self, a: &TArg, value: Option<&Ty>) -> Option<TArg> {
        match (a, value) {
            (TArg::Value(_) | TArg::Typed(..) | TArg::Object(_), Some(Ty::Error)) => Some(a.clone()),
            (TArg::Object(_), Some(Ty::Pointer(_))) => Some(a.clone()),
            (TArg::Typed(c, from), Some(t)) if from == t => Some(TArg::Value(*c)),
            (TArg::Value(c), Some(t)) => ty::convert_const(*c, &self.hir_type(t)).map(TArg::Value),
            (TArg::Type(t), None) => Some(TArg::Type(t.clone())),
            (TArg::Template(t), None) => Some(TArg::Template(*t)),
            _ => None,
        }
    }
}

impl<'a> Functions<'a> {
    pub(super) fn templates(&self, mut list: Vec<FuncIdx>) -> Vec<FuncIdx> {
        list.retain(|f| self.func(*f).is_template);
        list
    }
}
