//! Labels and jumps to them.

use super::Pass;
use crate::hir::{Stmt, StmtKind, Type};
use cuda_syntax::budget::Cost;
use source::{Code, Diagnostic, Kind, Span};

/// A list of statements with labels.
pub(super) struct List {
    labels: Vec<Label>,
    /// Where the statement at hand begins among those that are done, and how many objects were alive there.
    here: (usize, usize),
}

struct Label {
    id: u32,
    span: Span,
    /// Where it is among the statements that are done, and how many objects were alive there, once it has been reached.
    reached: Option<(usize, usize)>,
    /// Jumps to it from before: where the statement with the jump begins, and the jump.
    forward: Vec<(usize, Span)>,
    /// Whether a jump to it goes backwards.
    backward: bool,
}

/// Where a jump goes.
pub(super) enum Target {
    /// To a label of a block around it, where so many objects are alive.
    Around(usize),
    /// Into a block, or out of a `case`.
    Elsewhere,
}

impl Pass<'_> {
    /// The statements of a block with the labels among them.
    pub(super) fn statements(&mut self, list: Vec<Stmt>) -> Vec<Stmt> {
        let mut out = Vec::with_capacity(list.len());
        let is_label = |s: &&Stmt| matches!(s.kind, StmtKind::Label(_));
        if !self.lives.has_labels || !list.iter().any(|s| is_label(&s)) {
            list.into_iter().for_each(|s| self.statement(s, &mut out));
            return out;
        }
        let place = self.lists.len();
        let labels = list.iter().filter_map(|s| match s.kind {
            StmtKind::Label(id) => {
                Some(Label { id, span: s.span, reached: None, forward: Vec::new(), backward: false })
            }
            _ => None,
        });
        self.lists.push(List { labels: labels.collect(), here: (0, self.alive.len()) });
        for label in &self.lists[place].labels {
            self.list_of.insert(label.id, place);
        }
        let mut next = 0;
        for s in list {
            let here = (out.len(), self.alive.len());
            self.lists[place].here = here;
            match s.kind {
                StmtKind::Label(_) => {
                    self.lists[place].labels[next].reached = Some(here);
                    next += 1;
                }
                _ => self.statement(s, &mut out),
            }
        }
        let Some(list) = self.lists.pop() else { return out };
        for label in &list.labels {
            self.list_of.remove(&label.id);
            self.bypassed(label, &out);
        }
        arranged(&list.labels, out)
    }

    /// Notes a jump.
    pub(super) fn target(&mut self, id: u32, span: Span) -> Target {
        let Some(list) = self.list_of.get(&id).map(|at| &mut self.lists[*at]) else {
            return Target::Elsewhere;
        };
        // If the budget is spent, the checker's next charge reports it.
        let _ = self.budget.charge(Cost::Checks, list.labels.len() as u64 / 8);
        let here = list.here;
        let Some(label) = list.labels.iter_mut().find(|l| l.id == id) else { return Target::Elsewhere };
        match label.reached {
            Some((_, alive)) => {
                label.backward = true;
                Target::Around(alive)
            }
            None => {
                label.forward.push((here.0, span));
                Target::Around(here.1)
            }
        }
    }

    /// Reports forward jumps over a variable's initialisation: a warning, as CUDA's compiler gives, unless it is an object of a class.
    fn bypassed(&mut self, label: &Label, out: &[Stmt]) {
        for &(from, jump) in &label.forward {
            let Some((to, _)) = label.reached else { continue };
            if !self.budget.charge(Cost::Checks, 1 + (to - from) as u64 / 8) {
                return;
            }
            let skipped = out[from..to].iter().find_map(|s| match &s.kind {
                StmtKind::Declare { local, .. }
                | StmtKind::DeclareAggregate { local, .. }
                | StmtKind::Bind { local, .. } => {
                    let without_value = matches!(s.kind, StmtKind::Declare { value: None, .. });
                    let local = &self.locals[local.0 as usize];
                    let is_skipped = !without_value || self.classes.destroys(&local.ty);
                    (!local.name.is_empty() && is_skipped).then_some(local)
                }
                _ => None,
            });
            if let Some(skipped) = skipped {
                let (name, declared) = (skipped.name.clone(), skipped.span);
                let is_object = !skipped.is_reference && matches!(element(&skipped.ty), Type::Struct(_));
                self.jumps_past(("goto", jump), &name, declared, is_object);
            }
        }
    }

    /// Reports a jump over the initialisation of what is declared there.
    pub(super) fn jumps_past(
        &mut self,
        (what, jump): (&str, Span),
        name: &str,
        declared: Span,
        is_error: bool,
    ) {
        let title = format!("this `{what}` jumps past the initialization of `{name}`");
        let problem = Diagnostic::new(Code::JumpPastInitialization, title)
            .label(jump, "jumps from here")
            .label(declared, "to a point where this variable exists without a value")
            .help(format!(
                "declare the variable before the `{what}`, or put the skipped code into a block `{{ … }}`"
            ));
        self.problems.push(if is_error { problem.with_kind(Kind::Error) } else { problem });
    }
}

/// What an array has, or the type itself.
fn element(ty: &Type) -> &Type {
    match ty {
        Type::Array(array) => element(&array.of),
        ty => ty,
    }
}

/// Gives a block's statements the shape that its jumps need.
fn arranged(labels: &[Label], list: Vec<Stmt>) -> Vec<Stmt> {
    let mut statements = list.into_iter();
    let mut at = 0;
    let mut parts = vec![(None, Vec::new())];
    for label in labels.iter().filter(|l| l.backward || !l.forward.is_empty()) {
        let Some((position, _)) = label.reached else { continue };
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
        return vec![Stmt { kind: StmtKind::Dispatch { parts }, span }];
    }
    parts.into_iter().fold(Vec::new(), |mut out, (label, part)| {
        if let Some(label) = label {
            let body = std::mem::take(&mut out);
            out.push(Stmt { kind: StmtKind::Labelled { label: label.id, body }, span: label.span });
        }
        out.extend(part);
        out
    })
}
