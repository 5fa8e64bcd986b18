//! What to do next: one step, in the words of a terminal (file, line and command) or of a page (its buttons).

use super::findings::about;
use crate::{Check, ExerciseReport, Lab, Status};
use source::{Place, command};

/// What to do next.
enum Step {
    /// Make the file one that can be read again.
    Restore,
    /// Fix what a diagnostic says, or write it in another way if the simulator does not support it.
    Fix { at: String, code: String, is_unsupported: bool },
    /// Define what the exercise expects.
    Define,
    /// Change the kernel: at a line if one is to blame, for a size if that fails first.
    Edit { at: String, size: Option<String> },
    /// Write the outputs and nothing else.
    WriteOutputs,
    /// Solve the lab's next exercise.
    Exercise(String),
    /// Nothing is left in the lab.
    LabDone,
}

/// The step that the first failed check asks for. For a passed kernel: to run the lab's next exercise, or after the last one to compare the
/// lab's kernels.
pub(crate) fn step(report: &ExerciseReport, lab: &Lab) -> Option<String> {
    let step = match report.checks.iter().find(|c| c.status == Status::Failed) {
        Some(first) => mend(report, first),
        None if report.passed() => after(report, lab)?,
        None => return None,
    };
    Some(if source::is_page() { in_page(&step) } else { in_terminal(&step, report) })
}

/// The lab's number, as the command line takes it.
fn number(report: &ExerciseReport) -> &str {
    report.lab.strip_prefix("lab-").unwrap_or(&report.lab)
}

fn after(report: &ExerciseReport, lab: &Lab) -> Option<Step> {
    let at = lab.exercises.iter().position(|e| e.name() == report.exercise)?;
    Some(lab.exercises.get(at + 1).map_or(Step::LabDone, |next| Step::Exercise(next.name().to_owned())))
}

fn mend(report: &ExerciseReport, first: &Check) -> Step {
    let file = &report.file;
    if let Some(message) = about(report, first).first() {
        let at = message.finding.place.as_ref().map_or_else(|| file.clone(), position);
        let is_unsupported = message.json.verdict == "unsupported";
        return Step::Fix { at, code: message.finding.code.clone(), is_unsupported };
    }
    if report.hint.is_some() && first.is_case() {
        return Step::Edit { at: file.clone(), size: None };
    }
    match first.name.split_once('_').unwrap_or((&first.name, "")) {
        ("compiles", _) => Step::Restore,
        ("signature", _) => Step::Define,
        ("correct", size) => Step::Edit { at: file.clone(), size: Some(size.to_owned()) },
        ("gate", id) => {
            let line = report.gates.iter().find(|g| g.id == id).and_then(|g| g.line);
            Step::Edit { at: line.map_or_else(|| file.clone(), |line| format!("{file}:{line}")), size: None }
        }
        _ => Step::WriteOutputs,
    }
}

fn in_terminal(step: &Step, report: &ExerciseReport) -> String {
    let (file, number) = (&report.file, number(report));
    let of_exercise = |verb: &str| command(format!("{verb} {number} {}", report.exercise));
    let explain = |code: &str| command(format!("explain {code}"));
    match step {
        Step::Restore => format!("restore the file: {}", of_exercise("reset")),
        Step::Fix { at, code, is_unsupported: true } => {
            format!("write {at} in another way: the simulator does not support this yet ({})", explain(code))
        }
        Step::Fix { at, code, is_unsupported: false } => {
            format!("fix {at}; {} says what the error means", explain(code))
        }
        Step::Define => {
            format!("define in {file} what the message above expects; {} gives a hint", of_exercise("hint"))
        }
        Step::Edit { at, size } => format!("edit {at}{}; {} gives a hint", begin(size), of_exercise("hint")),
        Step::WriteOutputs => format!("edit {file} so that it writes its outputs and nothing else"),
        Step::Exercise(next) => command(format!("run {number} {next}")),
        Step::LabDone => {
            format!("the lab is done; compare its kernels: {}", command(format!("compare {number}")))
        }
    }
}

fn in_page(step: &Step) -> String {
    match step {
        Step::Restore => "\"Reset\" restores the starter".to_owned(),
        Step::Fix { at, is_unsupported: true, .. } => {
            format!("write {at} in another way: the simulator does not support this yet")
        }
        Step::Fix { at, code, is_unsupported: false } => {
            format!("fix {at}; the button `{code}` says what the error means")
        }
        Step::Define => "define what the message above expects; \"Hint\" gives a hint".to_owned(),
        Step::Edit { at, size } => format!("edit {at}{}; \"Hint\" gives a hint", begin(size)),
        Step::WriteOutputs => "edit the kernel so that it writes its outputs and nothing else".to_owned(),
        Step::Exercise(next) => format!("the exercise {next}"),
        Step::LabDone => "the last exercise of this lab is solved".to_owned(),
    }
}

fn begin(size: &Option<String>) -> String {
    size.as_ref().map(|size| format!(": begin with size {size}, the first that fails")).unwrap_or_default()
}

fn position(at: &Place) -> String {
    format!("{}:{}:{}", at.file, at.line, at.column)
}
