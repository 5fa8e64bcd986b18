//! Edits of the source text that a message suggests, and the results of trying them.
//!
//! A [`Suggestion`] is one to three edits that belong together. The stage that finds a mistake proposes suggestions,
//! later stages try them by applying the edits, and renderers show only suggestions that were tried
//! ([`Suggestion::tried`]). Edits change only the file that the user gave, never included files.

use crate::{Position, SourceMap, Span};

/// Maximum number of edits per suggestion.
pub const MAX_EDITS: usize = 3;

/// A replacement of one range of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The replaced range; empty for an insertion.
    pub span: Span,
    /// The new text.
    pub replacement: String,
}

/// Result of trying a suggestion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tried {
    /// The changed file compiles; it was not run.
    Compiled,
    /// The error is gone and no new error appeared, but the file still has others.
    Removed,
    /// The kernel ran to its end without new errors or warnings. Its expected results are unknown.
    Ran,
    /// The kernel ran, and all its results are correct.
    Right,
}

impl Tried {
    /// The value of `tried.result` in JSON.
    pub fn result(self) -> &'static str {
        match self {
            Tried::Compiled | Tried::Removed => "not-run",
            Tried::Ran => "unknown",
            Tried::Right => "right",
        }
    }

    /// The result in words, to follow "tried:".
    pub fn words(self) -> &'static str {
        match self {
            Tried::Compiled => "it compiles",
            Tried::Removed => "this error is gone",
            Tried::Ran => "it runs without this mistake; check the results",
            Tried::Right => "all results are correct",
        }
    }
}

/// Edits that fix a mistake together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suggestion {
    /// Edits ordered by position, without overlap. Insertions at the same position are in text order.
    pub edits: Vec<Edit>,
    /// Why it helps, as the end of a sentence: `so that every write finishes before the first read`. May be empty.
    pub reason: String,
    /// The result of trying it; `None` before that.
    pub tried: Option<Tried>,
}

impl Suggestion {
    /// Creates an untried suggestion from edits in any order.
    pub fn new(mut edits: Vec<Edit>, reason: impl Into<String>) -> Suggestion {
        edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
        Suggestion { edits, reason: reason.into(), tried: None }
    }

    /// Applies the edits to a text; `None` if an edit lies outside the text or two overlap.
    pub fn apply(&self, text: &str) -> Option<String> {
        let mut out = String::with_capacity(text.len() + 64);
        let mut at = 0;
        for Edit { span, replacement } in &self.edits {
            let (start, end) = (span.start as usize, span.end as usize);
            out.push_str(text.get(at..start)?);
            out.push_str(replacement);
            text.get(start..end)?;
            at = end;
        }
        out.push_str(text.get(at..)?);
        Some(out)
    }

    /// Combines this suggestion with `later`, which applies to the changed text, into one suggestion for the original
    /// text. `None` if `later` changes text that this one inserted, or if together they have more than [`MAX_EDITS`]
    /// edits.
    pub fn then(&self, later: &Suggestion) -> Option<Suggestion> {
        // Insertions at one position keep text order: edits of `self` have odd sort keys.
        let mut edits: Vec<_> =
            self.edits.iter().enumerate().map(|(i, edit)| (2 * i + 1, edit.clone())).collect();
        for edit in &later.edits {
            let (before, span) = self.original(edit.span)?;
            edits.push((2 * before, Edit { span, replacement: edit.replacement.clone() }));
        }
        edits.sort_by_key(|(key, _)| *key);
        let edits: Vec<_> = edits.into_iter().map(|(_, edit)| edit).collect();
        let reason = match (self.reason.as_str(), later.reason.as_str()) {
            (own, "") => own.to_owned(),
            ("", other) => other.to_owned(),
            (own, other) if own == other => own.to_owned(),
            (own, other) => format!("{own}, and {other}"),
        };
        (edits.len() <= MAX_EDITS).then_some(Suggestion { edits, reason, tried: None })
    }

    /// Maps a range of the changed text to the original text, with the number of edits before it.
    fn original(&self, span: Span) -> Option<(usize, Span)> {
        let mut shift = 0i64;
        for (i, edit) in self.edits.iter().enumerate() {
            let start = i64::from(edit.span.start) + shift;
            let end = start + edit.replacement.len() as i64;
            if i64::from(span.end) <= start {
                return Some((i, moved(span, -shift)?));
            }
            if i64::from(span.start) < end {
                return None;
            }
            shift += edit.replacement.len() as i64 - i64::from(edit.span.end - edit.span.start);
        }
        Some((self.edits.len(), moved(span, -shift)?))
    }

    /// The instruction, as a sentence without a full stop: "insert `__syncthreads();` before line 17".
    pub fn words(&self, map: &SourceMap) -> String {
        let parts: Vec<String> = self.edits.iter().map(|edit| edit.words(map)).collect();
        let what = match parts.as_slice() {
            [] => String::new(),
            [one] => one.clone(),
            [head @ .., last] => format!("{}, and {last}", head.join(", ")),
        };
        let reason = match self.reason.as_str() {
            "" => String::new(),
            reason => format!(", {reason}"),
        };
        format!("{what}{reason}")
    }
}

