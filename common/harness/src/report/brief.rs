//! Shortens the messages of failed checks in a list, so that no mistake is described twice.
//!
//! Each check of a report keeps its full message. In a list, a mistake that fails eight sizes would take eight paragraphs, so only the
//! first failing case shows the full message (or the hint), and later ones show what differs.

use crate::{Check, ExerciseReport, Status};

const GUESS: &str = "  looks like: ";

/// The message that a list of all checks shows for check `index` (0-based).
pub fn brief(report: &ExerciseReport, index: usize) -> String {
    let Some(check) = report.checks.get(index) else { return String::new() };
    if check.status != Status::Failed {
        return check.message.clone();
    }
    let earlier = report.checks[..index].iter().filter(|c| c.status == Status::Failed);
    if check.is_case() {
        let first = earlier.clone().find(|c| c.is_case());
        return match (&report.hint, first) {
            (Some(hint), None) => hint.clone(),
            (Some(_), Some(first)) => format!("nothing is stored, as in {}", first.name),
            (None, Some(_)) => later_case(check, earlier.filter(|c| c.is_case())),
            (None, None) => check.message.clone(),
        };
    }
    let mut told = earlier.filter(|c| c.is_case());
    match told.find(|c| c.message.contains(&check.message)) {
        Some(first) if !check.message.is_empty() => format!("what stopped {}", first.name),
        _ => check.message.clone(),
    }
}

/// Whether check `index` is a failed case after another failed case, of a file that stores nothing: its message would be the same.
pub(super) fn nothing_again(report: &ExerciseReport, index: usize) -> bool {
    let failed = |c: &Check| c.is_case() && c.status == Status::Failed;
    report.hint.is_some()
        && report.checks.get(index).is_some_and(failed)
        && report.checks[..index].iter().any(failed)
}

/// The message of a failing case after the first: without the wrong elements; for a message or guess that an earlier case has shown, it
/// names that case.
fn later_case<'a>(check: &Check, mut earlier: impl Iterator<Item = &'a Check> + Clone) -> String {
    if let Some(same) = earlier.clone().find(|c| !c.message.is_empty() && c.message == check.message) {
        return format!("as {}", same.name);
    }
    let is_element = |line: &str| line.starts_with("  ") && !line.starts_with(GUESS);
    if !check.message.lines().any(is_element) {
        return check.message.clone();
    }
    let guess = |check: &Check| check.message.lines().find_map(|l| l.strip_prefix(GUESS).map(str::to_owned));
    let what = check.message.lines().next().unwrap_or_default();
    let Some(own) = guess(check) else { return what.to_owned() };
    match earlier.find(|c| guess(c).as_ref() == Some(&own)) {
        Some(told) => format!("{what}; same pattern as {}", told.name),
        None => format!("{what}; looks like: {own}"),
    }
}
