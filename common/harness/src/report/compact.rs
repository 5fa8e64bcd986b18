//! The summary of a report: what one screen of 30 lines holds.
//!
//! For a failed kernel it shows the first failed check and the missed gates, each cause once, and no performance numbers. `--verbose` shows
//! everything.

use super::findings::{about, by_cause, yours};
use super::performance;
use super::style::Style;
use super::table::Columns;
use super::text::{diagnostic, printed};
use crate::gate::number;
use crate::{Check, ExerciseReport, Explained, Extra, GateResult, Message, Status};
use source::Severity;

/// Lines that the report of a passed kernel should fit in at 80 columns; optional sections that do not fit are left out.
const SCREEN: usize = 30;

/// Lines after the optional sections: an empty line, the hint about `-v`, the verdict and the next step.
const ENDING: usize = 4;

/// Maximum number of diagnostics in a section.
const DIAGNOSTICS: usize = 3;

/// Codes of compiler warnings about code that does not do what it seems to: they may explain a wrong result or an error of a run.
const EXPLAINING: [&str; 8] = [
    "empty-if",
    "empty-body",
    "unused-result",
    "assignment-in-condition",
    "index-out-of-bounds",
    "missing-return",
    "fraction-lost",
    "integer-division",
];

/// The code of the note on host functions, which stands in every report.
const HOST_CODE: &str = "unchecked-host-code";

/// Number of lines with the most memory work that a summary shows.
const HOT_LINES: usize = 3;

/// Writes the body for a passed kernel: gates, warnings, `printf` output and performance; then, as far as they fit, why it is slower than
/// the baseline, the exercise's facts and the hot lines.
pub(super) fn passed(out: &mut String, report: &ExerciseReport, style: Style) {
    let sizes = report.checks.iter().filter(|c| c.is_case()).count();
    let not_judged = match count(report, Status::Skipped) {
        0 => String::new(),
        n => format!("; {n} not checked on this device"),
    };
    let gates = report.gates.len();
    out.push('\n');
    style.wrap(
        out,
        "",
        &format!("Correct at all {sizes} sizes, {gates} of {gates} gates reached{not_judged}"),
    );
    gate_table(out, &report.gates, style);
    warnings(out, report, style);
    host_code(out, report, style);
    printed(out, report, style);
    if let Some(case) = report.case.as_ref().filter(|_| report.metrics.launches > 0) {
        out.push('\n');
        style.heading(out, &format!("Performance at {}", case.label));
        performance::summary(out, &report.metrics, style);
    }
    let mut room = SCREEN.saturating_sub(out.lines().count() + ENDING);
    let mut add = |section: String| {
        let lines = section.lines().count();
        if lines <= room {
            room -= lines;
            out.push_str(&section);
        }
    };
    add(why_slower(report, style));
    add(facts(report, style));
    add(hot_lines(report, style));
    out.push('\n');
    let more = source::worded(
        "`-v` shows every check, all numbers, tables and lines",
        "\"All checks\" shows every check, all numbers, tables and lines",
    );
    style.wrap(out, "", more);
}

/// Writes the body for a failed kernel: the first failed check with its diagnostics or message, missed gates, `printf` output, and how many
/// checks passed.
pub(super) fn failed(out: &mut String, report: &ExerciseReport, style: Style) {
    out.push('\n');
    if let Some(first) = report.checks.iter().find(|c| c.status == Status::Failed) {
        match report.gates.iter().filter(|g| !g.passed).collect::<Vec<_>>().as_slice() {
            [gate, others @ ..] if first.name.starts_with("gate_") => missed(out, gate, others, style),
            _ => {
                wrong(out, report, first, style);
                missed_beside(out, report, style);
            }
        }
    }
    host_code(out, report, style);
    printed(out, report, style);
    out.push('\n');
    let (ok, skipped) = (count(report, Status::Passed), count(report, Status::Skipped));
    let skipped = if skipped > 0 { format!(", {skipped} not checked") } else { String::new() };
    let counts = format!(
        "{ok} of {} checks passed, {} failed{skipped}",
        report.checks.len(),
        count(report, Status::Failed)
    );
    style.wrap(out, "", &format!("{counts}; {} lists them", source::worded("`-v`", "\"All checks\"")));
}

/// Writes the missed gates if the first failed check is not a gate, as after a launch that was stopped at the instruction budget.
fn missed_beside(out: &mut String, report: &ExerciseReport, style: Style) {
    for gate in report.gates.iter().filter(|gate| !gate.passed) {
        style.wrap(out, "  ", &format!("gate_{} is missed, too: {}", gate.id, yours(gate)));
    }
}

