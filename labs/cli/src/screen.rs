//! Standard output and error: colours only on a terminal and without `NO_COLOR`, and no panic when a reader goes away
//! (`cargo lab … | head`).

use harness::report::Style;
use std::io::{self, IsTerminal, Write};

/// Where a command writes.
pub(crate) struct Screen {
    /// Whether standard output takes ANSI colours.
    pub(crate) color: bool,
}

impl Screen {
    /// Looks at the terminal and the environment.
    pub(crate) fn new() -> Screen {
        Screen { color: Style::for_stdout().color }
    }

    /// The same for the harness's reports.
    pub(crate) fn style(&self) -> Style {
        Style { color: self.color }
    }

    /// Prints a text and a line end to standard output.
    ///
    /// # Errors
    /// What the stream says; a closed pipe is `ErrorKind::BrokenPipe`, which `main` takes as "enough".
    pub(crate) fn line(&self, text: impl AsRef<str>) -> io::Result<()> {
        let mut out = io::stdout().lock();
        out.write_all(text.as_ref().as_bytes())?;
        out.write_all(b"\n")?;
        out.flush()
    }

    /// The text in bold, where there are colours.
    pub(crate) fn bold(&self, text: &str) -> String {
        self.styled("1", text)
    }

    /// The text in green, where there are colours.
    pub(crate) fn good(&self, text: &str) -> String {
        self.styled("32", text)
    }

    /// The text in red, where there are colours.
    pub(crate) fn bad(&self, text: &str) -> String {
        self.styled("31", text)
    }

    /// The text dimmed, where there are colours.
    pub(crate) fn dim(&self, text: &str) -> String {
        self.styled("2", text)
    }

    fn styled(&self, code: &str, text: &str) -> String {
        if self.color { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_string() }
    }
}

/// Prints a line to standard error; an error there has nowhere to go.
pub(crate) fn complain(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// A progress bar on standard error, if that is a terminal; invisible otherwise.
pub(crate) fn progress(steps: usize) -> indicatif::ProgressBar {
    if !io::stderr().is_terminal() || steps < 2 {
        return indicatif::ProgressBar::hidden();
    }
    let style = indicatif::ProgressStyle::with_template("[{pos}/{len}] {wide_bar} {elapsed} {msg}")
        .unwrap_or_else(|_| indicatif::ProgressStyle::default_bar());
    indicatif::ProgressBar::new(steps as u64).with_style(style)
}
