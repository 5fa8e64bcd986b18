//! Expressions: the dispatch, literals, names, and what does not fit elsewhere.

use super::conversion::Init;
use super::resolve::{Candidate, best};
use super::scopes::{Found, Symbol};
use super::ty::{self, QTy, Ty};
use super::value::{Node, Value};
use super::{Checker, MAX_NESTING, TArg, Types, VarIdx, VarKind, builtins, warn};
use crate::hir::{Const, Expr, ExprKind, IntType, Place, PlaceKind};
use cuda_syntax::Word;
use cuda_syntax::ast::{self, ExprKind as E};
use cuda_syntax::budget::Cost;
use source::{Code, Diagnostic, Span};

impl<'a> Checker<'a> {
    /// Checks an expression.
    pub(super) fn expr(&mut self, e: &'a ast::Expr) -> Value {
        let v = self.expr_or_overloads(e);
        match v.ty.ty {
            Ty::Overloads(_) => self.one_meaning(v),
            _ => v,
        }
    }

    /// The same, where the name of several functions can stand: which is meant shows what they are converted to.
    pub(super) fn expr_or_overloads(&mut self, e: &'a ast::Expr) -> Value {
        if self.nesting > MAX_NESTING {
            self.sink.push(
                Diagnostic::new(Code::TooDeeplyNested, "this expression is nested too deeply")
                    .label(e.span, ""),
            );
            return Value::error(e.span);
        }
        if !self.sink.charge(Cost::Checks, 1, e.span) {
            return Value::error(e.span);
        }
        if self.sink.is_marked(e.span) {
            return Value::error(e.span);
        }
        self.nesting += 1;
        let mut v = self.expr_inner(e);
        self.nesting -= 1;
        self.sink.body.failed |= v.is_error() && !self.sink.is_silent();
        v.span = e.span;
        v
    }

    /// Checks an expression where the name of a function can stand, or of several, which is handed on.
    pub(super) fn expr_or_function(&mut self, e: &'a ast::Expr) -> Value {
        let named = match &e.kind {
            E::Unary { op: ast::UnaryOp::AddressOf, operand } => operand,
            _ => e,
        };
        if let E::Path(path) = &named.kind
            && path.qualifiers.is_empty()
            && builtins::is_known(&path.last.name.text)
            && matches!(self.lookup_value(&path.last.name.text), Found::Nothing)
        {
            return self.builtin_value(&path.last.name.text, e.span);
        }
        self.expr_or_overloads(e)
    }

    /// Checks an expression and loads it.
    pub(super) fn expr_rvalue(&mut self, e: &'a ast::Expr) -> Value {
        let v = self.expr(e);
        self.rvalue(v)
    }

