//! Labels, and `goto` by its label's name. What the jumps make of a body is said once the whole body is known (`explicit`).

use super::Checker;
use crate::hir::{Stmt, StmtKind};
use cuda_syntax::ast;
use source::{Code, Diagnostic};

impl Checker<'_> {
    pub(super) fn label(&mut self, name: &ast::Name, out: &mut Vec<Stmt>) {
        self.body.lives.has_labels = true;
        let label = self.body.labels.named(name);
        let (id, first) = (label.id, label.defined);
        label.defined = Some(first.unwrap_or(name.span));
        match first {
            Some(first) => self.sink.push(
                Diagnostic::new(Code::DuplicateLabel, format!("the label `{}` is defined twice", name.text))
                    .label(name.span, "again here")
                    .label(first, "first here"),
            ),
            None => out.push(Stmt { kind: StmtKind::Label(id), span: name.span }),
        }
    }

    pub(super) fn goto(&mut self, name: &ast::Name, out: &mut Vec<Stmt>) {
        let label = self.body.labels.named(name);
        label.named.get_or_insert(name.span);
        out.push(Stmt { kind: StmtKind::Goto(label.id), span: name.span });
    }

    /// Reports the labels that are named and not defined, where the body ends.
    pub(super) fn finish_labels(&mut self) {
        let undefined = self.body.labels.0.iter().filter(|(_, label)| label.defined.is_none());
        let mut undefined: Vec<_> =
            undefined.filter_map(|(name, label)| Some((label.named?, name.clone()))).collect();
        undefined.sort_by_key(|(jump, _)| (jump.file, jump.start));
        for (jump, name) in undefined {
            self.sink.push(
                Diagnostic::new(
                    Code::UndeclaredLabel,
                    format!("there is no label `{name}` in this function"),
                )
                .label(jump, "jumps to nowhere")
                .help(format!("write `{name}:` before the statement to go to")),
            );
        }
    }
}
