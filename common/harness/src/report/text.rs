//! Reports for people. Whatever the detail, the verdict and the next step are the last lines.

use super::style::Style;
use super::{compact, verbose};
use crate::{ExerciseReport, Message, Options, Status};

/// The report of one exercise: a summary, or everything if `style.verbose` is set.
pub fn text(report: &ExerciseReport, style: Style) -> String {
    let mut out = String::new();
    style.heading(&mut out, &format!("{} {}: {}", report.lab, report.exercise, report.title));
    let seed = match style.verbose || report.seed != Options::default().seed {
        true => format!(", seed {}", report.seed),
        false => String::new(),
    };
    style.wrap(&mut out, "", &format!("{} on {}{seed}", report.file, report.device.name));
    match (style.verbose, report.passed()) {
        (true, _) => verbose::body(&mut out, report, style),
        (false, true) => compact::passed(&mut out, report, style),
        (false, false) => compact::failed(&mut out, report, style),
    }
    verdict(&mut out, report, style);
    out
}

/// Like [`text()`], for one of several reports: after a pass it names no next step, because the report of that exercise may follow.
pub fn text_of_several(report: &ExerciseReport, style: Style) -> String {
    match report.passed() {
        true => text(&ExerciseReport { next: None, ..report.clone() }, style),
        false => text(report, style),
    }
}

/// The last lines: verdict, points, and what to do next.
fn verdict(out: &mut String, report: &ExerciseReport, style: Style) {
    let points = format!("{} {}/100", word(report.status), report.score);
    out.push_str(&style.status(report.status, &points));
    out.push('\n');
    if let Some(next) = &report.next {
        style.wrap(out, "", &format!("Next: {next}"));
    }
}

pub(super) fn word(status: Status) -> &'static str {
    match status {
        Status::Passed => "passed",
        Status::Failed => "FAILED",
        Status::Skipped => "skipped",
    }
}

/// A diagnostic with its source lines, behind an empty line.
pub(super) fn diagnostic(out: &mut String, message: &Message, style: Style) {
    out.push('\n');
    out.push_str(message.shown(style.color, style.width).trim_end());
    out.push('\n');
}

/// What the kernel printed.
pub(super) fn printed(out: &mut String, report: &ExerciseReport, style: Style) {
    let Some(case) = &report.printed_at else { return };
    out.push('\n');
    style.heading(out, &format!("The kernel printed at {case}"));
    report.printed.lines().for_each(|line| style.wrap(out, "", line));
    if report.printed_is_cut {
        let advice =
            "… and more. To print less, let one thread print: `if (blockIdx.x == 0 && threadIdx.x == 0)`";
        style.wrap(out, "", advice);
    }
}

/// Maximum number of codes that [`more_information`] names.
const HINTED_CODES: usize = 3;

/// The line below the diagnostics of a file, which says where each code is explained; `None` without diagnostics, and in
/// a page, where the codes themselves are buttons.
pub fn more_information<'a>(codes: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let mut named: Vec<&str> = Vec::new();
    for code in codes {
        if !named.contains(&code) {
            named.push(code);
        }
    }
    let more = match named.len().saturating_sub(HINTED_CODES) {
        0 => String::new(),
        more => format!(", and {more} more codes above").replace(" 1 more codes", " 1 more code"),
    };
    named.truncate(HINTED_CODES);
    let command = source::command(format!("explain {}", named.join(" ")));
    (!named.is_empty() && !source::is_page()).then(|| format!("For more information: {command}{more}"))
}
