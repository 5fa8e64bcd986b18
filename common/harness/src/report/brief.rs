//! What a list of checks need not say twice.
//!
//! The checks of a report keep their full messages. People read them as a list, where one mistake that fails eight sizes would
//! fill eight paragraphs: the first failing case tells it all, the others what differs.

use crate::{Check, ExerciseReport, Status};

const GUESS: &str = "  looks like: ";

/// The message of the check of that index as a list of all checks shows it.
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

/// Whether the message is that of the case before it, for a file that stores nothing.
pub(super) fn nothing_again(report: &ExerciseReport, index: usize) -> bool {
    let failed = |c: &Check| c.is_case() && c.status == Status::Failed;
    report.hint.is_some()
        && report.checks.get(index).is_some_and(failed)
        && report.checks[..index].iter().any(failed)
}

/// A failing case after the first: no elements, and no guess that an earlier one has made already.
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