    fn expr_inner(&mut self, e: &'a ast::Expr) -> Value {
        let span = e.span;
        match &e.kind {
            E::Int { value, ty } => {
                self.types.make_const(Const::Int(ty::wrap(*value as i64, *ty), *ty), Ty::Int(*ty), span)
            }
            E::Float { value, ty: ast::BuiltinType::Float } => {
                self.types.make_const(Const::Float(*value as f32), Ty::Float, span)
            }
            E::Float { value, .. } => self.types.make_const(Const::Double(*value), Ty::Double, span),
            E::Bool(b) => self.types.make_bool(*b, span),
            E::Char(c, t) => {
                self.types.make_const(Const::Int(ty::wrap(i64::from(*c), *t), *t), Ty::Int(*t), span)
            }
            E::Str(text) => self.types.text_object(text, span),
            E::OwnLiteral(literal) => self.own_literal(literal, span),
            E::Null => self.types.make(ExprKind::Null, Ty::NullPtr, span),
            E::This => self.this(span),
            E::Path(path) => self.path(path),
            E::Paren(inner) => self.expr_or_overloads(inner),
            E::Unary { op, operand } => self.unary(*op, operand, span),
            E::Postfix { op, operand } => self.postfix(*op, operand, span),
            E::Binary { op, op_span, .. } => self.binary(e, *op, *op_span),
            E::Assign { op, op_span, sides } => self.assign(*op, *op_span, &sides[0], &sides[1], span),
            E::Conditional(parts) => self.conditional(&parts[0], &parts[1], &parts[2], span),
            E::Call { callee, arguments } => self.call(callee, arguments, span),
            E::Index(parts) => self.index(&parts[0], &parts[1], span),
            E::Member { base, arrow, class, member } => {
                self.member((base, *arrow, class.as_deref()), member, span)
            }
            E::MemberPointer { base, arrow, pointer } => self.member_pointer((base, *arrow), pointer, span),
            E::Trait { name, types } => self.compiler_trait(name, types, span),
            E::Noexcept(inner) => self.noexcept(inner, span),
            E::Requires(r) => self.requires(r, span),
            E::CCast { ty, operand } => {
                let to = self.decl_type(ty);
                let v = self.operand_of_cast(operand, &to);
                self.c_cast(v, &to, span)
            }
            E::NamedCast { cast, ty, operand } => {
                let to = self.decl_type(ty);
                let v = self.operand_of_cast(operand, &to);
                self.named_cast(*cast, v, &to, span)
            }
            E::New(new) => self.new_object(new, span),
            E::Delete { is_array, operand } => self.delete(*is_array, operand, span),
            E::Construct { ty, arguments } | E::ConstructList { ty, arguments }
                if let Some(v) = self.opt_deduced(ty, arguments, span) =>
            {
                v
            }
            E::Construct { ty, arguments } => {
                let to = self.decl_type(ty);
                if arguments.is_empty() && to.reference.is_some() {
                    self.sink.wrong(Code::MissingInitializer, "a reference refers to one object", span);
                    return Value::error(span);
                }
                self.construct_object(&to, arguments, span)
            }
            E::ConstructList { ty, arguments } => {
                let to = self.decl_type(ty);
                self.list_value(&to.q, arguments, span, Init::Direct)
            }
            E::Braces(items) => self.noted_list(items, span).1,
            E::SizeofType(t) => self.sizeof(t, false, span),
            E::Alignof(t) => self.sizeof(t, true, span),
            E::Offsetof(member) => self.offsetof(member, span),
            E::SizeofExpr(inner) => self.sizeof_expr(inner, span),
            E::SizeofPack(name) => self.sizeof_pack(name, span),
            E::Lambda(lambda) => self.lambda(lambda, span),
            E::PackExpansion(_) => {
                self.sink.unsupported("a pack expanded in a list", span);
                Value::error(span)
            }
            E::Designated { member, .. } => {
                let title = "only a list for a class without constructors can name members";
                self.sink.wrong(Code::NoConstructor, title, member.span);
                Value::error(span)
            }
            E::Fold { op, left, right } => self.fold(*op, left.as_deref(), right.as_deref(), span),
            E::Error => Value::error(span),
        }
    }

    fn this(&mut self, span: Span) -> Value {
        let Some(object) = self.method_object(span) else {
            self.sink.wrong(Code::NoThis, "`this` exists only in methods", span);
            return Value::error(span);
        };
        self.address_of(object, span)
    }

    /// The object whose method is at hand: in a lambda what it captured, if it did.
    pub(super) fn method_object(&mut self, span: Span) -> Option<Value> {
        let (_, class) = self.body.this?;
        let object = self.this_object(span)?;
        if !self.types.class(class).is_lambda {
            return Some(object);
        }
        let field = self.types.layout(class).fields.iter().position(|f| f.name == super::lambda::THIS)?;
        Some(self.field_of(object, field as u32, span))
    }

    /// The object that `this` points to.
    pub(super) fn this_object(&self, span: Span) -> Option<Value> {
        let (local, _) = self.body.this?;
        Some(self.local_place(local, span))
    }

