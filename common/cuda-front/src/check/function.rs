//! Bodies of functions.

use super::conversion::Init;
use super::declare::is_reference;
use super::ids::ScopeId;
use super::scopes::Here;
use super::scopes::Symbol;
use super::sink::InBody;
use super::ty::{QTy, Ty};
use super::types::Steps;
use super::value::{Node, Value};
use super::{Body, Checker, Param, Source, State};
use crate::explicit::{self, Classes, falls_through};
use crate::hir::{self, FunctionId, LocalId, Stmt, StmtKind, Storage, StructId};
use cuda_syntax::Word;
use cuda_syntax::ast::{self, FunctionBody};
use smallvec::smallvec;
use source::{Code, Diagnostic, Span};
use std::sync::LazyLock;

/// The name of the parameter that is a method's object.
static THIS: LazyLock<Word> = LazyLock::new(|| "this".into());

/// What is said of a function whose body may be in another file, which is linked to this one.
pub(super) fn other_file(name: &str, at: Span, label: &str) -> Diagnostic {
    let title = format!(
        "`{name}` has no body in this file, and programs of several files (`-rdc`) are not supported by the simulator yet"
    );
    Diagnostic::new(Code::SeparateCompilation, title)
        .label(at, label)
        .help("write its body in this file, or include the file that has it")
}

/// A body in progress while another one is checked.
pub(super) struct Interrupted<'a> {
    pub(super) body: Body<'a>,
    here: Here,
    pub(super) reports: InBody,
}

impl<'a> Checker<'a> {
    /// Checks all bodies that were asked for, and those that they ask for.
    pub(super) fn check_bodies(&mut self) {
        while let Some(id) = self.functions.queue.pop_front()
            && !self.sink.is_stopped()
        {
            self.ensure_checked(id);
        }
    }

    /// Checks a body if it has not been; false if it is being checked right now.
    pub(super) fn ensure_checked(&mut self, id: FunctionId) -> bool {
        let instance = &mut self.functions.instances[id.0 as usize];
        match instance.state {
            State::Done => return self.functions.bodies[id.0 as usize].is_some(),
            State::Running => return false,
            State::Waiting => instance.state = State::Running,
        }
        if self.depth >= super::MAX_INSTANTIATION_DEPTH {
            let span = self.functions.func(self.functions.instances[id.0 as usize].func).span;
            self.sink.wrong(
                Code::TemplateDepth,
                "functions whose results are needed are nested too deeply",
                span,
            );
            return false;
        }
        self.depth += 1;
        let (silent, nesting) = (self.sink.speak(), std::mem::take(&mut self.nesting));
        self.check_instance(id);
        self.sink.silence(silent);
        self.nesting = nesting;
        self.depth -= 1;
        self.functions.instances[id.0 as usize].state = State::Done;
        self.functions.bodies[id.0 as usize].is_some()
    }

