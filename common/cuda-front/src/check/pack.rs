//! Parameter packs: expansion in calls, lists and template arguments, and folds.

use super::ids::{FILE, ScopeId};
use super::scopes::{Entry, Found, Symbol};
use super::ty::Ty;
use super::value::Value;
use super::{Checker, Param, TArg};
use cuda_syntax::Word;
use cuda_syntax::ast::{self, BinaryOp, ExprKind, TemplateArgument, TypeKind};
use cuda_syntax::budget::Cost;
use cuda_syntax::parts::{Names, Part};
use source::{Code, Span};

impl<'a> Checker<'a> {
    /// The packs that an expansion of this pattern expands.
    fn packs_in(&self, pattern: Part<'_>) -> Vec<(Word, Symbol, usize)> {
        let mut found: Vec<(Word, Symbol, usize)> = Vec::new();
        let mut names = 0;
        pattern.names(Names::Unexpanded, &mut |name| {
            names += 1;
            let mut at = Some(self.scopes.here.scope);
            // Only parameters of templates and functions are packs.
            while let Some(id) = at.filter(|id| *id != FILE && !found.iter().any(|f| f.0 == *name)) {
                let scope = self.scopes.scope(id);
                let symbol = scope.names.get(name).map(|entry| &entry.symbol);
                let count = match symbol {
                    Some(Symbol::Pack(items)) => Some(items.len()),
                    Some(Symbol::LocalPack(items)) => Some(items.len()),
                    _ => None,
                };
                found.extend(symbol.zip(count).map(|(symbol, n)| (name.clone(), symbol.clone(), n)));
                at = scope.parent;
            }
        });
        self.sink.charge_scan(names);
        found
    }

