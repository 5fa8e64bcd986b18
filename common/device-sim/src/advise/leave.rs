//! Threads that leave where they have no element, and rows that two elements bound: `p[i]` is where row `i` begins, `p[i + 1]` where it ends.

use super::Advice;
use super::guards::Test;
use super::places::{Place, target};
use cuda_syntax::outline::{Part, PartKind, StatementId, StatementKind};
use source::{Edit, Span};
use std::collections::HashSet;

impl Advice<'_> {
    /// The row whose begin or end an access reads, if the function reads both.
    pub(super) fn bound_of_row(&self, access: Span) -> Option<String> {
        let text = &self.text;
        let (base, index) = self.element(access)?;
        if let Some(row) = self.less_one(index, "+") {
            return Some(text.of(row).to_owned());
        }
        let next = format!("{}+1", text.word(index));
        let reads_next = |part: &Part| match part.kind {
            PartKind::Index { base: other, index } => {
                text.word(other) == text.word(base) && text.word(index) == next
            }
            _ => false,
        };
        let body = text.statement(*text.path(access).last()?).span;
        text.parts(body).any(reads_next).then(|| text.of(index).to_owned())
    }

    /// Whether there is a last element of the row of which an access is one: the index is one less than the row's end.
    pub(super) fn last_of_row(&self, access: Span) -> Option<Test> {
        let text = &self.text;
        let (_, index) = self.element(access)?;
        let value = self.value_before(text.word(index).as_str(), access).unwrap_or(index);
        let end = text.word(self.less_one(value, "-")?);
        let (bounds, next) = self.element(self.value_before(&end, access)?)?;
        let row = text.word(self.less_one(next, "+")?);
        let begins = |part: &Part| match part.kind {
            PartKind::Variable { name, value } if part.span.end <= access.start => {
                let (other, index) = self.element(value)?;
                (text.word(other) == text.word(bounds) && text.word(index) == row).then(|| text.of(name))
            }
            _ => None,
        };
        let body = text.statement(*text.path(access).last()?).span;
        let begin = text.parts(body).find_map(begins)?;
        Some(Test { holds: format!("{begin} < {end}"), fails: format!("{begin} >= {end}") })
    }

    /// What a variable is declared with before a place of its function.
    fn value_before(&self, name: &str, place: Span) -> Option<Span> {
        let text = &self.text;
        let body = text.statement(*text.path(place).last()?).span;
        let values = text.parts(body).filter_map(|part| match part.kind {
            PartKind::Variable { name: own, value } => {
                (text.of(own) == name && part.span.end <= place.start).then_some(value)
            }
            _ => None,
        });
        values.last()
    }

    /// `x` of `x + 1`, or of `x - 1`.
    fn less_one(&self, span: Span, sign: &str) -> Option<Span> {
        let text = &self.text;
        let is_sum = |kind: &PartKind| matches!(kind, PartKind::Binary { op, .. } if *op == sign);
        match text.outline.part(text.bare(span), is_sum)?.kind {
            PartKind::Binary { sides: [x, one], .. } if text.word(one) == "1" => Some(x),
            PartKind::Binary { sides: [one, x], .. } if text.word(one) == "1" && sign == "+" => Some(x),
            _ => None,
        }
    }

    /// An array and the index of an element of it.
    fn element(&self, span: Span) -> Option<(Span, Span)> {
        let text = &self.text;
        let part = text.outline.part(text.bare(span), |kind| matches!(kind, PartKind::Index { .. }))?;
        match part.kind {
            PartKind::Index { base, index } => Some((base, index)),
            _ => None,
        }
    }

    /// A thread without an element returns, or continues with the next one of the loop, where all that follows is about that element.
    pub(super) fn leave(&self, access: Span, test: &Test) -> Option<Vec<Edit>> {
        let text = &self.text;
        let id = text.outline.innermost(access)?;
        let own = text.statement(id);
        let path = text.outline.path(id);
        let is_loop = |id: &&StatementId| matches!(text.statement(**id).kind, StatementKind::Loop(_));
        // The header of a loop is before its body, and once at its beginning.
        let is_header = is_loop(&&id);
        let (list, jump) = match path.iter().skip(usize::from(is_header)).find(is_loop) {
            Some(around) => {
                // In another loop, the next step may follow in the body.
                let StatementKind::Loop(body) = text.statement(*around).kind else { return None };
                let counts = text.of(text.statement(*around).span).starts_with("for");
                let is_direct = own.parent == Some(body);
                (counts && is_direct).then_some((text.statement(body).span, "continue"))?
            }
            None => (text.statement(*path.last()?).span, "return"),
        };
        let is_kernel =
            self.program.module.kernels.iter().any(|k| Some(k.name.as_str()) == text.function_of(access));
        if !is_kernel || !own.is_in_list {
            return None;
        }
        let after = Span { start: if is_header { own.span.start } else { own.span.end }, ..list };
        let taken = self.made_of(after, self.values_beside(access, self.assigned(id)?, after));
        let code = format!("if ({}) {jump};", test.fails);
        let is_right = !self.waits(after) && self.all_of_element((after, jump), access, &taken);
        is_right.then(|| text.put(Place::Before(id), &code))?
    }

    /// Whether threads of a range wait for others.
    fn waits(&self, range: Span) -> bool {
        let text = &self.text;
        let named = text.words_of(range).any(|word| {
            ["__sync", "__shfl", "__ballot", "__reduce", "__match"].iter().any(|name| word.starts_with(name))
                || matches!(word, "sync" | "shfl" | "wait" | "arrive")
        });
        named || text.parts(range).any(|part| text.is_barrier(part))
    }

    /// The variables of a range that get values from the array of an access, too, where both bound a row.
    fn values_beside(&self, access: Span, mut names: HashSet<String>, range: Span) -> HashSet<String> {
        let text = &self.text;
        let base = self.element(access).filter(|_| self.bound_of_row(access).is_some());
        for part in text.parts(range) {
            if let PartKind::Variable { name, value } = part.kind
                && let (Some((base, _)), Some((other, _))) = (base, self.element(value))
                && text.word(base) == text.word(other)
            {
                names.insert(text.word(name));
            }
        }
        names
    }

    /// Whether a range stores something, and only what is made of an element, or where a value made of it decides.
    fn all_of_element(&self, (range, jump): (Span, &str), access: Span, taken: &HashSet<String>) -> bool {
        let text = &self.text;
        let own = self.index(access).map(|index| text.plain(index));
        let reads = |span: Span| text.words_of(span).any(|word| taken.contains(word));
        let decides = |part: &Part| {
            let around = text.path(part.span).into_iter().map(|id| text.statement(id));
            let mut inside = around.filter(|s| range.contains(s.span));
            inside.any(|statement| match statement.kind {
                StatementKind::If { condition, .. } => reads(condition),
                StatementKind::Loop(body) if text.of(statement.span).starts_with(['f', 'w']) => {
                    reads(Span { end: text.statement(body).span.start, ..statement.span })
                }
                _ => false,
            })
        };
        let is_of_element = |part: &Part| {
            let index = target(part).and_then(|t| self.index(t)).map(|index| text.plain(index));
            reads(part.span) || (own.is_some() && index == own) || decides(part)
        };
        // What a variable holds after a `return` does not matter.
        let is_local = |name: &str| {
            jump == "return"
                || text.parts(range).any(|part| match part.kind {
                    PartKind::Variable { name: own, .. } => text.of(own) == name,
                    _ => false,
                })
        };
        let all = text.parts(range).filter(|part| match part.kind {
            PartKind::Call { callee, .. } => text.of(callee).starts_with("atomic"),
            _ => target(part).is_some_and(|t| text.of(t).contains(['[', '*']) || !is_local(text.of(t))),
        });
        let all: Vec<&Part> = all.collect();
        !all.is_empty() && all.into_iter().all(is_of_element)
    }
}
