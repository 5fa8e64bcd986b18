//! The line that an error is about, to compare with another compiler's.

use source::{Diagnostic, SourceMap};

/// The line, 1-based. Where something is missing, the message points behind the word before the gap, and CUDA's compiler at
/// the word after it: it is that word's line.
pub(crate) fn line(sources: &SourceMap, d: &Diagnostic) -> Option<u32> {
    let span = d.span()?;
    let line = sources.position(span).line;
    if span.start != span.end {
        return Some(line);
    }
    let text = &sources.file(span.file).text()[span.start as usize..];
    let blank = blank(text);
    // Nothing follows: the end of the file, which the other compiler counts as the last line.
    let ends = blank == text.len();
    let breaks = text[..blank].trim_end_matches(|c| ends && c == '\n').matches('\n').count();
    Some(line + u32::try_from(breaks).unwrap_or(0))
}

/// Bytes of blanks and comments at a text's start.
fn blank(text: &str) -> usize {
    let mut at = 0;
    loop {
        let rest = &text[at..];
        let length = if rest.starts_with("//") || rest.starts_with('#') {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |n| n + 2)
        } else {
            rest.len() - rest.trim_start().len()
        };
        if length == 0 {
            return at;
        }
        at += length;
    }
}