    /// Runs something once for each element of the packs named in a piece of source text.
    pub(super) fn for_each_element<T>(
        &mut self,
        pattern: Part<'_>,
        span: Span,
        mut run: impl FnMut(&mut Checker<'a>) -> T,
    ) -> Option<Vec<T>> {
        let packs = self.packs_in(pattern);
        let Some(n) = packs.first().map(|p| p.2) else {
            self.sink.wrong(Code::NotAPack, "`...` expands no pack here", span);
            return None;
        };
        if packs.iter().any(|p| p.2 != n) {
            self.sink.wrong(Code::PackLengths, "the packs expanded here have different lengths", span);
            return None;
        }
        let outer = self.scopes.here.scope;
        let mut results = Vec::new();
        for i in 0..n {
            if !self.sink.charge(Cost::Checks, packs.len() as u64, span) {
                return None;
            }
            let scope = self.scopes.new_scope(outer);
            for (name, symbol, _) in &packs {
                let element = match symbol {
                    Symbol::Pack(items) => match &items[i] {
                        TArg::Type(t) => Symbol::Type(t.clone()),
                        TArg::Value(c) => Symbol::Constant(*c, super::template::const_ty(*c)),
                        TArg::Typed(c, ty) => Symbol::Constant(*c, ty.clone()),
                        TArg::Object(var) => Symbol::Address(*var),
                        TArg::Pack(items) => Symbol::Pack(items.clone()),
                        TArg::Template(template) => template.symbol(),
                    },
                    Symbol::LocalPack(names) => match self.lookup_value(&names[i]) {
                        Found::Entry(Entry { symbol: Symbol::Field, .. }) => {
                            Symbol::Captured(names[i].clone())
                        }
                        Found::Entry(e) => e.symbol,
                        _ => continue,
                    },
                    other => other.clone(),
                };
                self.scopes.bind_silently(scope, name, element, 0, span);
            }
            self.scopes.here.scope = scope;
            results.push(run(self));
            self.scopes.here.scope = outer;
        }
        Some(results)
    }

    /// Call arguments, packs among them expanded.
    pub(super) fn arguments(&mut self, arguments: &'a [ast::Expr]) -> Vec<Value> {
        let mut values = Vec::with_capacity(arguments.len());
        for a in arguments {
            match &a.kind {
                ExprKind::PackExpansion(pattern) => {
                    match self.for_each_element(Part::Expr(pattern), pattern.span, |c| c.expr(pattern)) {
                        Some(items) => values.extend(items),
                        None => values.push(Value::error(a.span)),
                    }
                }
                _ => values.push(self.expr_or_function(a)),
            }
        }
        values
    }

    /// A template argument that is a pack expansion.
    pub(super) fn expanded_argument(&mut self, a: &'a TemplateArgument) -> Option<Vec<TArg>> {
        match a {
            TemplateArgument::Value(e) => {
                let ExprKind::PackExpansion(pattern) = &e.kind else { return None };
                let items = self.for_each_element(Part::Expr(pattern), pattern.span, |c| {
                    if let ExprKind::Path(path) = &pattern.kind
                        && let Some(t) = c.opt_named_type(path)
                    {
                        return Some(TArg::Type(t));
                    }
                    let v = c.constant_expr(pattern);
                    c.scalar_constant(v, "a template argument", Code::NotConstant, pattern.span)
                        .map(TArg::Value)
                })?;
                Some(items.into_iter().flatten().collect())
            }
            TemplateArgument::Type(t) => {
                let TypeKind::Pack(pattern) = &t.kind else { return None };
                let items =
                    self.for_each_element(Part::Type(pattern), pattern.span, |c| c.exact_type(pattern))?;
                Some(items.into_iter().map(TArg::Type).collect())
            }
        }
    }

    /// The parameters that a pack parameter stands for; its name is bound in the function's scope.
    pub(super) fn pack_parameters(&mut self, p: &'a ast::Parameter, scope: ScopeId) -> Vec<Param<'a>> {
        let TypeKind::Pack(pattern) = &p.ty.kind else { return Vec::new() };
        let types = self
            .for_each_element(Part::Type(pattern), pattern.span, |c| c.parameter_type(pattern))
            .unwrap_or_default();
        let parameters: Vec<_> =
            types.into_iter().enumerate().map(|(i, ty)| self.parameter(p, ty, scope, Some(i))).collect();
        if let Some(name) = &p.name {
            let names = parameters.iter().map(|p| p.name.clone()).collect();
            self.scopes.bind_silently(scope, &name.text, Symbol::LocalPack(names), 0, name.span);
        }
        parameters
    }

    /// `(pack op ...)` and its kin.
    pub(super) fn fold(
        &mut self,
        op: BinaryOp,
        left: Option<&'a ast::Expr>,
        right: Option<&'a ast::Expr>,
        span: Span,
    ) -> Value {
        let is_pack = |c: &Checker<'a>, e: &ast::Expr| !c.packs_in(Part::Expr(e)).is_empty();
        // `(… op pack)` folds from the left, `(pack op …)` from the right; with two operands the pack says which.
        let (pack, init, from_left) = match (left, right) {
            (Some(l), Some(r)) if is_pack(self, l) => (l, Some(r), false),
            (Some(l), Some(r)) => (r, Some(l), true),
            (Some(l), None) => (l, None, false),
            (None, Some(r)) => (r, None, true),
            (None, None) => return Value::error(span),
        };
        let Some(items) = self.for_each_element(Part::Expr(pack), pack.span, |c| c.expr(pack)) else {
            return Value::error(span);
        };
        let init = init.map(|e| self.expr(e));
        let mut list: Vec<Value> = items;
        match init {
            Some(v) if from_left => list.insert(0, v),
            Some(v) => list.push(v),
            None => {}
        }
        let combine = |c: &mut Checker<'a>, l: Value, r: Value| c.fold_pair(op, l, r, span);
        let folded = if from_left {
            let mut items = list.into_iter();
            items.next().map(|first| items.fold(first, |l, r| combine(self, l, r)))
        } else {
            let mut items = list.into_iter().rev();
            items.next().map(|first| items.fold(first, |r, l| combine(self, l, r)))
        };
        match (folded, op) {
            (Some(v), _) => v,
            (None, BinaryOp::And) => self.types.make_bool(true, span),
            (None, BinaryOp::Or) => self.types.make_bool(false, span),
            (None, BinaryOp::Comma) => {
                let zero = self.types.make_int(0, span);
                self.rvalue_for_effect(zero)
            }
            (None, _) => {
                self.sink.wrong(Code::EmptyFold, "this fold of an empty pack has no value", span);
                Value::error(span)
            }
        }
    }

    fn fold_pair(&mut self, op: BinaryOp, l: Value, r: Value, span: Span) -> Value {
        use crate::hir::ExprKind as H;
        if l.is_error() || r.is_error() {
            return Value::error(span);
        }
        match op {
            BinaryOp::And | BinaryOp::Or => {
                let (lhs, rhs) = (self.condition(l), self.condition(r));
                let kind = if op == BinaryOp::And { H::And { lhs, rhs } } else { H::Or { lhs, rhs } };
                self.types.make(kind, Ty::Bool, span)
            }
            BinaryOp::Comma => {
                let first = self.rvalue_for_effect(l);
                self.comma(first, r, span)
            }
            _ => self.binary_values(op, span, l, r, span),
        }
    }
}
