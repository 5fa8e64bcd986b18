//! Cuts out the part of a file that the source renderer needs. The renderer scans its whole input for each
//! diagnostic, and a file may contain a line of a megabyte.

use crate::{Label, SourceFile, SourceMap, Span};
use std::ops::Range;

/// Bytes kept on either side of a marked range; far wider than a reader's window.
const MARGIN: usize = 4096;

/// Labels further apart than this many bytes get separate pieces. A span longer than this is shortened to its first
/// line.
const FAR: u32 = 64 << 10;

/// The lines around some labels of a file.
pub(super) struct Excerpt<'a> {
    pub(super) text: &'a str,
    /// 1-based number of the first line.
    pub(super) line: usize,
    /// Byte offset of the text in the file.
    start: usize,
    /// Number of characters cut off before the text on the first line.
    cut: usize,
}

impl<'a> Excerpt<'a> {
    /// The lines that contain these spans, plus the next line.
    pub(super) fn of(file: &'a SourceFile, spans: impl Iterator<Item = Span>) -> Excerpt<'a> {
        let text = file.text();
        let ranges: Vec<Range<usize>> = spans.map(|span| clamp(text, span.start, span.end)).collect();
        let first = ranges.iter().map(|range| range.start).min().unwrap_or(0);
        let last = ranges.iter().map(|range| range.end).max().unwrap_or(first);
        let line_start = text[..first].rfind('\n').map_or(0, |at| at + 1);
        let start = match first - line_start > 2 * MARGIN {
            true => floor(text, first - MARGIN),
            false => line_start,
        };
        let window = &text[last..floor(text, last.saturating_add(2 * MARGIN))];
        // Include the next line, so that the end of a marked line is not the end of the text.
        let line_end = window.match_indices('\n').map(|(at, _)| last + at + 1).nth(1);
        Excerpt {
            text: &text[start..line_end.unwrap_or(last + window.len())],
            line: file.position(start as u32).line as usize,
            start,
            cut: text[line_start..start].chars().count(),
        }
    }

    /// The byte range of a span in the excerpt, on character boundaries.
    pub(super) fn range(&self, span: Span) -> Range<usize> {
        let within = |at: u32| (at as usize).saturating_sub(self.start) as u32;
        clamp(self.text, within(span.start), within(span.end))
    }

    /// The position that the renderer prints for a span on the first line, and the correct position in the file, both
    /// as `LINE:COLUMN`; `None` if they are equal.
    pub(super) fn place(&self, span: Span) -> Option<(String, String)> {
        let before = &self.text[..self.range(span).start];
        let column = before.chars().count() + 1;
        let is_cut = self.cut > 0 && !before.contains('\n');
        is_cut.then(|| (format!("{}:{column}", self.line), format!("{}:{}", self.line, column + self.cut)))
    }
}

/// Whether two labels fit into one piece of their file.
pub(super) fn are_near(one: &Label, other: &Label) -> bool {
    one.span.file == other.span.file && one.span.start.abs_diff(other.span.start) <= FAR
}

/// Shortens a very long span to its first line.
pub(super) fn shortened(map: &SourceMap, span: Span) -> Span {
    match map.text(span).find('\n') {
        Some(at) if span.end.saturating_sub(span.start) > FAR => {
            Span::new(span.file, span.start, span.start + at as u32)
        }
        _ => span,
    }
}

/// The start of the character at byte `at`, or the end of the text.
fn floor(text: &str, at: usize) -> usize {
    text.floor_char_boundary(at)
}

/// Clamps a range for the renderer: inside the text, on character boundaries, start not after end.
fn clamp(text: &str, start: u32, end: u32) -> Range<usize> {
    let start = floor(text, start as usize);
    start..floor(text, end as usize).max(start)
}

#[cfg(test)]
mod tests {
    use crate::render::{full, full_within};
    use crate::{Code, Diagnostic, SourceMap, Span};

    #[test]
    fn of_a_very_long_line_the_place_is_that_in_the_file() {
        let mut map = SourceMap::new();
        let text = format!("first\n{}µ here {}\nlast\n", "x".repeat(300_000), "y".repeat(300_000));
        let at = text.find("here").expect("it is there") as u32;
        let file = map.add("a.cu", text);
        let d = Diagnostic::new(Code::UnexpectedToken, "t").label(Span::new(file, at, at + 4), "this");
        for text in [full(&map, &d, false), full_within(&map, &d, false, 60)] {
            assert!(text.contains("--> a.cu:2:300003\n"), "{text}");
            assert!(text.contains("here") && text.contains("^^^^ this"), "{text}");
            assert!(text.len() < 1000, "{text}");
        }
    }

    #[test]
    fn labels_that_are_far_apart_are_both_shown() {
        let mut map = SourceMap::new();
        let text = format!("first\n{}last\n", "between\n".repeat(20_000));
        let last = text.len() as u32 - 5;
        let file = map.add("a.cu", text);
        let d = Diagnostic::new(Code::UnexpectedToken, "t")
            .label(Span::new(file, last, last + 4), "this")
            .label(Span::new(file, 0, last), "all of this")
            .label(Span::new(file, 0, 5), "that");
        let text = full(&map, &d, false);
        for part in [
            "--> a.cu:20002:1\n",
            "20002 | last",
            "^^^^ this",
            "::: a.cu:1:1\n",
            "1 | first",
            "all of this",
            "that",
        ] {
            assert!(text.contains(part), "{part:?} is missing in\n{text}");
        }
    }
}
