//! Shows diagnostics: a list with anchors, and annotations in the listing.

use super::pictures;
use crate::html::{link, prose, span};
use crate::listing::{Emphasis, Mark, Remarks, Tint, line_id};
use crate::markup::Element;
use report::{Diagnostic, Label, Report};
use std::collections::BTreeMap;

/// Maximum number of lines that one label marks; a label may span a whole file.
const MAX_MARKED: u32 = 200;

/// The list above the listing. Each diagnostic links to its lines; a diagnostic about another file appears in full.
/// `None` if there are no diagnostics. `listing` is the listing's `id`.
pub(super) fn list(report: &Report, listing: &str, has_source: bool) -> Option<Element> {
    if report.diagnostics.is_empty() {
        return None;
    }
    let mut items = Element::new("ol").class("plain");
    for (i, message) in report.diagnostics.iter().enumerate() {
        let diagnostic = &message.json;
        let mut item = heading(Element::new("li"), i, diagnostic);
        let own: Vec<u32> = own_places(report, diagnostic).map(|(_, label)| label.line).collect();
        for (nth, line) in own.iter().enumerate() {
            item.push_text(if nth == 0 { " – " } else { ", " });
            let name = format!("line {line}");
            item.push(if has_source { link(&line_id(listing, *line), name) } else { span(name) });
        }
        if own.is_empty() || !has_source {
            item = details(item, report, diagnostic);
            item = drawn(item, report, i, listing);
        }
        items.push(item);
    }
    Some(items)
}

/// Adds marks and messages of the diagnostics to the lines of the report's file.
pub(super) fn remark(report: &Report, listing: &str, remarks: &mut BTreeMap<u32, Remarks>) {
    for (i, message) in report.diagnostics.iter().enumerate() {
        let diagnostic = &message.json;
        let places: Vec<(bool, Label)> = own_places(report, diagnostic).collect();
        let full = places.iter().position(|(primary, _)| *primary).unwrap_or(0);
        for (nth, (primary, label)) in places.iter().enumerate() {
            mark(label, *primary, remarks);
            let line = remarks.entry(label.line).or_default();
            let about = if nth == full {
                let tint = tint(&diagnostic.severity);
                line.tint = line.tint.min(Some(tint)).or(Some(tint));
                let about = details(heading(Element::new("div"), i, diagnostic), report, diagnostic);
                drawn(about, report, i, listing)
            } else {
                let home = line_id(listing, places[full].1.line);
                let badge = Element::new("a").attr("href", format!("#{home}")).child(number(i));
                prose(Element::new("div").child(badge).text(" "), &label.message)
            };
            let class = if nth == full { class(&diagnostic.severity) } else { "annotation note" };
            line.below.push(about.class(class));
        }
    }
}

/// The labels in the report's file, each with a flag: whether it marks the error itself.
fn own_places<'a>(
    report: &'a Report,
    diagnostic: &Diagnostic,
) -> impl Iterator<Item = (bool, Label)> + use<'a> {
    let places = diagnostic.places().into_iter().enumerate();
    places
        .filter(move |(_, label)| label.file == report.file)
        .map(|(i, label)| (i == 0, Label { line: label.line.max(1), ..label }))
}

fn mark(label: &Label, primary: bool, remarks: &mut BTreeMap<u32, Remarks>) {
    let emphasis = if primary { Emphasis::Primary } else { Emphasis::Secondary };
    let last = label.end_line.max(label.line).min(label.line.saturating_add(MAX_MARKED));
    for line in label.line..=last {
        let start = if line == label.line { label.column } else { 1 };
        let end = if line == label.end_line { label.end_column } else { u32::MAX };
        // A range that ends in column 1 covers nothing of that last line.
        if line == label.line || end > 1 {
            let mark = Mark { columns: start..end, emphasis };
            remarks.entry(line).or_default().marks.push(mark);
        }
    }
}

fn tint(severity: &str) -> Tint {
    match severity {
        "error" => Tint::Error,
        "warning" => Tint::Warning,
        _ => Tint::Note,
    }
}

fn class(severity: &str) -> &'static str {
    match tint(severity) {
        Tint::Error => "annotation error",
        Tint::Warning => "annotation warning",
        Tint::Note => "annotation note",
    }
}

/// The number that identifies a diagnostic in all its annotations.
fn number(index: usize) -> Element {
    span((index + 1).to_string()).class("badge").attr("title", format!("diagnostic {}", index + 1))
}

/// The heading: number, severity, code and title.
fn heading(element: Element, index: usize, diagnostic: &Diagnostic) -> Element {
    let class = match tint(&diagnostic.severity) {
        Tint::Error => "bad",
        Tint::Warning => "caution",
        Tint::Note => "muted",
    };
    let what =
        Element::new("strong").class(class).text(format!("{}[{}]", diagnostic.severity, diagnostic.code));
    prose(element.child(number(index)).text(" ").child(what).text(": "), &diagnostic.message)
}

/// Adds the picture of a diagnostic's race, if it has one.
fn drawn(element: Element, report: &Report, index: usize, listing: &str) -> Element {
    let diagnostic = report.diagnostics.get(index).map(|message| &message.json);
    let picture =
        diagnostic.and_then(|one| pictures::race(&report.file, one, &format!("{listing}-race-{index}")));
    element.children(picture.map(pictures::Picture::element))
}

/// Adds the label at the error, labels in other files, the thread, notes and help.
fn details(mut element: Element, report: &Report, diagnostic: &Diagnostic) -> Element {
    let mut say = |kind: &str, text: &str| {
        let start = Element::new("p").child(Element::new("strong").text(kind.to_owned())).text(": ");
        element.push(prose(start, text));
    };
    for (i, label) in diagnostic.places().iter().enumerate() {
        let place = format!("{}:{}:{}", label.file, label.line, label.column);
        match (label.file == report.file, i) {
            (true, 0) if !label.message.is_empty() => say("here", &label.message),
            (true, _) => {}
            (false, _) if label.message.is_empty() => say("at", &place),
            (false, _) => say("at", &format!("{place}: {}", label.message)),
        }
    }
    if let (Some([tx, ty, tz]), Some([bx, by, bz])) = (diagnostic.thread, diagnostic.block) {
        say("note", &format!("in thread ({tx}, {ty}, {tz}) of block ({bx}, {by}, {bz})"));
    }
    diagnostic.notes.iter().for_each(|note| say("note", note));
    diagnostic.help.iter().for_each(|help| say("help", help));
    diagnostic
        .suggestions
        .iter()
        .for_each(|s| say("help", &format!("{} (tried: {})", s.message, s.tried.message)));
    if diagnostic.verdict == "unsupported" {
        say("note", "the simulator does not support this yet: it may be correct CUDA");
    }
    element
}