    /// A name as an expression.
    pub(super) fn path(&mut self, path: &'a ast::Path) -> Value {
        let name = &path.last.name;
        let span = path.span;
        let qualified = path.global || !path.qualifiers.is_empty();
        // Most are variables of the function at hand.
        if !qualified && let Some(local) = self.scopes.local_named(&name.text) {
            return self.local_place(local, span);
        }
        let Ok((found, qualifiers)) = self.lookup_value_path(path) else { return Value::error(span) };
        self.check_named(path, qualifiers);
        let entry = match found {
            Found::Entry(entry) => entry,
            Found::Later(declared) => {
                self.sink.push(
                    Diagnostic::new(
                        Code::UsedBeforeDeclaration,
                        format!("`{}` is used before its declaration", name.text),
                    )
                    .label(span, "used here")
                    .label(declared, "declared here"),
                );
                return Value::error(span);
            }
            Found::Ambiguous(..) | Found::Nothing => return self.unqualified(path, false),
        };
        match entry.symbol {
            Symbol::Local(id, serial) if serial == self.scopes.here.serial => self.local_place(id, span),
            Symbol::Local(id, serial) => {
                if let Some((ty, value)) = self.variables.local_constants.get(&(id, serial))
                    && let Some(e) = self.constant_parts(value, &self.types.hir_type(ty), span)
                {
                    return Value { node: Node::Rvalue(Box::new(e)), ty: QTy::plain(ty.clone()), span };
                }
                self.sink.push(
                    Diagnostic::new(
                        Code::NotCaptured,
                        format!("`{}` belongs to the enclosing function", name.text),
                    )
                    .label(span, "not captured")
                    .label(entry.span, "declared here")
                    .help("a lambda captures with `[&]` or `[=]`"),
                );
                Value::error(span)
            }
            Symbol::Field => self.unqualified(path, true),
            Symbol::Captured(text) => {
                let capture = self.captured_here(&ast::Name { text, span });
                capture.unwrap_or_else(|| Value::error(span))
            }
            Symbol::Constant(c, ty) => self.types.make_const(c, ty, span),
            Symbol::Var(var) => self.variable(var, span),
            Symbol::Address(var) => {
                let object = self.variable(var, span);
                if matches!(object.ty.ty, Ty::Array(..)) {
                    self.rvalue(object)
                } else {
                    self.address_of(object, span)
                }
            }
            Symbol::VariableTemplate(id) => match self.variable_instance(id, path) {
                Some(var) => self.variable(var, span),
                None => Value::error(span),
            },
            Symbol::Functions(list) => {
                if let Some(v) = self.function_value(&list, span) {
                    return v;
                }
                self.overloads(&list, path).unwrap_or_else(|| {
                    self.sink.unsupported("pointer to a member", span);
                    Value::error(span)
                })
            }
            Symbol::Type(t) if t.q.ty.is_error() => Value::error(span),
            Symbol::BrokenAlias(id) => {
                self.broken_alias(id);
                Value::error(span)
            }
            Symbol::Type(_) | Symbol::ClassTemplate(_) | Symbol::AliasTemplate(_) => {
                self.sink.wrong(Code::NotAValue, format!("`{}` is a type, not a value", name.text), span);
                Value::error(span)
            }
            Symbol::Pack(_) | Symbol::LocalPack(_) => {
                self.sink.wrong(
                    Code::UnexpandedPack,
                    format!("the pack `{}` must be expanded with `...`", name.text),
                    span,
                );
                Value::error(span)
            }
            Symbol::Namespace(_) => {
                self.sink.wrong(Code::NotAValue, format!("`{}` is a namespace", name.text), span);
                Value::error(span)
            }
        }
    }

    /// A field of the class whose method is at hand.
    pub(super) fn field_here(&mut self, path: &'a ast::Path) -> Option<Value> {
        if !path.qualifiers.is_empty() {
            return None;
        }
        let (_, class) = self.body.this?;
        let name = &path.last.name.text;
        let own = self.types.field_path(class, name);
        if own.is_none()
            && self.types.bit_path(class, name).is_none()
            && !self.types.layout(class).fields.iter().any(|f| f.name == super::lambda::THIS)
        {
            return None;
        }
        let (mut object, mut fields) = (self.this_object(path.span)?, own);
        let mut class = class;
        if self.types.class(class).is_lambda && fields.is_none() {
            object = self.method_object(path.span)?;
            let Ty::Struct(outer) = object.ty.ty else { return None };
            class = outer;
            fields = self.types.field_path(class, name);
        }
        if let Some(v) = self.opt_bit_field(&object, class, name, path.span) {
            return Some(v);
        }
        let fields = fields?;
        self.check_steps(class, &fields, name, path.span);
        Some(fields.into_iter().fold(object, |v, field| self.field_of(v, field, path.span)))
    }

    /// A field that is named where there is no object, as in `sizeof(field)` in a static method.
    fn field_of_no_object(&mut self, name: &Word, span: Span) -> Option<Value> {
        let class = self.scopes.outwards(self.scopes.here.scope).find_map(|scope| {
            self.scopes.scope(scope).class.filter(|class| self.types.has_field(*class, name))
        })?;
        let object = self.value_of(&Ty::Struct(class).into(), span);
        let fields = self.types.field_path(class, name)?;
        Some(fields.into_iter().fold(object, |v, field| self.field_of(v, field, span)))
    }

