//! Calls.

use super::conversion::Init;
use super::ids::{FILE, ScopeId};
use super::resolve::Pick;
use super::scopes::{Entry, Found, Symbol};
use super::template::flattened;
use super::ty::{DeclTy, QTy, Ty};
use super::value::{Node, Value};
use super::{Checker, FuncIdx, Functions, Param, Scopes, Signature, Source, TArg, builtins};
use crate::check::consteval::Value as ConstValue;
use crate::hir::{Argument, ExprKind, FunctionId};
use cuda_syntax::Key;
use cuda_syntax::ast::{self, ExprKind as E, FunctionBody, TemplateArgument};
use cuda_syntax::preprocess::composed;
use source::hash::Set;
use source::{Code, Diagnostic, Span};

/// Bases and template arguments within each other whose namespaces an argument of a call adds.
const MAX_ASSOCIATED: u32 = 8;

impl<'a> Checker<'a> {
    /// `f(a, b)`.
    pub(super) fn call(&mut self, callee: &'a ast::Expr, arguments: &'a [ast::Expr], span: Span) -> Value {
        let mut inner = callee;
        while let E::Paren(p) = &inner.kind {
            inner = p;
        }
        match &inner.kind {
            E::Path(path) => {
                // Only a plain name is looked up by the arguments too ([basic.lookup.argdep]).
                let is_plain = path.qualifiers.is_empty() && !path.global && std::ptr::eq(inner, callee);
                self.call_path(path, is_plain, arguments, span)
            }
            E::Member { base, arrow, class, member } => {
                self.call_method((base, *arrow, class.as_deref()), member, arguments, span)
            }
            E::MemberPointer { base, arrow, pointer } => {
                self.call_member_pointer((base, *arrow), pointer, arguments, span)
            }
            _ => {
                let f = self.expr(callee);
                self.call_object(f, arguments, span)
            }
        }
    }

    fn call_path(
        &mut self,
        path: &'a ast::Path,
        is_plain: bool,
        arguments: &'a [ast::Expr],
        span: Span,
    ) -> Value {
        let explicit = path.last.arguments.as_deref().unwrap_or(&[]);
        let Ok((found, _)) = self.lookup_value_path(path) else { return Value::error(span) };
        match found {
            Found::Entry(Entry { symbol: Symbol::Functions(mut list), .. }) if !list.is_empty() => {
                let values = self.arguments(arguments);
                // A member hides what the arguments' classes would add.
                if is_plain && self.functions.func(list[0]).class.is_none() {
                    self.add_associated(&path.last.name.text, &values, &mut list);
                }
                self.call_overloads(path, list, explicit, values, span)
            }
            Found::Entry(Entry { symbol: Symbol::Functions(_), .. }) | Found::Later(_)
                if builtins::is_known(&path.last.name.text) =>
            {
                self.call_unknown(path, is_plain, explicit, arguments, span)
            }
            Found::Entry(Entry { symbol: Symbol::Functions(_), span: declared, .. })
            | Found::Later(declared) => {
                let values = self.arguments(arguments);
                let mut list = Vec::new();
                if is_plain {
                    self.add_associated(&path.last.name.text, &values, &mut list);
                }
                if !list.is_empty() {
                    return self.call_overloads(path, list, explicit, values, span);
                }
                if values.iter().any(Value::is_error) {
                    return Value::error(span);
                }
                self.sink.push(
                    Diagnostic::new(
                        Code::UsedBeforeDeclaration,
                        format!("`{}` is called before its declaration", path.last.name.text),
                    )
                    .label(path.span, "called here")
                    .label(declared, "declared here")
                    .help("move the definition up, or declare it earlier"),
                );
                Value::error(span)
            }
            Found::Entry(Entry {
                symbol:
                    Symbol::Type(_) | Symbol::ClassTemplate(_) | Symbol::AliasTemplate(_) | Symbol::BrokenAlias(_),
                ..
            }) => {
                if let Some(id) = self.undeduced(path) {
                    let values = self.arguments(arguments);
                    return self.deduced_object(id, values, span);
                }
                let t = self.named_type(path);
                self.construct_object(&t, arguments, span)
            }
            Found::Entry(_) => {
                let v = self.path(path);
                self.call_object(v, arguments, span)
            }
            Found::Ambiguous(..) | Found::Nothing => {
                self.call_unknown(path, is_plain, explicit, arguments, span)
            }
        }
    }