/// Writes the first failed check, which is not a gate: its name, how many other sizes fail, and its diagnostics or its message.
fn wrong(out: &mut String, report: &ExerciseReport, first: &Check, style: Style) {
    let failed: Vec<&Check> = report.checks.iter().filter(|c| c.status == Status::Failed).collect();
    let sizes = failed.iter().filter(|c| c.is_case()).count();
    let others = match sizes.saturating_sub(usize::from(first.is_case())) {
        0 => String::new(),
        1 => " and one other size".to_owned(),
        n => format!(" and {n} other sizes"),
    };
    heading(out, &format!("{}{others}", first.name), style);
    if first.is_case() || first.name == "clean" {
        let warnings = explaining(report);
        warnings.iter().take(DIAGNOSTICS).for_each(|message| diagnostic(out, message, style));
        if !warnings.is_empty() {
            out.push('\n');
        }
    }
    let messages = by_cause(about(report, first));
    if messages.is_empty() {
        let message = report.hint.as_ref().filter(|_| first.is_case()).unwrap_or(&first.message);
        message.lines().for_each(|line| style.wrap(out, "  ", line));
        return;
    }
    messages.iter().take(DIAGNOSTICS).for_each(|message| diagnostic(out, message, style));
    if messages.len() > DIAGNOSTICS {
        out.push('\n');
        style.wrap(out, "", &format!("… and {} further errors", messages.len() - DIAGNOSTICS));
    }
}

/// The compiler's warnings that explain a wrong result or an error of a run.
fn explaining(report: &ExerciseReport) -> Vec<&Message> {
    let explains = |m: &&Message| {
        m.json.run == Some(false)
            && m.finding.severity == Severity::Warning
            && EXPLAINING.contains(&m.finding.code.as_str())
    };
    by_cause(report.diagnostics.iter().filter(explains).collect())
}

/// Writes the first missed gate of a kernel with correct results, and the names of the other missed gates.
fn missed(out: &mut String, gate: &GateResult, others: &[&GateResult], style: Style) {
    heading(out, &format!("gate_{}: all results are correct, but a gate is missed", gate.id), style);
    style.wrap(out, "  ", &format!("required: {}", gate.asks));
    style.wrap(out, "  ", &yours(gate));
    if let Some(line) = gate.line {
        style.wrap(out, "  ", &format!("most of it comes from line {line}"));
    }
    if !gate.hint.is_empty() {
        style.wrap_after(out, "  help: ", &gate.hint);
    }
    if !others.is_empty() {
        let names: Vec<String> = others.iter().map(|g| format!("gate_{}", g.id)).collect();
        style.wrap(out, "  ", &format!("also missed: {}", names.join(", ")));
    }
}

fn heading(out: &mut String, what: &str, style: Style) {
    let mark = style.status(Status::Failed, "FAILED");
    out.push_str(&source::text::wrap(&format!("{mark} "), &source::text::printable(what), style.width));
}

fn count(report: &ExerciseReport, status: Status) -> usize {
    report.checks.iter().filter(|c| c.status == status).count()
}

/// A row for each gate.
fn gate_table(out: &mut String, gates: &[GateResult], style: Style) {
    if gates.is_empty() {
        return;
    }
    let mut columns = Columns::new(&["gate", "yours", "required", "reference", "unit"]);
    let show = |value: Option<f64>| value.map_or("-".to_owned(), number);
    for gate in gates {
        let required = format!("{} {}", gate.bound, number(gate.limit));
        columns.row(vec![
            gate.id.clone(),
            show(gate.value),
            required,
            show(gate.reference),
            gate.unit.clone(),
        ]);
    }
    out.push_str(&columns.render(style.width));
}

/// Warnings of the compiler and of the runs, a line each.
fn warnings(out: &mut String, report: &ExerciseReport, style: Style) {
    let is_warning = |m: &&Message| m.finding.severity != Severity::Error && m.finding.code != HOST_CODE;
    let warnings = by_cause(report.diagnostics.iter().filter(is_warning).collect());
    if !warnings.is_empty() {
        out.push('\n');
    }
    for message in warnings.iter().take(DIAGNOSTICS) {
        style.wrap(out, "", &message.finding.concise());
    }
}

/// The host functions of the file, which are not checked.
fn host_code(out: &mut String, report: &ExerciseReport, style: Style) {
    if let Some(note) = report.diagnostics.iter().find(|m| m.finding.code == HOST_CODE) {
        out.push('\n');
        style.wrap(out, "", &note.finding.title);
    }
}

/// Why a correct kernel is slower than its baseline.
fn why_slower(report: &ExerciseReport, style: Style) -> String {
    let mut out = String::new();
    performance::notes(&mut out, &report.metrics, Explained::Speedup, style);
    out
}

/// The exercise's own results that take one line each ([`Extra::Fact`]).
fn facts(report: &ExerciseReport, style: Style) -> String {
    let mut out = String::new();
    for extra in &report.extras {
        if let Extra::Fact { name, value } = extra {
            style.row(&mut out, name, value);
        }
    }
    out
}

fn hot_lines(report: &ExerciseReport, style: Style) -> String {
    let mut out = String::new();
    if !report.lines.is_empty() {
        out.push('\n');
        performance::hot_lines(&mut out, &report.lines[..report.lines.len().min(HOT_LINES)], style);
    }
    out
}