    /// `Base::member` in a method.
    fn field_through_class(&mut self, path: &'a ast::Path) -> Option<Value> {
        if path.qualifiers.is_empty() {
            return None;
        }
        let scope = self.qualifier_scope(path).ok()??;
        let class = self.scopes.scope(scope).class?;
        let object = match self.method_object(path.span) {
            Some(object) => object,
            // `sizeof(Class::member)` needs no object.
            None if self.body.unevaluated > 0 => self.value_of(&Ty::Struct(class).into(), path.span),
            None => return None,
        };
        let Ty::Struct(own) = object.ty.ty else { return None };
        let steps = self.types.base_path(own, class)?;
        let fields = self.types.field_path(class, &path.last.name.text)?;
        Some(steps.into_iter().chain(fields).fold(object, |v, field| self.field_of(v, field, path.span)))
    }

    /// Whether a name is a member of the class in whose method the lambda at hand stands.
    fn needs_this(&self, name: &str) -> bool {
        let Some((_, lambda)) = self.body.this else { return false };
        if !self.types.class(lambda).is_lambda {
            return false;
        }
        let mut at = Some(self.scopes.here.scope);
        while let Some(scope) = at {
            if let Some(class) = self.scopes.scope(scope).class
                && class != lambda
                && self.types.field_path(class, name).is_some()
            {
                return true;
            }
            at = self.scopes.scope(scope).parent;
        }
        false
    }

    /// A field, or a name that no scope declares: a built-in value, or an error.
    fn unqualified(&mut self, path: &'a ast::Path, is_field: bool) -> Value {
        let (name, span) = (path.last.name.text.as_str(), path.span);
        if let Some(v) = self.field_here(path) {
            return v;
        }
        if let Some(v) = self.field_through_class(path) {
            return v;
        }
        if is_field {
            return self.field_without_object(path);
        }
        if let Some(v) = builtins::values::value(self, name, span) {
            return v;
        }
        if (name == "value" || name.ends_with("_v"))
            && let Some(v) = self.type_trait(path)
        {
            return v;
        }
        if builtins::is_known(name) {
            self.sink.report(
                Code::FunctionNotCalled,
                format!("the built-in function `{name}` must be called"),
                span,
                "write `(…)` after it",
            );
        } else if !self.is_elsewhere(path, cuda_syntax::parse::is_of_cuda(name), true) {
            if path.qualifiers.is_empty() {
                self.undeclared(name, span, "a variable, constant or function");
            } else {
                let title = format!("`{}` is not declared", self.map.text(span));
                self.sink.wrong(Code::UndeclaredName, title, span);
            }
        }
        Value::error(span)
    }

    /// Whether a name without a meaning here has one in a library, in CUDA or on the host; reports it then.
    pub(super) fn is_elsewhere(&mut self, path: &ast::Path, is_of_cuda: bool, may_be_of_host: bool) -> bool {
        let (name, span) = (path.last.name.text.as_str(), path.span);
        if self.scopes.may_be_of_library(path) {
            let name = self.map.text(span).to_owned();
            self.sink.unsupported(&name, span);
        } else if is_of_cuda || builtins::unsupported::is_unsupported(name) {
            self.sink.unsupported(name, span);
        } else if let (Some(what), true) = (builtins::unsupported::host_only(name), may_be_of_host) {
            self.host_name(name, what, span);
        } else {
            return false;
        }
        true
    }

    /// A field where there is no object: in an unevaluated operand, or by mistake.
    fn field_without_object(&mut self, path: &'a ast::Path) -> Value {
        let (name, span) = (path.last.name.text.as_str(), path.span);
        if self.body.unevaluated > 0
            && let Some(v) = self.field_of_no_object(&path.last.name.text, span)
        {
            return v;
        }
        if path.qualifiers.is_empty() && self.needs_this(name) {
            self.sink.unsupported("capture of `this`", span);
        } else {
            self.sink.report(
                Code::NoObject,
                format!("`{name}` is a member of objects, and there is no object here"),
                span,
                "write `object.` before it",
            );
        }
        Value::error(span)
    }