    /// A call of overloads found by name.
    fn call_overloads(
        &mut self,
        path: &'a ast::Path,
        mut list: Vec<FuncIdx>,
        explicit: &'a [TemplateArgument],
        values: Vec<Value>,
        span: Span,
    ) -> Value {
        let name = &path.last.name.text;
        if path.last.arguments.is_some() {
            list = self.functions.templates_first(list);
        }
        // The object at hand is of no use to a method of another class, such as one around a nested class.
        let object = match self.functions.func(list[0]).class {
            Some(class) => self
                .method_object(span)
                .filter(|o| matches!(o.ty.ty, Ty::Struct(own) if self.types.base_path(own, class).is_some())),
            None => None,
        };
        if builtins::is_known(name)
            && self.functions.func(list[0]).class.is_none()
            && !self.fits_own(&list, explicit, &values)
            && !values.iter().any(Value::is_error)
        {
            let (_, clean) = self.quietly(|c| builtins::call(c, name, explicit, values.clone(), span));
            // Where CUDA alone declares such functions, the message is that of the built-in one.
            let is_of_cuda =
                |f: &FuncIdx| self.map.file(self.functions.func(*f).span.file).name().starts_with('<');
            if clean || list.iter().all(is_of_cuda) {
                return builtins::call(self, name, explicit, values, span);
            }
        }
        let explicit = self.written_arguments(explicit);
        match self.resolve(name, &list, &explicit, &values, object.as_ref(), span) {
            Some(pick) => self.call_chosen(pick, values, object, !path.qualifiers.is_empty(), span),
            None => Value::error(span),
        }
    }

