//! Renders diagnostics with source lines and carets, like rustc.

use crate::render::excerpt::{self, Excerpt};
use crate::render::fit;
use crate::styled::Styled;
use crate::text::{printable, printable_colored};
use crate::{Diagnostic, FileId, Label, Severity, SourceMap};
use annotate_snippets::renderer::DEFAULT_TERM_WIDTH;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

/// Renders a diagnostic with its source lines, without a limit on the width. `color` adds ANSI escapes for a
/// terminal.
pub fn full(map: &SourceMap, diagnostic: &Diagnostic, color: bool) -> String {
    let shortened = &fit::shorten_spans(map, diagnostic, LONGEST_LINE / 2);
    let text = render(map, shortened, color, DEFAULT_TERM_WIDTH, &by_file(shortened));
    match text.lines().any(|line| crate::text::width(line) > LONGEST_LINE && fit::is_source(line)) {
        true => full_within(map, diagnostic, color, LONGEST_LINE),
        false => text,
    }
}

/// Maximum columns of a source line; longer lines are clipped even without a limit on the width.
const LONGEST_LINE: usize = 500;

/// Renders a diagnostic in at most `width` columns: clips source lines around marked text, and wraps all other lines.
pub fn full_within(map: &SourceMap, diagnostic: &Diagnostic, color: bool, width: usize) -> String {
    let diagnostic = &fit::shorten_spans(map, diagnostic, width / 2);
    let text = render(map, diagnostic, color, width, &by_file(diagnostic));
    let clipped =
        |text: &str| text.lines().any(|line| fit::is_source(line) && crate::text::width(line) > width);
    // Labels that are far apart do not fit into one window of the source, so each gets its own piece.
    let text = match clipped(&text) {
        true => render(map, diagnostic, color, width, &one_by_one(diagnostic)),
        false => text,
    };
    match with_footnotes(diagnostic, &text, width) {
        Some(diagnostic) => full_within(map, &diagnostic, color, width),
        None => fit::fit(&text, width),
    }
}

/// The diagnostic with each label that goes past the last column of `text` replaced by a number, and its words in a note;
/// `None` if all labels fit.
fn with_footnotes(diagnostic: &Diagnostic, text: &str, width: usize) -> Option<Diagnostic> {
    let too_long: Vec<String> = text
        .lines()
        .map(|line| Styled::of(line).plain())
        .filter(|line| line.trim_start().starts_with('|') && crate::text::width(line) > width)
        .collect();
    let mut with_notes = diagnostic.clone();
    let mut notes = Vec::new();
    for label in &mut with_notes.labels {
        let shown = printable(&label.message);
        if label.message.len() > FOOTNOTE && too_long.iter().any(|line| line.contains(&*shown)) {
            let number = format!("({})", notes.len() + 1);
            notes.push(format!("{number} {}", label.message));
            label.message = number;
        }
    }
    if notes.is_empty() {
        return None;
    }
    with_notes.notes.splice(0..0, notes);
    Some(with_notes)
}

/// Maximum bytes of a label that never becomes a footnote, because the footnote's number would be as long.
const FOOTNOTE: usize = 3;

/// A piece of source with its labels and their indices in the diagnostic.
type Piece<'a> = (FileId, Vec<(usize, &'a Label)>);

/// One piece per file, in the order of first labels; several if labels are very far apart.
fn by_file(diagnostic: &Diagnostic) -> Vec<Piece<'_>> {
    let mut pieces: Vec<Piece<'_>> = Vec::new();
    for (i, label) in diagnostic.labels.iter().enumerate() {
        match pieces.iter_mut().find(|(_, labels)| excerpt::are_near(labels[0].1, label)) {
            Some((_, labels)) => labels.push((i, label)),
            None => pieces.push((label.span.file, vec![(i, label)])),
        }
    }
    pieces
}

/// One piece per label.
fn one_by_one(diagnostic: &Diagnostic) -> Vec<Piece<'_>> {
    diagnostic.labels.iter().enumerate().map(|(i, label)| (label.span.file, vec![(i, label)])).collect()
}