    pub(super) fn host_name(&mut self, name: &str, what: &str, span: Span) {
        // A class with such a member may be used on the device all the same, without that member.
        if self.sink.is_kept_back() && !self.body.on_device {
            let title = format!("`{name}` is not supported by the simulator yet");
            return self.sink.push(
                Diagnostic::new(Code::UnsupportedFeature, title)
                    .label(span, "used in device code")
                    .help(what),
            );
        }
        let line = self.map.position(span).line;
        let here = |d: &Diagnostic| {
            d.span().is_some_and(|s| s.file == span.file && self.map.position(s).line == line)
        };
        // `cudaMemcpyDeviceToHost` in a call of `cudaMemcpy` is the same mistake.
        if !self.sink.is_silent()
            && self.sink.reported().iter().any(|d| d.code == Code::HostFunctionCall && here(d))
        {
            return;
        }
        let diagnostic = |title, label| Diagnostic::new(Code::HostFunctionCall, title).label(span, label);
        self.sink.push(match builtins::unsupported::is_removed(name) {
            true => diagnostic(format!("`{name}` was removed from CUDA"), "current devices do not have it")
                .help(format!("use `{name}_sync`, {what}")),
            false => {
                diagnostic(format!("`{name}` exists only on the host"), "used in device code").help(what)
            }
        });
    }

    /// `std::is_same_v<A, B>` and the like.
    fn type_trait(&mut self, path: &'a ast::Path) -> Option<Value> {
        let part = if path.last.name.text == "value" { path.qualifiers.last()? } else { &path.last };
        let name = part.name.text.strip_suffix("_v").unwrap_or(&part.name.text);
        let arguments = part.arguments.as_deref()?;
        let mut types = Vec::new();
        for a in arguments {
            match self.template_argument(a, None)? {
                TArg::Type(t) => types.push(t),
                _ => return None,
            }
        }
        let first = &types.first()?.q.ty;
        let truth = match name {
            "is_integral" | "is_arithmetic" | "is_signed" | "is_unsigned" if first.is_wide() => {
                self.sink.unsupported(super::wide::OPINION, path.span);
                return Some(Value::error(path.span));
            }
            "is_same" => types[0] == *types.get(1)?,
            "is_integral" => first.is_integral(),
            "is_floating_point" => first.is_floating(),
            "is_arithmetic" => first.is_arithmetic(),
            "is_pointer" => first.is_pointer(),
            "is_signed" => first.is_floating() || matches!(first, Ty::Int(i) if i.is_signed()),
            "is_unsigned" => first.is_unsigned() || *first == Ty::Bool,
            "is_const" => types[0].q.is_const,
            _ => return None,
        };
        Some(self.types.make_bool(truth, path.span))
    }

    /// A variable at file scope.
    pub(super) fn variable(&mut self, var: VarIdx, span: Span) -> Value {
        let info = &self.variables.all[var.0 as usize];
        if info.q.ty.is_error() {
            return Value::error(span);
        }
        if info.kind == VarKind::Host && self.body.on_device && self.body.unevaluated == 0 {
            let (name, declared) = (info.name.clone(), info.span);
            self.sink.push(
                Diagnostic::new(Code::HostVariable, format!("the host variable `{name}` is used in device code"))
                    .label(span, "kernels cannot see the host's memory")
                    .label(declared, "declared here")
                    .help(format!(
                        "declare `{name}` with `__constant__` or `__device__`, make it a constant (`constexpr`), or pass it to the kernel"
                    )),
            );
            return Value::error(span);
        }
        if info.kind == VarKind::FileShared {
            if !self.body.on_device {
                self.sink.wrong(Code::SharedAtFileScope, "shared memory exists only in device code", span);
                return Value::error(span);
            }
            let local = self.shared_of_file(var);
            return self.local_place(local, span);
        }
        let (q, global) = (info.q.clone(), info.global);
        self.types.make_place(PlaceKind::Global(global), q, span)
    }