    /// Whether a function of the file fits a call better than a built-in one may: without making objects of numbers.
    fn fits_own(&mut self, list: &[FuncIdx], explicit: &'a [TemplateArgument], values: &[Value]) -> bool {
        let explicit = self.written_arguments(explicit);
        let Some((pick, _)) = self.try_resolve(list, &explicit, values, None) else { return false };
        let makes = |(v, p): (&Value, &Param<'a>)| !v.ty.ty.is_struct() && p.ty.q.ty.is_struct();
        !values.iter().zip(&pick.signature.parameters).any(makes)
    }

    /// Argument-dependent look-up: functions of the namespaces that the arguments' classes are in.
    pub(super) fn add_associated<K: Key + ?Sized>(
        &self,
        name: &K,
        values: &[Value],
        list: &mut Vec<FuncIdx>,
    ) {
        let mut scopes = Vec::new();
        for v in values {
            self.associated_scopes(&v.ty.ty, &mut scopes, 0);
        }
        for scope in scopes {
            let known: Set<FuncIdx> = list.iter().copied().collect();
            list.extend(self.scopes.functions_in(scope, name).into_iter().filter(|f| !known.contains(f)));
        }
    }

    /// The namespaces of a type: of what it points to, and for a class those of its bases and its template's arguments.
    fn associated_scopes(&self, ty: &Ty, scopes: &mut Vec<ScopeId>, depth: u32) {
        if depth > MAX_ASSOCIATED {
            return;
        }
        let own = match ty {
            Ty::Enum(e) => self.types.enums[e.0 as usize].scope,
            Ty::Pointer(to) => return self.associated_scopes(&to.ty, scopes, depth),
            Ty::Array(of, _) => return self.associated_scopes(of, scopes, depth),
            Ty::Struct(s) => {
                let class = self.types.class(*s);
                for base in &class.bases {
                    self.associated_scopes(&Ty::Struct(*base), scopes, depth + 1);
                }
                for argument in class.template.iter().flat_map(|(_, arguments)| flattened(arguments)) {
                    if let TArg::Type(t) = argument {
                        self.associated_scopes(&t.q.ty, scopes, depth + 1);
                    }
                }
                class.scope
            }
            _ => return,
        };
        let namespace = self.scopes.namespace_of(own);
        if !scopes.contains(&namespace) {
            scopes.push(namespace);
        }
    }

    /// A name that nothing in the file declares.
    fn call_unknown(
        &mut self,
        path: &'a ast::Path,
        is_plain: bool,
        explicit: &'a [TemplateArgument],
        arguments: &'a [ast::Expr],
        span: Span,
    ) -> Value {
        let name = path.last.name.text.as_str();
        // A vector type, or another that CUDA knows: `float4(…)` does not exist, `dim3(…)` does.
        if !builtins::is_known(name)
            && let Some(t) = self.opt_named_type(path)
        {
            return self.construct_object(&t, arguments, span);
        }
        // Enumerators among the arguments are part of the same mistake.
        if cuda_syntax::parse::is_of_cuda(name)
            && !builtins::unsupported::is_unsupported(name)
            && !builtins::is_known(name)
            && let Some(what) = builtins::unsupported::host_only(name)
        {
            self.host_name(name, what, path.span);
            return Value::error(span);
        }
        let values = self.arguments(arguments);
        let mut list = self.scopes.composed(name).unwrap_or_default();
        // Names of the standard library are known without their namespace.
        if is_plain || !path.qualifiers.is_empty() {
            self.add_associated(&path.last.name.text, &values, &mut list);
        }
        if !list.is_empty() {
            return self.call_overloads(path, list, explicit, values, span);
        }
        if name == "move" || name == "forward" {
            let Some(v) = values.into_iter().next() else { return Value::error(span) };
            let left = name == "forward"
                && match explicit.first().map(|a| self.template_argument(a, None)) {
                    Some(Some(super::TArg::Type(t))) => t.reference == Some(super::ty::Ref::Left),
                    _ => true,
                };
            return if left { v } else { v.expiring() };
        }
        if builtins::is_known(name) {
            if values.iter().any(Value::is_error) {
                return Value::error(span);
            }
            return builtins::call(self, name, explicit, values, span);
        }
        if !self.is_elsewhere(path, false, true) {
            self.undeclared(name, path.span, "a function");
        }
        Value::error(span)
    }

    fn call_method(
        &mut self,
        (base, arrow, through): (&'a ast::Expr, bool, Option<&'a ast::Path>),
        member: &'a ast::PathPart,
        arguments: &'a [ast::Expr],
        span: Span,
    ) -> Value {
        let name = member.name.text.as_str();
        if name.starts_with('~') {
            return self.destructor_call(base, arrow, span);
        }
        let object = self.member_object(base, arrow, member.name.span);
        let object = object.and_then(|(v, class)| self.through_class(v, class, through));
        let values = self.arguments(arguments);
        let Some((object, class)) = object else { return Value::error(span) };
        if let Some(path) = self.types.field_path(class, name) {
            self.check_steps(class, &path, name, member.name.span);
            let named = base.span.to(member.name.span);
            let field = path.into_iter().fold(object, |v, f| self.field_of(v, f, named));
            return self.call_values(field, values, span);
        }
        let scope = self.types.class(class).scope;
        let Found::Entry(Entry { symbol: Symbol::Functions(list), .. }) = self.scopes.lookup_in(scope, name)
        else {
            self.no_member(class, name, member.name.span);
            return Value::error(span);
        };
        let explicit = member.arguments.as_deref().unwrap_or(&[]);
        let list = if member.arguments.is_some() { self.functions.templates_first(list) } else { list };
        let explicit = self.written_arguments(explicit);
        match self.resolve(name, &list, &explicit, &values, Some(&object), span) {
            Some(pick) => self.call_chosen(pick, values, Some(object), through.is_some(), span),
            None => Value::error(span),
        }
    }

    /// A call of an object: a lambda or a class with `operator()`.
    fn call_object(&mut self, f: Value, arguments: &'a [ast::Expr], span: Span) -> Value {
        let values = self.arguments(arguments);
        self.call_values(f, values, span)
    }

    /// Reports the call of a value that is neither a function nor an object.
    fn not_called(&mut self, f: &Value, empty: bool, span: Span) {
        let name = self.types.spell(&f.ty);
        let d = Diagnostic::new(Code::NotAFunction, format!("`{name}` cannot be called")).label(f.span, "");
        let brackets = Span::new(span.file, f.span.end, span.end);
        let inside = self.map.text(brackets).strip_prefix('(').and_then(|s| s.strip_suffix(')'));
        let d = match (Ty::decayed(&f.ty).is_pointer(), inside.map(str::to_owned)) {
            (true, Some(index)) if !empty => {
                d.help("an element is named with brackets: `p[i]`").edit(brackets, &format!("[{index}]"))
            }
            (true, _) => d.help("an element is named with brackets: `p[i]`"),
            (false, Some(_)) if empty => {
                d.help("it is a value, not a function: remove the parentheses").edit(brackets, "")
            }
            (false, _) => d.help("it is a value, not a function; to multiply, write `*`"),
        };
        self.sink.push(d);
    }

    fn call_values(&mut self, f: Value, values: Vec<Value>, span: Span) -> Value {
        if f.is_error() {
            return f;
        }
        if let Ty::Function(at) = f.ty.ty {
            return self.call_pointer(f, at, values, span);
        }
        let Ty::Struct(class) = f.ty.ty else {
            self.not_called(&f, values.is_empty(), span);
            return Value::error(span);
        };
        let scope = self.types.class(class).scope;
        let Found::Entry(Entry { symbol: Symbol::Functions(list), .. }) =
            self.scopes.lookup_in(scope, "operator()")
        else {
            let name = self.types.spell(&f.ty);
            self.sink.wrong(Code::NotAFunction, format!("`{name}` has no `operator()`"), f.span);
            return Value::error(span);
        };
        match self.resolve("operator()", &list, &[], &values, Some(&f), span) {
            Some(pick) => self.call_function(pick, values, Some(f), span),
            None => Value::error(span),
        }
    }

    /// A call of the function that was chosen.
    pub(super) fn call_function(
        &mut self,
        pick: Pick<'a>,
        values: Vec<Value>,
        object: Option<Value>,
        span: Span,
    ) -> Value {
        self.call_chosen(pick, values, object, false, span)
    }

    /// A call of the function that was chosen; `is_exact` if it is that one whatever class the object is of: `b.B::f()`.
    pub(super) fn call_chosen(
        &mut self,
        pick: Pick<'a>,
        values: Vec<Value>,
        object: Option<Value>,
        is_exact: bool,
        span: Span,
    ) -> Value {
        let dispatched = object.as_ref().is_some_and(|o| !is_exact && self.is_dispatched(pick.func, o));
        let specifiers = self.functions.func(pick.func).specifiers;
        let has_no_body = matches!(self.functions.func(pick.func).source, Source::Function(f) if matches!(f.body, FunctionBody::Declared));
        if specifiers.is_pure && has_no_body && !dispatched {
            self.sink.unsupported("a call of a pure virtual function, which is not virtual itself", span);
            return Value::error(span);
        }
        let named_in = object.as_ref().and_then(|o| if let Ty::Struct(s) = o.ty.ty { Some(s) } else { None });
        if !self.may_call(pick.func, span) || !self.check_function(pick.func, named_in, span) {
            return Value::error(span);
        }
        let (class, is_static) =
            (self.functions.func(pick.func).class, self.functions.func(pick.func).is_static);
        let mut arguments = Vec::with_capacity(1 + pick.signature.parameters.len());
        if let (Some(class), false) = (class, is_static) {
            let Some(object) = object else {
                let name = self.functions.func(pick.func).name.clone();
                self.sink.wrong(Code::NoObject, format!("the method `{name}` needs an object"), span);
                return Value::error(span);
            };
            // A constant of the host is an object here as a value only.
            let known = match &object.node {
                Node::Place(place) if self.body.on_device => self.host_object(place),
                _ => None,
            };
            let object = match known {
                Some(kind) => self.types.make(kind, object.ty.ty, span),
                None => object,
            };
            match self.object_place(object, class, span) {
                Some(place) if dispatched => {
                    let q = QTy::plain(Ty::Struct(class));
                    let address = self.address_of(Value { node: Node::Place(place), ty: q, span }, span);
                    arguments.push(Argument::Value(self.expr_of(address)));
                }
                Some(place) => arguments.push(Argument::Place(place)),
                None => return Value::error(span),
            }
        }
        let may_fold = self.may_fold_call(pick.func);
        let outer = may_fold.then(|| self.body.host_use.replace(None));
        let mut values = values.into_iter();
        let mut failed = false;
        for p in &pick.signature.parameters {
            let argument = match values.next() {
                Some(v) => self.argument(v, p),
                None => self.default_argument(p),
            };
            match argument {
                Some(a) => arguments.push(a),
                None => failed = true,
            }
        }
        let host_use = outer.and_then(|outer| std::mem::replace(&mut self.body.host_use, outer)).flatten();
        let (func, signature) = (pick.func, pick.signature.clone());
        let id = match class.filter(|_| dispatched) {
            Some(class) => self.virtual_call(class, Some(pick.func), span),
            None => self.instance(pick.func, pick.arguments, pick.scope, pick.signature, Some(span)),
        };
        if failed {
            return Value::error(span);
        }
        let v = self.call_result(id, arguments, span);
        let v = if may_fold { self.call_with_host_use(v, func, host_use) } else { v };
        self.immediate(v, func, &signature, span)
    }

    /// A call, which must be a constant if the function is `consteval` and the caller is not ([expr.const]).
    fn immediate(&mut self, v: Value, f: FuncIdx, signature: &Signature, span: Span) -> Value {
        let function = |c: &Checker<'a>, f: FuncIdx| match c.functions.func(f).source {
            Source::Function(ast) => Some(ast),
            Source::Lambda(_) => None,
        };
        // A constructor's value is no result. Of a lambda it is not known whether it is `consteval`.
        let is_called = function(self, f).is_some_and(|f| f.specifiers.consteval && f.result.is_some());
        let may_be_within = |caller| function(self, caller).is_none_or(|f| f.specifiers.consteval);
        let is_within = self.body.constant > 0
            || self.body.unevaluated > 0
            || self.body.function.is_some_and(may_be_within);
        let Node::Rvalue(e) = &v.node else { return v };
        if !is_called || is_within || v.is_error() {
            return v;
        }
        let why = match self.evaluate(e) {
            Ok(ConstValue::Scalar(c)) => return self.types.make(ExprKind::Const(c), v.ty.ty, span),
            Ok(_) => return v,
            Err(why) => why,
        };
        // Where values lie is not followed: such a call is evaluated when the kernel runs.
        let follows = |ty: &DeclTy| ty.reference.is_none() && !ty.q.ty.is_pointer();
        if why.is_unsupported || !signature.parameters.iter().all(|p| follows(&p.ty)) || v.ty.ty.is_pointer()
        {
            return v;
        }
        let what = format!("the call of `{}`, which is `consteval`,", self.functions.func(f).name);
        self.not_constant(why, &what, Code::NotConstant, span);
        Value::error(span)
    }

