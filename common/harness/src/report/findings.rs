//! The findings of a report: its diagnostics, one per cause, and the failed checks that no diagnostic explains.

use crate::gate::{in_unit, words};
use crate::{Check, ExerciseReport, GateResult, Message, Status};
use source::{Finding, Place, Severity};

/// All findings of a report: first the diagnostics, then the failed checks that no diagnostic explains.
pub fn findings(report: &ExerciseReport) -> Vec<Finding> {
    let mut all: Vec<Finding> =
        by_cause(report.diagnostics.iter().collect()).iter().map(|m| m.finding.clone()).collect();
    let mut wrong_result = false;
    for check in report.checks.iter().filter(|c| c.status == Status::Failed && about(report, c).is_empty()) {
        let is_case = check.is_case();
        // Report only the first wrong size: the others fail for the same reason, or can wait until it is fixed.
        if !(is_case && wrong_result) {
            all.push(of_check(report, check));
        }
        wrong_result |= is_case;
    }
    all
}

/// One line per finding, and the verdict.
pub fn concise(report: &ExerciseReport) -> String {
    let mut lines: Vec<String> = findings(report).iter().map(Finding::concise).collect();
    let (lab, exercise) = (&report.lab, &report.exercise);
    // The verdict is a note at the kernel's line: editors list it with the findings, so a passed file does not look like one that was not
    // graded.
    let (file, line) = (&report.file, report.kernel_line.unwrap_or(1));
    let verdict = super::text::word(report.status);
    lines.push(format!("{file}:{line}:1: note[verdict]: {lab}/{exercise}: {verdict} {}/100", report.score));
    lines.join("\n")
}

/// What a gate found, in words: `yours: 2.1 floats loaded per output; limit: at most 1.2; reference: 0.62 (at 232x328)`.
pub(super) fn yours(gate: &GateResult) -> String {
    let Some(value) = gate.value else { return gate.message.clone() };
    let at = gate.sizes.iter().find(|s| s.value == gate.value);
    let at = at.map(|s| format!(" (at {})", s.case)).unwrap_or_default();
    format!("yours: {}; {}{at}", in_unit(value, &gate.unit), words(&gate.bound, gate.limit, gate.reference))
}

fn of_check(report: &ExerciseReport, check: &Check) -> Finding {
    let gate = check.name.strip_prefix("gate_").and_then(|id| report.gates.iter().find(|g| g.id == id));
    let (line, title, notes) = match gate {
        Some(gate) => {
            let hint = Some(gate.hint.clone()).filter(|hint| !hint.is_empty());
            let title = format!("required: {}; {}", gate.asks, yours(gate));
            (gate.line, title, hint.into_iter().collect())
        }
        None => {
            let hint = report.hint.as_ref().filter(|_| check.is_case());
            let mut lines = hint.unwrap_or(&check.message).lines().map(|line| line.trim().to_owned());
            (None, lines.next().unwrap_or_default(), lines.collect())
        }
    };
    // A check without a line of its own, such as a wrong result, is shown at the kernel's name.
    let line = line.or(report.kernel_line).unwrap_or(1);
    Finding {
        code: check.name.clone(),
        severity: Severity::Error,
        title,
        place: Some(Place::line(&report.file, line)),
        related: Vec::new(),
        notes,
    }
}

/// The diagnostics that a failed check is about, in the report's order.
pub(super) fn about<'a>(report: &'a ExerciseReport, check: &Check) -> Vec<&'a Message> {
    let of_run = |m: &&Message| m.json.run == Some(true) && m.finding.severity == Severity::Error;
    // Only diagnostics whose code the check's message contains: a launch that was stopped at one size does not explain a wrong result at
    // another.
    let named = |m: &&Message| check.message.contains(&format!("[{}]", m.finding.code));
    let messages = report.diagnostics.iter();
    match check.name.as_str() {
        "compiles" => {
            messages.filter(|m| m.finding.severity == Severity::Error && m.json.run == Some(false)).collect()
        }
        "clean" => messages.filter(|m| of_run(m) || m.finding.code == "uninitialized-variable").collect(),
        _ if check.is_case() => messages.filter(|m| of_run(m) && named(m)).collect(),
        _ => Vec::new(),
    }
}

/// Keeps the first diagnostic of each cause. Two have the same cause if their code and line are equal, whatever thread, element or size
/// they name.
pub(super) fn by_cause(messages: Vec<&Message>) -> Vec<&Message> {
    let mut kept: Vec<&Message> = Vec::new();
    for message in messages {
        let line = |m: &Message| m.finding.place.as_ref().map(|p| (p.file.clone(), p.line));
        let same = |m: &&&Message| m.finding.code == message.finding.code && line(m) == line(message);
        if !kept.iter().any(|m| same(&m)) {
            kept.push(message);
        }
    }
    kept
}
