//! `goto` forwards to a label of an enclosing block: what is before the label there becomes a body that the jump leaves.
//! Backwards, and into a block, it is refused as not supported.

use super::Checker;
use crate::ast::{self, StmtKind as S};
use crate::hir::{Stmt, StmtKind};
use source::{Diagnostic, Span};

/// A label of a block that is being read.
pub(super) struct Label {
    name: String,
    span: Span,
    id: u32,
    /// Whether it has been reached, so that a jump to it would be backwards.
    passed: bool,
    used: bool,
}

impl<'a> Checker<'a> {
    /// The statements of a block with the labels among them.
    pub(super) fn labelled(&mut self, statements: &'a [ast::Stmt], out: &mut Vec<Stmt>) {
        let outer = self.cx.labels.len();
        for s in statements {
            let S::Label(name) = &s.kind else { continue };
            if let Some(first) = self.cx.labels.iter().find(|l| l.name == name.text).map(|l| l.span) {
                let d =
                    Diagnostic::error("duplicate-label", format!("the label `{}` is there twice", name.text));
                self.push(d.label(name.span, "again here").label(first, "first here"));
            }
            self.cx.last_label += 1;
            let id = self.cx.last_label;
            let label =
                Label { name: name.text.to_string(), span: name.span, id, passed: false, used: false };
            self.cx.labels.push(label);
        }
        let start = out.len();
        for s in statements {
            match &s.kind {
                S::Label(name) => self.reach(&name.text, outer, start, s.span, out),
                _ => self.stmt(s, out),
            }
        }
        self.cx.labels.truncate(outer);
    }

    /// A label is met: what is before it in its block is what jumps to it leave.
    fn reach(&mut self, name: &str, outer: usize, start: usize, span: Span, out: &mut Vec<Stmt>) {
        let Some(label) = self.cx.labels[outer..].iter_mut().find(|l| l.name == name && !l.passed) else {
            return;
        };
        label.passed = true;
        if label.used {
            let body = out.split_off(start);
            out.push(Stmt { kind: StmtKind::Labelled { label: label.id, body }, span });
        }
    }

    pub(super) fn goto(&mut self, name: &ast::Name, out: &mut Vec<Stmt>) {
        match self.cx.labels.iter_mut().rev().find(|l| l.name == name.text) {
            Some(label) if !label.passed => {
                label.used = true;
                out.push(Stmt { kind: StmtKind::Goto(label.id), span: name.span });
            }
            Some(_) => self.unsupported("goto backwards", name.span),
            None => self.unsupported("goto to a label that is not in a block around it", name.span),
        }
    }
}
