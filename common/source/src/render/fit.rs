//! Fits rendered diagnostics into a given number of columns.
//!
//! The renderer only clips source lines around marked text. It does not wrap titles, notes and labels, and does not
//! clip a span wider than the window. This module does both on the rendered lines. Each piece of a wrapped line ends
//! its colours, so colours stay correct.

use super::excerpt;
use crate::styled::Styled;
use crate::text::{char_width, width};
use crate::{Diagnostic, SourceMap, Span};

/// Shortens spans: a span on one line is cut to `columns`, a very long span to its first line.
pub(super) fn shorten_spans(map: &SourceMap, diagnostic: &Diagnostic, columns: usize) -> Diagnostic {
    let mut shortened = diagnostic.clone();
    for label in &mut shortened.labels {
        label.span = excerpt::shortened(map, label.span);
        let text = map.text(label.span);
        if text.contains('\n') {
            continue;
        }
        let mut used = 0;
        let end = text.char_indices().find(|(_, c)| {
            used += char_width(*c);
            used > columns
        });
        if let Some((at, _)) = end {
            label.span = Span::new(label.span.file, label.span.start, label.span.start + at as u32);
        }
    }
    shortened
}

/// Whether a rendered line shows source text: it starts with a number and a bar.
pub(super) fn is_source(line: &str) -> bool {
    let plain = Styled::of(line).plain();
    let plain = plain.trim_start();
    let digits = plain.bytes().take_while(u8::is_ascii_digit).count();
    digits > 0 && plain[digits..].trim_start().starts_with('|')
}

/// Wraps all lines to at most `columns`.
pub(super) fn fit(text: &str, columns: usize) -> String {
    let lines: Vec<String> = text.lines().map(|line| fit_line(line, columns)).collect();
    lines.join("\n")
}

fn fit_line(line: &str, columns: usize) -> String {
    if width(line) <= columns {
        return line.to_owned();
    }
    let styled = Styled::of(line);
    if is_source(line) {
        return styled.cut(columns);
    }
    let (prefix, hang) = hanging(&styled.plain());
    styled.wrap(columns, prefix, hang)
}

/// For the continuation of a wrapped line: how many leading characters it repeats (the bar on the left), and the
/// column at which its text starts.
fn hanging(plain: &str) -> (usize, usize) {
    let body = plain.trim_start();
    let blanks = plain.len() - body.len();
    if body.starts_with('|') {
        let mark = |c: &char| matches!(c, ' ' | '|' | '^' | '-' | '_');
        return (blanks + 1, plain.chars().take_while(mark).count());
    }
    let note = ["= note: ", "= help: ", "--> ", "::: "].iter().find(|word| body.starts_with(**word));
    // A title starts after `error[code]: `; a later line of a long title keeps its indentation.
    let title = || plain.find("]: ").map_or(blanks, |at| at + "]: ".len());
    (0, note.map_or_else(title, |word| blanks + word.len()))
}
