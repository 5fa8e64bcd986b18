//! One renderer a format: `full` for people, `concise` for editors and scripts, `json` for programs.

use crate::{Diagnostic, Severity, SourceMap};
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

/// Source lines with carets, in the manner of rustc. `color`: with ANSI escapes, for a terminal.
pub fn full(map: &SourceMap, diagnostic: &Diagnostic, color: bool) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let mut group = Group::with_title(level.primary_title(diagnostic.title.as_str()).id(diagnostic.code));
    let mut files: Vec<_> = diagnostic.labels.iter().map(|l| l.span.file).collect();
    let mut seen = std::collections::HashSet::new();
    files.retain(|f| seen.insert(*f));
    for file in files {
        let text = map.file(file).text();
        let mut snippet = Snippet::source(text).path(map.file(file).name()).line_start(1);
        for (i, label) in diagnostic.labels.iter().enumerate().filter(|(_, l)| l.span.file == file) {
            let kind = if i == 0 { AnnotationKind::Primary } else { AnnotationKind::Context };
            let range = clamp(text, label.span.start as usize, label.span.end as usize);
            let annotation = kind.span(range);
            snippet = snippet.annotation(match label.message.as_str() {
                "" => annotation,
                message => annotation.label(message),
            });
        }
        group = group.element(snippet);
    }
    let thread = thread_text(diagnostic);
    for note in thread.iter().chain(&diagnostic.notes) {
        group = group.element(Level::NOTE.message(note.as_str()));
    }
    for help in &diagnostic.help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    renderer.render(&[group])
}

/// `file:line:column: error[code]: title`, one line.
pub fn concise(map: &SourceMap, diagnostic: &Diagnostic) -> String {
    let severity = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    };
    let place = diagnostic.span().map(|span| {
        let position = map.position(span);
        format!("{}:{}:{}: ", map.file(span.file).name(), position.line, position.column)
    });
    let thread = thread_text(diagnostic).map(|t| format!(" ({t})")).unwrap_or_default();
    format!("{}{severity}[{}]: {}{thread}", place.unwrap_or_default(), diagnostic.code, diagnostic.title)
}

/// An object with `code`, `severity`, `verdict`, `message`, and where they apply `file`, `line`, `column` (1-based),
/// `thread`, `block`, `related`, `notes`, `help`.
pub fn json(map: &SourceMap, diagnostic: &Diagnostic) -> serde_json::Value {
    let mut object = serde_json::json!({
        "code": diagnostic.code,
        "severity": diagnostic.severity,
        "verdict": diagnostic.verdict,
        "message": diagnostic.title,
        "notes": diagnostic.notes,
        "help": diagnostic.help,
    });
    if let Some(span) = diagnostic.span() {
        let position = map.position(span);
        object["file"] = map.file(span.file).name().into();
        object["line"] = position.line.into();
        object["column"] = position.column.into();
    }
    if let Some(at) = diagnostic.thread {
        object["thread"] = serde_json::json!(at.thread);
        object["block"] = serde_json::json!(at.block);
    }
    let related = diagnostic.labels.iter().skip(1).map(|label| {
        let position = map.position(label.span);
        let file = map.file(label.span.file).name();
        serde_json::json!({ "file": file, "line": position.line, "column": position.column, "message": label.message })
    });
    object["related"] = related.collect();
    object
}

fn thread_text(diagnostic: &Diagnostic) -> Option<String> {
    let at = diagnostic.thread?;
    let [tx, ty, tz] = at.thread;
    let [bx, by, bz] = at.block;
    Some(format!("in thread ({tx}, {ty}, {tz}) of block ({bx}, {by}, {bz})"))
}

/// A range that the renderer takes: inside the text, on character boundaries, start not after end.
fn clamp(text: &str, start: usize, end: usize) -> std::ops::Range<usize> {
    let floor = |mut at: usize| {
        at = at.min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let start = floor(start);
    start..floor(end).max(start)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Span, ThreadPosition};

    fn sample() -> (SourceMap, Diagnostic) {
        let mut map = SourceMap::new();
        let file = map.add("a.cu", "int x = yy;\nint z;\n");
        let at = ThreadPosition { thread: [1, 2, 0], block: [3, 0, 0] };
        let d = Diagnostic::error("undeclared-name", "`yy` is not declared")
            .label(Span::new(file, 8, 10), "not found")
            .label(Span::new(file, 16, 17), "a near name")
            .help("declare it")
            .at_thread(at);
        (map, d)
    }

    #[test]
    fn concise_is_one_line_with_place_and_thread() {
        let (map, d) = sample();
        let expected =
            "a.cu:1:9: error[undeclared-name]: `yy` is not declared (in thread (1, 2, 0) of block (3, 0, 0))";
        assert_eq!(concise(&map, &d), expected);
    }

    #[test]
    fn full_shows_source_carets_and_help() {
        let (map, d) = sample();
        let text = full(&map, &d, false);
        for part in
            ["error[undeclared-name]", "--> a.cu:1:9", "^^ not found", "a near name", "help: declare it"]
        {
            assert!(text.contains(part), "{part:?} is missing in\n{text}");
        }
    }

    #[test]
    fn json_has_place_thread_and_related() {
        let (map, d) = sample();
        let value = json(&map, &d);
        assert_eq!(value["line"], 1);
        assert_eq!(value["block"][0], 3);
        assert_eq!(value["related"][0]["line"], 2);
    }

    #[test]
    fn spans_outside_the_text_do_not_panic() {
        let mut map = SourceMap::new();
        let file = map.add("a.cu", "µ");
        let d =
            Diagnostic::error("x", "t").label(Span::new(file, 1, 99), "").label(Span::new(file, 7, 3), "b");
        assert!(full(&map, &d, true).contains("a.cu"));
    }
}