    pub(super) fn call_result(&mut self, id: FunctionId, arguments: Vec<Argument>, span: Span) -> Value {
        if self.functions.instances[id.0 as usize].result.is_none() && !self.ensure_checked(id) {
            if self.functions.func(self.functions.instances[id.0 as usize].func).source.is_skipped() {
                self.sink.unsupported("the deduced result of a host function", span);
                return Value::error(span);
            }
            let name = self.functions.instances[id.0 as usize].name.clone();
            self.sink.report(
                Code::AutoRecursion,
                format!("the result type of `{name}` is `auto`, and is not known here"),
                span,
                "write the type",
            );
            return Value::error(span);
        }
        let Some(result) = self.functions.instances[id.0 as usize].result.clone() else {
            return Value::error(span);
        };
        let kind = ExprKind::Call { function: id, arguments };
        if result.reference.is_none() {
            let v = self.types.make(kind, result.q.ty, span);
            return self.materialized(v);
        }
        // A returned reference is a pointer in the typed program.
        let pointer = self.types.make(kind, Ty::pointer(result.q), span);
        let v = self.deref(pointer, span);
        if result.reference == Some(super::ty::Ref::Right) { v.expiring() } else { v }
    }

    pub(super) fn argument(&mut self, v: Value, p: &Param<'a>) -> Option<Argument> {
        if p.ty.reference.is_some() {
            return self.bind_reference(v, &p.ty, "for this parameter").map(Argument::Place);
        }
        let v = self.convert(v, &QTy::plain(p.ty.q.ty.clone()), "for this parameter");
        if v.is_error() {
            return None;
        }
        if !self.by_address(&p.ty) {
            return Some(Argument::Value(self.owned(v)));
        }
        let v = self.materialized(v);
        let e = self.expr_of(v);
        Some(Argument::Place(self.temporary_place(e)))
    }

