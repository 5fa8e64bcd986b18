//! How a report is shown: colours, width and detail.

use crate::Status;
use source::text;
use std::ffi::OsString;
use std::io::IsTerminal;

/// When to colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum When {
    /// On a terminal, unless the environment says otherwise.
    #[default]
    Auto,
    /// Everywhere.
    Always,
    /// Nowhere.
    Never,
}

impl When {
    /// Whether a stream is coloured. `Auto` obeys `NO_COLOR` (no-color.org), then `CLICOLOR_FORCE` and `CLICOLOR` (bixense.com/clicolors), then
    /// `TERM=dumb`, and then looks at the stream.
    pub fn colors(self, is_terminal: bool, variable: impl Fn(&str) -> Option<OsString>) -> bool {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        match self {
            When::Always => true,
            When::Never => false,
            When::Auto if set("NO_COLOR").is_some() => false,
            When::Auto if set("CLICOLOR_FORCE").is_some_and(|value| value != "0") => true,
            When::Auto if set("CLICOLOR").is_some_and(|value| value == "0") => false,
            When::Auto => is_terminal && set("TERM").is_none_or(|term| term != "dumb"),
        }
    }
}

/// Width of standard output in columns: `COLUMNS` if it is a number above 0, otherwise the terminal's width, or 80 without a terminal; at
/// least 40.
pub fn columns() -> usize {
    let said = std::env::var("COLUMNS").ok().and_then(|text| text.trim().parse().ok());
    let found = || console::Term::stdout().size_checked().map(|(_, columns)| usize::from(columns));
    said.filter(|n| *n > 0).or_else(found).unwrap_or(text::DEFAULT_WIDTH).max(text::MIN_WIDTH)
}

/// How to show a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// With ANSI escapes.
    pub color: bool,
    /// Maximum width of a line in columns.
    pub width: usize,
    /// All checks, counters, tables and lines, in place of a summary.
    pub verbose: bool,
}

impl Style {
    /// No colour, 80 columns, the summary.
    pub const PLAIN: Style = Style { color: false, width: text::DEFAULT_WIDTH, verbose: false };

    /// The style of a summary on standard output, with the colours and the width that the terminal and the environment ask for.
    pub fn for_stdout() -> Style {
        let color = When::Auto.colors(std::io::stdout().is_terminal(), |name| std::env::var_os(name));
        Style { color, width: columns(), verbose: false }
    }

    fn paint(self, code: &str, text: &str) -> String {
        if self.color { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }

    pub(super) fn bold(self, text: &str) -> String {
        self.paint("1", text)
    }

    /// The text in the colour of a status, where there are colours.
    pub fn status(self, status: Status, text: &str) -> String {
        let code = match status {
            Status::Passed => "32",
            Status::Failed => "31",
            Status::Skipped => "33",
        };
        self.paint(code, text)
    }

    /// Wraps text to lines that fit, each indented by `indent` and by the blanks at the start of the text. Control characters are spelled
    /// out, because names and texts of kernels may come from other people.
    pub(super) fn wrap(self, out: &mut String, indent: &str, text: &str) {
        let own = &text[..text.len() - text.trim_start_matches(' ').len()];
        out.push_str(&text::wrap(&format!("{indent}{own}"), &text::printable(text.trim_start()), self.width));
    }

    /// Like [`Style::wrap`], with `first` before the first line; the other lines are indented by its width.
    pub(super) fn wrap_after(self, out: &mut String, first: &str, text: &str) {
        out.push_str(&text::wrap(&text::printable(first), &text::printable(text), self.width));
    }

    /// A title in bold.
    pub(super) fn heading(self, out: &mut String, title: &str) {
        let mut plain = String::new();
        self.wrap(&mut plain, "", title);
        plain.lines().for_each(|line| {
            out.push_str(&self.bold(line));
            out.push('\n');
        });
    }

    /// A name and its value, in two columns.
    pub(super) fn row(self, out: &mut String, name: &str, value: &str) {
        let column = NAME.min(self.width / 2 - 4);
        self.wrap_after(out, &format!("  {name:<column$}  "), value);
    }
}

/// Maximum width of the column of names in [`Style::row`].
const NAME: usize = 28;

#[cfg(test)]
mod tests {
    use super::*;

    fn colors(when: When, is_terminal: bool, set: &[(&str, &str)]) -> bool {
        when.colors(is_terminal, |name| Some(set.iter().find(|(n, _)| *n == name)?.1.into()))
    }

    #[test]
    fn the_option_comes_before_the_environment_and_that_before_the_stream() {
        assert!(colors(When::Auto, true, &[]) && !colors(When::Auto, false, &[]));
        assert!(!colors(When::Auto, true, &[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")]));
        assert!(colors(When::Auto, true, &[("NO_COLOR", "")]));
        assert!(colors(When::Auto, false, &[("CLICOLOR_FORCE", "1"), ("TERM", "dumb")]));
        assert!(!colors(When::Auto, false, &[("CLICOLOR_FORCE", "0")]));
        assert!(!colors(When::Auto, true, &[("CLICOLOR", "0")]));
        assert!(!colors(When::Auto, true, &[("TERM", "dumb")]));
        assert!(colors(When::Always, false, &[("NO_COLOR", "1")]));
        assert!(!colors(When::Never, true, &[("CLICOLOR_FORCE", "1")]));
    }
}