fn render(
    map: &SourceMap,
    diagnostic: &Diagnostic,
    color: bool,
    width: usize,
    pieces: &[Piece<'_>],
) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let mut group =
        Group::with_title(level.primary_title(diagnostic.title.as_str()).id(diagnostic.code.as_str()));
    // For each piece that starts inside a line: the position that the renderer prints, and the one in the file.
    let mut places = Vec::new();
    for (file, labels) in pieces {
        let file = map.file(*file);
        let excerpt = Excerpt::of(file, labels.iter().map(|(_, label)| label.span));
        let name = printable(file.name());
        if let Some((_, first)) = labels.first()
            && let Some((shown, place)) = excerpt.place(first.span)
        {
            places.push((format!("{name}:{shown}"), format!("{name}:{place}")));
        }
        let mut snippet = Snippet::source(excerpt.text).path(name).line_start(excerpt.line);
        for (i, label) in labels {
            let kind = if *i == 0 { AnnotationKind::Primary } else { AnnotationKind::Context };
            let annotation = kind.span(excerpt.range(label.span));
            snippet = snippet.annotation(match label.message.as_str() {
                "" => annotation,
                message => annotation.label(message),
            });
        }
        group = group.element(snippet);
    }
    let thread = super::thread_text(diagnostic);
    for note in thread.iter().chain(&diagnostic.notes) {
        group = group.element(Level::NOTE.message(note.as_str()));
    }
    for help in &diagnostic.help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    let suggestions = super::suggestions(map, diagnostic);
    for suggestion in &suggestions {
        group = group.element(Level::HELP.message(suggestion.as_str()));
    }
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    let text = renderer.term_width(width).render(&[group]);
    let text = places.iter().fold(text, |text, (shown, place)| text.replacen(shown, place, 1));
    // The renderer replaces most control characters in source text, but not those of Latin-1.
    if color { printable_colored(&text).into_owned() } else { printable(&text).into_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::tests::sample;
    use crate::{Code, Span, text};

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
    fn no_control_character_of_the_source_reaches_the_terminal() {
        let mut map = SourceMap::new();
        let file = map.add("a.cu", "#error \u{9b}31m \u{1b}[31m \u{202e}x\n");
        let d =
            Diagnostic::new(Code::ErrorDirective, "#error: \u{9b}31m").label(Span::new(file, 0, 6), "\u{85}");
        for text in [full(&map, &d, false), full_within(&map, &d, false, 60)] {
            assert_eq!(text, printable(&text));
        }
        assert_eq!(full(&map, &d, true), printable_colored(&full(&map, &d, true)));
    }

    #[test]
    fn spans_outside_the_text_do_not_panic() {
        let mut map = SourceMap::new();
        let file = map.add("a.cu", "µ");
        let d = Diagnostic::new(Code::UnexpectedToken, "t")
            .label(Span::new(file, 1, 99), "")
            .label(Span::new(file, 7, 3), "b");
        assert!(full(&map, &d, true).contains("a.cu"));
        assert!(full_within(&map, &d, true, 40).contains("a.cu"));
    }

    /// A race on a line wider than the window, with a declaration far to its left, and long texts in every field.
    fn wide() -> (SourceMap, Diagnostic) {
        let mut map = SourceMap::new();
        let mut source =
            "    __shared__ float element[BLOCK];\n    for (int i = 0; i < 2; i++) {\n\t".to_owned();
        let first = source.len() as u32;
        source += "total = total + first_array_with_a_long_name[threadIdx.x * 3] * second_array_with_a_long_name[threadIdx.x]; // 漢字漢字漢字漢字";
        let last = source.len() as u32;
        source += "\n    }\n";
        let file = map.add("/tmp/a/folder/with/a/name/that/is/longer/than/the/window/itself/a.cu", source);
        let d = Diagnostic::new(
            Code::SharedMemoryRace,
            "two threads use `element[0]` with no barrier between them",
        )
        .label(Span::new(file, first + 60, first + 104), "read by thread (1, 0, 0) of block (0, 0, 0)")
        .label(Span::new(file, 21, 28), "`element` is declared here, and its size is that of a block")
        .label(Span::new(file, 41, last), "all of this loop, which has several lines")
        .note("a fact of many words, none of which is longer than the window is wide")
        .help(
            "put `__syncthreads()` between the two lines, so that every write finishes before the first read",
        );
        (map, d)
    }

    #[test]
    fn every_line_fits_with_and_without_colours() {
        let (map, d) = wide();
        for columns in [40, 60, 80, 120] {
            let plain = full_within(&map, &d, false, columns);
            for line in plain.lines() {
                assert!(text::width(line) <= columns, "{columns}: {line}\nin\n{plain}");
            }
            let colored = full_within(&map, &d, true, columns);
            let stripped: String = strip(&colored);
            assert_eq!(stripped, plain);
            for part in ["second_array", "^^^", "of block (0, 0, 0)", "__syncthreads"] {
                let joined = plain.replace("\n", " ");
                let joined = joined.split_whitespace().filter(|w| *w != "|").collect::<Vec<_>>().join(" ");
                assert!(joined.contains(part), "{part} is missing at {columns} in\n{plain}");
            }
        }
    }

    #[test]
    fn a_label_that_does_not_fit_beside_its_source_is_a_note() {
        let (map, d) = wide();
        let text = full_within(&map, &d, false, 60);
        assert!(text.contains("^ (1)\n") && text.contains("= note: (1) read by thread"), "{text}");
        assert!(!text.contains("| read") && !text.contains("|     of block"), "{text}");
        let text = full_within(&map, &d, false, 400);
        assert!(text.contains("read by thread") && !text.contains("note: (1)"), "{text}");
    }

    fn strip(text: &str) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some(at) = rest.find('\u{1b}') {
            out.push_str(&rest[..at]);
            rest = &rest[at + crate::text::color_length(&rest[at..])..];
        }
        out + rest
    }

    #[test]
    fn escapes_in_a_file_do_not_reach_the_terminal() {
        let mut map = SourceMap::new();
        let file = map.add("a\u{1b}[2J.cu", "#error \u{1b}[8mhidden\n");
        let d =
            Diagnostic::new(Code::ErrorDirective, "#error \u{1b}[8mhidden").label(Span::new(file, 0, 6), "");
        for text in [full(&map, &d, false), full_within(&map, &d, false, 60)] {
            assert!(!text.contains('\u{1b}'), "{text:?}");
        }
    }
}
