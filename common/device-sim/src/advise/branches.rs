//! Statements that are taken apart, so that a barrier that all threads reach stands between their parts.

use super::places::Text;
use cuda_syntax::outline::{Part, PartKind, StatementId, StatementKind};
use source::{Edit, Span, Suggestion};

const READ_FIRST: &str = "so that every thread has read before any thread writes";
const BOTH_BRANCHES: &str = "so that all threads reach the barrier between both parts";

impl Text<'_> {
    /// One statement that reads what others write with it: read into a variable, barrier, write. An `if` around the statement stays around
    /// both halves. `ty` is the element's type.
    pub(super) fn read_before_write(
        &self,
        (first, second): (Span, Span),
        ty: &str,
        barrier: &str,
    ) -> Vec<Suggestion> {
        let store = [(first, second), (second, first)].into_iter().find_map(|(store, read)| {
            self.store(store).filter(|store| store.span.contains(read)).map(|store| (store, read))
        });
        let Some((
            Part { kind: PartKind::Assign { target, op, value, is_statement: true }, statement, .. },
            _,
        )) = store
        else {
            return Vec::new();
        };
        let (to, from) = (self.of(*target), self.of(*value));
        let is_simple = self.outline.part(*value, |kind| matches!(kind, PartKind::Binary { .. })).is_none()
            && !from.contains(['?', '=']);
        let value = match *op {
            "" => from.to_owned(),
            op if is_simple => format!("{to} {op} {from}"),
            op => format!("{to} {op} ({from})"),
        };
        let (name, whole) = (self.fresh("value"), *statement);
        let replaced = |id: StatementId, lines: &[String]| {
            let statement = self.statement(id);
            let margin = self.margin(statement.span.start);
            let code = lines.join(&format!("\n{margin}"));
            // A variable may not be declared between the labels of a `switch`.
            let is_open = statement.is_in_list && !self.has_labels(statement.parent);
            let code = if is_open { code } else { format!("{{ {code} }}") };
            Suggestion::new(vec![Edit::replace(statement.span, code)], READ_FIRST)
        };
        let (read, write) = (format!("{name} = {value};"), format!("{to} = {name};"));
        let mut all =
            vec![replaced(whole, &[format!("const {ty} {read}"), barrier.to_owned(), write.clone()])];
        if let Some((around, condition)) = self.only_branch(whole)
            && self.is_stable_among(condition, &[around])
        {
            let guard = format!("if ({})", self.of(condition));
            let declared = format!("{ty} {name} = 0;");
            let halves =
                [declared, format!("{guard} {read}"), barrier.to_owned(), format!("{guard} {write}")];
            all.push(replaced(around, &halves));
        }
        all
    }

    fn has_labels(&self, list: Option<StatementId>) -> bool {
        let mut all = list.into_iter().flat_map(|list| self.children(list));
        all.any(|id| {
            let text = self.of(self.statement(id).span);
            text.starts_with("case") || text.starts_with("default")
        })
    }

    /// Whether an expression is made of variables and operators alone.
    pub(super) fn reads_no_memory(&self, condition: Span) -> bool {
        let products = self.parts(condition).filter(|p| matches!(p.kind, PartKind::Binary { op: "*", .. }));
        let text = self.of(condition);
        products.count() == text.matches('*').count()
            && !text.contains("->")
            && self.parts(condition).all(|part| matches!(part.kind, PartKind::Binary { .. }))
    }

    /// An `if` that has both accesses: its branches one after the other, or its only branch in two.
    pub(super) fn split(&self, first: Span, second: Span, barrier: &str) -> Vec<Suggestion> {
        let (one, two) = (self.path(first), self.path(second));
        let mut all = Vec::new();
        for id in one.iter().filter(|id| two.contains(id)) {
            let StatementKind::If { condition, then, otherwise } = self.statement(*id).kind else { continue };
            if !self.is_stable_among(condition, &[*id]) {
                continue;
            }
            let margin = self.margin(self.statement(*id).span.start);
            let condition = self.of(condition);
            match otherwise {
                Some(otherwise)
                    if self.statement(*id).is_in_list
                        && one.contains(&otherwise) != two.contains(&otherwise)
                        && one.contains(&then) != two.contains(&then) =>
                {
                    let (then, other) = (self.statement(then).span, self.statement(otherwise).span);
                    let between = Span { start: then.end, end: other.start, ..then };
                    let code = format!("\n{margin}{barrier}\n{margin}if (!({condition})) ");
                    all.push(Suggestion::new(vec![Edit::replace(between, code)], BOTH_BRANCHES));
                }
                Some(_) => {}
                None => {
                    let children = self.children(then);
                    let next = children.iter().position(|child| two.contains(child));
                    let next = next.filter(|at| !one.contains(&children[*at]));
                    all.extend(next.and_then(|at| self.cut((*id, then), &children, at, barrier)));
                }
            }
        }
        all
    }

    /// `if (c) { a; b; }` as `if (c) { a; }`, barrier, `if (c) { b; }`; a variable that is declared in `a` is declared before both.
    fn cut(
        &self,
        (whole, then): (StatementId, StatementId),
        children: &[StatementId],
        at: usize,
        barrier: &str,
    ) -> Option<Suggestion> {
        let StatementKind::If { condition, .. } = self.statement(whole).kind else { return None };
        let span = self.statement(whole).span;
        if !self.statement(whole).is_in_list || !self.of(self.statement(then).span).starts_with('{') {
            return None;
        }
        let margin = self.margin(span.start);
        let next = self.statement(*children.get(at)?).span;
        let indent = self.indent(next.start).unwrap_or(margin);
        let condition = self.of(condition);
        // From the end of the statement before to the next one.
        let from = match at.checked_sub(1) {
            Some(before) => self.statement(children[before]).span.end,
            None => return None,
        };
        let between = Span { start: from, end: next.start, ..next };
        let code = format!("\n{margin}}}\n{margin}{barrier}\n{margin}if ({condition}) {{\n{indent}");
        let mut edits = vec![Edit::replace(between, code)];
        for child in &children[..at] {
            let mut variables = self.outline.parts.iter().filter(|part| part.statement == *child);
            let Some(Part { kind: PartKind::Variable { name, .. }, .. }) = variables.next() else { continue };
            let declaration = self.statement(*child).span;
            let head = Span { end: name.start, ..declaration };
            let ty = self.of(head).trim().trim_start_matches("const ").to_owned();
            edits.push(Edit::insert(span, format!("{ty} {} = 0;\n{margin}", self.of(*name))));
            edits.push(Edit::replace(head, ""));
        }
        (edits.len() <= source::MAX_EDITS).then(|| Suggestion::new(edits, BOTH_BRANCHES))
    }

    /// A barrier that not all threads reach, moved out of the innermost `if` around it.
    pub(super) fn move_out(&self, barrier: Span) -> Vec<Suggestion> {
        let path = self.path(barrier);
        if let Some((around, condition)) = path.first().and_then(|id| self.only_branch(*id))
            && self.is_pure(condition)
        {
            let code = self.of(self.statement(path[0]).span);
            let edit = Edit::replace(self.statement(around).span, code);
            return vec![Suggestion::new(vec![edit], "so that all threads reach it")];
        }
        let Some(own) = path.iter().copied().find(|id| self.statement(*id).is_in_list) else {
            return Vec::new();
        };
        let span = self.statement(own).span;
        // Nothing but the barrier itself.
        if self.of(span).trim_end_matches(';').trim_end() != self.of(barrier) {
            return Vec::new();
        }
        let code = self.of(span).to_owned();
        let mut all = Vec::new();
        for id in &path {
            let StatementKind::If { condition, then, otherwise: None } = self.statement(*id).kind else {
                continue;
            };
            let children = self.children(then);
            let Some(at) = children.iter().position(|child| *child == own) else { continue };
            // Where it is the whole body of a loop, what is moved would leave the loop.
            if !self.statement(*id).is_in_list {
                continue;
            }
            let around = self.statement(*id).span;
            let margin = self.margin(around.start);
            let removed = self.line_of(span);
            let moved = |edit: Edit| {
                Suggestion::new(vec![Edit::replace(removed, ""), edit], "so that all threads reach it")
            };
            if at + 1 == children.len() {
                all.push(moved(Edit::insert(around.after(), format!("\n{margin}{code}"))));
            } else if at == 0 {
                all.push(moved(Edit::insert(around, format!("{code}\n{margin}"))));
            } else if self.is_stable_among(condition, &[*id]) {
                let condition = self.of(condition);
                let text = format!("}}\n{margin}{code}\n{margin}if ({condition}) {{");
                all.push(Suggestion::new(vec![Edit::replace(span, text)], "so that all threads reach it"));
            }
        }
        all
    }

    /// A statement with the rest of its lines, if nothing else stands on them.
    pub(super) fn line_of(&self, span: Span) -> Span {
        let rest = &self.text[span.end as usize..];
        match (self.indent(span.start), rest.strip_prefix('\n')) {
            (Some(indent), Some(_)) => {
                Span { start: span.start - indent.len() as u32, end: span.end + 1, ..span }
            }
            _ => span,
        }
    }
}
