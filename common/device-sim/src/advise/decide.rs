//! Updates that a plain read of their word decides about, such as `if (x < v) atomicMax(&x, v);`.
//!
//! A maximum is only changed by a larger value, so the condition says nothing that the operation does not: it goes. Where more depends on it,
//! it compares what the operation gives, which is the value before the update. A condition with another value than that of the operation
//! stays as it is, and nothing is proposed.

use super::Advice;
use super::places::{Text, changed};
use super::update::Update;
use cuda_syntax::outline::{Part, PartKind, StatementId, StatementKind};
use source::{Edit, MAX_EDITS, Span};

/// An update by the greater or the smaller of its word and a value.
pub(super) struct Extremum<'a> {
    pub(super) part: &'a Part,
    /// The word, as [`canonical`] spells it.
    pub(super) word: String,
    /// `atomicMax` or `atomicMin`.
    pub(super) name: &'static str,
    /// The value, without blanks.
    pub(super) value: String,
    /// The operation as a call, in several ways.
    pub(super) calls: Vec<String>,
}

/// A condition that the update implies.
struct Decision<'a> {
    /// The whole condition, and the comparison in it.
    condition: Span,
    comparison: Span,
    /// What it reads: the word, or a variable that was made of it.
    read: Span,
    /// The declaration of that variable.
    copy: Option<&'a Part>,
    /// The word, as the file spells it where it is read.
    word: String,
}

