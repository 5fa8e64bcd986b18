//! The pages of `watch`: the list of exercises, and the keys.

use crate::own::State;
use crate::progress::Progress;
use crate::registry::Target;
use crate::screen::Screen;
use std::fmt::Write;

/// The list of all exercises with their marks; an arrow marks the current one.
pub(super) fn list(screen: &Screen, all: &[(Target<'_>, State)], hand: usize, progress: &Progress) -> String {
    let mut out = String::new();
    let mut lab = 0;
    for (i, (target, state)) in all.iter().enumerate() {
        if target.lab.number != lab {
            lab = target.lab.number;
            let _ = writeln!(out, "{}", screen.bold(&format!("Lab {lab}  {}", target.lab.title)));
        }
        let arrow = if i == hand { ">" } else { " " };
        let row = state.row(*target, progress.get(*target).hints, screen);
        let _ = writeln!(out, "{arrow}{}", &row[1..]);
    }
    out
}

/// The help line for keys, wrapped to the terminal's width; `hints` is the number of hints seen and their total.
pub(super) fn keys(screen: &Screen, hints: (usize, usize)) -> String {
    let hint = match hints {
        (seen, of) if seen < of => format!("h hint ({seen} of {of} seen)"),
        (_, of) => format!("h hints ({of})"),
    };
    let keys = [hint.as_str(), "n next", "l list", "f full report", "r reset", "Enter run again", "q quit"];
    let mut lines: Vec<String> = Vec::new();
    for key in keys {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 2 + key.chars().count() < screen.width => {
                line.push_str("  ");
                line.push_str(key);
            }
            _ => lines.push(key.to_owned()),
        }
    }
    let lines: Vec<String> = lines.iter().map(|line| screen.dim(line)).collect();
    lines.join("\n")
}
