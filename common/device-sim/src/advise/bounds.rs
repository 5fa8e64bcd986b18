//! Proposals for an index out of bounds, from its cause: a limit that excludes itself, a guard, braces, arithmetic in 64 bits, a
//! remainder that is not negative.

use super::Advice;
use crate::diagnose::{Cause, Overrun};
use cuda_syntax::outline::{PartKind, StatementKind};
use simt_ir::{BinaryOp, Location};
use source::{Edit, Span, Suggestion};

impl Advice<'_> {
    /// What may mend an access out of bounds.
    pub(super) fn bounds(&self, overrun: &Overrun, access: Option<Location>) -> Vec<Suggestion> {
        let Some(access) = self.span(access) else { return Vec::new() };
        let edits = match &overrun.cause {
            Cause::Inclusive { condition, .. } => self.exclusive(*condition),
            Cause::GuardEnds { guard } => self.braces(*guard, access),
            Cause::Overflow {
                op: BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul,
                location,
                signed: true,
                ..
            } => {
                return self.wide(*location);
            }
            Cause::NegativeRemainder { location, .. } => self.remainder(*location),
            Cause::NoGuard { .. }
            | Cause::TestsPart { .. }
            | Cause::Subtracted { .. }
            | Cause::FromMemory { .. } => {
                return self.guards(access, overrun);
            }
            Cause::PartOfVector { condition, index, scale, elements } => {
                return self.whole_vector(*condition, access, (index, *scale, *elements), overrun);
            }
            Cause::Overflow { .. }
            | Cause::UnsignedWrap { .. }
            | Cause::Limit { .. }
            | Cause::RowLength { .. }
            | Cause::LoopStart { .. }
            | Cause::Uniform { .. } => None,
        };
        edits.map(|edits| Suggestion::new(edits, "")).into_iter().collect()
    }

    /// `<` in place of `<=`.
    fn exclusive(&self, condition: Location) -> Option<Vec<Edit>> {
        let part = self.text.outline.part(self.span(Some(condition))?, |kind| {
            matches!(kind, PartKind::Binary { op: "<=" | ">=" | "<" | ">", .. })
        })?;
        let PartKind::Binary { op, op_span, .. } = part.kind else { return None };
        let other = match op {
            "<=" => "<",
            ">=" => ">",
            // The condition of what is skipped, such as `if (i > n) return;`.
            "<" => "<=",
            _ => ">=",
        };
        Some(vec![Edit::replace(op_span, other)])
    }

    /// Braces from the statement of a guard to that of the access.
    fn braces(&self, guard: Location, access: Span) -> Option<Vec<Edit>> {
        let text = &self.text;
        let guard = self.span(Some(guard))?;
        let (whole, then) = text.path(guard).into_iter().find_map(|id| match text.statement(id).kind {
            StatementKind::If { condition, then, otherwise: None } if condition.contains(guard) => {
                Some((id, then))
            }
            _ => None,
        })?;
        let parent = text.statement(whole).parent?;
        let last = text.path(access).into_iter().find(|id| text.statement(*id).parent == Some(parent))?;
        let (then, last) = (text.statement(then).span, text.statement(last).span);
        if text.of(then).starts_with('{') || last.start < then.end {
            return None;
        }
        let margin = text.margin(text.statement(whole).span.start);
        Some(vec![Edit::insert(then, "{ "), Edit::insert(last.after(), format!("\n{margin}}}"))])
    }

    /// The left operand in 64 bits.
    fn wide(&self, location: Location) -> Vec<Suggestion> {
        let Some(span) = self.span(Some(location)) else { return Vec::new() };
        let part = self.text.outline.part(span, |kind| matches!(kind, PartKind::Binary { .. }));
        let Some(PartKind::Binary { sides: [left, right], .. }) = part.map(|part| &part.kind) else {
            return Vec::new();
        };
        // A cast binds tighter than any operator, so it is put before the first operand of a chain of products; a sum gets parentheses.
        let of = |span: Span| {
            let is_sum =
                self.text.outline.part(span, |kind| matches!(kind, PartKind::Binary { .. })).is_some();
            let edits = match is_sum && !self.text.of(span).starts_with('(') {
                true => vec![Edit::insert(span, "(long long)("), Edit::insert(span.after(), ")")],
                false => vec![Edit::insert(span, "(long long)")],
            };
            Suggestion::new(edits, "so that it is computed in 64 bits")
        };
        let first = self.first_operand(*left);
        [first, *left, *right].map(of).into_iter().collect()
    }

    /// The first operand of a chain of operators.
    fn first_operand(&self, span: Span) -> Span {
        let inner = if self.text.of(span).starts_with('(') {
            Span { start: span.start + 1, end: span.end.saturating_sub(1), ..span }
        } else {
            span
        };
        let part = self.text.outline.part(inner, |kind| matches!(kind, PartKind::Binary { .. }));
        match part.map(|part| &part.kind) {
            Some(PartKind::Binary { sides: [left, _], .. }) => self.first_operand(*left),
            _ => inner,
        }
    }

    /// `(a % n + n) % n`.
    fn remainder(&self, location: Location) -> Option<Vec<Edit>> {
        let span = self.span(Some(location))?;
        let part = self.text.outline.part(span, |kind| matches!(kind, PartKind::Binary { op: "%", .. }))?;
        let PartKind::Binary { sides: [dividend, divisor], .. } = part.kind else { return None };
        // A product may be negative because it overflowed.
        if self.text.of(dividend).contains('*') {
            return None;
        }
        let (whole, divisor) = (self.text.of(span), self.text.of(divisor));
        Some(vec![Edit::replace(span, format!("(({whole} + {divisor}) % {divisor})"))])
    }

    /// A guard of which the whole vector has to be inside.
    fn whole_vector(
        &self,
        condition: Option<Location>,
        access: Span,
        (index, scale, elements): (&str, i128, i64),
        overrun: &Overrun,
    ) -> Vec<Suggestion> {
        let first = if scale == 1 { index.to_owned() } else { format!("{scale} * {index}") };
        let last = format!("{first} + {} < ", elements - 1);
        let mut all = Vec::new();
        if let Some(span) = condition.and_then(|at| self.span(Some(at)))
            && let Some(PartKind::Binary { op: "<", sides: [left, _], .. }) = self
                .text
                .outline
                .part(span, |kind| matches!(kind, PartKind::Binary { op: "<", .. }))
                .map(|part| &part.kind)
        {
            let edit = Edit::insert(left.after(), format!(" + {}", elements - 1));
            all.push(Suggestion::new(vec![edit], "so that the whole access is inside the array"));
        }
        let guards = overrun.limits.iter().filter_map(|limit| self.guard(access, &format!("{last}{limit}")));
        all.extend(guards.map(|edits| Suggestion::new(edits, super::guards::NO_ELEMENT)));
        all
    }
}
