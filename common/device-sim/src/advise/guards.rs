//! Guards of an access that may be out of bounds: around its statement, in the condition that chooses it, as an early return, or as a zero
//! in its place where the value is only added.

use super::Advice;
use super::places::target;
use crate::diagnose::{Cause, Overrun};
use cuda_syntax::outline::{Jump, Part, PartKind, StatementId, StatementKind};
use source::{Edit, Span, Suggestion};
use std::collections::HashSet;

pub(super) const NO_ELEMENT: &str = "because there is no such element";

/// A condition and its opposite.
pub(super) struct Test {
    pub(super) holds: String,
    pub(super) fails: String,
}

impl Advice<'_> {
    /// Guards, for each way to name the array's length.
    pub(super) fn guards(&self, access: Span, overrun: &Overrun) -> Vec<Suggestion> {
        let tests = self.tests(access, overrun);
        let is_neighbour = self.is_neighbour(overrun);
        // What a tile lacks is no element that does not exist.
        let is_global = !self.is_shared(access);
        let of = |test: &Test| {
            let all = [
                self.in_condition(access, test),
                self.guard(access, &test.holds),
                self.guard_of_neighbour(access, &test.holds).filter(|_| is_neighbour && is_global),
                self.leave(access, test).filter(|_| is_global),
                self.zero(access, test).filter(|_| is_global),
            ];
            all.into_iter().flatten().map(|edits| Suggestion::new(edits, NO_ELEMENT)).collect::<Vec<_>>()
        };
        tests.iter().flat_map(of).collect()
    }

    /// The conditions under which there is an element.
    fn tests(&self, access: Span, overrun: &Overrun) -> Vec<Test> {
        let text = &self.text;
        let (index, of_cause) = match &overrun.cause {
            Cause::Subtracted { location, .. } => {
                let minus = |kind: &PartKind| matches!(kind, PartKind::Binary { op: "-", .. });
                let part = self.span(Some(*location)).and_then(|span| text.outline.part(span, minus));
                let Some(PartKind::Binary { sides, .. }) = part.map(|part| &part.kind) else {
                    return Vec::new();
                };
                let [from, what] = sides.map(|side| text.of(side));
                return vec![Test { holds: format!("{from} >= {what}"), fails: format!("{from} < {what}") }];
            }
            Cause::FromMemory { .. } => return self.last_of_row(access).into_iter().collect(),
            Cause::NoGuard { index, .. } | Cause::TestsPart { index, .. } => {
                (self.index(access), &index.text)
            }
            _ => return Vec::new(),
        };
        let shown = index.map_or(of_cause.as_str(), |span| text.of(span));
        let limits = overrun.limits.iter().map(|limit| self.in_function(access, limit));
        let mut all: Vec<Test> = limits
            .map(|limit| Test { holds: format!("{shown} < {limit}"), fails: format!("{shown} >= {limit}") })
            .collect();
        if let Some(row) = self.bound_of_row(access) {
            let limits = overrun.limits_of_rows.iter();
            all.extend(
                limits.map(|limit| Test {
                    holds: format!("{row} < {limit}"),
                    fails: format!("{row} >= {limit}"),
                }),
            );
        }
        if let Some([one, two, column]) = index.and_then(|index| self.row_and_column(index)) {
            for [width, height] in &overrun.rows {
                let row = match (text.word(one) == *width, text.word(two) == *width) {
                    (false, true) => text.of(one),
                    (true, false) => text.of(two),
                    _ => continue,
                };
                let column = text.of(column);
                let holds = format!("{column} < {width} && {row} < {height}");
                all.push(Test { holds, fails: format!("{column} >= {width} || {row} >= {height}") });
            }
        }
        all
    }

    /// `row * width + column`, perhaps the value of a variable: these three.
    fn row_and_column(&self, index: Span) -> Option<[Span; 3]> {
        let text = &self.text;
        let name = text.word(index);
        let value = text.outline.parts.iter().find_map(|part| match part.kind {
            PartKind::Variable { name: own, value } if text.word(own) == name => Some(value),
            _ => None,
        });
        let sides = |span: Span, op: &str| {
            let is_op = |kind: &PartKind| matches!(kind, PartKind::Binary { op: own, .. } if *own == op);
            match text.outline.part(text.bare(span), is_op)?.kind {
                PartKind::Binary { sides, .. } => Some(sides),
                _ => None,
            }
        };
        let [left, right] = sides(value.unwrap_or(index), "+")?;
        let (product, column) = match sides(left, "*") {
            Some(product) => (product, right),
            None => (sides(right, "*")?, left),
        };
        Some([product[0], product[1], column])
    }

    /// How the function of an access names a parameter of the kernel.
    fn in_function(&self, access: Span, name: &str) -> String {
        let text = &self.text;
        let call = text.calls_of(access).into_iter().next();
        let part =
            call.and_then(|call| text.outline.part(call, |kind| matches!(kind, PartKind::Call { .. })));
        let Some(PartKind::Call { arguments, .. }) = part.map(|part| &part.kind) else {
            return name.to_owned();
        };
        let at = arguments.iter().position(|argument| text.word(*argument) == name);
        let own = at.and_then(|at| self.parameters(access)?.get(at).cloned());
        own.unwrap_or_else(|| name.to_owned())
    }

    /// The names of the parameters of the function that has a range.
    fn parameters(&self, span: Span) -> Option<Vec<String>> {
        let text = &self.text;
        let body = text.statement(*text.path(span).last()?).span;
        let head = text.text.get(..body.start as usize)?.trim_end();
        let from = head.rfind(text.function_of(span)?)?;
        let list = head.get(from..)?.split_once('(')?.1.strip_suffix(')')?;
        let name = |parameter: &str| {
            let name = parameter.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next();
            name.unwrap_or_default().to_owned()
        };
        Some(list.split(',').map(|parameter| name(parameter.trim())).collect())
    }

    /// Whether the access is of a neighbour of the element that a condition tests, or nothing is tested: then a thread without it does
    /// nothing. A limit that is not the array's length may be the mistake itself.
    fn is_neighbour(&self, overrun: &Overrun) -> bool {
        let text = &self.text;
        match &overrun.cause {
            Cause::NoGuard { .. } | Cause::Subtracted { .. } => true,
            Cause::TestsPart { condition, .. } => self.span(Some(*condition)).is_some_and(|span| {
                let part = text.outline.part(span, |kind| matches!(kind, PartKind::Binary { .. }));
                part.is_some_and(|part| match &part.kind {
                    PartKind::Binary { sides, .. } => {
                        sides.iter().any(|side| overrun.limits.contains(&text.word(*side)))
                    }
                    _ => false,
                })
            }),
            _ => false,
        }
    }

    /// The condition of `c ? x : y` is made to choose `y`.
    fn in_condition(&self, access: Span, test: &Test) -> Option<Vec<Edit>> {
        let text = &self.text;
        let chosen = text.outline.parts.iter().rev().find_map(|part| match part.kind {
            PartKind::Conditional([condition, then, _]) if then.contains(access) => Some(condition),
            _ => None,
        })?;
        Some(self.and(chosen, &test.holds))
    }

    /// A condition that asks for more.
    fn and(&self, condition: Span, more: &str) -> Vec<Edit> {
        let binds_less = |kind: &PartKind| {
            matches!(
                kind,
                PartKind::Binary { op: "||", .. } | PartKind::Conditional(_) | PartKind::Assign { .. }
            )
        };
        let more = format!(" && {more}");
        match self.text.outline.part(condition, binds_less).is_some() {
            true => vec![Edit::insert(condition, "("), Edit::insert(condition.after(), format!("){more}"))],
            false => vec![Edit::insert(condition.after(), more)],
        }
    }

    /// A guard around the statement of an access, which writes the element of the same index or is an atomic operation with it.
    pub(super) fn guard(&self, access: Span, condition: &str) -> Option<Vec<Edit>> {
        let id: StatementId = self.text.outline.innermost(access)?;
        let span = self.text.statement(id).span;
        (self.is_elementwise(access, span) || self.is_atomic_statement(span))
            .then(|| self.guard_statement(id, condition))?
    }

    /// A guard around a statement that reads a neighbour, and writes to its own element, or adds to a variable.
    fn guard_of_neighbour(&self, access: Span, condition: &str) -> Option<Vec<Edit>> {
        let text = &self.text;
        let id = text.outline.innermost(access)?;
        let mut stores = text.parts(text.statement(id).span).filter(|part| target(part).is_some());
        let (store, None) = (stores.next()?, stores.next()) else { return None };
        let PartKind::Assign { target, op, is_statement: true, .. } = store.kind else { return None };
        // An `else`, or a remainder beside it, says that something else is meant for what lies outside.
        let around = text.statement(id).parent.map(|parent| text.statement(parent).kind);
        let has_other = matches!(around, Some(StatementKind::If { otherwise: Some(_), .. }));
        if has_other || text.of(text.statement(id).span).contains('%') {
            return None;
        }
        let is_own = text.of(target).contains('[') && !self.is_shared(target);
        let adds = !text.of(target).contains('[') && matches!(op, "+" | "-");
        (is_own || adds).then(|| self.guard_statement(id, condition))?
    }

    fn guard_statement(&self, id: StatementId, condition: &str) -> Option<Vec<Edit>> {
        let text = &self.text;
        let statement = text.statement(id);
        let is_plain = statement.kind == StatementKind::Other
            && text.parts(statement.span).all(|part| !matches!(part.kind, PartKind::Variable { .. }));
        if !is_plain {
            return None;
        }
        if let (false, Some((_, around))) = (statement.is_in_list, text.only_branch(id)) {
            return Some(self.and(around, condition));
        }
        let guard = Edit::insert(statement.span, format!("if ({condition}) "));
        match statement.is_in_list {
            true => Some(vec![guard]),
            // An `else` after it stays that of the `if` before it.
            false => Some(vec![
                Edit::replace(guard.span, format!("{{ {}", guard.replacement)),
                Edit::insert(statement.span.after(), " }"),
            ]),
        }
    }

    /// The variables that a statement gives a value.
    pub(super) fn assigned(&self, id: StatementId) -> Option<HashSet<String>> {
        let text = &self.text;
        let mut names = HashSet::new();
        for part in text.parts(text.statement(id).span) {
            match &part.kind {
                PartKind::Variable { name, .. } => names.insert(text.word(*name)),
                PartKind::Assign { target, .. } => names.insert(text.words_of(*target).next()?.to_owned()),
                _ => continue,
            };
        }
        (!names.is_empty()).then_some(names)
    }

    /// Variables whose values come from others, in a range.
    pub(super) fn made_of(&self, range: Span, mut names: HashSet<String>) -> HashSet<String> {
        let text = &self.text;
        for _ in 0..3 {
            for part in text.parts(range) {
                let (name, value) = match &part.kind {
                    PartKind::Variable { name, value } => (*name, *value),
                    PartKind::Assign { target, value, .. } => (*target, *value),
                    _ => continue,
                };
                if text.words_of(value).any(|word| names.contains(word)) {
                    names.extend(text.words_of(name).next().map(str::to_owned));
                }
            }
        }
        names
    }

    /// Zero in the place of an element that does not exist, where values like it are only added.
    fn zero(&self, access: Span, test: &Test) -> Option<Vec<Edit>> {
        let text = &self.text;
        let id = text.outline.innermost(access)?;
        let statement = text.statement(id);
        let into_element =
            |part: &Part| target(part).is_some_and(|t| text.of(t).contains(['[', '*']) && !self.is_shared(t));
        let is_read = text.store(access).is_none() && !text.parts(statement.span).any(into_element);
        let is_right = match statement.kind {
            StatementKind::Jump(Jump::Return) => {
                let calls = text.calls_of(access);
                let all = calls.iter().all(|call| {
                    let id = text.outline.innermost(*call);
                    id.and_then(|id| self.assigned(id)).is_some_and(|names| self.only_added(*call, names))
                });
                all && !calls.is_empty()
            }
            StatementKind::Other => {
                self.assigned(id).is_some_and(|names| self.only_added(statement.span, names))
            }
            _ => false,
        };
        if !is_read || !is_right {
            return None;
        }
        let code = format!("{} ? {} : 0", test.holds, text.of(access));
        let is_all = text.parts(statement.span).any(|part| match part.kind {
            PartKind::Variable { value, .. } | PartKind::Assign { value, .. } => value == access,
            _ => false,
        });
        let is_all = is_all
            || statement.kind == StatementKind::Jump(Jump::Return) && {
                text.plain(statement.span) == format!("return{};", text.plain(access))
            };
        Some(vec![Edit::replace(access, if is_all { code } else { format!("({code})") })])
    }

    /// Whether the values of variables and arrays go into sums and products with others alone, behind a place in its function.
    fn only_added(&self, place: Span, names: HashSet<String>) -> bool {
        let text = &self.text;
        let Some(body) = text.path(place).last().map(|id| text.statement(*id).span) else { return false };
        let after = Span { start: place.start, ..body };
        let names = self.made_of(after, names);
        // An element whose index has the name of a variable is not a value of it.
        let reads = |span: Span| {
            let code = text.of(text.bare(span));
            let own = code.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
            names.contains(own)
                || text.parts(span).any(|part| match part.kind {
                    PartKind::Index { base, .. } => {
                        text.words_of(base).next().is_some_and(|n| names.contains(n))
                    }
                    PartKind::Binary { sides, .. } => sides.iter().any(|s| names.contains(&text.word(*s))),
                    _ => false,
                })
        };
        text.parts(after).all(|part| match &part.kind {
            PartKind::Binary { op: "+" | "-", .. } => true,
            PartKind::Binary { op: "*", sides: [left, right], .. } => !(reads(*left) && reads(*right)),
            PartKind::Binary { sides, .. } => !sides.iter().any(|side| reads(*side)),
            PartKind::Assign { op, value, target, .. } => {
                matches!(*op, "" | "+" | "-") || !(reads(*value) || reads(*target))
            }
            PartKind::Conditional([condition, ..]) => !reads(*condition),
            PartKind::Call { callee, arguments } => {
                let adds =
                    ["atomicAdd", "__shfl", "__sync"].iter().any(|name| text.of(*callee).starts_with(name));
                adds || text.of(*callee).ends_with("sync") || !arguments.iter().any(|a| reads(*a))
            }
            PartKind::Step { .. } | PartKind::Index { .. } | PartKind::Variable { .. } => true,
        })
    }

    /// The index of an access.
    pub(super) fn index(&self, access: Span) -> Option<Span> {
        let own = self.text.store(access).and_then(target).unwrap_or(access);
        let part = self.text.outline.part(own, |kind| matches!(kind, PartKind::Index { .. }))?;
        match part.kind {
            PartKind::Index { index, .. } => Some(index),
            _ => None,
        }
    }

    fn is_atomic_statement(&self, statement: Span) -> bool {
        let text = &self.text;
        let code = text.of(statement).trim_end_matches(';').trim();
        let call = text.parts(statement).next();
        call.is_some_and(|part| match part.kind {
            PartKind::Call { callee, .. } => {
                text.of(callee).starts_with("atomic")
                    && text.of(part.span) == code
                    && !text.parts(part.span).any(|part| target(part).is_some())
            }
            _ => false,
        })
    }

    /// Whether nothing is left out by leaving out a statement where an access of it is out of bounds: it writes the element of the same
    /// index, and no tile, which later statements read whole.
    fn is_elementwise(&self, access: Span, statement: Span) -> bool {
        let text = &self.text;
        let index = |span: Span| self.index(span).map(|index| text.plain(index));
        let stores: Vec<Span> = text.parts(statement).filter_map(target).collect();
        let [target] = *stores.as_slice() else { return false };
        index(access).is_some() && index(access) == index(target) && !self.is_shared(target)
    }

    /// Whether a store goes to shared memory of the kernel, by the name of what is stored to.
    fn is_shared(&self, target: Span) -> bool {
        let name = self.text.words_of(target).next();
        let kernels = &self.program.module.kernels;
        kernels.iter().flat_map(|kernel| &kernel.shared).any(|variable| Some(variable.name.as_str()) == name)
    }
}