    fn conditional(
        &mut self,
        condition: &'a ast::Expr,
        then: &'a ast::Expr,
        otherwise: &'a ast::Expr,
        span: Span,
    ) -> Value {
        let c = self.expr(condition);
        let c = if c.is_error() { None } else { Some(self.condition(c)) };
        let (a, b) = (self.expr_or_function(then), self.expr_or_function(otherwise));
        let (a, b) = (self.one_meaning(a), self.one_meaning(b));
        let Some(condition) = c else { return Value::error(span) };
        if a.is_error() || b.is_error() {
            return Value::error(span);
        }
        if let (Ty::Array(..), true, Node::Place(x), Node::Place(y)) =
            (&a.ty.ty, a.ty.ty == b.ty.ty, &a.node, &b.node)
        {
            return self.one_of((&condition, x, y), a.ty.ty.clone(), span);
        }
        let (x, y) = (Ty::decayed(&a.ty), Ty::decayed(&b.ty));
        let common = if x == y {
            Some(x)
        } else if let (Some(x), Some(y)) = (self.types.as_arithmetic(&x), self.types.as_arithmetic(&y)) {
            warn::double_literal(self, (then, &a), (otherwise, &b), span);
            Some(ty::usual(&x, &y))
        } else if x.is_struct() || y.is_struct() {
            self.common_of_class(&a, &b)
        } else if x.is_pointer() || y.is_pointer() {
            self.types.common_pointer(&a, &b)
        } else if self.rank(&a, &QTy::plain(y.clone())).is_some() {
            Some(y)
        } else {
            self.rank(&b, &QTy::plain(x.clone())).map(|_| x)
        };
        let Some(common) = common else {
            let (s, t) = (self.types.spell(&a.ty), self.types.spell(&b.ty));
            self.sink.push(
                Diagnostic::new(Code::InvalidOperands, format!("`?:` cannot choose between `{s}` and `{t}`"))
                    .label(then.span, format!("this is `{s}`"))
                    .label(otherwise.span, format!("this is `{t}`")),
            );
            return Value::error(span);
        };
        let (a, b) = self.related_objects(a, b, &common);
        if let Ty::Struct(s) = &common
            && (self.needs_destruction(&common) || self.needs_copy(*s))
            && !(a.is_place() && b.is_place() && a.ty.ty == b.ty.ty && !a.is_expiring() && !b.is_expiring())
        {
            return self.chosen_value(condition, a, b, &common, span);
        }
        if let (Node::Place(x), Node::Place(y), Ty::Struct(_)) = (&a.node, &b.node, &common)
            && a.ty.ty == b.ty.ty
        {
            // One of two objects: whoever copies it does so as its class says.
            let load = |place: &Place| {
                let (kind, ty) = (ExprKind::Load(place.clone()), place.ty.clone());
                Box::new(Expr { kind, ty, span: place.span })
            };
            let kind = ExprKind::Conditional { condition, then: load(x), otherwise: load(y) };
            let v = self.types.make(kind, common.clone(), span);
            let Ty::Struct(s) = common else { return v };
            return if self.needs_copy(s) { self.chosen_object(v) } else { v };
        }
        if common == Ty::Void {
            let (a, b) = (self.rvalue_for_effect(a), self.rvalue_for_effect(b));
            let (then, otherwise) = (self.expr_of(a), self.expr_of(b));
            return self.types.make(ExprKind::Conditional { condition, then, otherwise }, Ty::Void, span);
        }
        let to = QTy::plain(common.clone());
        let then = self.convert_expr(a, &to, "");
        let otherwise = self.convert_expr(b, &to, "");
        self.types.make(ExprKind::Conditional { condition, then, otherwise }, common, span)
    }

    /// Two objects of which one is of a class derived from the other's, as two objects of that class.
    fn related_objects(&mut self, a: Value, b: Value, common: &Ty) -> (Value, Value) {
        let is_object = |v: &Value| v.is_place() && !v.is_expiring() && v.ty.ty.is_struct();
        if a.ty.ty == b.ty.ty || !is_object(&a) || !is_object(&b) {
            return (a, b);
        }
        let (to, from) = if a.ty.ty == *common { (&a, &b) } else { (&b, &a) };
        if !self.types.reference_compatible(&from.ty.ty, common) || (from.ty.is_const && !to.ty.is_const) {
            return (a, b);
        }
        (self.base_object(a, common), self.base_object(b, common))
    }

