//! Verdict, checks and gates.

use crate::html::{Align, Table, prose, span};
use crate::markup::Element;
use crate::number::short;
use report::{GateResult, Report, Status};

/// A symbol and a word for a status; screen readers skip the symbol.
pub(super) fn verdict(status: Status) -> Element {
    let (class, sign, word) = match status {
        Status::Passed => ("good whole-word", "✓", "passed"),
        Status::Failed => ("bad whole-word", "✗", "FAILED"),
        Status::Skipped => ("caution whole-word", "–", "skipped"),
    };
    span("").class(class).child(span(sign).attr("aria-hidden", "true")).text(format!(" {word}"))
}

/// Checks with the same status and message.
struct Group<'a> {
    status: Status,
    message: &'a str,
    names: Vec<&'a str>,
}

/// The table of checks; checks with the same outcome and message share a row.
pub(super) fn checks(report: &Report) -> Element {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for check in &report.checks {
        let message = shown(report, &check.name, check.status, &check.message);
        match groups.iter_mut().find(|g| g.status == check.status && g.message == message) {
            Some(group) => group.names.push(&check.name),
            None => groups.push(Group { status: check.status, message, names: vec![&check.name] }),
        }
    }
    let columns = [("verdict", Align::Left), ("checks", Align::Left), ("what was found", Align::Left)];
    let silent = groups.iter().all(|g| g.message.is_empty());
    let shown = if silent { &columns[..2] } else { &columns };
    let mut table = Table::new(shown);
    for group in groups {
        let names = group.names.iter().enumerate().fold(span(""), |cell, (i, name)| {
            cell.text(if i == 0 { "" } else { ", " }).child(Element::new("code").text(*name))
        });
        let message = prose(span("").class("message"), group.message);
        table.row([verdict(group.status), names, message].into_iter().take(shown.len()));
    }
    table.element()
}

/// A check's message, or nothing if the page shows it elsewhere: gates have their own table, and for a file that
/// stores nothing the hint says everything.
fn shown<'a>(report: &Report, name: &str, status: Status, message: &'a str) -> &'a str {
    let has_row = |gate: &GateResult| name.strip_prefix("gate_") == Some(gate.id.as_str());
    match status {
        _ if report.gates.iter().any(has_row) => "",
        Status::Failed if report.hint.is_some() && name.starts_with("correct_") => "nothing is stored",
        _ => message,
    }
}

/// The table of gates, one row per gated size; `None` if the gates were not evaluated.
pub(super) fn gates(report: &Report) -> Option<Element> {
    if report.gates.is_empty() {
        return None;
    }
    let columns = [
        ("gate", Align::Left),
        ("size", Align::Left),
        ("yours", Align::Right),
        ("required", Align::Left),
        ("reference", Align::Right),
        ("verdict", Align::Left),
    ];
    let mut table = Table::new(&columns);
    for gate in &report.gates {
        for (i, size) in gate.sizes.iter().enumerate() {
            let name = Element::new("code").text(&gate.id);
            let name =
                span("").child(name).text(if i == 0 { format!(": {}", gate.asks) } else { String::new() });
            let value = |value: Option<f64>| span(value.map_or("–".to_owned(), short));
            let bound = if gate.bound == "≥" { "at least" } else { "at most" };
            let required = format!("{bound} {} {}", short(size.limit.unwrap_or(gate.limit)), gate.unit);
            let status = if size.passed { Status::Passed } else { Status::Failed };
            table.row([
                name,
                span(&size.case),
                value(size.value),
                span(required.trim_end()),
                value(size.reference),
                verdict(status),
            ]);
        }
    }
    let mut element = Element::new("div").child(table.element());
    for gate in report.gates.iter().filter(|gate| !gate.passed && !gate.hint.is_empty()) {
        let name = Element::new("code").text(&gate.id);
        element.push(prose(Element::new("p").child(name).text(": "), &gate.hint));
    }
    Some(element)
}