impl Advice<'_> {
    /// `atomicMax` and `atomicMin` that a plain read of the same word decides about.
    pub(super) fn guarded_atomic(&self, part: &Part) -> Option<Update> {
        let PartKind::Call { callee, arguments } = &part.kind else { return None };
        let text = &self.text;
        let name = match text.of(*callee) {
            "atomicMax" => "atomicMax",
            "atomicMin" => "atomicMin",
            _ => return None,
        };
        let [pointer, value] = *arguments.as_slice() else { return None };
        self.decided(&Extremum {
            part,
            word: pointed_to(&text.word(pointer)),
            name,
            value: text.word(value),
            calls: vec![text.of(part.span).to_owned()],
        })
    }

    /// A plain read that decides whether an atomic operation sets its word, as an atomic one: `if (!*f) atomicExch(f, 1);`. The operation
    /// gives the same if another thread was faster. Of sums and extrema, the result would depend on the order.
    pub(super) fn read_of_guard(&self, first: Span, second: Span) -> Option<Vec<Edit>> {
        let text = &self.text;
        let of = |read: Span, atomic: Span| {
            let call = text.outline.part(atomic, |kind| matches!(kind, PartKind::Call { .. }))?;
            let PartKind::Call { callee, arguments } = &call.kind else { return None };
            let sets = ["atomicExch", "atomicOr", "atomicAnd"];
            let pointer = *arguments.first()?;
            let is_of_word = pointed_to(&text.word(pointer)) == canonical(&text.word(read));
            let is_constant = arguments[1..].iter().all(|value| text.word(*value).parse::<i64>().is_ok());
            let decides = text.path(atomic).into_iter().any(|id| match text.statement(id).kind {
                StatementKind::If { condition, .. } => condition.contains(read),
                _ => false,
            });
            let is_one = sets.contains(&text.of(*callee)) && is_of_word && is_constant && decides;
            is_one.then(|| vec![Edit::replace(read, format!("atomicAdd({}, 0)", text.of(pointer)))])
        };
        of(first, second).or_else(|| of(second, first))
    }

    /// The update with the condition that decides about it; `None` if there is none that it implies.
    pub(super) fn decided(&self, update: &Extremum<'_>) -> Option<Update> {
        let text = &self.text;
        let own = text.statement(update.part.statement).span;
        let is_statement = text.of(own).trim_end_matches(';').trim() == text.of(update.part.span);
        if !is_statement {
            return None;
        }
        // Where nothing else is in the branches, the condition may be further out.
        let mut inner = update.part.statement;
        while let Some((around, condition)) = text.only_branch(inner) {
            if let Some(decision) = self.decision(condition, update) {
                let ways = |call: &String| self.without_condition((around, inner), &decision, update, call);
                return Some(self.as_update(update, &decision, text.statement(around).span, ways));
            }
            inner = around;
        }
        let (around, condition) = text.branch(update.part.statement)?;
        let decision = self.decision(condition, update)?;
        let ways = |call: &String| self.with_result(&decision, update, call);
        Some(self.as_update(update, &decision, text.statement(around).span, ways))
    }

    fn as_update(
        &self,
        update: &Extremum<'_>,
        decision: &Decision<'_>,
        span: Span,
        ways: impl Fn(&String) -> Option<Vec<Edit>>,
    ) -> Update {
        let copy = decision.copy.map(|part| part.span);
        let ways = update.calls.iter().filter_map(ways).filter(|edits| edits.len() <= MAX_EDITS).collect();
        Update { word: decision.word.clone(), places: [span].into_iter().chain(copy).collect(), ways }
    }

    /// The comparison of a condition, or of a conjunct of it, that holds wherever the update changes its word.
    fn decision(&self, condition: Span, update: &Extremum<'_>) -> Option<Decision<'_>> {
        let text = &self.text;
        let whole = text.bare(condition);
        let binary = |span: Span| match text.outline.part(text.bare(span), is_binary)?.kind {
            PartKind::Binary { op, sides, .. } => Some((op, sides)),
            _ => None,
        };
        let mut open = vec![whole];
        while let Some(span) = open.pop() {
            let Some((op, [left, right])) = binary(span) else { continue };
            let (smaller, greater) = match op {
                "&&" => {
                    open.extend([left, right]);
                    continue;
                }
                "<" | "<=" => (left, right),
                ">" | ">=" => (right, left),
                _ => continue,
            };
            let (read, other) = match update.name {
                "atomicMax" => (smaller, greater),
                _ => (greater, smaller),
            };
            if text.word(other) != update.value || text.changed_in(span).next().is_some() {
                continue;
            }
            let word = text.word(read);
            let (copy, word) = match canonical(&word) == update.word {
                true => (None, word),
                false => {
                    let Some((copy, word)) = self.copy_of(&word, condition, update) else { continue };
                    (Some(copy), word)
                }
            };
            return Some(Decision {
                condition,
                comparison: text.bare(span),
                read: text.bare(read),
                copy,
                word,
            });
        }
        None
    }

    /// The declaration of a variable before a condition that gives it what the word holds, and how that is spelled.
    fn copy_of(&self, name: &str, condition: Span, update: &Extremum<'_>) -> Option<(&Part, String)> {
        let text = &self.text;
        let function = text.path(condition).last().copied();
        text.outline.parts.iter().rev().find_map(|part| match part.kind {
            PartKind::Variable { name: own, value } if text.word(own) == name => {
                let is_before = part.span.end <= condition.start;
                let is_copy = canonical(&text.word(value)) == update.word;
                (is_before && is_copy && text.path(part.span).last().copied() == function)
                    .then(|| (part, text.word(value)))
            }
            _ => None,
        })
    }

    /// The branch without the comparison: `inner` is all that it has.
    fn without_condition(
        &self,
        (around, inner): (StatementId, StatementId),
        decision: &Decision<'_>,
        update: &Extremum<'_>,
        call: &str,
    ) -> Option<Vec<Edit>> {
        let text = &self.text;
        let (inner, own) = (text.statement(inner).span, update.part.span);
        let mut edits = self.without_copy(decision)?;
        let before = Span { end: own.start, ..inner };
        let after = Span { start: own.end, ..inner };
        let code = format!("{}{call}{}", text.of(before), text.of(after));
        let span = text.statement(around).span;
        let rest = text.without(decision.condition, decision.comparison)?;
        let code = if rest.is_empty() { code } else { format!("if ({rest}) {code}") };
        edits.push(Edit::replace(span, code));
        Some(edits)
    }

    /// The condition with what the operation gives in place of the word, and the branch without the update.
    fn with_result(&self, decision: &Decision<'_>, update: &Extremum<'_>, call: &str) -> Option<Vec<Edit>> {
        let text = &self.text;
        let statement = text.statement(update.part.statement);
        // What stands to the right of the comparison may be false.
        let after = Span { start: decision.comparison.end, ..decision.condition };
        let is_last = text.of(after).chars().all(|c| c == ')' || c.is_whitespace());
        let before: Vec<StatementId> = text.children(statement.parent?);
        let before = before.into_iter().take_while(|id| *id != update.part.statement);
        let mut names = before.flat_map(|id| text.changed_in(text.statement(id).span));
        let own: Vec<&str> = text.words_of(update.part.span).collect();
        if !statement.is_in_list || !is_last || names.any(|name| own.contains(&name)) {
            return None;
        }
        let mut edits = self.without_copy(decision)?;
        edits.push(Edit::replace(decision.read, call));
        edits.push(Edit::replace(text.line_of(statement.span), ""));
        Some(edits)
    }

    /// Removes the copy of the word, if there is one; `None` if it is needed.
    fn without_copy(&self, decision: &Decision<'_>) -> Option<Vec<Edit>> {
        let Some(copy) = decision.copy else { return Some(Vec::new()) };
        let line = self.text.line_of(self.text.statement(copy.statement).span);
        (!self.is_used_elsewhere(copy, decision)).then(|| vec![Edit::replace(line, "")])
    }

    /// Whether a copy of the word is used but for the comparison.
    fn is_used_elsewhere(&self, copy: &Part, decision: &Decision<'_>) -> bool {
        let text = &self.text;
        let PartKind::Variable { name, .. } = copy.kind else { return true };
        let Some(body) = text.path(copy.span).last().map(|id| text.statement(*id).span) else { return true };
        let of = |span: Span| text.words_of(span).filter(|word| *word == text.of(name)).count();
        of(body) != of(text.statement(copy.statement).span) + of(decision.comparison)
    }
}

