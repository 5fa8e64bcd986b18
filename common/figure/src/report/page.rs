//! Builds the page: an overview of several exercises, and a section per exercise.

use super::pictures::{list, of_lines};
use super::{checks, diagnostics, performance};
use crate::html::{Align, Page, Table, link, prose, span};
use crate::listing::{Listing, Remarks, line_id, percent};
use crate::markup::{Element, slug};
use crate::number::{count, duration, short};
use report::{Extra, HotLine, Report, Status, Time};
use std::collections::BTreeMap;

/// A report with the graded source text.
#[derive(Clone, Debug)]
pub struct Graded {
    /// The report of grading.
    pub report: Report,
    /// The kernel file's text; `None` if it could not be read.
    pub source: Option<String>,
}

/// Maximum number of lines listed as the ones with the most memory work.
const TOP: usize = 5;

/// The HTML page of these reports, in their order.
pub fn page(graded: &[Graded]) -> String {
    let ids: Vec<String> = ids(graded);
    let mut body = Vec::new();
    if graded.len() != 1 {
        body.push(Element::new("h1").text(heading(graded)));
        body.extend(overview(graded, &ids));
    }
    body.extend(graded.iter().zip(&ids).map(|(one, id)| section(one, id, graded.len() == 1)));
    Page { title: heading(graded), body }.document()
}

/// The title of the window and of the page.
fn heading(graded: &[Graded]) -> String {
    let exercises = format!("{} exercises", graded.len());
    let passed = graded.iter().filter(|g| g.report.status == Status::Passed).count();
    match graded {
        [one] => {
            let Report { lab, exercise, title, .. } = &one.report;
            format!("{lab} {exercise}: {title}")
        }
        [first, ..] if graded.iter().all(|g| g.report.lab == first.report.lab) => {
            format!("{}: {exercises}, {passed} passed", first.report.lab)
        }
        _ => format!("{exercises}, {passed} passed"),
    }
}

/// The page of one person's reports: a heading, the elements `before`, and a section per report.
pub fn handout(title: &str, before: Vec<Element>, graded: &[Graded]) -> String {
    let mut body = vec![Element::new("h1").text(title)];
    body.extend(before);
    body.extend(graded.iter().zip(ids(graded)).map(|(one, id)| section(one, &id, false)));
    Page { title: title.to_owned(), body }.document()
}

/// An `id` per section; if an exercise repeats, the later ids end in a number.
pub fn ids(graded: &[Graded]) -> Vec<String> {
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    let id = |one: &Graded| {
        let base = slug(&format!("{}-{}", one.report.lab, one.report.exercise));
        let times = known.entry(base.clone()).and_modify(|n| *n += 1).or_insert(1);
        // Slugs contain no dot, so this `id` is unique.
        if *times == 1 { base } else { format!("{base}.{times}") }
    };
    graded.iter().map(id).collect()
}

/// A table with a row per exercise that links to its section, and a picture per lab, device and kind of time.
fn overview(graded: &[Graded], ids: &[String]) -> Vec<Element> {
    let columns = [
        ("exercise", Align::Left),
        ("verdict", Align::Left),
        ("score", Align::Right),
        ("checks", Align::Left),
        ("time", Align::Left),
    ];
    let mut table = Table::new(&columns);
    for (one, id) in graded.iter().zip(ids) {
        let report = &one.report;
        let number = |status: Status| report.checks.iter().filter(|c| c.status == status).count();
        let found = [(Status::Passed, "passed"), (Status::Failed, "failed"), (Status::Skipped, "skipped")];
        let found = found.map(|(status, word)| (number(status), word)).into_iter().filter(|(n, _)| *n > 0);
        let found: Vec<String> = found.map(|(n, word)| format!("{n} {word}")).collect();
        let time = report.metrics.time.as_ref();
        table.row([
            link(id, format!("{} {}", report.lab, report.exercise)),
            checks::verdict(report.status),
            span(format!("{}/100", report.score)),
            span(found.join(", ")),
            span(time.map_or("–".to_owned(), |t| format!("{} {}", duration(t.seconds), t.basis()))),
        ]);
    }
    let pictures = Element::new("div").class("side").children(pictures(graded));
    vec![table.element(), pictures]
}

fn pictures(graded: &[Graded]) -> Vec<Element> {
    let basis = |report: &Report| report.metrics.time.as_ref().map(Time::basis);
    let key = |report: &Report| Some((report.lab.clone(), report.device.name.clone(), basis(report)?));
    let mut keys = Vec::new();
    for own in graded.iter().filter_map(|g| key(&g.report)) {
        if !keys.contains(&own) {
            keys.push(own);
        }
    }
    let picture = |(i, own): (usize, &(String, String, String))| {
        let of: Vec<&Report> =
            graded.iter().map(|g| &g.report).filter(|r| key(r).as_ref() == Some(own)).collect();
        let runs: Vec<_> =
            of.iter().map(|r| performance::Run { name: r.exercise.clone(), metrics: &r.metrics }).collect();
        // A single kernel needs no picture here: its own section shows it.
        let device = of.first().filter(|_| runs.len() > 1).map(|r| &r.device)?;
        let picture = performance::overview(&format!("overview-{i}"), device, &own.2, &runs)?;
        Some(Element::new("div").child(Element::new("h3").text(&own.0)).child(picture))
    };
    keys.iter().enumerate().filter_map(picture).collect()
}

