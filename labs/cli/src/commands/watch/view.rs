//! The pages of `watch`: the list of exercises, the keys, and the part of a page that fits.

use super::state::Page;
use crate::own::State;
use crate::progress::Progress;
use crate::registry::Target;
use crate::screen::Screen;
use std::fmt::Write;
use std::time::Duration;

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

/// The help lines for keys, wrapped to the terminal's width; `hints` is the number of hints seen and their total.
pub(super) fn keys(screen: &Screen, page: Page, hints: (usize, usize)) -> String {
    let hint = match hints {
        (seen, of) if seen < of => format!("h hint ({seen} of {of} seen)"),
        (_, of) => format!("h hints ({of})"),
    };
    let keys: &[&str] = match page {
        Page::Question => &["y restore the starter", "n keep your file", "q quit"],
        Page::Report => {
            &[&hint, "n next", "l list", "f full report", "e edit", "r reset", "Enter run again", "q quit"]
        }
        Page::Hints | Page::List => {
            &[&hint, "n next", "l list", "f full report", "e edit", "Enter run again", "Esc report", "q quit"]
        }
    };
    let mut lines: Vec<String> = Vec::new();
    for key in keys {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 2 + key.chars().count() < screen.width => {
                line.push_str("  ");
                line.push_str(key);
            }
            _ => lines.push((*key).to_owned()),
        }
    }
    let lines: Vec<String> = lines.iter().map(|line| screen.dim(line)).collect();
    lines.join("\n")
}

/// How long ago something was, in words that change once a minute.
pub(super) fn ago(since: Duration) -> String {
    match since.as_secs() / 60 {
        0 => "just now".to_owned(),
        minutes @ 1..60 => format!("{minutes} min ago"),
        minutes => format!("{} h ago", minutes / 60),
    }
}

/// The part of a page that the terminal shows above the footer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Window {
    /// The first line shown, 0-based.
    pub(super) first: usize,
    /// Number of lines shown.
    pub(super) rows: usize,
    /// Number of lines of the page.
    pub(super) lines: usize,
}

impl Window {
    /// A window of `rows` lines that begins at line `first`, or earlier if it would pass the end of the page.
    pub(super) fn new(first: usize, rows: usize, lines: usize) -> Window {
        let rows = rows.max(1);
        Window { first: first.min(lines.saturating_sub(rows)), rows, lines }
    }

    /// The lines shown, for the status line; `None` if the whole page is shown.
    pub(super) fn position(self) -> Option<String> {
        let last = (self.first + self.rows).min(self.lines);
        (self.lines > self.rows)
            .then(|| format!("lines {} to {last} of {} (j, k, Space, b scroll)", self.first + 1, self.lines))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_begins_at_the_head_and_stays_in_the_page() {
        assert_eq!(Window::new(0, 18, 10).position(), None);
        let head = Window::new(0, 18, 40);
        assert!(head.position().unwrap().starts_with("lines 1 to 18 of 40"));
        assert!(Window::new(100, 18, 40).position().unwrap().starts_with("lines 23 to 40 of 40"));
        assert_eq!(Window::new(5, 0, 3).first, 2, "a terminal without room");
    }

    #[test]
    fn the_time_of_the_last_run_is_rounded_down() {
        let ago = |seconds| ago(Duration::from_secs(seconds));
        assert_eq!(
            (ago(59), ago(60), ago(3599)),
            ("just now".into(), "1 min ago".into(), "59 min ago".into())
        );
        assert_eq!(ago(7300), "2 h ago");
    }
}
