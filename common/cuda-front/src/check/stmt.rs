//! Statements.

use super::ids::ScopeId;
use super::ty::{self, DeclTy, QTy, Ty};
use super::value::{Node, Value};
use super::{Checker, MAX_NESTING, suspect, warn};
use crate::hir::{self, Expr, ExprKind, IntType, PlaceKind, Stmt, StmtKind, Storage};
use cuda_syntax::ast::{self, Condition, Item, StmtKind as S};
use cuda_syntax::budget::Cost;
use source::{Code, Diagnostic, Span};

/// The parts of a `for` statement.
struct ForParts<'a> {
    init: Option<&'a ast::Stmt>,
    condition: Option<&'a Condition>,
    step: Option<&'a ast::Expr>,
    body: &'a ast::Stmt,
    unroll: Option<&'a ast::Unroll>,
}

impl<'a> Checker<'a> {
    /// Runs something in a scope of its own.
    pub(super) fn scoped<T>(&mut self, run: impl FnOnce(&mut Checker<'a>) -> T) -> T {
        let outer = self.scopes.here.scope;
        let inner: ScopeId = self.scopes.new_scope(outer);
        self.scopes.here.scope = inner;
        let result = run(self);
        self.scopes.here.scope = outer;
        self.scopes.close_scope(inner);
        result
    }

    pub(super) fn block(&mut self, b: &'a ast::Block) -> Vec<Stmt> {
        self.scoped(|c| c.block_statements(b))
    }

    fn block_statements(&mut self, b: &'a ast::Block) -> Vec<Stmt> {
        let mut out = Vec::with_capacity(b.statements.len());
        b.statements.iter().for_each(|s| self.stmt(s, &mut out));
        suspect::empty_bodies(self, &b.statements, &out);
        // Most blocks have few statements, and a file may have many blocks.
        out.shrink_to_fit();
        out
    }

    /// A statement as a body of its own, which a statement with a scope controls.
    fn controlled(&mut self, s: &'a ast::Stmt) -> Vec<Stmt> {
        self.scoped(|c| {
            c.scopes.scope_mut(c.scopes.here.scope).is_controlled = true;
            match &s.kind {
                S::Block(b) => c.block_statements(b),
                _ => c.one_statement(s),
            }
        })
    }

    /// A statement as a body of its own.
    pub(super) fn body(&mut self, s: &'a ast::Stmt) -> Vec<Stmt> {
        match &s.kind {
            S::Block(b) => self.block(b),
            _ => self.scoped(|c| c.one_statement(s)),
        }
    }

    fn one_statement(&mut self, s: &'a ast::Stmt) -> Vec<Stmt> {
        let mut out = Vec::new();
        if let S::Label(name) = &s.kind {
            self.sink.unsupported("goto label", name.span);
        }
        self.stmt(s, &mut out);
        out
    }

    pub(super) fn stmt(&mut self, s: &'a ast::Stmt, out: &mut Vec<Stmt>) {
        if self.nesting > MAX_NESTING {
            self.sink.push(
                Diagnostic::new(Code::TooDeeplyNested, "these statements are nested too deeply")
                    .label(s.span, ""),
            );
            return;
        }
        if !self.sink.charge(Cost::Checks, 1, s.span) {
            return;
        }
        if self.sink.is_marked(s.span) {
            // Jumps to it are no news.
            if let S::Label(name) = &s.kind {
                self.label(name, out);
            }
            return;
        }
        self.nesting += 1;
        self.stmt_inner(s, out);
        self.nesting -= 1;
    }

    fn stmt_inner(&mut self, s: &'a ast::Stmt, out: &mut Vec<Stmt>) {
        let span = s.span;
        match &s.kind {
            S::Empty => {}
            S::Expr(e) => self.expr_stmt(e, out),
            S::Declaration(d) => self.declare_locals(d, out),
            S::Alias(a) => self.declare_alias(a, self.scopes.here.scope),
            S::Item(item) => self.local_item(item),
            S::StaticAssert(a) => self.static_assert(a),
            S::Block(b) => {
                let body = self.block(b);
                out.push(Stmt { kind: StmtKind::Block(body), span });
            }
            S::If { is_constexpr, init, condition, then, otherwise } => {
                self.if_stmt(
                    *is_constexpr,
                    init.as_deref(),
                    condition,
                    (then, otherwise.as_deref()),
                    span,
                    out,
                );
            }
            S::While { condition, body, unroll } => {
                self.while_stmt(condition, body, unroll.as_ref(), span, out);
            }
            S::DoWhile { body, condition, unroll } => {
                let unroll = self.unroll(unroll.as_ref());
                let body = self.loop_body(body);
                let v = self.expr(condition);
                warn::assigned_condition(self, condition);
                let condition = self.condition(v);
                out.push(Stmt { kind: StmtKind::DoWhile { body, condition, unroll }, span });
            }
            S::For { init, condition, step, body, unroll } => {
                let parts = ForParts {
                    init: init.as_deref(),
                    condition: condition.as_ref(),
                    step: step.as_ref(),
                    body,
                    unroll: unroll.as_ref(),
                };
                let stmts = self.scoped(|c| c.for_stmt(&parts, span));
                out.push(Stmt { kind: StmtKind::Block(stmts), span });
            }
            S::RangeFor { variable, range, body, unroll } => {
                let stmts = self.scoped(|c| c.range_for(variable, range, body, unroll.as_ref(), span));
                out.push(Stmt { kind: StmtKind::Block(stmts), span });
            }
            S::Switch { condition, body } => self.switch_stmt(condition, body, span, out),
            S::Case(_) | S::Default if self.body.switches > 0 => {
                self.sink.unsupported("a `case` in a block within its `switch`", span);
            }
            S::Case(_) | S::Default => self.sink.wrong(
                Code::MisplacedCase,
                "`case` and `default` must be directly inside a `switch`",
                span,
            ),
            S::Break => self.leave(
                StmtKind::Break,
                self.body.loops + self.body.switches > 0,
                "`break` outside a loop or `switch`",
                span,
                out,
            ),
            S::Continue => {
                self.leave(StmtKind::Continue, self.body.loops > 0, "`continue` outside a loop", span, out)
            }
            S::Return(value) => self.return_stmt(value.as_ref(), span, out),
            S::Goto(name) => self.body.goto(name, out),
            S::Label(name) => self.label(name, out),
            S::Asm(asm) => self.assembly(asm, span, out),
        }
    }

    fn leave(&mut self, kind: StmtKind, allowed: bool, title: &str, span: Span, out: &mut Vec<Stmt>) {
        if allowed {
            out.push(Stmt { kind, span });
        } else {
            self.sink.wrong(Code::MisplacedJump, title, span);
        }
    }

    fn local_item(&mut self, item: &'a Item) {
        let scope = self.scopes.here.scope;
        match item {
            Item::Function(f) => {
                self.sink.unsupported("function declared in a function", super::declare::function_span(f));
            }
            Item::Namespace { span, .. } | Item::Instantiation { span, .. } => {
                self.sink.wrong(Code::MisplacedDeclaration, "this cannot be declared in a function", *span);
            }
            other => self.declare_item(other, scope, None),
        }
    }

    fn expr_stmt(&mut self, e: &'a ast::Expr, out: &mut Vec<Stmt>) {
        let v = self.expr(e);
        warn::unused_result(self, e, &v);
        if v.is_error() {
            return;
        }
        let v = match v.node {
            // Nothing is read by naming an object, unless it is volatile.
            Node::Place(ref place) if !place.is_volatile => self.rvalue_for_effect(v),
            _ => v,
        };
        let e = self.expr_of(v);
        out.push(Stmt { span: e.span, kind: StmtKind::Expr(e) });
    }

    /// The condition of a statement; a declaration in it is put before.
    pub(super) fn stmt_condition(&mut self, c: &'a Condition, before: &mut Vec<Stmt>) -> Value {
        match c {
            Condition::Expr(e) => {
                let v = self.expr(e);
                warn::assigned_condition(self, e);
                v
            }
            Condition::Declaration(d) => {
                self.declare_locals(d, before);
                if let Some(v) = d.variables.iter().find(|v| v.initializer.is_none() && v.bindings.is_empty())
                {
                    let title = "a variable that a condition declares needs a value";
                    self.sink.wrong(Code::MissingInitializer, title, v.name.span);
                }
                match d.variables.last() {
                    Some(v) => match self.scopes.lookup_in(self.scopes.here.scope, &v.name.text) {
                        super::scopes::Found::Entry(super::scopes::Entry {
                            symbol: super::scopes::Symbol::Local(id, _),
                            ..
                        }) => self.local_place(id, v.name.span),
                        _ => Value::error(d.span),
                    },
                    None => Value::error(d.span),
                }
            }
        }
    }

    fn if_stmt(
        &mut self,
        is_constexpr: bool,
        init: Option<&'a ast::Stmt>,
        condition: &'a Condition,
        (then, otherwise): (&'a ast::Stmt, Option<&'a ast::Stmt>),
        span: Span,
        out: &mut Vec<Stmt>,
    ) {
        if is_constexpr {
            return self.if_constexpr(init, condition, then, otherwise, span, out);
        }
        suspect::barrier(self, condition, then, otherwise);
        let mut stmts = self.scoped(|c| {
            let mut stmts = Vec::new();
            if let Some(init) = init {
                c.stmt(init, &mut stmts);
            }
            let v = c.stmt_condition(condition, &mut stmts);
            let condition = c.condition(v);
            let then = c.controlled(then);
            let otherwise = otherwise.map(|s| c.controlled(s)).unwrap_or_default();
            stmts.push(Stmt { kind: StmtKind::If { condition, then, otherwise }, span });
            stmts
        });
        if stmts.len() == 1 {
            out.append(&mut stmts);
        } else {
            out.push(Stmt { kind: StmtKind::Block(stmts), span });
        }
    }

    fn if_constexpr(
        &mut self,
        init: Option<&'a ast::Stmt>,
        condition: &'a Condition,
        then: &'a ast::Stmt,
        otherwise: Option<&'a ast::Stmt>,
        span: Span,
        out: &mut Vec<Stmt>,
    ) {
        let stmts = self.scoped(|c| {
            let mut stmts = Vec::new();
            if let Some(init) = init {
                c.stmt(init, &mut stmts);
            }
            let Condition::Expr(e) = condition else {
                c.sink.unsupported("declaration in `if constexpr`", span);
                return stmts;
            };
            let Some(value) = c.constant(e, &Ty::Bool, "the condition of `if constexpr`", Code::NotConstant)
            else {
                return stmts;
            };
            // The other branch is discarded: in a template it need not even be valid.
            let chosen = if ty::truth(value) { Some(then) } else { otherwise };
            if let Some(chosen) = chosen {
                stmts.extend(c.body(chosen));
            }
            stmts
        });
        out.push(Stmt { kind: StmtKind::Block(stmts), span });
    }

    /// What `#pragma unroll` asks for.
    pub(super) fn unroll(&mut self, u: Option<&'a ast::Unroll>) -> Option<simt_ir::UnrollHint> {
        let u = u?;
        let Some(factor) = &u.factor else { return Some(simt_ir::UnrollHint::Full) };
        let n = self.integer_constant(factor, "the factor of `#pragma unroll`", Code::NotConstant)?;
        match u32::try_from(n) {
            Ok(n) if n > 0 => Some(simt_ir::UnrollHint::Factor(n)),
            _ => {
                self.sink.report(
                    Code::InvalidUnroll,
                    "the factor of `#pragma unroll` must be positive",
                    factor.span,
                    "ignored",
                );
                None
            }
        }
    }

    fn loop_body(&mut self, s: &'a ast::Stmt) -> Vec<Stmt> {
        self.in_loop(|c| c.body(s))
    }

    fn in_loop<T>(&mut self, run: impl FnOnce(&mut Checker<'a>) -> T) -> T {
        self.body.loops += 1;
        let result = run(self);
        self.body.loops -= 1;
        result
    }

    /// The body of a `for` over a range, with its variable.
    pub(super) fn range_body(
        &mut self,
        variable: &'a ast::Variable,
        element: Value,
        body: &'a ast::Stmt,
    ) -> Vec<Stmt> {
        self.in_loop(|c| {
            c.scoped(|c| {
                let mut inner = Vec::new();
                c.range_variable(variable, element, &mut inner);
                inner.extend(c.controlled(body));
                inner
            })
        })
    }

    fn while_stmt(
        &mut self,
        condition: &'a Condition,
        controlled: &'a ast::Stmt,
        unroll: Option<&'a ast::Unroll>,
        span: Span,
        out: &mut Vec<Stmt>,
    ) {
        let unroll = self.unroll(unroll);
        let stmt = self.scoped(|c| {
            let (condition, mut body) = c.loop_condition(condition, span);
            body.append(&mut c.in_loop(|c| c.controlled(controlled)));
            StmtKind::Loop { condition, step: None, body, unroll }
        });
        out.push(Stmt { kind: stmt, span });
    }

    /// The condition of a loop. One that declares, `while (int x = f())`, is declared anew each time and tested in the body, which
    /// begins with what is returned.
    fn loop_condition(&mut self, c: &'a Condition, span: Span) -> (Option<Box<hir::Expr>>, Vec<Stmt>) {
        let mut before = Vec::new();
        self.body.loops += 1;
        let v = self.stmt_condition(c, &mut before);
        let condition = self.condition(v);
        self.body.loops -= 1;
        if before.is_empty() {
            return (Some(condition), before);
        }
        let otherwise = vec![Stmt { kind: StmtKind::Break, span }];
        before.push(Stmt { kind: StmtKind::If { condition, then: Vec::new(), otherwise }, span });
        (None, before)
    }

    fn for_stmt(&mut self, parts: &ForParts<'a>, span: Span) -> Vec<Stmt> {
        let mut out = Vec::new();
        if let Some(init) = parts.init {
            self.stmt(init, &mut out);
        }
        let unroll = self.unroll(parts.unroll);
        let (condition, mut body) = match parts.condition {
            None => (None, Vec::new()),
            Some(c) => self.loop_condition(c, span),
        };
        // The body comes before the step, as it runs.
        body.append(&mut self.in_loop(|c| c.controlled(parts.body)));
        self.body.loops += 1;
        let step = parts.step.map(|e| {
            let v = self.expr(e);
            warn::unused_result(self, e, &v);
            let v = if v.is_place() { self.rvalue_for_effect(v) } else { v };
            self.expr_of(v)
        });
        self.body.loops -= 1;
        out.push(Stmt { kind: StmtKind::Loop { condition, step, body, unroll }, span });
        out
    }

    /// `for (T x : array)`.
    fn range_for(
        &mut self,
        variable: &'a ast::Variable,
        range: &'a ast::Expr,
        body: &'a ast::Stmt,
        unroll: Option<&'a ast::Unroll>,
        span: Span,
    ) -> Vec<Stmt> {
        let r = match &range.kind {
            ast::ExprKind::Braces(items) => match self.common_element(items, range.span) {
                Some(element) => self.list_array(&element, items, range.span),
                None => Value::error(range.span),
            },
            _ => self.expr(range),
        };
        if r.is_error() {
            return Vec::new();
        }
        if r.ty.ty.is_struct() {
            return self.range_for_class(variable, r, body, unroll, span);
        }
        let (Ty::Array(of, n), Node::Place(place)) = (r.ty.ty.clone(), r.node) else {
            let title = "a range-based `for` takes an array, or a class with `begin` and `end`";
            self.sink.report(Code::InvalidRange, title, range.span, "its length is not known");
            return Vec::new();
        };
        let mut out = Vec::new();
        let array = self.new_local("", &r.ty, Storage::Automatic, range.span);
        self.body.locals[array.0 as usize].is_reference = true;
        out.push(Stmt { kind: StmtKind::Bind { local: array, place }, span: range.span });
        let t = IntType::UnsignedLong;
        let index = self.new_local("", &QTy::plain(ty::ULONG), Storage::Automatic, span);
        let constant = |v: u64| super::builtins::int(v as i64, t, span);
        out.push(Stmt { kind: StmtKind::Declare { local: index, value: Some(Box::new(constant(0))) }, span });
        let place = self.local_place(index, span);
        let current = self.rvalue(place.clone());
        let lhs = self.expr_of(current);
        let condition = super::builtins::compare(hir::CompareOp::Lt, (*lhs).clone(), constant(n), span);
        let Node::Place(counter) = place.node else { return out };
        let step = Expr {
            kind: ExprKind::Step { place: counter, by: 1, postfix: false },
            ty: hir::Type::Int(t),
            span,
        };
        let unroll = self.unroll(unroll);
        let array = self.local_place(array, range.span);
        let Node::Place(base) = array.node else { return out };
        let q = QTy { ty: (*of).clone(), ..r.ty };
        let element =
            self.types.make_place(PlaceKind::Index { base: Box::new(base), index: lhs }, q, range.span);
        let inner = self.range_body(variable, element, body);
        let kind = StmtKind::Loop {
            condition: Some(Box::new(condition)),
            step: Some(Box::new(step)),
            body: inner,
            unroll,
        };
        out.push(Stmt { kind, span });
        out
    }

    pub(super) fn range_variable(&mut self, v: &'a ast::Variable, element: Value, out: &mut Vec<Stmt>) {
        if !v.bindings.is_empty() {
            return self.structured_binding(v, element, out);
        }
        let (auto, reference, is_const) = match &v.ty.kind {
            ast::TypeKind::Auto(_) => (true, None, v.ty.is_const),
            ast::TypeKind::Reference { to, rvalue } if matches!(to.kind, ast::TypeKind::Auto(_)) => {
                let is_left = !rvalue || element.is_left();
                (true, Some(if is_left { ty::Ref::Left } else { ty::Ref::Right }), to.is_const)
            }
            _ => (false, None, false),
        };
        let decl = if auto {
            let mut q =
                if reference.is_some() { element.ty.clone() } else { QTy::plain(Ty::decayed(&element.ty)) };
            q.is_const |= is_const;
            DeclTy { q, reference }
        } else {
            self.decl_type(&v.ty)
        };
        let span = v.name.span;
        if decl.reference.is_some() {
            let Some(place) = self.bind_reference(element, &decl, "the array's element") else {
                return self.bind_error(v);
            };
            return self.bind_named(&v.name, &decl.q, decl.reference, place, out);
        }
        let value = self.convert(element, &QTy::plain(decl.q.ty.clone()), "the array's element");
        let value = self.owned(value);
        let local = self.new_local(&v.name.text, &decl.q, Storage::Automatic, span);
        self.bind_local(&v.name, local);
        out.push(Stmt { kind: StmtKind::Declare { local, value: Some(value) }, span });
    }
}
