//! Source text with line numbers, colours, marks, heat and annotations.
//!
//! Long lines wrap, so that a narrow screen hides nothing. Limits on lines, columns and tokens keep the page of a
//! huge file small enough for a browser; the listing says what it left out.

use crate::highlight::{Class, tokens};
use crate::html::{share_bar, span};
use crate::markup::Element;
use std::collections::BTreeMap;
use std::ops::Range;

/// Maximum number of lines shown.
pub const MAX_LINES: usize = 20_000;

/// Maximum characters shown per line.
pub const MAX_COLUMNS: usize = 4_000;

/// Maximum number of coloured tokens; a text with more is shown without colours.
pub const MAX_TOKENS: usize = 60_000;

/// Look of a mark: a primary mark has a solid line below and bold text, a secondary mark a dashed line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Emphasis {
    /// The place that a diagnostic is about.
    Primary,
    /// A related place.
    Secondary,
}

/// Marked characters of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The columns, 1-based and in characters, the end excluded. An empty range marks the character there.
    pub columns: Range<u32>,
    /// Its look.
    pub emphasis: Emphasis,
}

/// Severity that decides the background of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)] // The names are those of severities.
pub enum Tint {
    Error,
    Warning,
    Note,
}

/// Marks and annotations of a line.
#[derive(Clone, Debug, Default)]
pub struct Remarks {
    /// Marked characters.
    pub marks: Vec<Mark>,
    /// The highest severity of the line's diagnostics.
    pub tint: Option<Tint>,
    /// Share of the file's work, 0 to 1, for the column beside the line numbers.
    pub heat: Option<f64>,
    /// Elements shown below the line.
    pub below: Vec<Element>,
}

/// A text to list.
#[derive(Clone, Debug)]
pub struct Listing<'a> {
    /// Part of `id` attributes: unique within a page.
    pub id: &'a str,
    /// Description of the listing for screen readers.
    pub label: String,
    /// The text.
    pub text: &'a str,
    /// Remarks by 1-based line. Remarks of lines that the text lacks or that are left out appear at the end.
    pub remarks: BTreeMap<u32, Remarks>,
}

/// The `id` of a line of a listing.
pub fn line_id(listing: &str, line: u32) -> String {
    format!("{listing}-L{line}")
}

impl Listing<'_> {
    /// The listing as a table, one row per line.
    pub fn element(&self) -> Element {
        let has_heat = self.remarks.values().any(|r| r.heat.is_some());
        let mut lexed = tokens(self.text);
        if lexed.len() > MAX_TOKENS {
            lexed.clear();
        }
        let mut rows = Vec::new();
        let mut offset = 0;
        let mut next = 0;
        let body = self.text.strip_suffix('\n').unwrap_or(self.text);
        let nothing = Remarks::default();
        for (number, line) in (1..).zip(body.split('\n').take(MAX_LINES)) {
            let remarks = self.remarks.get(&number).unwrap_or(&nothing);
            while lexed.get(next).is_some_and(|(range, _)| range.end <= offset) {
                next += 1;
            }
            let cell = code(line.trim_end_matches('\r'), offset, &lexed[next..], &remarks.marks);
            rows.push(self.row(number, remarks, has_heat, cell));
            rows.extend(below(remarks, has_heat));
            offset += line.len() + 1;
        }
        let lines = body.split('\n').count();
        if lines > MAX_LINES {
            rows.push(wide(has_heat, note(format!("{} more lines are not shown", lines - MAX_LINES))));
        }
        let shown = lines.min(MAX_LINES) as u32;
        let beyond = self.remarks.range(shown + 1..);
        // Lines with marks only are skipped here: there is no text to mark.
        let told = |r: &Remarks| r.tint.is_some() || r.heat.is_some() || !r.below.is_empty();
        for (number, remarks) in beyond.filter(|(_, remarks)| told(remarks)) {
            rows.push(self.row(*number, remarks, has_heat, Element::new("td").class("code")));
            rows.extend(below(remarks, has_heat));
        }
        let table = Element::new("table").class("source").attr("aria-label", &self.label);
        table.child(Element::new("tbody").children(rows))
    }

    fn row(&self, number: u32, remarks: &Remarks, has_heat: bool, cell: Element) -> Element {
        let mut row = Element::new("tr").attr("id", line_id(self.id, number));
        row = match remarks.tint {
            Some(Tint::Error) => row.class("has-error"),
            Some(Tint::Warning) => row.class("has-warning"),
            Some(Tint::Note) => row.class("has-note"),
            None => row,
        };
        row.push(Element::new("th").class("line").attr("scope", "row").text(number.to_string()));
        if has_heat {
            let heat = Element::new("td").class("heat");
            row.push(match remarks.heat {
                Some(share) => heat.text(percent(share)).text(" ").child(share_bar(share)),
                None => heat,
            });
        }
        row.child(cell)
    }
}