    fn default_argument(&mut self, p: &Param<'a>) -> Option<Argument> {
        let default = p.default?;
        let v = self.in_scope(p.scope, |c| match &default.kind {
            E::Braces(items) => c.list_value(&p.ty.q, items, default.span, Init::Copy),
            _ => c.expr(default),
        });
        self.argument(v, p)
    }

    /// The object of a method call, as a place of the method's class.
    pub(super) fn object_place(
        &mut self,
        object: Value,
        class: crate::hir::StructId,
        span: Span,
    ) -> Option<crate::hir::Place> {
        let object = self.as_object(object);
        let Ty::Struct(actual) = object.ty.ty else { return None };
        let object = match object.node {
            Node::Place(_) => object,
            Node::Rvalue(e) => {
                let place = self.temporary_place(e);
                Value { node: Node::Place(place), ..object }
            }
            Node::Bits(_) | Node::Error => return None,
        };
        let path = self.types.base_path(actual, class)?;
        let object = path.into_iter().fold(object, |v, f| self.field_of(v, f, span));
        match object.node {
            Node::Place(place) => Some(place),
            Node::Rvalue(_) | Node::Bits(_) | Node::Error => None,
        }
    }

    /// Whether a function may be called from the code at hand.
    pub(super) fn may_call(&mut self, f: FuncIdx, span: Span) -> bool {
        let Source::Function(ast) = self.functions.func(f).source else { return true };
        let (name, declared) = (self.functions.func(f).name.clone(), self.functions.func(f).span);
        if ast.execution.global {
            if self.body.on_device {
                self.sink.push(
                    Diagnostic::new(
                        Code::KernelCalled,
                        format!("the kernel `{name}` is called like a function"),
                    )
                    .label(span, "called here")
                    .label(declared, "this is a kernel")
                    .help(
                        "the host launches kernels; use a `__device__` function for code that a thread calls",
                    ),
                );
            }
            return false;
        }
        if matches!(ast.body, FunctionBody::Deleted) {
            self.sink.push(
                Diagnostic::new(Code::DeletedFunction, format!("`{name}` is deleted"))
                    .label(span, "called here")
                    .label(declared, "deleted here"),
            );
            return false;
        }
        let constant = self.body.constant > 0 || self.body.unevaluated > 0 || !self.body.on_device;
        let inherited = self.functions.func(f).class.is_some() && matches!(ast.body, FunctionBody::Defaulted);
        let allowed = ast.execution.device
            || inherited
            || ast.specifiers.consteval
            || ast.specifiers.defaulted
            || self.body.unevaluated > 0
            || (ast.specifiers.constexpr && constant);
        if !allowed {
            let mut d = Diagnostic::new(
                Code::HostFunctionCall,
                format!("the host function `{name}` is called from device code"),
            )
            .label(span, "called here")
            .label(declared, "this is a host function");
            d = if ast.specifiers.constexpr {
                d.help("`constexpr` alone works only for constants: write `__host__ __device__ constexpr`")
            } else {
                d.help("write `__device__` (or `__host__ __device__`) before it")
            };
            self.sink.push(d);
            return false;
        }
        let needed = self.body.unevaluated == 0;
        if matches!(ast.body, FunctionBody::Declared)
            && !self.functions.func(f).is_template
            && needed
            && !self.functions.func(f).specifiers.is_pure
        {
            // A function of this file alone must have its body here.
            let is_own = self.functions.func(f).class.is_none() && ast.specifiers.is_static;
            let title = format!("`{name}` is declared but has no body in this file");
            self.sink.push(if is_own {
                Diagnostic::new(Code::UndefinedFunction, title)
                    .label(declared, "declared here")
                    .label(span, "called here")
            } else {
                super::function::other_file(&name, span, "called here").label(declared, "declared here")
            });
            return false;
        }
        true
    }
}