    /// The type of `c ? a : b` with an object of a class ([expr.cond]): that of the one to which only the other converts, or
    /// what built-in operators make of both.
    fn common_of_class(&mut self, a: &Value, b: &Value) -> Option<Ty> {
        let (x, y) = (Ty::decayed(&a.ty), Ty::decayed(&b.ty));
        match (self.rank(a, &QTy::plain(y.clone())), self.rank(b, &QTy::plain(x.clone()))) {
            (Some(_), None) => return Some(y),
            (None, Some(_)) => return Some(x),
            _ => {}
        }
        let pair = self.built_in(ast::BinaryOp::EQUAL, a, b)?;
        let [x, y] = pair.types;
        if x.is_arithmetic() && y.is_arithmetic() { Some(ty::usual(&x, &y)) } else { Some(x) }
    }

    fn sizeof(&mut self, t: &'a ast::TypeName, align: bool, span: Span) -> Value {
        // `sizeof(x)` of a variable parses as a type where the parser does not know `x`; `sizeof(struct x)` is one of a type.
        if let ast::TypeKind::Named(path) = &t.kind
            && t.span.start == path.span.start
            && let Ok((Found::Entry(entry), _)) = self.lookup_value_path(path)
            && entry.symbol.is_value()
        {
            let v = self.unevaluated(|c| c.path(path));
            return self.size_value(&v.ty.ty, align, span);
        }
        let t = self.object_type(t);
        self.size_value(&t.ty, align, span)
    }

    fn sizeof_expr(&mut self, e: &'a ast::Expr, span: Span) -> Value {
        // `sizeof(T)` parses as an expression where the parser does not know `T`.
        let mut inner = e;
        while let E::Paren(p) = &inner.kind {
            inner = p;
        }
        if let E::Path(path) = &inner.kind
            && !matches!(self.lookup_value_path(path), Ok((Found::Entry(entry), _)) if entry.symbol.is_value())
            && let Some(t) = self.opt_named_type(path)
        {
            return self.size_value(&t.q.ty, false, span);
        }
        let v = self.unevaluated(|c| c.expr(e));
        self.size_value(&v.ty.ty, false, span)
    }

    fn offsetof(&mut self, member: &'a ast::Expr, span: Span) -> Value {
        let v = self.unevaluated(|c| c.expr(member));
        if v.is_error() {
            return v;
        }
        let Node::Place(place) = &v.node else {
            self.sink.wrong(Code::NotConstant, "`offsetof` takes a member that has an address", span);
            return Value::error(span);
        };
        match self.offset_in_object(place) {
            Some(bytes) => {
                self.types.make_const(Const::Int(bytes as i64, IntType::UnsignedLong), ty::ULONG, span)
            }
            None => {
                self.sink.unsupported("`offsetof` with an index that is not constant", span);
                Value::error(span)
            }
        }
    }

    /// How many bytes after the object that a pointer points to.
    fn offset_in_object(&mut self, place: &Place) -> Option<u64> {
        match &place.kind {
            PlaceKind::Deref(_) => Some(0),
            PlaceKind::Field { base, field } => {
                let crate::hir::Type::Struct(s) = base.ty else { return None };
                let offset = self.types.structs[s.0 as usize].fields[*field as usize].offset;
                Some(self.offset_in_object(base)? + offset)
            }
            PlaceKind::Index { base, index } => {
                let Ok(super::consteval::Value::Scalar(Const::Int(i, _))) = self.evaluate(index) else {
                    return None;
                };
                let size = crate::lower::size_of(&self.program, &place.ty);
                Some(self.offset_in_object(base)? + size * u64::try_from(i).ok()?)
            }
            PlaceKind::Local(_)
            | PlaceKind::Global(_)
            | PlaceKind::Temporary(_)
            | PlaceKind::After { .. } => None,
        }
    }

    fn size_value(&mut self, t: &Ty, align: bool, span: Span) -> Value {
        let incomplete = match t {
            Ty::Error => return Value::error(span),
            Ty::Void | Ty::Array(_, ty::UNSIZED) => true,
            Ty::Struct(s) => !self.types.class(*s).complete,
            _ => false,
        };
        if incomplete {
            let name = self.types.spell_ty(t);
            self.sink.wrong(Code::IncompleteType, format!("the size of `{name}` is not known"), span);
            return Value::error(span);
        }
        let n = if align { u64::from(self.types.align_of(t)) } else { self.types.size_of(t) };
        self.types.make_const(Const::Int(n as i64, IntType::UnsignedLong), ty::ULONG, span)
    }

