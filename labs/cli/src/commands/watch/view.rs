//! The pages of `watch`: a report in a few lines, the list of exercises, and the keys.

use crate::own::{self, State};
use crate::progress::Progress;
use crate::reflow::reflow;
use crate::registry::Target;
use crate::screen::Screen;
use harness::report::{brief, duration, kind};
use harness::{Check, ExerciseReport, Status};
use std::fmt::Write;

/// Most lines of one check's message.
const MESSAGE_LINES: usize = 8;

/// A report in short: what failed, the first message, and the verdict. Nothing of performance but the time.
pub(super) fn short(screen: &Screen, report: &ExerciseReport) -> String {
    let mut out = String::new();
    let title = format!("{} {}: {}", report.lab, report.exercise, report.title);
    let _ = writeln!(out, "{}", screen.bold(reflow(&title, 0, screen.width()).trim_end()));
    let place = format!("{} on {}, seed {}", report.file, report.device.name, report.seed);
    let _ = writeln!(out, "{}\n", screen.dim(reflow(&place, 0, screen.width()).trim_end()));
    checks(&mut out, screen, report);
    messages(&mut out, screen, report);
    if report.passed() {
        time(&mut out, screen, report);
    }
    let word = if report.passed() { "passed" } else { "FAILED" };
    let verdict = format!("{word} {}/100", report.score);
    let verdict = if report.passed() { screen.good(&verdict) } else { screen.bad(&verdict) };
    let _ = writeln!(out, "\n{}", screen.bold(&verdict));
    out
}

fn checks(out: &mut String, screen: &Screen, report: &ExerciseReport) {
    let count = |status| report.checks.iter().filter(|check| check.status == status).count();
    let passed = count(Status::Passed);
    if passed > 0 {
        let _ = writeln!(out, "  {} {passed} of {} checks", screen.good("ok    "), report.checks.len());
    }
    let mut sizes: Vec<&str> = Vec::new();
    let failed = |check: &Check| check.status == Status::Failed;
    let is_size = |check: &Check| check.name.starts_with("correct_");
    for (i, check) in report.checks.iter().enumerate().filter(|(_, check)| failed(check)) {
        if is_size(check) && report.checks[..i].iter().any(|c| is_size(c) && failed(c)) {
            sizes.push(check.name.trim_start_matches("correct_"));
            continue;
        }
        let _ = writeln!(out, "  {} {}", screen.bad("FAILED"), check.name);
        let message = brief(report, i);
        // What a diagnostic says stands below, with its line.
        let is_below = |line: &&str| report.diagnostics.iter().any(|m| m.concise == *line);
        for line in message.lines().filter(|line| !is_below(line)).take(MESSAGE_LINES) {
            let indent = 9 + line.len() - line.trim_start().len();
            out.push_str(&reflow(line, indent, screen.width()));
        }
    }
    // Of a file that stores nothing, no size says more than another.
    if !sizes.is_empty() && report.hint.is_none() {
        let _ = writeln!(out, "  {} {} more sizes", screen.bad("FAILED"), sizes.len());
        out.push_str(&reflow(&sizes.join(", "), 9, screen.width()));
    }
    let skipped = count(Status::Skipped);
    if skipped > 0 {
        let _ = writeln!(out, "  {} {skipped} not checked yet", screen.dim("skip  "));
    }
}

/// The first message in full, an error if there is one, and how many more there are.
fn messages(out: &mut String, screen: &Screen, report: &ExerciseReport) {
    let is_error = |m: &&harness::Message| m.json["severity"] == "error";
    let first = report.diagnostics.iter().find(is_error).or(report.diagnostics.first());
    let Some(first) = first else { return };
    let text = if screen.color { &first.colored } else { &first.text };
    let _ = writeln!(out, "\n{}", text.trim_end());
    match report.diagnostics.len() - 1 {
        0 => {}
        1 => out.push_str("… and one message more in the full report\n"),
        more => {
            let _ = writeln!(out, "… and {more} messages more in the full report");
        }
    }
}

fn time(out: &mut String, screen: &Screen, report: &ExerciseReport) {
    let metrics = &report.metrics;
    let Some(time) = &metrics.time else { return };
    let mut line = format!("{} {}", duration(time.seconds), kind(time));
    if let Some(limit) = &time.limit {
        let _ = write!(line, ", limited by {limit}");
    }
    if let (Some(baseline), Some(speedup)) = (&metrics.baseline, metrics.speedup) {
        let _ = write!(line, "; {speedup:.2} times as fast as `{baseline}`");
    }
    let _ = write!(out, "\n{}", reflow(&line, 2, screen.width()));
}

/// All exercises with their marks; the one in hand has an arrow.
pub(super) fn list(screen: &Screen, all: &[(Target<'_>, State)], hand: usize, progress: &Progress) -> String {
    let mut out = String::new();
    let mut lab = 0;
    for (i, (target, state)) in all.iter().enumerate() {
        if target.lab.number != lab {
            lab = target.lab.number;
            let _ = writeln!(out, "{}", screen.bold(&format!("Lab {lab}  {}", target.lab.title)));
        }
        let arrow = if i == hand { ">" } else { " " };
        let (mark, note) = state.shown(screen);
        let hints = own::hints(progress.get(*target).hints);
        let _ = writeln!(out, "{arrow} {mark} {:<20} {note}{hints}", target.exercise.name());
    }
    out
}

/// What the keys do, in lines of the terminal's width; `hints` is seen and of how many.
pub(super) fn keys(screen: &Screen, hints: (usize, usize)) -> String {
    let hint = match hints {
        (seen, of) if seen < of => format!("h hint ({seen} of {of} seen)"),
        (_, of) => format!("h hints ({of})"),
    };
    let keys = [hint.as_str(), "n next", "l list", "f full report", "r reset", "Enter run again", "q quit"];
    let mut lines: Vec<String> = Vec::new();
    for key in keys {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 2 + key.chars().count() < screen.width() => {
                line.push_str("  ");
                line.push_str(key);
            }
            _ => lines.push(key.to_owned()),
        }
    }
    let lines: Vec<String> = lines.iter().map(|line| screen.dim(line)).collect();
    lines.join("\n")
}
