//! Everything that grading found: each check, each diagnostic, all numbers, the exercise's own tables, and the lines that cost most.

use super::brief::{brief, nothing_again};
use super::performance::{self, hot_lines};
use super::style::Style;
use super::table::Columns;
use super::text::{diagnostic, printed};
use crate::{Check, ExerciseReport, Extra, Status};
use std::fmt::Write;

/// Indentation of a check's text.
const INDENT: &str = "         ";

/// Writes everything between the head lines and the verdict.
pub(super) fn body(out: &mut String, report: &ExerciseReport, style: Style) {
    checks(out, report, style);
    report.diagnostics.iter().for_each(|message| diagnostic(out, message, style));
    if let Some(case) = report.case.as_ref().filter(|_| report.metrics.launches > 0) {
        out.push('\n');
        style.heading(out, &format!("Performance at {}", case.label));
        performance::all(out, &report.metrics, report.counters.as_ref(), style);
    }
    extras(out, report, style);
    if !report.lines.is_empty() {
        out.push('\n');
        hot_lines(out, &report.lines, style);
        style.wrap(out, "  ", performance::HOT_LINES_KEY);
    }
    printed(out, report, style);
    out.push('\n');
}

fn checks(out: &mut String, report: &ExerciseReport, style: Style) {
    let mut skipped: Vec<&Check> = Vec::new();
    let mut again: Vec<&str> = Vec::new();
    for (i, check) in report.checks.iter().enumerate() {
        let mark = match check.status {
            Status::Passed => "ok    ",
            Status::Failed => "FAILED",
            Status::Skipped => {
                skipped.push(check);
                continue;
            }
        };
        if nothing_again(report, i) {
            again.push(&check.name);
            continue;
        }
        no_other_case(out, &mut again, style);
        let _ = writeln!(out, "  {} {}", style.status(check.status, mark), check.name);
        for line in brief(report, i).lines() {
            style.wrap(out, INDENT, line);
        }
    }
    no_other_case(out, &mut again, style);
    // Checks that were skipped for one reason share a line.
    while let Some(first) = skipped.first().copied() {
        let (same, rest): (Vec<_>, Vec<_>) = skipped.into_iter().partition(|c| c.message == first.message);
        let names: Vec<&str> = same.iter().map(|c| c.name.as_str()).collect();
        let mark = style.status(Status::Skipped, "skip");
        style_line(out, &format!("  {mark}   "), &first.message, style);
        style.wrap(out, INDENT, &names.join(", "));
        skipped = rest;
    }
}

/// Writes a text after a mark. Only the text's control characters are spelled out; the mark keeps its colour.
fn style_line(out: &mut String, mark: &str, text: &str, style: Style) {
    out.push_str(&source::text::wrap(mark, &source::text::printable(text), style.width));
}

/// Writes the names of further failed cases of a file that stores nothing, if there are any, and clears `names`.
fn no_other_case(out: &mut String, names: &mut Vec<&str>, style: Style) {
    if !names.is_empty() {
        let mark = style.status(Status::Failed, "FAILED");
        style_line(out, &format!("  {mark} "), "the other cases: nothing is stored", style);
        style.wrap(out, INDENT, &names.join(", "));
        names.clear();
    }
}

fn extras(out: &mut String, report: &ExerciseReport, style: Style) {
    if report.extras.iter().any(|e| matches!(e, Extra::Fact { .. })) {
        out.push('\n');
    }
    for extra in &report.extras {
        match extra {
            Extra::Fact { name, value } => style.row(out, name, value),
            Extra::Table(table) => {
                out.push('\n');
                style.heading(out, &table.title);
                let mut columns = Columns::new(&table.header);
                table.rows.iter().for_each(|r| columns.row(r.clone()));
                out.push_str(&columns.render(style.width));
                table.notes.iter().for_each(|n| style.wrap(out, "  ", n));
            }
        }
    }
}