impl<'a> Scopes<'a> {
    /// Functions that are part of CUDA and written in CUDA C++ themselves.
    fn composed(&self, name: &str) -> Option<Vec<FuncIdx>> {
        if !composed::is_composed(name) {
            return None;
        }
        let list = self.functions_in(self.namespace_named(composed::NAMESPACE)?, name);
        (!list.is_empty()).then_some(list)
    }

    /// The functions of a name that a scope has.
    pub(super) fn functions_in<K: Key + ?Sized>(&self, scope: ScopeId, name: &K) -> Vec<FuncIdx> {
        match self.lookup_in(scope, name) {
            Found::Entry(Entry { symbol: Symbol::Functions(list), .. }) => list,
            _ => Vec::new(),
        }
    }

    /// A namespace at file scope.
    pub(super) fn namespace_named(&self, name: &str) -> Option<ScopeId> {
        match self.lookup_in(FILE, name) {
            Found::Entry(Entry { symbol: Symbol::Namespace(scope), .. }) => Some(scope),
            _ => None,
        }
    }
}

impl<'a> Functions<'a> {
    /// What `f<…>(…)` may mean: templates alone, if there are any.
    fn templates_first(&self, list: Vec<FuncIdx>) -> Vec<FuncIdx> {
        let templates = self.templates(list.clone());
        if templates.is_empty() { list } else { templates }
    }
}
