//! Whether control can leave a body at its end.

use crate::hir::{Expr, ExprKind, Stmt, StmtKind};

/// Whether control can reach the end of a body.
pub(crate) fn falls_through(body: &[Stmt]) -> bool {
    body.iter().all(passes)
}

/// Whether control can come to what follows a statement.
fn passes(s: &Stmt) -> bool {
    match &s.kind {
        StmtKind::Return(_) | StmtKind::Break | StmtKind::Continue | StmtKind::Goto(_) => false,
        // Jumps to the label come here.
        StmtKind::Label(_) | StmtKind::Labelled { .. } => true,
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
        ExprKind::Const(c) => Some(crate::check::truth(c)),
        _ => None,
    }
}

/// Whether a `break` in a body leaves the loop or switch around it.
fn breaks(body: &[Stmt]) -> bool {
    leaves(body, false)
}

/// Whether a `continue` in a body goes on with the loop around it.
fn continues(body: &[Stmt]) -> bool {
    leaves(body, true)
}

fn leaves(body: &[Stmt], by_continue: bool) -> bool {
    body.iter().any(|s| match &s.kind {
        StmtKind::Break => !by_continue,
        StmtKind::Continue => by_continue,
        StmtKind::Block(b) | StmtKind::Labelled { body: b, .. } => leaves(b, by_continue),
        StmtKind::Dispatch { parts } => parts.iter().any(|(_, body)| leaves(body, by_continue)),
        StmtKind::If { then, otherwise, .. } => leaves(then, by_continue) || leaves(otherwise, by_continue),
        // A `break` in it leaves only the switch.
        StmtKind::Switch { sections, .. } => by_continue && sections.iter().any(|s| leaves(&s.body, true)),
        _ => false,
    })
}