    fn sizeof_pack(&mut self, name: &'a ast::Name, span: Span) -> Value {
        // While a pack is expanded its name means an element, in a scope of its own.
        let n = self.scopes.outwards(self.scopes.here.scope).find_map(|scope| {
            match self.scopes.lookup_in(scope, &name.text) {
                Found::Entry(e) => match e.symbol {
                    Symbol::Pack(items) => Some(items.len()),
                    Symbol::LocalPack(items) => Some(items.len()),
                    _ => None,
                },
                _ => None,
            }
        });
        match n {
            Some(n) => self.types.make_const(Const::Int(n as i64, IntType::UnsignedLong), ty::ULONG, span),
            None => {
                self.sink.wrong(
                    Code::NotAPack,
                    format!("`{}` is not a parameter pack", name.text),
                    name.span,
                );
                Value::error(span)
            }
        }
    }

    /// A user's operator on at least one class operand; `None` if no such operator takes these operands.
    pub(super) fn user_operator(&mut self, name: &str, operands: &[&Value], span: Span) -> Option<Value> {
        let found = self.operator_function(name, operands)?;
        let operands = operands.iter().copied().cloned().collect();
        Some(self.call_operator(found, operands, span))
    }

    /// Calls the function that an operator means.
    pub(super) fn call_operator(
        &mut self,
        found: Candidate<'a>,
        mut operands: Vec<Value>,
        span: Span,
    ) -> Value {
        let of_object = self.functions.func(found.pick.func).class.is_some();
        let object = of_object.then(|| operands.remove(0));
        self.call_function(found.pick, operands, object, span)
    }

    /// The best of a user's operators of a name: members of the first operand's class, and functions.
    pub(super) fn operator_function(&mut self, name: &str, operands: &[&Value]) -> Option<Candidate<'a>> {
        match best(self.operator_candidates(name, operands))? {
            Ok(best) => Some(best),
            Err(several) => several.into_iter().next(),
        }
    }

    pub(super) fn operator_candidates(&mut self, name: &str, operands: &[&Value]) -> Vec<Candidate<'a>> {
        let mut candidates = Vec::new();
        if !self.functions.operators.contains(name) || operands.is_empty() {
            return candidates;
        }
        let operands: Vec<Value> = operands.iter().copied().cloned().collect();
        if let Ty::Struct(class) = operands[0].ty.ty {
            let scope = self.types.class(class).scope;
            // Each class has an assignment of its own, which hides those of its bases ([class.copy.assign]).
            let found = match name {
                "operator=" => self.scopes.scope(scope).names.get(name).map(|entry| entry.symbol.clone()),
                _ => match self.scopes.lookup_in(scope, name) {
                    Found::Entry(entry) => Some(entry.symbol),
                    Found::Later(_) | Found::Ambiguous(..) | Found::Nothing => None,
                },
            };
            if let Some(Symbol::Functions(mut list)) = found {
                // `= default` is what happens without it.
                list.retain(|f| !self.functions.func(*f).source.is_defaulted());
                candidates = self.candidates(&list, &[], &operands[1..], Some(&operands[0]));
            }
        }
        let list = self.operators_outside(name, &operands);
        candidates.extend(self.candidates(&list, &[], &operands, None));
        candidates
    }

    /// The functions of an operator's name that are no members, visible here or found by the operands' types.
    fn operators_outside(&mut self, name: &str, operands: &[Value]) -> Vec<super::FuncIdx> {
        let mut list = Vec::new();
        if let Found::Entry(entry) = self.scopes.lookup(self.scopes.here.scope, name)
            && let Symbol::Functions(found) = entry.symbol
        {
            list = found;
        }
        self.add_associated(name, operands, &mut list);
        list.retain(|f| self.functions.func(*f).class.is_none());
        list
    }
}

impl<'a> Types<'a> {
    /// A place or a value as a pure type, for messages.
    pub(super) fn argument_types(&self, arguments: &[Value]) -> String {
        let parts: Vec<_> = arguments.iter().map(|a| self.spell(&a.ty)).collect();
        format!("({})", parts.join(", "))
    }

    /// An arithmetic type, or that of the integers that an unscoped enumeration is.
    fn as_arithmetic(&self, t: &Ty) -> Option<Ty> {
        match t {
            Ty::Enum(e) if !self.enums[e.0 as usize].scoped => {
                Some(self.enums[e.0 as usize].underlying.clone())
            }
            t => t.is_arithmetic().then(|| t.clone()),
        }
    }
}
