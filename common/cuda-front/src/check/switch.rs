//! `switch`, and whether control can leave a body at its end.

use super::Checker;
use super::ty::{QTy, Ty};
use crate::hir::{Const, Expr, ExprKind, Section, Stmt, StmtKind};
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
                Condition::Declaration(d) => {
                    c.unsupported("declaration in the condition of `switch`", d.span);
                    return stmts;
                }
            };
            let v = c.as_selector(v);
            let ty = match &v.ty.ty {
                // An unscoped enumeration is promoted, and so are the constants it is compared with.
                Ty::Enum(e) if !c.enums[e.0 as usize].scoped => c.enums[e.0 as usize].underlying.promoted(),
                Ty::Enum(e) => Ty::Enum(*e),
                t if t.is_integral() => t.promoted(),
                Ty::Error => Ty::Error,
                _ => {
                    let name = c.spell(&v.ty);
                    c.report(
                        Code::NotAnInteger,
                        format!("`switch` needs an integer, but this is `{name}`"),
                        v.span,
                        "",
                    );
                    Ty::Error
                }
            };
            let value = c.convert(v, &QTy::plain(ty.clone()), "");
            let value = c.expr_of(value);
            let S::Block(block) = &body.kind else {
                c.unsupported("`switch` without braces", body.span);
                return stmts;
            };
            c.cx.branches += 1;
            let sections = c.within(false, |c| c.scoped(|c| c.sections(&block.statements, &ty)));
            c.cx.branches -= 1;
            stmts.push(Stmt { kind: StmtKind::Switch { value, sections }, span });
            stmts
        });
        out.extend(stmts);
    }

    fn sections(&mut self, statements: &'a [ast::Stmt], ty: &Ty) -> Vec<Section> {
        let mut sections: Vec<Section> = Vec::new();
        let mut seen: KeyedMap<i64, Span> = KeyedMap::default();
        let mut default: Option<Span> = None;
        let mark = self.cx.alive.len();
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
                        self.push(
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
                        self.push(
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
                        None => self.unsupported("statement before the first `case`", s.span),
                    }
                }
            }
        }
        // A jump to a label past an object's initialisation is an error: those that end here are of the last section.
        if let Some(last) = sections.last_mut() {
            self.end_scope(mark, &mut last.body);
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

/// Whether control can reach the end of a body.
pub(super) fn falls_through(body: &[Stmt]) -> bool {
    body.iter().all(passes)
}

/// Whether control can come to what follows a statement.
fn passes(s: &Stmt) -> bool {
    match &s.kind {
        StmtKind::Return(_) | StmtKind::Break | StmtKind::Continue | StmtKind::Goto(_) => false,
        // Jumps to the label come here.
        StmtKind::Labelled { .. } => true,
        StmtKind::Dispatch { parts } => parts.last().is_none_or(|(_, body)| falls_through(body)),
        StmtKind::Block(b) => falls_through(b),
        StmtKind::If { condition, then, otherwise } => match known(condition) {
            Some(true) => falls_through(then),
            Some(false) => falls_through(otherwise),
            None => falls_through(then) || falls_through(otherwise),
        },
        StmtKind::Loop { condition, body, .. } => {
            let endless = condition.as_ref().is_none_or(|c| known(c) == Some(true));
            !endless || breaks(body)
        }
        StmtKind::DoWhile { body, condition, .. } => {
            breaks(body) || (known(condition) != Some(true) && (falls_through(body) || continues(body)))
        }
        StmtKind::Switch { sections, .. } => {
            let complete = sections.iter().any(|s| s.is_default);
            let last = sections.last().is_none_or(|s| falls_through(&s.body));
            !complete || last || sections.iter().any(|s| breaks(&s.body))
        }
        StmtKind::Expr(e) if let ExprKind::Intrinsic { intrinsic, .. } = &e.kind => {
            !matches!(intrinsic, crate::hir::Intrinsic::Trap | crate::hir::Intrinsic::BadCall)
        }
        StmtKind::Expr(_)
        | StmtKind::Declare { .. }
        | StmtKind::DeclareAggregate { .. }
        | StmtKind::Bind { .. } => true,
    }
}

fn known(e: &Expr) -> Option<bool> {
    match e.kind {
        ExprKind::Const(c) => Some(super::ty::truth(c)),
        _ => None,
    }
}

/// Whether a `break` leaves the loop or switch around a body.
fn breaks(body: &[Stmt]) -> bool {
    body.iter().any(|s| match &s.kind {
        StmtKind::Break => true,
        StmtKind::Block(b) | StmtKind::Labelled { body: b, .. } => breaks(b),
        StmtKind::Dispatch { parts } => parts.iter().any(|(_, body)| breaks(body)),
        StmtKind::If { then, otherwise, .. } => breaks(then) || breaks(otherwise),
        _ => false,
    })
}

fn continues(body: &[Stmt]) -> bool {
    body.iter().any(|s| match &s.kind {
        StmtKind::Continue => true,
        StmtKind::Block(b) | StmtKind::Labelled { body: b, .. } => continues(b),
        StmtKind::Dispatch { parts } => parts.iter().any(|(_, body)| continues(body)),
        StmtKind::If { then, otherwise, .. } => continues(then) || continues(otherwise),
        StmtKind::Switch { sections, .. } => sections.iter().any(|s| continues(&s.body)),
        _ => false,
    })
}
