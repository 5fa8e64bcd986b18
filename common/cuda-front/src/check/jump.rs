//! `goto` to a label of an enclosing block. Where all jumps of a block go forwards, what is before a label becomes a body that
//! the jump leaves; where one goes backwards, the parts between the labels become a dispatch.
//!
//! Jumps into a block are refused as not supported. A jump past an initialisation is warned of.

use super::ty::Ty;
use super::{Checker, Source};
use crate::hir::{Stmt, StmtKind};
use cuda_syntax::ast::{self, StmtKind as S};
use cuda_syntax::budget::Cost;
use source::{Code, Diagnostic, Span};

/// A label of a block that is being read.
pub(super) struct Label {
    name: String,
    span: Span,
    id: u32,
    /// Where it is in the block's statements, once it has been reached; a jump to it is backwards from then on.
    position: Option<usize>,
    /// Forward jumps to it: where the statement with the jump begins, once that has been read, and the jump.
    forward: Vec<(Option<usize>, Span)>,
    backward: bool,
}

impl<'a> Checker<'a> {
    /// The statements of a block with the labels among them.
    pub(super) fn labelled(&mut self, statements: &'a [ast::Stmt], out: &mut Vec<Stmt>) {
        let outer = self.cx.labels.len();
        for s in statements {
            let S::Label(name) = &s.kind else { continue };
            if !self.charge(Cost::Checks, 1 + self.cx.labels.len() as u64 / 8, name.span) {
                return;
            }
            if let Some(first) = self.cx.labels.iter().find(|l| l.name == name.text).map(|l| l.span) {
                let d = Diagnostic::new(
                    Code::DuplicateLabel,
                    format!("the label `{}` is defined twice", name.text),
                );
                self.push(d.label(name.span, "again here").label(first, "first here"));
            }
            self.cx.last_label += 1;
            let label = Label {
                name: name.text.to_string(),
                span: name.span,
                id: self.cx.last_label,
                position: None,
                forward: Vec::new(),
                backward: false,
            };
            self.cx.labels.push(label);
        }
        let start = out.len();
        out.reserve(statements.len());
        for s in statements {
            let before = out.len();
            self.charge_scan(8 * (self.cx.labels.len() - outer));
            match &s.kind {
                S::Label(name) => {
                    let here = |l: &&mut Label| l.name == name.text && l.position.is_none();
                    if let Some(label) = self.cx.labels[outer..].iter_mut().find(here) {
                        label.position = Some(before);
                    }
                }
                _ => self.stmt(s, out),
            }
            // What was read last is where jumps that have no place yet come from.
            for label in &mut self.cx.labels[outer..] {
                label.forward.iter_mut().for_each(|(from, _)| *from = from.or(Some(before)));
            }
        }
        let labels = self.cx.labels.split_off(outer);
        self.bypassed(&labels, out);
        arrange(&labels, start, out);
    }

    /// Warns of forward jumps over a variable's initialisation.
    fn bypassed(&mut self, labels: &[Label], out: &[Stmt]) {
        for label in labels {
            for (from, jump) in &label.forward {
                let (Some(from), Some(to)) = (*from, label.position) else { continue };
                if !self.charge(Cost::Checks, 1 + (to - from) as u64 / 8, *jump) {
                    return;
                }
                let skipped = out[from..to].iter().find_map(|s| match &s.kind {
                    StmtKind::Declare { local, .. }
                    | StmtKind::DeclareAggregate { local, .. }
                    | StmtKind::Bind { local, .. } => {
                        let ty = &self.cx.infos[local.0 as usize].q.ty;
                        let made =
                            matches!(ty.innermost(), Ty::Struct(class) if self.needs_construction(*class));
                        let has_value = !matches!(s.kind, StmtKind::Declare { value: None, .. });
                        let local = &self.cx.locals[local.0 as usize];
                        let named = !local.name.is_empty() && (has_value || made);
                        named.then(|| (local.name.clone(), local.span))
                    }
                    _ => None,
                });
                if let Some((name, declared)) = skipped {
                    let title = format!("this `goto` jumps past the initialization of `{name}`");
                    self.push(
                        Diagnostic::new(Code::JumpPastInitialization, title)
                            .label(*jump, "jumps from here")
                            .label(declared, "to a point where this variable exists without a value")
                            .help("declare the variable before the `goto`, or put the skipped code into a block `{ … \
                            }`"),
                    );
                }
            }
        }
    }