    fn check_instance(&mut self, id: FunctionId) {
        let instance = &self.functions.instances[id.0 as usize];
        let (func, parent, signature) = (instance.func, instance.scope, instance.signature.clone());
        let (name, origin, result) = (instance.name.clone(), instance.origin, instance.result.clone());
        let depth = instance.depth;
        let f = self.functions.func(func);
        let (source, class, is_static, span) = (f.source, f.class, f.is_static, f.span);
        let (definition, order) = (f.body_order, if origin.is_some() { u32::MAX } else { f.call_order });
        let scope = self.scopes.new_scope(parent);
        self.scopes.scope_mut(scope).order = definition;
        let outer_device = self.body.on_device;
        let outer = self.enter_body(scope, order);
        self.body.locals = std::mem::take(&mut self.spare.locals);
        self.body.infos = std::mem::take(&mut self.spare.infos);
        self.body.result = result;
        self.body.instance_depth = depth;
        self.body.function = Some(func);
        if let Some(origin) = origin {
            let place = (origin != Span::default()).then_some(origin);
            self.sink.body.instance = Some((name.clone(), place));
        }
        match source {
            Source::Function(ast) => {
                self.body.on_device =
                    ast.execution.device || ast.execution.global || ast.specifiers.defaulted;
                self.body.is_kernel = ast.execution.global;
            }
            Source::Lambda(_) => self.body.on_device = outer_device || !outer.body.infos.is_empty(),
        }
        let mut parameters = Vec::new();
        if let (Some(class), false) = (class, is_static) {
            parameters.push(self.declare_this(class, source, span));
        }
        let first = self.body.locals.len() as u32;
        self.body.parameters = first..first + signature.parameters.len() as u32;
        for p in &signature.parameters {
            let local = self.declare_parameter(p);
            parameters.push(local);
        }
        if let Source::Function(ast::Function { body: FunctionBody::Block(block), .. }) = source {
            self.body.result_variable = super::result::variable(&block.statements);
        }
        self.body.auto_result = match source {
            Source::Function(f) => f.result.as_ref(),
            Source::Lambda(l) => l.result.as_ref(),
        };
        if let Source::Lambda(l) = source {
            self.body.result_variable = super::result::variable(&l.body.statements);
        }
        let body = self.function_body(source, class, span);
        self.finish_labels();
        if let Some(body) = body {
            let body = self.with_temporaries(body);
            let result = self.body.result.clone().unwrap_or_else(|| Ty::Void.into());
            self.check_end(&body, &result.q.ty, &name, span);
            super::unset::warn(self, &body);
            self.functions.instances[id.0 as usize].result = Some(result.clone());
            let spelled = signature.parameters.iter().filter(|_| self.body.is_kernel);
            let spellings = spelled.map(|p| self.types.spell_decl(&p.ty)).collect();
            let restrict = signature.parameters.iter().map(|p| p.restrict).collect();
            for (local, p) in self.body.parameters.clone().zip(&signature.parameters) {
                if !self.body.is_kernel {
                    self.body.locals[local as usize].is_reference |= self.by_address(&p.ty);
                }
            }
            let noinline = matches!(source, Source::Function(f) if f.specifiers.noinline);
            let result = if result.reference.is_some() { Ty::pointer(result.q) } else { result.q.ty };
            self.functions.bodies[id.0 as usize] = Some(hir::Function {
                name,
                result: self.types.hir_type(&result),
                parameters,
                parameter_spellings: spellings,
                restrict,
                locals: self.body.locals.drain(..).collect(),
                body,
                noinline,
                dispatches: false,
                span,
            });
        } else if self.functions.instances[id.0 as usize].result.is_none() && !source.is_skipped() {
            self.functions.instances[id.0 as usize].result = Some(Ty::Error.into());
        }
        let Body { mut locals, mut infos, .. } = self.leave_body(outer).body;
        locals.clear();
        infos.clear();
        self.spare.locals = locals;
        self.spare.infos = infos;
        self.scopes.close_scope(scope);
    }

