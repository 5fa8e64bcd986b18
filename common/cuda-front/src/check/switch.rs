//! `switch`.

use super::Checker;
use super::ty::{QTy, Ty};
use crate::hir::{Const, Section, Stmt, StmtKind};
use cuda_syntax::ast::{self, Condition, StmtKind as S};
use source::hash::KeyedMap;
use source::{Code, Diagnostic, Span};

impl<'a> Checker<'a> {
    pub(super) fn switch_stmt(
        &mut self,
        condition: &'a Condition,
        body: &'a ast::Stmt,
        span: Span,
        out: &mut Vec<Stmt>,
    ) {
        let stmts = self.scoped(|c| {
            let mut stmts = Vec::new();
            let v = match condition {
                Condition::Expr(e) => c.expr(e),
                Condition::Declaration(_) => c.stmt_condition(condition, &mut stmts),
            };
            let v = c.as_selector(v);
            let ty = match &v.ty.ty {
                // An unscoped enumeration is promoted, and so are the constants it is compared with.
                Ty::Enum(e) if !c.types.enums[e.0 as usize].scoped => {
                    c.types.enums[e.0 as usize].underlying.promoted()
                }
                Ty::Enum(e) => Ty::Enum(*e),
                t if t.is_wide() => {
                    c.sink.unsupported("`switch` on an integer of 128 bits", v.span);
                    Ty::Error
                }
                t if t.is_integral() => t.promoted(),
                Ty::Error => Ty::Error,
                _ => {
                    let name = c.types.spell(&v.ty);
                    c.sink.wrong(
                        Code::NotAnInteger,
                        format!("`switch` needs an integer, but this is `{name}`"),
                        v.span,
                    );
                    Ty::Error
                }
            };
            let value = c.convert(v, &QTy::plain(ty.clone()), "");
            let value = c.expr_of(value);
            let S::Block(block) = &body.kind else {
                c.sink.unsupported("`switch` without braces", body.span);
                return stmts;
            };
            c.body.switches += 1;
            let sections = c.scoped(|c| c.sections(&block.statements, &ty));
            c.body.switches -= 1;
            stmts.push(Stmt { kind: StmtKind::Switch { value, sections }, span });
            stmts
        });
        out.extend(stmts);
    }

    fn sections(&mut self, statements: &'a [ast::Stmt], ty: &Ty) -> Vec<Section> {
        let mut sections: Vec<Section> = Vec::new();
        let mut seen: KeyedMap<i64, Span> = KeyedMap::default();
        let mut default: Option<Span> = None;
        let fresh = || Section { cases: Vec::new(), is_default: false, body: Vec::new() };
        for s in statements {
            let is_label = matches!(s.kind, S::Case(_) | S::Default);
            if is_label && sections.last().is_none_or(|last| !last.body.is_empty()) {
                sections.push(fresh());
            }
            match &s.kind {
                S::Case(e) => {
                    let Some(v) = self.case_value(e, ty) else { continue };
                    if let Some(first) = seen.get(&v).copied() {
                        self.sink.push(
                            Diagnostic::new(Code::DuplicateCase, format!("the case {v} appears twice"))
                                .label(e.span, "again here")
                                .label(first, "first here"),
                        );
                    }
                    seen.entry(v).or_insert(e.span);
                    if let Some(last) = sections.last_mut() {
                        last.cases.push(v);
                    }
                }
                S::Default => {
                    if let Some(first) = default.replace(s.span) {
                        self.sink.push(
                            Diagnostic::new(Code::DuplicateCase, "`default` appears twice")
                                .label(s.span, "again here")
                                .label(first, "first here"),
                        );
                    }
                    if let Some(last) = sections.last_mut() {
                        last.is_default = true;
                    }
                }
                _ => {
                    let mut body = Vec::new();
                    self.stmt(s, &mut body);
                    match sections.last_mut() {
                        Some(last) => last.body.append(&mut body),
                        None => self.sink.unsupported("statement before the first `case`", s.span),
                    }
                }
            }
        }
        sections
    }

    fn case_value(&mut self, e: &'a ast::Expr, ty: &Ty) -> Option<i64> {
        match self.constant(e, ty, "a `case` label", Code::NotConstant)? {
            Const::Int(v, _) => Some(v),
            Const::Bool(b) => Some(i64::from(b)),
            Const::Float(_) | Const::Double(_) => None,
        }
    }
}