/// The section of one exercise.
fn section(one: &Graded, id: &str, alone: bool) -> Element {
    let report = &one.report;
    let mut section = Element::new("section").attr("id", id);
    if !alone {
        section = section.class("exercise");
    }
    let title = format!("{} {}: {}", report.lab, report.exercise, report.title);
    section.push(Element::new(if alone { "h1" } else { "h2" }).text(title));
    section.push(facts(report));
    if let Some(hint) = &report.hint {
        let strong = Element::new("strong").text("Where to begin: ");
        section.push(prose(Element::new("p").class("annotation warning").child(strong), hint));
    }
    if let Some(next) = &report.next {
        let strong = Element::new("strong").text("Next: ");
        section.push(prose(Element::new("p").child(strong), next));
    }
    let listing = format!("{id}-source");
    let mut part = |name: &str, content: Option<Element>| {
        if let Some(content) = content {
            section.push(Element::new("h3").text(name.to_owned()));
            section.push(content);
        }
    };
    part("Diagnostics", diagnostics::list(report, &listing, one.source.is_some()));
    part("Checks", Some(checks::checks(report)));
    part("Gates", checks::gates(report));
    let at = report.case.as_ref().map(|case| format!(" at {}", case.label)).unwrap_or_default();
    part(&format!("Performance{at}"), performance(report, id));
    extras(report, &mut section);
    section.push(Element::new("h3").text("Source"));
    section.children(source(one, &listing)).children(printed(report))
}

/// A table of verdict, score, file, device and seed.
fn facts(report: &Report) -> Element {
    let verdict = checks::verdict(report.status);
    let score = format!(" {}/100", report.score);
    let verdict = span("").class("verdict").child(verdict).text(score);
    let about = Element::new("p").class("facts").child(verdict).text(" ");
    let file = Element::new("code").text(&report.file);
    about.child(file).text(format!(" on {}, seed {}", report.device.name, report.seed))
}

fn performance(report: &Report, id: &str) -> Option<Element> {
    let mut numbers = Element::new("div").child(performance::table(report)?);
    for note in &report.metrics.notes {
        numbers.push(prose(Element::new("p"), &note.text));
    }
    let side = Element::new("div").class("side").child(numbers);
    Some(side.children(performance::picture(id, report)))
}

/// Adds the exercise's own results: one table of facts, then its tables.
fn extras(report: &Report, section: &mut Element) {
    let mut facts = Table::new(&[("more", Align::Left), ("value", Align::Left)]);
    let mut tables = Vec::new();
    let mut any = false;
    for extra in &report.extras {
        match extra {
            Extra::Fact { name, value } => {
                facts.row([prose(span(""), name), prose(span("").class("message"), value)]);
                any = true;
            }
            Extra::Table(table) => tables.push(table),
        }
    }
    if any {
        section.push(Element::new("h3").text("More of this exercise"));
        section.push(facts.element());
    }
    for table in tables {
        section.push(Element::new("h3").text(&table.title));
        section.push(text_table(table));
        for note in &table.notes {
            section.push(prose(Element::new("p").class("muted"), note));
        }
    }
}

/// A table of text. Cells that contain only `#` become bars, relative to the longest one in the table.
fn text_table(table: &report::Table) -> Element {
    let is_bar = |cell: &str| !cell.is_empty() && cell.bytes().all(|b| b == b'#');
    let longest = table.rows.iter().flatten().filter(|c| is_bar(c)).map(String::len).max().unwrap_or(1);
    let numeric = |column: usize| {
        let mut cells = table.rows.iter().filter_map(|row| row.get(column)).peekable();
        cells.peek().is_some() && cells.all(|c| c.starts_with(|c: char| c.is_ascii_digit() || c == '-'))
    };
    let align = |column: usize| if column > 0 && numeric(column) { Align::Right } else { Align::Left };
    let columns: Vec<(&str, Align)> =
        table.header.iter().enumerate().map(|(i, name)| (name.as_str(), align(i))).collect();
    let mut out = Table::new(&columns);
    for row in &table.rows {
        out.row(row.iter().map(|cell| match is_bar(cell) {
            true => crate::html::share_bar(cell.len() as f64 / longest as f64),
            false => prose(span(""), cell),
        }));
    }
    out.element()
}

