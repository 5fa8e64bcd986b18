//! Statements that only some threads run, with barriers between them that all threads reach.
//!
//! What follows `if (c) return;` in its list is put into `if (!(c))`, up to the next barrier and from it to the one after; loops that have
//! barriers in them are run by all threads, and what is in them is guarded. So each thread does what it did before, and waits with the others.

use super::places::{Text, target};
use cuda_syntax::outline::{Jump, Part, PartKind, StatementId, StatementKind};
use source::{Edit, MAX_EDITS, Span, Suggestion};

const ALL_REACH: &str = "so that all threads reach the barrier";

/// What a statement is to those that leave barriers outside guards.
enum Role {
    Work,
    /// A declaration without a value, which has to be seen behind the guard.
    Declaration,
    Barrier,
    /// A loop with barriers in its body.
    Loop(StatementId),
    /// Barriers that cannot be taken out.
    Other,
}

/// An early way out of a list: `if (c) return;`.
struct Exit {
    id: StatementId,
    condition: Span,
    jump: Jump,
}

/// A barrier that is to be put before a statement of a list.
#[derive(Clone, Copy)]
pub(super) struct NewBarrier<'a> {
    pub(super) before: StatementId,
    pub(super) code: &'a str,
}

impl Text<'_> {
    /// The barriers that threads miss because they leave early: what they leave out is guarded instead. `barrier` is in the statements
    /// after the exit, or is `new` there.
    pub(super) fn guard_after_exits(&self, barrier: Span, new: Option<NewBarrier<'_>>) -> Vec<Suggestion> {
        let mut all = Vec::new();
        for id in self.path(barrier) {
            let Some(list) = self.statement(id).parent.filter(|_| self.statement(id).is_in_list) else {
                continue;
            };
            let children = self.children(list);
            let at = children.iter().position(|child| *child == id).unwrap_or(0);
            for exit in children[..at].iter().rev().filter_map(|child| self.exit(*child)) {
                let edits = match exit.jump {
                    Jump::Break => self.without_break(&exit, &children, list, new),
                    Jump::Return | Jump::Continue => self.without_exit(&exit, &children, list, new),
                };
                all.extend(edits.and_then(|edits| self.suggestion(edits)));
            }
        }
        all
    }

    /// `if (c) { … }` with barriers in it: the guard stands around the statements between them instead.
    pub(super) fn guard_parts(&self, barrier: Span) -> Vec<Suggestion> {
        let of = |id: StatementId| {
            let StatementKind::If { condition, then, otherwise: None } = self.statement(id).kind else {
                return None;
            };
            let whole = self.statement(id);
            if !self.is_pure(condition) {
                return None;
            }
            let margin = self.margin(whole.span.start);
            let (head, name) = self.named(condition, whole.span, "inside", margin);
            // Several statements in the place of one.
            let [before, after] = if whole.is_in_list { ["", ""] } else { ["{ ", " }"] };
            let children = self.children(then);
            let (first, last) = (children.first()?, children.last()?);
            let open = Span { end: self.statement(*first).span.start, ..whole.span };
            let close = Span { start: self.statement(*last).span.end, ..whole.span };
            let (mut edits, _) = self.guarded(&children, &name, None, true)?;
            edits.push(Edit::replace(open, format!("{before}{head}")));
            edits.push(Edit::replace(close, after));
            self.suggestion(vec![self.as_one(edits)?])
        };
        self.path(barrier).into_iter().filter_map(of).collect()
    }

    /// `if (c) { a; barrier } else { b }` as the `if` without barriers, a barrier, and an `if` of what followed it.
    pub(super) fn after_both(&self, barrier: Span) -> Vec<Suggestion> {
        let of = |id: StatementId| {
            let StatementKind::If { condition, then, otherwise: Some(otherwise) } = self.statement(id).kind
            else {
                return None;
            };
            let whole = self.statement(id);
            if !whole.is_in_list || !self.is_pure(condition) {
                return None;
            }
            let margin = self.margin(whole.span.start);
            let [one, two] = [self.halves(then)?, self.halves(otherwise)?];
            let code = one.2.or(two.2)?;
            if [&one, &two].iter().any(|half| half.2.is_some_and(|own| own != code)) {
                return None;
            }
            let has_rest = !one.1.is_empty() || !two.1.is_empty();
            let (head, name) = match has_rest {
                true => self.named(condition, whole.span, "inside", margin),
                false => (String::new(), self.of(condition).to_owned()),
            };
            let block = |text: &str| format!("{{\n{margin}    {text}\n{margin}}}");
            let choice = |[one, two]: [&str; 2]| match (one, two) {
                ("", other) => format!("if (!({name})) {}", block(other)),
                (one, "") => format!("if ({name}) {}", block(one)),
                (one, other) => format!("if ({name}) {} else {}", block(one), block(other)),
            };
            let mut text = format!("{head}{}\n{margin}{code}", choice([one.0, two.0]));
            if has_rest {
                text += &format!("\n{margin}{}", choice([one.1, two.1]));
            }
            self.suggestion(vec![Edit::replace(whole.span, text)])
        };
        self.path(barrier).into_iter().filter_map(of).collect()
    }

    /// What a branch does before its barrier, after it, and the barrier.
    fn halves(&self, branch: StatementId) -> Option<(&str, &str, Option<&str>)> {
        let span = self.statement(branch).span;
        if self.statement(branch).kind != StatementKind::Block {
            return match self.role(branch) {
                Role::Work => Some((self.of(span), "", None)),
                Role::Barrier => Some(("", "", Some(self.of(span)))),
                _ => None,
            };
        }
        let children = self.children(branch);
        let text = |part: &[StatementId]| match part {
            [] => "",
            [first, .., last] => self.of(self.statement(*first).span.to(self.statement(*last).span)),
            [one] => self.of(self.statement(*one).span),
        };
        let mut barriers = (0..children.len())
            .filter(|at| !matches!(self.role(children[*at]), Role::Work | Role::Declaration));
        let Some(at) = barriers.next() else { return Some((text(&children), "", None)) };
        let (before, after) = (&children[..at], &children[at + 1..]);
        if barriers.next().is_some() || !matches!(self.role(children[at]), Role::Barrier) {
            return None;
        }
        let names = before.iter().flat_map(|id| self.declared(*id));
        let is_used = |name: Span| self.words_of_all(after).any(|word| word == self.of(name));
        let mut names = names.collect::<Vec<_>>().into_iter();
        (!names.any(is_used))
            .then(|| (text(before), text(after), Some(self.of(self.statement(children[at]).span))))
    }

    /// A list without its exit, whose statements are guarded up to the last barrier; the exit is there.
    fn without_exit(
        &self,
        exit: &Exit,
        children: &[StatementId],
        list: StatementId,
        new: Option<NewBarrier<'_>>,
    ) -> Option<Vec<Edit>> {
        let in_loop = self
            .outline
            .path(list)
            .iter()
            .any(|id| matches!(self.statement(*id).kind, StatementKind::Loop(_)));
        // In a loop, one new barrier may not be enough for the next iteration.
        if in_loop && (exit.jump == Jump::Return || new.is_some()) {
            return None;
        }
        let at = children.iter().position(|child| *child == exit.id)?;
        let rest = &children[at + 1..];
        let span = self.statement(exit.id).span;
        let margin = self.margin(span.start);
        let (head, name) = match self.is_stable_among(exit.condition, rest) {
            true => (String::new(), self.of(exit.condition).to_owned()),
            false => self.named(exit.condition, span, "leaves", margin),
        };
        let (mut edits, end) = self.guarded(rest, &not(&name), new, false)?;
        edits.push(match head.as_str() {
            "" => Edit::replace(self.line_of(span), ""),
            head => Edit::replace(span, head.trim_end()),
        });
        if let Some(next) = rest.get(end)
            && !self.has_own_guards(&rest[end..], exit.condition)
        {
            let jump = match exit.jump {
                Jump::Return => self.of(self.last_of(exit.id)).to_owned(),
                Jump::Break | Jump::Continue => "continue;".to_owned(),
            };
            let next = self.statement(*next).span;
            let code = format!("if ({name}) {jump}\n{}", self.margin(next.start));
            edits.push(Edit::insert(next, code));
        }
        Some(edits)
    }

    /// Whether all that statements store to elements is guarded in them, with a limit of a condition: other threads may be meant than those
    /// for which the condition does not hold.
    fn has_own_guards(&self, list: &[StatementId], condition: Span) -> bool {
        let words: Vec<&str> = self.words_of(condition).collect();
        let is_guarded = |part: &Part| {
            self.path(part.span).into_iter().any(|id| match self.statement(id).kind {
                StatementKind::If { condition, .. } => {
                    list.iter().any(|own| self.statement(*own).span.contains(condition))
                        && self.words_of(condition).any(|word| words.contains(&word))
                }
                _ => false,
            })
        };
        let stores = |part: &&Part| match part.kind {
            PartKind::Call { callee, .. } => self.of(callee).starts_with("atomic"),
            _ => target(part).is_some_and(|target| self.of(target).contains(['[', '*'])),
        };
        let all = list.iter().flat_map(|id| self.parts(self.statement(*id).span)).filter(stores);
        let all: Vec<&Part> = all.collect();
        !all.is_empty() && all.into_iter().all(is_guarded)
    }

    /// A loop whose threads stay in it after their `break`, and do nothing.
    fn without_break(
        &self,
        exit: &Exit,
        children: &[StatementId],
        list: StatementId,
        new: Option<NewBarrier<'_>>,
    ) -> Option<Vec<Edit>> {
        let around = self.statement(list).parent?;
        let whole = self.statement(around);
        let is_loop = whole.kind == StatementKind::Loop(list) && self.of(whole.span).starts_with("for");
        if !is_loop || !whole.is_in_list || new.is_some() {
            return None;
        }
        let at = children.iter().position(|child| *child == exit.id)?;
        let span = self.statement(exit.id).span;
        let name = self.fresh("done");
        let (mut edits, _) = self.guarded(&children[at + 1..], &format!("!{name}"), new, true)?;
        edits.push(Edit::replace(span, format!("{name} = {name} || {};", self.operand(exit.condition))));
        edits.push(Edit::insert(
            whole.span,
            format!("bool {name} = false;\n{}", self.margin(whole.span.start)),
        ));
        Some(edits)
    }

    /// The edits that put guards around what stands between the barriers of a list, and the place after the last barrier. What follows
    /// that is guarded, too, if `to_the_end`.
    fn guarded(
        &self,
        list: &[StatementId],
        condition: &str,
        new: Option<NewBarrier<'_>>,
        to_the_end: bool,
    ) -> Option<(Vec<Edit>, usize)> {
        let (mut edits, mut open, mut end) = (Vec::new(), None::<usize>, 0);
        for (i, id) in list.iter().enumerate() {
            let is_new = new.filter(|new| new.before == *id);
            let role = self.role(*id);
            if (is_new.is_some() || !matches!(role, Role::Work))
                && let Some(from) = open.take()
            {
                edits.extend(self.guard_of(list, from..i, condition)?);
            }
            if let Some(new) = is_new {
                let span = self.statement(*id).span;
                edits.push(Edit::insert(span, format!("{}\n{}", new.code, self.margin(span.start))));
                end = i;
            }
            match role {
                Role::Work => {
                    open.get_or_insert(i);
                }
                Role::Declaration => {}
                Role::Barrier => end = i + 1,
                Role::Loop(body) => {
                    edits.extend(self.guarded(&self.children(body), condition, new, true)?.0);
                    end = i + 1;
                }
                Role::Other => return None,
            }
        }
        if let Some(from) = open
            && to_the_end
        {
            edits.extend(self.guard_of(list, from..list.len(), condition)?);
        }
        Some((edits, end))
    }

    /// The edits that put some statements of a list into a guard. Variables that are used behind it are declared before it.
    fn guard_of(
        &self,
        list: &[StatementId],
        range: std::ops::Range<usize>,
        condition: &str,
    ) -> Option<Vec<Edit>> {
        let (some, after) = (&list[range.clone()], &list[range.end..]);
        let (first, last) = (self.statement(*some.first()?).span, self.statement(*some.last()?).span);
        let margin = self.margin(first.start);
        let mut declarations = String::new();
        let mut edits = Vec::new();
        for id in some {
            let names: Vec<Span> = self.declared(*id).collect();
            let is_used = |name: &Span| self.words_of_all(after).any(|word| word == self.of(*name));
            if !names.iter().any(is_used) {
                continue;
            }
            let span = self.statement(*id).span;
            let head = Span { end: names[0].start, ..span };
            let ty = self.of(head).trim();
            if ty.contains("auto") || ty.contains('&') {
                return None;
            }
            let ty = if ty.contains('*') { ty } else { ty.trim_start_matches("const ") };
            for name in &names {
                declarations += &format!("{ty} {} = 0;\n{margin}", self.of(*name));
            }
            edits.push(Edit::replace(head, ""));
        }
        if let ([one], true) = (some, edits.is_empty())
            && self.is_simple(*one)
        {
            return Some(vec![Edit::insert(first, format!("if ({condition}) "))]);
        }
        let open = format!("{declarations}if ({condition}) {{\n{margin}");
        match edits.first_mut().filter(|edit| edit.span.start == first.start) {
            Some(edit) => edit.replacement = open,
            None => edits.push(Edit::insert(first, open)),
        }
        edits.push(Edit::insert(last.after(), format!("\n{margin}}}")));
        Some(edits)
    }

    /// Whether a statement can stand behind a guard without braces: an `else` of an `if` in it would be taken for the guard's.
    fn is_simple(&self, id: StatementId) -> bool {
        self.statement(id).kind == StatementKind::Other && self.declared(id).next().is_none()
    }

    /// The names that a statement declares, with their values.
    fn declared(&self, id: StatementId) -> impl Iterator<Item = Span> {
        self.outline.parts.iter().filter(move |part| part.statement == id).filter_map(|part| {
            match part.kind {
                PartKind::Variable { name, .. } => Some(name),
                _ => None,
            }
        })
    }

    fn words_of_all(&self, list: &[StatementId]) -> impl Iterator<Item = &str> {
        list.iter().flat_map(|id| self.words_of(self.statement(*id).span))
    }

    fn role(&self, id: StatementId) -> Role {
        let statement = self.statement(id);
        let barriers = self.parts(statement.span).filter(|part| self.is_barrier(part)).count();
        let plain = |span: Span| self.of(span).trim_end_matches(';').trim();
        match statement.kind {
            _ if barriers == 0 => {
                let is_other = statement.kind == StatementKind::Other;
                let has_value = self.parts(statement.span).next().is_some();
                match is_other && !has_value && self.words_of(statement.span).count() > 1 {
                    true => Role::Declaration,
                    false => Role::Work,
                }
            }
            StatementKind::Other => {
                let is_all = self
                    .parts(statement.span)
                    .find(|part| self.is_barrier(part))
                    .is_some_and(|part| plain(part.span) == plain(statement.span) && self.only_waits(part));
                if is_all { Role::Barrier } else { Role::Other }
            }
            StatementKind::Loop(body) if self.statement(body).kind == StatementKind::Block => {
                let in_body =
                    self.parts(self.statement(body).span).filter(|part| self.is_barrier(part)).count();
                // Who leaves the loop early would miss its barriers.
                let leaves = self
                    .outline
                    .statements
                    .iter()
                    .any(|s| matches!(s.kind, StatementKind::Jump(_)) && statement.span.contains(s.span));
                if in_body == barriers && !leaves { Role::Loop(body) } else { Role::Other }
            }
            StatementKind::Body
            | StatementKind::Block
            | StatementKind::If { .. }
            | StatementKind::Loop(_)
            | StatementKind::Jump(_) => Role::Other,
        }
    }

    /// Whether a call waits for the other threads of the block, itself or in the function that it calls.
    pub(super) fn is_barrier(&self, part: &Part) -> bool {
        let PartKind::Call { callee, .. } = part.kind else { return false };
        is_barrier_name(self.of(callee))
            || self.function(self.of(callee)).is_some_and(|body| self.waits(body, 8))
    }

    fn waits(&self, body: StatementId, depth: u32) -> bool {
        let span = self.statement(body).span;
        depth > 0
            && self.parts(span).any(|part| match part.kind {
                PartKind::Call { callee, .. } => {
                    let name = self.of(callee);
                    is_barrier_name(name)
                        || self.function(name).is_some_and(|body| self.waits(body, depth - 1))
                }
                _ => false,
            })
    }

    /// Whether a call does nothing but wait.
    fn only_waits(&self, part: &Part) -> bool {
        let PartKind::Call { callee, .. } = part.kind else { return false };
        let body = self.function(self.of(callee)).map(|body| self.children(body));
        is_barrier_name(self.of(callee))
            || body.is_some_and(|list| list.len() == 1 && matches!(self.role(list[0]), Role::Barrier))
    }

    fn function(&self, name: &str) -> Option<StatementId> {
        self.outline.functions.iter().find(|(_, own)| own == name).map(|(id, _)| *id)
    }

    /// The function that a range is in.
    pub(super) fn function_of(&self, span: Span) -> Option<&str> {
        let body = *self.path(span).last()?;
        self.outline.functions.iter().find(|(id, _)| *id == body).map(|(_, name)| name.as_str())
    }

    /// Where the function that has a range is called.
    pub(super) fn calls_of(&self, span: Span) -> Vec<Span> {
        let Some(name) = self.function_of(span) else { return Vec::new() };
        let call = |part: &Part| match part.kind {
            PartKind::Call { callee, .. } if self.words_of(callee).next() == Some(name) => Some(part.span),
            _ => None,
        };
        self.outline.parts.iter().filter_map(call).collect()
    }

    fn exit(&self, id: StatementId) -> Option<Exit> {
        let StatementKind::If { condition, then, otherwise: None } = self.statement(id).kind else {
            return None;
        };
        let inner = match self.children(then).as_slice() {
            [] => then,
            [one] => *one,
            _ => return None,
        };
        match self.statement(inner).kind {
            StatementKind::Jump(jump) if self.is_pure(condition) => Some(Exit { id, condition, jump }),
            _ => None,
        }
    }

    /// The jump of an exit.
    fn last_of(&self, id: StatementId) -> Span {
        let own = self.statement(id).span;
        let mut jumps = self
            .outline
            .statements
            .iter()
            .filter(|s| matches!(s.kind, StatementKind::Jump(_)) && own.contains(s.span));
        jumps.next().map_or(own, |s| s.span)
    }

    /// Whether evaluating a condition changes nothing.
    pub(super) fn is_pure(&self, condition: Span) -> bool {
        self.parts(condition).all(|part| match part.kind {
            PartKind::Binary { .. } | PartKind::Index { .. } | PartKind::Conditional(_) => true,
            PartKind::Assign { .. }
            | PartKind::Step { .. }
            | PartKind::Call { .. }
            | PartKind::Variable { .. } => false,
        })
    }

    /// Whether a condition gives the same again after some statements, or parts of them: it reads no memory, calls nothing, and nothing there
    /// changes what it reads.
    pub(super) fn is_stable_among(&self, condition: Span, list: &[StatementId]) -> bool {
        let words: Vec<&str> = self.words_of(condition).collect();
        let changes = |part: &Part| {
            target(part)
                .is_some_and(|target| self.words_of(target).next().is_some_and(|name| words.contains(&name)))
        };
        self.reads_no_memory(condition)
            && !list.iter().any(|id| self.parts(self.statement(*id).span).any(changes))
    }

    /// A condition that is evaluated once: the declaration of its value, and what stands for it.
    fn named(&self, condition: Span, whole: Span, name: &str, margin: &str) -> (String, String) {
        let all = self.outline.innermost(whole);
        match all.is_some_and(|id| self.is_stable_among(condition, &[id])) {
            true => (String::new(), self.of(condition).to_owned()),
            false => {
                let name = self.fresh(name);
                (format!("const bool {name} = {};\n{margin}", self.of(condition)), name)
            }
        }
    }

    fn suggestion(&self, edits: Vec<Edit>) -> Option<Suggestion> {
        let edits = match edits.len() <= MAX_EDITS {
            true => edits,
            false => vec![self.as_one(edits)?],
        };
        Some(Suggestion::new(edits, ALL_REACH))
    }

    /// Edits as one of all the text that they are in.
    fn as_one(&self, edits: Vec<Edit>) -> Option<Edit> {
        let all = Suggestion::new(edits, "");
        let (first, last) = (all.edits.first()?.span, all.edits.last()?.span);
        let rest = self.text.len() - last.end as usize;
        let changed = all.apply(self.text)?;
        let text = changed.get(first.start as usize..changed.len() - rest)?;
        Some(Edit::replace(Span { end: last.end, ..first }, text))
    }
}

fn is_barrier_name(name: &str) -> bool {
    name.starts_with("__syncthreads") || name.ends_with(".sync")
}

/// The opposite of a condition.
fn not(condition: &str) -> String {
    match condition.strip_prefix("!(").and_then(|rest| rest.strip_suffix(')')) {
        Some(inner) if !inner.contains(['(', ')']) => inner.to_owned(),
        _ if condition.chars().all(|c| c.is_alphanumeric() || c == '_') => format!("!{condition}"),
        _ => format!("!({condition})"),
    }
}
