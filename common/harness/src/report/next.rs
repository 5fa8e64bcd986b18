//! What to do next: one step, with the file, the line and the command.

use super::findings::about;
use crate::{Check, ExerciseReport, Lab, Status};
use source::Place;

/// The step that the first failed check asks for. For a passed kernel: to run the lab's next exercise, or after the last one to compare the
/// lab's kernels.
pub(crate) fn step(report: &ExerciseReport, lab: &Lab) -> Option<String> {
    match report.checks.iter().find(|c| c.status == Status::Failed) {
        Some(first) => Some(mend(report, first)),
        None if report.passed() => after(report, lab),
        None => None,
    }
}

/// A command about the report's exercise, between back quotes.
pub(super) fn command(verb: &str, report: &ExerciseReport, options: &str) -> String {
    source::command(format!("{verb} {} {}{options}", number(report), report.exercise))
}

/// The lab's number, as the command line takes it.
fn number(report: &ExerciseReport) -> &str {
    report.lab.strip_prefix("lab-").unwrap_or(&report.lab)
}

fn after(report: &ExerciseReport, lab: &Lab) -> Option<String> {
    let at = lab.exercises.iter().position(|e| e.name() == report.exercise)?;
    Some(match lab.exercises.get(at + 1) {
        Some(next) => source::command(format!("run {} {}", number(report), next.name())),
        None => {
            let compare = source::command(format!("compare {}", number(report)));
            format!("the lab is done; compare its kernels: {compare}")
        }
    })
}

fn mend(report: &ExerciseReport, first: &Check) -> String {
    let file = &report.file;
    let hint = command("hint", report, "");
    if let Some(message) = about(report, first).first() {
        let at = message.finding.place.as_ref().map_or_else(|| file.clone(), position);
        let code = &message.finding.code;
        let explain = source::command(format!("explain {code}"));
        return match message.json["verdict"] == "unsupported" {
            true => format!("write {at} in another way: the simulator does not support this yet ({explain})"),
            false => format!("fix {at}; {explain} says what the error means"),
        };
    }
    if report.hint.is_some() && first.is_case() {
        return format!("edit {file}; {hint} gives a hint");
    }
    match first.name.split_once('_').map_or((first.name.as_str(), ""), |(kind, rest)| (kind, rest)) {
        ("compiles", _) => format!("restore the file: {}", command("reset", report, "")),
        ("signature", _) => format!("define in {file} what the message above expects; {hint} gives a hint"),
        ("correct", size) => {
            format!("edit {file}: begin with size {size}, the first that fails; {hint} gives a hint")
        }
        ("gate", id) => {
            let line = report.gates.iter().find(|g| g.id == id).and_then(|g| g.line);
            let at = line.map_or_else(|| file.clone(), |line| format!("{file}:{line}"));
            format!("edit {at}; {hint} gives a hint")
        }
        _ => format!("edit {file} so that it writes its outputs and nothing else"),
    }
}

fn position(at: &Place) -> String {
    format!("{}:{}:{}", at.file, at.line, at.column)
}