    pub(super) fn goto(&mut self, name: &ast::Name, out: &mut Vec<Stmt>) {
        self.charge_scan(8 * self.cx.labels.len());
        match self.cx.labels.iter().rposition(|l| l.name == name.text) {
            Some(at) => {
                let label = &mut self.cx.labels[at];
                match label.position {
                    Some(_) => label.backward = true,
                    None => label.forward.push((None, name.span)),
                }
                out.push(Stmt { kind: StmtKind::Goto(label.id), span: name.span });
            }
            None if self.is_label(&name.text) => {
                self.unsupported("goto to a label that is not in a block around it", name.span);
            }
            None => {
                let title = format!("there is no label `{}` in this function", name.text);
                self.push(
                    Diagnostic::new(Code::UndeclaredLabel, title)
                        .label(name.span, "jumps to nowhere")
                        .help(format!("write `{}:` before the statement to go to", name.text)),
                );
            }
        }
    }

    /// Whether the function at hand has a label anywhere.
    fn is_label(&self, name: &str) -> bool {
        let Some(function) = self.cx.function else { return false };
        let body = match self.func(function).source {
            Source::Function(ast::Function { body: ast::FunctionBody::Block(block), .. }) => block,
            Source::Function(_) => return false,
            Source::Lambda(lambda) => &lambda.body,
        };
        body.statements.iter().any(|s| has_label(s, name))
    }
}

/// The statements that a statement is made of, without those that a `for` or `if` begins with: those are neither
/// labels nor returns.
pub(super) fn parts(s: &ast::Stmt) -> impl Iterator<Item = &ast::Stmt> {
    let (block, one, other): (&[ast::Stmt], _, _) = match &s.kind {
        S::Block(b) => (&b.statements, None, None),
        S::If { then, otherwise, .. } => (&[], Some(&**then), otherwise.as_deref()),
        S::While { body, .. }
        | S::DoWhile { body, .. }
        | S::For { body, .. }
        | S::RangeFor { body, .. }
        | S::Switch { body, .. } => (&[], Some(&**body), None),
        S::Empty
        | S::Expr(_)
        | S::Declaration(_)
        | S::Alias(_)
        | S::Item(_)
        | S::StaticAssert(_)
        | S::Case(_)
        | S::Default
        | S::Break
        | S::Continue
        | S::Return(_)
        | S::Goto(_)
        | S::Label(_)
        | S::Asm(_) => (&[], None, None),
    };
    block.iter().chain(one).chain(other)
}

/// Whether a label is in a statement.
fn has_label(s: &ast::Stmt, name: &str) -> bool {
    matches!(&s.kind, S::Label(label) if label.text == name) || parts(s).any(|s| has_label(s, name))
}

/// Gives the block's statements, from `start` on, the shape that its jumps need.
fn arrange(labels: &[Label], start: usize, out: &mut Vec<Stmt>) {
    if labels.is_empty() {
        return;
    }
    let used = |l: &&Label| l.backward || !l.forward.is_empty();
    let mut statements = out.split_off(start).into_iter();
    let mut at = start;
    let mut parts = vec![(None, Vec::new())];
    for label in labels.iter().filter(used) {
        let Some(position) = label.position else { continue };
        if let Some((_, part)) = parts.last_mut() {
            part.extend(statements.by_ref().take(position - at));
        }
        at = position;
        parts.push((Some(label), Vec::new()));
    }
    if let Some((_, part)) = parts.last_mut() {
        part.extend(statements);
    }
    if labels.iter().any(|l| l.backward) {
        let span = labels.first().map_or_else(Span::default, |l| l.span);
        let parts = parts.into_iter().map(|(label, body)| (label.map(|l| l.id), body)).collect();
        out.push(Stmt { kind: StmtKind::Dispatch { parts }, span });
        return;
    }
    for (label, part) in parts {
        if let Some(label) = label {
            let body = out.split_off(start);
            out.push(Stmt { kind: StmtKind::Labelled { label: label.id, body }, span: label.span });
        }
        out.extend(part);
    }
}