/// The listing of the kernel file with annotations.
fn source(one: &Graded, listing: &str) -> Vec<Element> {
    let report = &one.report;
    let Some(text) = &one.source else { return excerpt(report, listing) };
    let mut remarks: BTreeMap<u32, Remarks> = BTreeMap::new();
    diagnostics::remark(report, listing, &mut remarks);
    let total: f64 = report.lines.iter().map(|line| line.work as f64).sum();
    let share = |line: &HotLine| line.work as f64 / total;
    for line in &report.lines {
        let about = remarks.entry(line.line).or_default();
        about.heat = Some(share(line)).filter(|_| total > 0.0);
        about.below.push(Element::new("div").class("counters").text(counters(line)));
    }
    for picture in of_lines(&report.accesses, &report.branches, listing) {
        let line = picture.line.unwrap_or_default();
        remarks.entry(line).or_default().below.push(picture.element());
    }
    let mut elements = Vec::new();
    if total > 0.0 {
        let mut most = Element::new("p").text("Lines with most memory work: ");
        for (i, line) in report.lines.iter().take(TOP).enumerate() {
            most.push_text(if i == 0 { "" } else { ", " });
            most.push(link(&line_id(listing, line.line), format!("line {}", line.line)));
            most.push_text(format!(" ({})", percent(share(line))));
        }
        elements.push(most);
        elements.push(Element::new("p").class("muted").text(
            "Beside a line's number is its share of memory work: its sectors, plus four for each shared memory wavefront and each \
             constant pass. Below the line are its counters; requests and sectors are those of global, local and texture memory.",
        ));
    }
    let label = format!("source of {}", report.file);
    elements.push(Listing { id: listing, label, text, remarks }.element());
    elements
}

/// Without the file: the source lines that the report quotes, which are lines of diagnostics and lines with most
/// memory work.
fn excerpt(report: &Report, listing: &str) -> Vec<Element> {
    let mut elements = vec![Element::new("p").text("The file could not be read.")];
    let texts =
        report.diagnostics.iter().map(|message| message.text.trim_end()).filter(|text| !text.is_empty());
    let block = |text: &str| Element::new("div").class("printed").child(Element::new("code").text(text));
    elements.extend(texts.map(block));
    let known: Vec<&HotLine> = report.lines.iter().filter(|line| !line.text.trim().is_empty()).collect();
    if !known.is_empty() {
        let columns = [("line", Align::Right), ("source", Align::Left), ("counters", Align::Left)];
        let mut table = Table::new(&columns);
        for line in known {
            let source = Element::new("code").text(line.text.trim());
            table.row([span(line.line.to_string()), source, span(counters(line)).class("muted")]);
        }
        elements.push(Element::new("p").text("Lines with most memory work:"));
        elements.push(table.element());
    }
    elements.extend(list(of_lines(&report.accesses, &report.branches, listing)));
    elements
}

/// A line's counters in words, without zeros.
fn counters(line: &HotLine) -> String {
    let c = &line.counters;
    let sum = |counts: &[u64]| counts.iter().fold(0, |sum: u64, count| sum.saturating_add(*count));
    let requests = sum(&[
        c.global_load_requests,
        c.global_store_requests,
        c.local_load_requests,
        c.local_store_requests,
        c.texture_requests,
    ]);
    let sectors = sum(&[
        c.global_load_sectors,
        c.global_store_sectors,
        c.local_load_sectors,
        c.local_store_sectors,
        c.texture_sectors,
    ]);
    let shared = sum(&[c.shared_load_wavefronts, c.shared_store_wavefronts]);
    let conflicts = sum(&[c.shared_load_bank_conflicts, c.shared_store_bank_conflicts]);
    let mut parts = Vec::new();
    if requests > 0 {
        let each = short(sectors as f64 / requests as f64);
        parts.push(format!("{} requests, {} sectors ({each} per request)", count(requests), count(sectors)));
    }
    if shared > 0 {
        let conflicts = match conflicts {
            0 => "no bank conflicts".to_owned(),
            n => format!("{} bank conflicts", count(n)),
        };
        parts.push(format!("{} shared wavefronts, {conflicts}", count(shared)));
    }
    if c.constant_passes > 0 {
        parts.push(format!("{} constant passes", count(c.constant_passes)));
    }
    parts.join(" · ")
}

fn printed(report: &Report) -> Vec<Element> {
    if report.printed.is_empty() {
        return Vec::new();
    }
    let more = if report.printed_is_cut { "\n… and more" } else { "" };
    let text = format!("{}{more}", report.printed.trim_end_matches('\n'));
    let at = report.printed_at.iter().map(|case| format!(" at {case}")).collect::<String>();
    vec![
        Element::new("h3").text(format!("The kernel printed{at}")),
        Element::new("div").class("printed").child(Element::new("code").text(text)),
    ]
}