    /// Begins another body, whose names are looked up in `scope`; gives the one at hand, for [`Checker::leave_body`].
    pub(super) fn enter_body(&mut self, scope: ScopeId, order: u32) -> Interrupted<'a> {
        let here = self.scopes.next_body(scope, order);
        self.leave_body(Interrupted { body: Body::default(), here, reports: InBody::default() })
    }

    /// Goes back to the body that [`Checker::enter_body`] left; gives the one that ends.
    pub(super) fn leave_body(&mut self, outer: Interrupted<'a>) -> Interrupted<'a> {
        Interrupted {
            body: std::mem::replace(&mut self.body, outer.body),
            here: std::mem::replace(&mut self.scopes.here, outer.here),
            reports: std::mem::replace(&mut self.sink.body, outer.reports),
        }
    }

    fn declare_this(&mut self, class: StructId, source: Source<'a>, span: Span) -> LocalId {
        let object = match source {
            Source::Function(f) => f.object,
            Source::Lambda(l) => ast::ObjectQualifiers { is_const: !l.is_mutable, ..Default::default() },
        };
        let q = QTy { ty: Ty::Struct(class), is_const: object.is_const, is_volatile: object.is_volatile };
        let local = self.new_local(&*THIS, &q, Storage::Automatic, span);
        self.body.locals[local.0 as usize].is_reference = true;
        self.body.this = Some((local, class));
        local
    }

    fn declare_parameter(&mut self, p: &Param<'a>) -> LocalId {
        let local = self.new_local(&p.name, &p.ty.q, Storage::Automatic, p.span);
        self.body.locals[local.0 as usize].is_reference = is_reference(&p.ty);
        self.body.infos[local.0 as usize].reference = p.ty.reference;
        if !p.name.is_empty() {
            let name = ast::Name { text: p.name.clone(), span: p.span };
            let serial = self.scopes.here.serial;
            self.bind(self.scopes.here.scope, &name, Symbol::Local(local, serial));
        }
        local
    }

    fn function_body(
        &mut self,
        source: Source<'a>,
        class: Option<StructId>,
        span: Span,
    ) -> Option<Vec<Stmt>> {
        match source {
            Source::Lambda(lambda) => Some(self.statements(&lambda.body)),
            Source::Function(f) => match &f.body {
                FunctionBody::Block(block) => {
                    let mut out = Vec::new();
                    if let (None, Some(class)) = (&f.result, class) {
                        self.constructor_start(f, class, &mut out);
                    }
                    if f.name.last.name.text.starts_with('~') {
                        self.set_tables(span, &mut out);
                    }
                    out.extend(self.statements(block));
                    Some(out)
                }
                FunctionBody::Declared if self.sink.body.instance.is_some() => {
                    let name = f.name.last.name.text.clone();
                    self.sink.push(other_file(&name, span, "declared here"));
                    None
                }
                FunctionBody::Declared
                | FunctionBody::Defaulted
                | FunctionBody::Deleted
                | FunctionBody::Skipped => None,
            },
        }
    }

    /// The body's own block shares the scope of the parameters, so that a local cannot hide one.
    fn statements(&mut self, block: &'a ast::Block) -> Vec<Stmt> {
        let mut out = Vec::new();
        block.statements.iter().for_each(|s| self.stmt(s, &mut out));
        super::suspect::empty_bodies(self, &block.statements, &out);
        out
    }

    /// A whole body with what happens in it without being written, and its temporaries.
    pub(super) fn with_temporaries(&mut self, body: Vec<Stmt>) -> Vec<Stmt> {
        let mut body = self.explicit(body);
        let temporaries = std::mem::take(&mut self.body.temporaries);
        let declared = temporaries.into_iter().map(|local| Stmt {
            kind: StmtKind::Declare { local, value: None },
            span: self.body.locals[local.0 as usize].span,
        });
        body.splice(0..0, declared.collect::<Vec<_>>());
        body
    }

    /// Makes explicit what happens in a body without being written.
    fn explicit(&mut self, body: Vec<Stmt>) -> Vec<Stmt> {
        if self.sink.body.failed {
            return body;
        }
        for i in 0..self.body.locals.len() as u32 {
            // What a kernel is launched with is the host's to destroy.
            if self.body.is_kernel && self.body.parameters.contains(&i) {
                continue;
            }
            let variable = self.body.temporaries.binary_search(&LocalId(i)).is_err();
            if variable || self.body.lives.temporaries.contains(&LocalId(i)) {
                let local = &self.body.locals[i as usize];
                let (span, of_object) = (local.span, !local.is_reference);
                let ty = self.body.infos[i as usize].q.ty.clone();
                if of_object && let Ty::Struct(class) = ty.innermost() {
                    self.check_destructor(*class, span);
                    self.want_destructors(&ty, span);
                }
            }
        }
        let classes = Classes { structs: &self.types.structs, destructors: &self.functions.destructors };
        let known = self.body.locals.len() as u32;
        let (body, problems) =
            explicit::body(body, &mut self.body.locals, &self.body.lives, classes, self.sink.budget);
        self.body.temporaries.extend((known..self.body.locals.len() as u32).map(LocalId));
        problems.into_iter().for_each(|problem| self.sink.push(problem));
        body
    }

    fn check_end(&mut self, body: &[Stmt], result: &Ty, name: &str, span: Span) {
        if *result != Ty::Void
            && !result.is_error()
            && falls_through(body)
            && !self.sink.is_silent()
            && !self.sink.body.failed
        {
            self.sink.push(
                Diagnostic::new(Code::MissingReturn, format!("`{name}` can end without returning a value"))
                    .label(span, "it should return a value on every path"),
            );
        }
    }

    /// `: member(value), …`, and what the other members have by default. Bases and members are initialised in the order in which the class
    /// declares them, not in that of the list ([class.base.init]).
    fn constructor_start(&mut self, f: &'a ast::Function, class: StructId, out: &mut Vec<Stmt>) {
        let mut given = Vec::new();
        // By the member's place in the class: a bit-field comes before the field that follows it.
        let mut starts: Vec<((usize, usize), Vec<Stmt>)> = Vec::new();
        for init in &f.initializers {
            let mut start = Vec::new();
            let name = &init.name.last.name;
            let object = self.this_object(name.span);
            if let Some(bits) = object.and_then(|o| self.opt_bit_field(&o, class, &name.text, name.span)) {
                let value =
                    self.construct(&QTy::plain(bits.ty.ty.clone()).into(), &init.arguments, name.span);
                let effect = self.assign_values(None, name.span, bits, value, name.span);
                self.push_effects(vec![effect], &mut start);
                let fields = &self.types.class(class).bit_fields;
                let at = fields.iter().position(|b| b.name == name.text.as_str()).unwrap_or(0);
                starts.push(((fields.get(at).map_or(0, |b| b.before), at), start));
                continue;
            }
            let Some(steps) = self.initialized_field(class, &init.name) else {
                if self.types.layout(class).name.split('<').next() == Some(name.text.as_str()) {
                    return self.delegate(class, init, out);
                }
                self.no_member(class, &name.text, name.span);
                continue;
            };
            let field = steps[0];
            if given.contains(&steps) {
                let title = format!("`{}` is initialized twice", name.text);
                self.sink.report(Code::RedeclaredName, title, name.span, "again here");
                continue;
            }
            self.initialize_field(class, &steps, init, &mut start);
            given.push(steps);
            starts.push(((field as usize, usize::MAX), start));
        }
        for (at, field) in self.types.class(class).bit_fields.clone().into_iter().enumerate() {
            let (place, mut start) = ((field.before, at), Vec::new());
            let span = f.name.span;
            if starts.iter().any(|(other, _)| *other == place) || self.types.layout(class).is_union {
                continue;
            }
            let Some(value) = self.default_bits(class, &field) else { continue };
            let object = self.this_object(span);
            let Some(bits) = object.and_then(|o| self.opt_bit_field(&o, class, &field.name, span)) else {
                continue;
            };
            let effect = self.assign_values(None, span, bits, value, span);
            self.push_effects(vec![effect], &mut start);
            starts.push((place, start));
        }
        // Between the bases and the members.
        let mut tables = Vec::new();
        self.set_tables(f.name.span, &mut tables);
        starts.push(((self.types.class(class).bases.len(), 0), tables));
        if !self.types.layout(class).is_union {
            for i in 0..self.types.class(class).fields.len() as u32 {
                let is_unit = self.types.layout(class).fields[i as usize].is_unit();
                if !given.iter().any(|steps| steps[0] == i)
                    && !is_unit
                    && !self.types.is_table(class, i as usize)
                {
                    let mut start = Vec::new();
                    self.default_member(class, i, &mut start);
                    starts.push(((i as usize, usize::MAX), start));
                }
            }
        }
        starts.sort_by_key(|(place, _)| *place);
        out.extend(starts.into_iter().flat_map(|(_, start)| start));
    }

    /// The object at hand is of the class at hand from here on.
    fn set_tables(&mut self, span: Span, out: &mut Vec<Stmt>) {
        if let Some(object) = self.this_object(span) {
            let stores = self.table_stores(&object, span);
            self.push_effects(stores, out);
        }
    }

    /// `: Class(a, b)`: another constructor does it all.
    fn delegate(&mut self, class: StructId, init: &'a ast::MemberInitializer, out: &mut Vec<Stmt>) {
        let span = init.name.span;
        let values = self.arguments(&init.arguments);
        let Some(object) = self.this_object(span) else { return };
        if values.iter().any(Value::is_error) {
            return;
        }
        let (name, constructors) =
            (self.types.layout(class).name.clone(), self.types.class(class).constructors.clone());
        if let Some(call) = self.constructor_call(object, &name, &constructors, values, span) {
            self.push_effects(vec![call], out);
        }
    }

    fn initialize_field(
        &mut self,
        class: StructId,
        steps: &[u32],
        init: &'a ast::MemberInitializer,
        out: &mut Vec<Stmt>,
    ) {
        let span = init.name.span;
        let (Some((field, outer)), Some(object)) = (steps.split_last(), self.this_object(span)) else {
            return;
        };
        let field = *field;
        let object = outer.iter().fold(object, |object, step| self.types.raw_field(object, *step, span));
        let class = if let Ty::Struct(inner) = object.ty.ty { inner } else { class };
        let (q, is_reference) = {
            let f = &self.types.class(class).fields[field as usize];
            (f.q.clone(), f.is_reference)
        };
        if is_reference {
            let arguments = match init.arguments.as_slice() {
                [ast::Expr { kind: ast::ExprKind::Braces(items), .. }] => items.as_slice(),
                plain => plain,
            };
            let [e] = arguments else {
                self.sink.wrong(Code::MissingInitializer, "a reference member refers to one object", span);
                return;
            };
            let Some(pointer) = self.reference_value(&q, e) else { return };
            return self.assign_field(object, field, Value { span, ..pointer }, out);
        }
        if let Ty::Array(..) = &q.ty {
            let target = self.field_of(object, field, span);
            let mut q = QTy::plain(q.ty);
            let arguments = match init.arguments.as_slice() {
                [ast::Expr { kind: ast::ExprKind::Braces(items), .. }] => items.as_slice(),
                plain => plain,
            };
            let tree = self.list_tree(&mut q, arguments, span, Init::Copy);
            let mut stores = Vec::new();
            if let Some(tree) = tree {
                self.store_tree(Value { ty: q, ..target }, &tree, &mut stores, span);
            }
            return self.push_effects(stores, out);
        }
        let value = self.construct(&QTy::plain(q.ty).into(), &init.arguments, span);
        self.assign_field(object, field, value, out);
    }

    /// A member that the constructor says nothing about.
    fn default_member(&mut self, class: StructId, i: u32, out: &mut Vec<Stmt>) {
        let (mut q, default, span, is_reference) = {
            let f = &self.types.class(class).fields[i as usize];
            (QTy::plain(f.q.ty.clone()), f.default, f.span, f.is_reference)
        };
        let tree = match (default, &q.ty) {
            (Some(ast::Initializer::Copy(e)), _) if is_reference => {
                let scope = self.types.class(class).scope;
                let Some(pointer) = self.in_scope(scope, |c| c.reference_value(&q, e)) else { return };
                let Some(object) = self.this_object(span) else { return };
                return self.assign_field(object, i, Value { span, ..pointer }, out);
            }
            (None, _) if is_reference => {
                self.sink.report(
                    Code::MissingInitializer,
                    "the constructor must say what this reference refers to",
                    span,
                    "a reference member",
                );
                return;
            }
            (Some(init), _) => {
                let scope = self.types.class(class).scope;
                self.in_scope(scope, |c| c.init_tree(&mut q, init, span))
            }
            (None, Ty::Struct(inner)) if self.needs_construction(*inner) => {
                let inner = *inner;
                let v = self.construct_class(inner, Vec::new(), span);
                let Some(object) = self.this_object(span) else { return };
                return self.assign_field(object, i, v, out);
            }
            (None, Ty::Array(..)) => {
                if let (Ty::Struct(inner), Some(object)) = (q.ty.innermost(), self.this_object(span))
                    && self.needs_construction(*inner)
                {
                    let array = self.field_of(object, i, span);
                    self.construct_elements(array, span, out);
                }
                return;
            }
            (None, _) => return,
        };
        if let (Some(tree), Some(object)) = (tree, self.this_object(span)) {
            let field = self.field_of(object, i, span);
            let mut stores = Vec::new();
            let field = Value { ty: q, ..field };
            self.store_tree(field, &tree, &mut stores, span);
            self.push_effects(stores, out);
        }
    }

    /// Default objects in an array, in a loop for each dimension.
    pub(super) fn construct_elements(&mut self, array: Value, span: Span, out: &mut Vec<Stmt>) {
        let (Ty::Array(of, n), Node::Place(base)) = (array.ty.ty.clone(), array.node) else { return };
        let t = hir::IntType::Int;
        let index = self.new_local("", &QTy::plain(super::ty::INT), Storage::Automatic, span);
        let zero = self.types.make_int(0, span);
        let zero = self.expr_of(zero);
        out.push(Stmt { kind: StmtKind::Declare { local: index, value: Some(zero) }, span });
        let counter = self.local_place(index, span);
        let now = self.rvalue(counter.clone());
        let now = self.expr_of(now);
        let end = super::builtins::int(n.min(i32::MAX as u64) as i64, t, span);
        let condition = super::builtins::compare(hir::CompareOp::Lt, (*now).clone(), end, span);
        let Node::Place(place) = counter.node else { return };
        let step = hir::ExprKind::Step { place, by: 1, postfix: false };
        let step = hir::Expr { kind: step, ty: hir::Type::Int(t), span };
        let kind = hir::PlaceKind::Index { base: Box::new(base), index: now };
        let element = self.types.make_place(kind, QTy::plain((*of).clone()), span);
        let mut body = Vec::new();
        match &*of {
            Ty::Struct(class) => {
                let value = self.construct_class(*class, Vec::new(), span);
                if let (false, Node::Place(place)) = (value.is_error(), element.node) {
                    let value = self.owned(value);
                    let v = self.made_in(place, value, &of, span);
                    self.push_effects(vec![v], &mut body);
                }
            }
            _ => self.construct_elements(element, span, &mut body),
        }
        // Unrolled all the way, as a compiler does with a small array, so that it can be in registers.
        let unroll = (n <= 16).then_some(simt_ir::UnrollHint::Full);
        let kind =
            StmtKind::Loop { condition: Some(Box::new(condition)), step: Some(Box::new(step)), body, unroll };
        out.push(Stmt { kind, span });
    }

    /// What a reference member holds: the address of what `e` names. `q` is the pointer type.
    pub(super) fn reference_value(&mut self, q: &QTy, e: &'a ast::Expr) -> Option<Value> {
        let Ty::Pointer(to) = &q.ty else { return None };
        let to = super::ty::DeclTy { q: to.q.clone(), reference: Some(super::ty::Ref::Left) };
        let v = self.expr(e);
        let place = self.bind_reference(v, &to, "what the member refers to")?;
        if matches!(place.kind, hir::PlaceKind::Temporary(_)) {
            self.sink.wrong(Code::DanglingReference, "this member would refer to a temporary value", e.span);
            return None;
        }
        let object = Value { node: Node::Place(place), ty: to.q, span: e.span };
        let v = self.address_of(object, e.span);
        (!v.is_error()).then_some(v)
    }

    pub(super) fn push_effects(&mut self, stores: Vec<Value>, out: &mut Vec<Stmt>) {
        for s in stores {
            let e = self.expr_of(s);
            out.push(Stmt { span: e.span, kind: StmtKind::Expr(e) });
        }
    }

    /// The member or base that a constructor initialises by its name: the way to it through unnamed members.
    fn initialized_field(&mut self, class: StructId, path: &'a ast::Path) -> Option<Steps> {
        let steps = self.types.field_path(class, &path.last.name.text);
        let bases = self.types.class(class).bases.len() as u32;
        if let Some(steps) = steps.filter(|steps| steps[0] >= bases) {
            return Some(steps);
        }
        let Ty::Struct(base) = self.opt_named_type(path)?.q.ty else { return None };
        self.types.class(class).bases.iter().position(|b| *b == base).map(|i| smallvec![i as u32])
    }

    fn assign_field(&mut self, object: Value, field: u32, value: Value, out: &mut Vec<Stmt>) {
        let span = value.span;
        if value.is_error() {
            return;
        }
        let target = self.types.raw_field(object, field, span);
        let ty = target.ty.ty.clone();
        let Node::Place(place) = target.node else { return };
        let value = self.owned(value);
        let v = self.made_in(place, value, &ty, span);
        self.push_effects(vec![v], out);
    }
}