/// A share as a percentage: `71 %`; small positive shares read `<1 %`.
pub fn percent(share: f64) -> String {
    match 100.0 * share {
        p if p > 0.0 && p < 1.0 => "<1 %".to_owned(),
        p => format!("{p:.0} %"),
    }
}

fn below(remarks: &Remarks, has_heat: bool) -> impl Iterator<Item = Element> {
    remarks.below.iter().map(move |element| wide(has_heat, element.clone()))
}

/// A table row below a line, for annotations.
fn wide(has_heat: bool, content: Element) -> Element {
    let empty = || Element::new("td");
    let row = Element::new("tr").child(empty());
    let row = if has_heat { row.child(empty()) } else { row };
    row.child(empty().child(content))
}

fn note(text: String) -> Element {
    Element::new("div").class("counters").text(text)
}

/// Splits a line into segments that each lie within one token and one mark. The line starts at byte `offset` of the
/// text; `lexed` starts with the first token that reaches into it.
fn code(line: &str, offset: usize, lexed: &[(Range<usize>, Class)], marks: &[Mark]) -> Element {
    let shown = line.char_indices().nth(MAX_COLUMNS).map_or(line, |(end, _)| &line[..end]);
    let marks: Vec<(Range<usize>, Emphasis)> =
        marks.iter().filter_map(|m| Some((bytes(shown, &m.columns)?, m.emphasis))).collect();
    let end = offset + shown.len();
    let within = lexed.iter().take_while(|(range, _)| range.start < end);
    let tokens: Vec<(Range<usize>, Class)> = within
        .map(|(range, class)| (range.start.max(offset) - offset..range.end.min(end) - offset, *class))
        .filter(|(range, _)| range.start < range.end)
        .collect();
    let mut cuts: Vec<usize> = tokens.iter().flat_map(|(r, _)| [r.start, r.end]).collect();
    cuts.extend(marks.iter().flat_map(|(r, _)| [r.start, r.end]));
    cuts.extend([0, shown.len()]);
    cuts.sort_unstable();
    cuts.dedup();
    let mut cell = Element::new("td").class("code");
    let mut open: Option<(Emphasis, Element)> = None;
    let mut token = 0;
    for pair in cuts.windows(2) {
        let (start, end) = (pair[0], pair[1]);
        while tokens.get(token).is_some_and(|(range, _)| range.end <= start) {
            token += 1;
        }
        let class = tokens.get(token).filter(|(range, _)| range.start <= start).map(|(_, class)| *class);
        let emphasis = marks.iter().filter(|(r, _)| r.contains(&start)).map(|(_, e)| *e).min();
        if open.as_ref().map(|(e, _)| *e) != emphasis {
            open.take().into_iter().for_each(|(_, mark)| cell.push(mark));
            open = emphasis.map(|e| (e, marked(e)));
        }
        let target = open.as_mut().map_or(&mut cell, |(_, mark)| mark);
        match class {
            Some(class) => target.push(span(&shown[start..end]).class(class.name())),
            None => target.push_text(&shown[start..end]),
        }
    }
    open.into_iter().for_each(|(_, mark)| cell.push(mark));
    if shown.len() < line.len() {
        let more = line[shown.len()..].chars().count();
        cell.push(span(format!(" … {more} more characters are not shown")).class("muted"));
    }
    cell
}

fn marked(emphasis: Emphasis) -> Element {
    match emphasis {
        Emphasis::Primary => Element::new("mark").class("primary"),
        Emphasis::Secondary => Element::new("mark").class("secondary"),
    }
}

/// Converts columns to bytes. The range covers at least one character: the last one of the line if the columns lie
/// beyond it. `None` for an empty line.
fn bytes(line: &str, columns: &Range<u32>) -> Option<Range<usize>> {
    let last = line.char_indices().next_back()?.0;
    let at = |column: u32| {
        line.char_indices().nth(column.saturating_sub(1) as usize).map_or(line.len(), |(offset, _)| offset)
    };
    let start = at(columns.start).min(last);
    let after = start + line[start..].chars().next()?.len_utf8();
    Some(start..at(columns.end).max(after))
}