fn moved(span: Span, by: i64) -> Option<Span> {
    let moved = |at: u32| u32::try_from(i64::from(at) + by).ok();
    Some(Span { file: span.file, start: moved(span.start)?, end: moved(span.end)? })
}

impl Edit {
    /// Inserts text at the start of `place`; to insert after a range, pass [`Span::after`] of it.
    pub fn insert(place: Span, text: impl Into<String>) -> Edit {
        Edit { span: Span { end: place.start, ..place }, replacement: text.into() }
    }

    /// Replaces a range.
    pub fn replace(span: Span, text: impl Into<String>) -> Edit {
        Edit { span, replacement: text.into() }
    }

    fn words(&self, map: &SourceMap) -> String {
        let text = map.file(self.span.file).text();
        let (start, end) = (self.span.start as usize, self.span.end as usize);
        let Position { line, column } = map.position(self.span);
        let code = one_line(&self.replacement);
        let old = one_line(text.get(start..end).unwrap_or_default());
        if !old.is_empty() {
            return match code.as_str() {
                "" => format!("remove `{old}` in line {line}"),
                _ => format!("in line {line}, write `{code}` in place of `{old}`"),
            };
        }
        let of_line = text[..start.min(text.len())].rfind('\n').map_or(0, |at| at + 1);
        let before = text.get(of_line..start).unwrap_or_default();
        let rest = text.get(start..).unwrap_or_default();
        let rest = rest.split('\n').next().unwrap_or_default();
        let is_whole = self.replacement.contains('\n');
        match (before.trim().is_empty(), rest.trim().is_empty() || rest.trim_start().starts_with("//")) {
            (true, _) if is_whole => format!("insert `{code}` before line {line}"),
            (_, true) if is_whole => format!("insert `{code}` after line {line}"),
            (_, true) => format!("insert `{code}` at the end of line {line}"),
            _ => {
                let next = one_line(rest);
                let next: String = next.chars().take(24).collect();
                format!("in line {line}, insert `{code}` before `{next}` (column {column})")
            }
        }
    }
}

/// The text on one line, with every run of white space replaced by one blank.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FileId;

    fn span(start: u32, end: u32) -> Span {
        Span::new(FileId(0), start, end)
    }

    #[test]
    fn edits_are_made_in_one_pass() {
        let both = Suggestion::new(vec![Edit::replace(span(4, 5), "BB"), Edit::insert(span(0, 0), "x")], "");
        assert_eq!(both.apply("aaaabccc").as_deref(), Some("xaaaaBBccc"));
        let outside = Suggestion::new(vec![Edit::insert(span(9, 9), "x")], "");
        assert_eq!(outside.apply("aaaabccc"), None);
        let overlap = Suggestion::new(vec![Edit::replace(span(1, 4), ""), Edit::replace(span(3, 5), "")], "");
        assert_eq!(overlap.apply("aaaabccc"), None);
    }

    /// For every pair of edits of a short text, applying one after the other gives the same text as the combined
    /// suggestion.
    #[test]
    fn two_suggestions_as_one_give_the_same_text() {
        let text = "abcdef";
        let edits = |len: u32, new: &'static str| {
            let ends = move |start| (start..=len.min(start + 2)).map(move |end| (start, end));
            (0..=len).flat_map(ends).map(move |(start, end)| Edit::replace(span(start, end), new))
        };
        let mut composed = 0;
        for first in edits(6, "XYZ") {
            let first = Suggestion::new(vec![first], "a");
            let between = first.apply(text).unwrap();
            for later in edits(between.len() as u32, "12") {
                let later = Suggestion::new(vec![later], "b");
                let Some(both) = first.then(&later) else { continue };
                composed += 1;
                assert_eq!(both.apply(text), later.apply(&between), "{first:?} {later:?}");
                assert_eq!(both.reason, "a, and b");
            }
        }
        assert!(composed > 100, "{composed}");
    }

    #[test]
    fn words_name_lines_as_an_editor_does() {
        let mut map = SourceMap::new();
        let text = "int a;\n    if (x)\n        y = 1; // one\n    z = flaot;\n";
        map.add("a.cu", text);
        let at = |what: &str| text.find(what).unwrap() as u32;
        let words = |edit: Edit| Suggestion::new(vec![edit], "").words(&map);
        let z = span(at("z"), at("z"));
        assert_eq!(
            words(Edit::insert(z, "__syncthreads();\n    ")),
            "insert `__syncthreads();` before line 4"
        );
        let y = span(at(" // one"), at(" // one"));
        assert_eq!(words(Edit::insert(y, "\n        f();")), "insert `f();` after line 3");
        let name = span(at("flaot"), at("flaot") + 5);
        assert_eq!(words(Edit::replace(name, "float")), "in line 4, write `float` in place of `flaot`");
        assert_eq!(words(Edit::insert(span(6, 6), ";")), "insert `;` at the end of line 1");
        let open = span(at("y"), at("y"));
        assert_eq!(
            words(Edit::insert(open, "{ ")),
            "in line 3, insert `{` before `y = 1; // one` (column 9)"
        );
    }
}