fn is_binary(kind: &PartKind) -> bool {
    matches!(kind, PartKind::Binary { .. })
}

/// One spelling of a word: `x[0]` and `*(x)` are `*x`.
pub(super) fn canonical(word: &str) -> String {
    if let Some(base) = word.strip_suffix("[0]") {
        return format!("*{base}");
    }
    let inner = word.strip_prefix("*(").and_then(|rest| rest.strip_suffix(')'));
    match inner.map(|inner| (inner, inner.split_once('+'))) {
        Some((_, Some((base, index)))) if !base.contains(['(', '[']) => format!("{base}[{index}]"),
        Some((inner, None)) if !inner.contains(['(', ')']) => format!("*{inner}"),
        _ => word.to_owned(),
    }
}

/// The word of a pointer, in the same spelling.
pub(super) fn pointed_to(pointer: &str) -> String {
    match pointer.strip_prefix('&') {
        Some(word) => canonical(word.strip_prefix('(').and_then(|w| w.strip_suffix(')')).unwrap_or(word)),
        None if pointer.contains('+') => canonical(&format!("*({pointer})")),
        None => format!("*{pointer}"),
    }
}

impl<'a> Text<'a> {
    /// The `if` in whose first branch a statement is, and its condition.
    fn branch(&self, id: StatementId) -> Option<(StatementId, Span)> {
        let own = self.statement(id).parent?;
        let is_block = self.statement(own).kind == StatementKind::Block;
        let parent = if is_block { self.statement(own).parent? } else { own };
        match self.statement(parent).kind {
            StatementKind::If { condition, then, .. } if then == own || then == id => {
                Some((parent, condition))
            }
            _ => None,
        }
    }

    /// A condition without one of its conjuncts.
    fn without(&self, condition: Span, conjunct: Span) -> Option<String> {
        let condition = self.bare(condition);
        if condition == conjunct {
            return Some(String::new());
        }
        let PartKind::Binary { op: "&&", sides, .. } = self.outline.part(condition, is_binary)?.kind else {
            return None;
        };
        let [left, right] = sides.map(|side| self.bare(side));
        if left == conjunct {
            return Some(self.of(right).to_owned());
        }
        if right == conjunct {
            return Some(self.of(left).to_owned());
        }
        match left.contains(conjunct) {
            true => Some(format!("{} && {}", self.without(left, conjunct)?, self.of(sides[1]))),
            false => Some(format!("{} && {}", self.of(sides[0]), self.without(right, conjunct)?)),
        }
    }

    /// The names that are given values in a range.
    fn changed_in(&self, span: Span) -> impl Iterator<Item = &'a str> {
        let text = *self;
        self.parts(span).filter_map(changed).filter_map(move |name| text.words_of(name).next())
    }
}
