//! Lines that end with a carriage return alone, as on old Macintoshes.
//!
//! CUDA's compilers take only a line feed for the end of a line, with or without a carriage return before it, and so does this
//! one. That makes no difference in code, which may stand on one line, but a comment or a directive continues to the line feed.

use source::{Code, Diagnostic, FileId, Span};

/// A warning of the first comment or directive that takes more than the line that its writer saw.
pub(super) fn check(text: &str, file: FileId) -> Option<Diagnostic> {
    if !text.contains('\r') {
        return None;
    }
    let mut start = 0;
    text.split('\n').find_map(|line| {
        let at = mistaken(line.trim_end()).map(|at| start + at);
        start += line.len() + 1;
        at.map(|at| warning(Span::new(file, at as u32, at as u32 + 1)))
    })
}

/// Where in a line a comment or a directive was meant to end, or the line before a directive.
fn mistaken(line: &str) -> Option<usize> {
    let directive = line.trim_start().starts_with('#').then_some(0);
    let ends = |from: usize| Some(from + line[from..].find('\r')?);
    let swallowed = directive.or_else(|| line.find("//")).and_then(ends);
    let before = line.match_indices('\r').map(|(at, _)| at);
    let before = before.filter(|at| line[*at..].trim_start().starts_with('#')).min();
    [swallowed, before].into_iter().flatten().min()
}

fn warning(at: Span) -> Diagnostic {
    Diagnostic::new(Code::CarriageReturn, "a carriage return (CR) alone does not end a line")
        .label(at, "what follows belongs to the same line")
        .note("CUDA's compilers treat it as a blank: a `//` comment or a directive continues to the next line feed \
        (LF)")
        .help("save the file with Unix (LF) or Windows (CR LF) line endings, or run `tr '\\r' '\\n'` on it")
}
