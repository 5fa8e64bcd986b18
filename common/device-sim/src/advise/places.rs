//! Where a statement can be put, and the edits that put it there.

use cuda_syntax::outline::{Outline, Part, PartKind, Statement, StatementId, StatementKind};
use source::{Edit, Span};

/// A file's text with its statements.
#[derive(Clone, Copy)]
pub(super) struct Text<'a> {
    pub(super) outline: &'a Outline,
    pub(super) text: &'a str,
}

/// A place for a statement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Place {
    Before(StatementId),
    After(StatementId),
    /// Before the first statement of a body.
    Start(StatementId),
    /// After its last one.
    End(StatementId),
}

impl<'a> Text<'a> {
    pub(super) fn of(&self, span: Span) -> &'a str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or_default()
    }

    /// The same without blanks, to compare expressions.
    pub(super) fn plain(&self, span: Span) -> String {
        self.of(span).split_whitespace().collect()
    }

    /// Names, numbers and keywords in a range, in order.
    pub(super) fn words_of(&self, span: Span) -> impl Iterator<Item = &'a str> {
        let words = self.of(span).split(|c: char| !c.is_alphanumeric() && c != '_');
        words.filter(|word| !word.is_empty())
    }

    pub(super) fn statement(&self, id: StatementId) -> &'a Statement {
        self.outline.statement(id)
    }

    /// The innermost statement around a range, and all around that one, outwards.
    pub(super) fn path(&self, span: Span) -> Vec<StatementId> {
        self.outline.innermost(span).map_or_else(Vec::new, |id| self.outline.path(id))
    }

    pub(super) fn parts(&self, span: Span) -> impl Iterator<Item = &'a Part> {
        self.outline.parts.iter().filter(move |part| span.contains(part.span))
    }

    /// The statements of a list.
    pub(super) fn children(&self, id: StatementId) -> Vec<StatementId> {
        let all = self.outline.statements.iter().zip(0..);
        all.filter(|(s, _)| s.parent == Some(id) && s.is_in_list).map(|(_, at)| StatementId(at)).collect()
    }

    /// Whether a place is in a line of the preprocessor, continued lines included.
    pub(super) fn is_directive(&self, span: Span) -> bool {
        let mut start = self.line_start(span.start);
        while start >= 2 && self.text[..start as usize].trim_end_matches('\n').ends_with('\\') {
            start = self.line_start(start - 1);
        }
        self.text[start as usize..].trim_start_matches([' ', '\t']).starts_with('#')
    }

    fn line_start(&self, at: u32) -> u32 {
        let before = self.text.get(..at as usize).unwrap_or_default();
        before.rfind('\n').map_or(0, |at| at as u32 + 1)
    }

    /// What stands before a place on its line, if that is white space alone.
    pub(super) fn indent(&self, at: u32) -> Option<&'a str> {
        let before = &self.text[self.line_start(at) as usize..at as usize];
        before.chars().all(|c| c == ' ' || c == '\t').then_some(before)
    }

    /// White space that begins the line of a place.
    pub(super) fn margin(&self, at: u32) -> &'a str {
        let line = &self.text[self.line_start(at) as usize..];
        &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
    }

    fn is_braced(&self, id: StatementId) -> bool {
        let statement = self.statement(id);
        matches!(statement.kind, StatementKind::Block | StatementKind::Body)
            && self.of(statement.span).starts_with('{')
    }

    /// The edits that put a statement somewhere; `None` if that is impossible.
    pub(super) fn put(&self, place: Place, code: &str) -> Option<Vec<Edit>> {
        match place {
            Place::Before(id) => self.beside(id, code, true),
            Place::After(id) => self.beside(id, code, false),
            Place::Start(id) if self.is_braced(id) => match self.children(id).first() {
                Some(first) => self.beside(*first, code, true),
                None => None,
            },
            Place::End(id) if self.is_braced(id) => match self.children(id).last() {
                Some(last) if matches!(self.statement(*last).kind, StatementKind::Jump(_)) => {
                    self.beside(*last, code, true)
                }
                Some(last) => self.beside(*last, code, false),
                None => None,
            },
            Place::Start(id) => self.beside(id, code, true),
            Place::End(id) => self.beside(id, code, false),
        }
    }

    /// A place in words that follow those of the edit, with a comma at the end; empty where a line's number says enough.
    pub(super) fn words(&self, place: Place) -> &'static str {
        let around = |id: StatementId| self.statement(id).parent.map(|parent| self.statement(parent).kind);
        let in_loop = |id: StatementId| matches!(around(id), Some(StatementKind::Loop(body)) if body == id);
        match place {
            Place::Start(id) if in_loop(id) => "at the start of the loop's body, ",
            Place::End(id) if in_loop(id) => "at the end of the loop's body, ",
            Place::After(id) => self.after(id),
            Place::Before(id) => {
                let before = self.outline.statements.iter().zip(0..).filter(|(s, _)| {
                    s.parent == self.statement(id).parent && s.span.end <= self.statement(id).span.start
                });
                before.last().map_or("", |(_, at)| self.after(StatementId(at)))
            }
            Place::Start(_) | Place::End(_) => "",
        }
    }

    fn after(&self, id: StatementId) -> &'static str {
        match self.statement(id).kind {
            StatementKind::If { .. } => "after the `if`, ",
            StatementKind::Loop(_) => "after the loop, ",
            StatementKind::Body | StatementKind::Block | StatementKind::Jump(_) | StatementKind::Other => "",
        }
    }

    fn beside(&self, id: StatementId, code: &str, before: bool) -> Option<Vec<Edit>> {
        let statement = self.statement(id);
        let span = statement.span;
        if !statement.is_in_list {
            // A branch or a body without braces gets them.
            if statement.kind == StatementKind::Body || self.is_braced(id) || statement.parent.is_none() {
                return None;
            }
            let (open, close) = match before {
                true => (format!("{{ {code} "), " }".to_owned()),
                false => ("{ ".to_owned(), format!(" {code} }}")),
            };
            return Some(vec![Edit::insert(span, open), Edit::insert(span.after(), close)]);
        }
        let edit = match (before, self.indent(span.start)) {
            (true, Some(indent)) => Edit::insert(span, format!("{code}\n{indent}")),
            (true, None) => Edit::insert(span, format!("{code} ")),
            (false, indent) => {
                let rest = self.text[span.end as usize..].lines().next().unwrap_or_default();
                let margin = indent.unwrap_or_else(|| self.margin(span.start));
                match rest.trim_start() {
                    "" => Edit::insert(span.after(), format!("\n{margin}{code}")),
                    // A comment stays with its statement.
                    comment if comment.starts_with("//") => {
                        let end = span.end + rest.len() as u32;
                        Edit::insert(Span { start: end, end, ..span }, format!("\n{margin}{code}"))
                    }
                    _ => Edit::insert(span.after(), format!(" {code}")),
                }
            }
        };
        Some(vec![edit])
    }

    /// A name that the file does not have.
    pub(super) fn fresh(&self, name: &str) -> String {
        let is_free = |name: &String| !self.text.contains(name.as_str());
        let numbered = (2..).map(|n| format!("{name}{n}"));
        std::iter::once(name.to_owned()).chain(numbered).find(is_free).unwrap_or_default()
    }

    /// The store of a range: an assignment or a step.
    pub(super) fn store(&self, span: Span) -> Option<&'a Part> {
        self.outline.part(span, |kind| matches!(kind, PartKind::Assign { .. } | PartKind::Step { .. }))
    }
}

/// What an assignment or a step changes.
pub(super) fn target(part: &Part) -> Option<Span> {
    match &part.kind {
        PartKind::Assign { target, .. } | PartKind::Step { target, .. } => Some(*target),
        PartKind::Binary { .. }
        | PartKind::Call { .. }
        | PartKind::Conditional(_)
        | PartKind::Index { .. }
        | PartKind::Variable { .. } => None,
    }
}

/// What an assignment, a step or a declaration gives a value.
pub(super) fn changed(part: &Part) -> Option<Span> {
    match part.kind {
        PartKind::Variable { name, .. } => Some(name),
        _ => target(part),
    }
}
