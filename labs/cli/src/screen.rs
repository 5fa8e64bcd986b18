//! Standard output and error, the one place where either is written: colours as asked for, lines that fit the terminal, ASCII where the locale has
//! nothing else, no control characters of kernels or file names, and no panic when a reader goes away (`cargo lab … | head`).

use crate::standard_output;
use harness::report::{Style, When, columns};
use source::text;
use std::borrow::Cow;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::sync::OnceLock;

/// Where a command writes.
pub(crate) struct Screen {
    /// Whether standard output takes ANSI colours.
    pub(crate) color: bool,
    /// Most columns of a line.
    pub(crate) width: usize,
    /// Standard output as it was, where what kernels print goes to standard error.
    apart: Option<File>,
}

impl Screen {
    /// Looks at the terminal and the environment.
    pub(crate) fn new(when: When) -> Screen {
        let color = when.colors(io::stdout().is_terminal(), |name| std::env::var_os(name));
        Screen { color, width: columns(), apart: None }
    }

    /// A screen for JSON: from now on whatever else writes to standard output writes to standard error. A GPU's driver prints
    /// what a kernel prints to the process's standard output, in the middle of what stands there.
    ///
    /// # Errors
    /// What the system says.
    #[cfg(unix)]
    pub(crate) fn apart(when: When) -> io::Result<Screen> {
        use std::os::fd::AsFd;
        let screen = Screen::new(when);
        let apart = File::from(io::stdout().as_fd().try_clone_to_owned()?);
        rustix::stdio::dup2_stdout(io::stderr())?;
        Ok(Screen { apart: Some(apart), ..screen })
    }

    /// A screen for JSON; on this system it is where a GPU's driver prints, too.
    ///
    /// # Errors
    /// None here.
    #[cfg(not(unix))]
    pub(crate) fn apart(when: When) -> io::Result<Screen> {
        Ok(Screen::new(when))
    }

    /// The same for the harness's reports.
    pub(crate) fn style(&self) -> Style {
        Style { color: self.color, width: self.width, verbose: false }
    }

    /// Prints a text and a line end to standard output, for people: lines that are too long are folded, and control characters spelled out.
    ///
    /// # Errors
    /// What the stream says; a closed pipe is `ErrorKind::BrokenPipe`, which `main` takes as "enough".
    pub(crate) fn line(&self, text: impl AsRef<str>) -> io::Result<()> {
        self.write(&self.fitted(text.as_ref()))
    }

    /// Prints a text as [`Screen::line`] does, in place of all that the terminal shows.
    ///
    /// # Errors
    /// As [`Screen::line`].
    pub(crate) fn page(&self, text: &str) -> io::Result<()> {
        // Home first, then clear: what was there stays in view for no moment longer than it takes to write the page.
        self.write(&format!("\x1b[H\x1b[2J{}", self.fitted(text)))
    }

    fn fitted(&self, text: &str) -> String {
        let text = text.replace('\t', "    ");
        let text = if self.color { text::printable_colored(&text) } else { text::printable(&text) };
        text::fold(&in_locale(&text), self.width)
    }

    /// Prints a line for programs: as it is, but for control characters.
    ///
    /// # Errors
    /// What the stream says, also that it is a closed pipe.
    pub(crate) fn concise(&self, text: impl AsRef<str>) -> io::Result<()> {
        self.whole(&format!("{}\n", in_locale(&text::printable(text.as_ref()))))
    }

    /// Prints JSON.
    ///
    /// # Errors
    /// What the stream says, also that it is a closed pipe.
    pub(crate) fn json(&self, text: impl AsRef<str>) -> io::Result<()> {
        self.whole(&format!("{}\n", escaped(text.as_ref())))
    }

    /// Prints a document that is no text for a terminal, as it is.
    ///
    /// # Errors
    /// What the stream says, also that it is a closed pipe.
    pub(crate) fn document(&self, text: &str) -> io::Result<()> {
        self.whole(&format!("{text}\n"))
    }

    /// Prints a text for programs that has its own line ends, as it is.
    ///
    /// # Errors
    /// What the stream says, also that it is a closed pipe.
    pub(crate) fn exact(&self, text: &str) -> io::Result<()> {
        self.whole(text)
    }

    fn write(&self, text: &str) -> io::Result<()> {
        self.put(&format!("{text}\n"))
    }

    /// Writes what is of no use in part.
    fn whole(&self, text: &str) -> io::Result<()> {
        self.put(text).map_err(incomplete)
    }

    fn put(&self, text: &str) -> io::Result<()> {
        let unwritten = |why: &str| format!("standard output cannot be written: {why}");
        if standard_output::was_closed() {
            return Err(io::Error::other(unwritten("it is closed")));
        }
        let written = match self.apart.as_ref() {
            Some(mut apart) => apart.write_all(text.as_bytes()),
            None => {
                let mut out = io::stdout().lock();
                out.write_all(text.as_bytes()).and_then(|()| out.flush())
            }
        };
        written.map_err(|e| io::Error::new(e.kind(), unwritten(&e.to_string())))
    }

    /// Rows and columns of the terminal that standard output is, if it is one.
    pub(crate) fn size(&self) -> Option<(u16, u16)> {
        console::Term::stdout().size_checked()
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

/// An error of a stream that was to take all results: a reader who went away has not had enough of them.
pub(crate) fn incomplete(error: io::Error) -> io::Error {
    io::Error::other(error.to_string())
}

/// JSON without characters that a terminal would obey: they are in its strings, where they are escaped.
pub(crate) fn escaped(json: &str) -> Cow<'_, str> {
    if text::printable(json) == json {
        return json.into();
    }
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        match text::printable(c.encode_utf8(&mut [0; 4])).starts_with(c) {
            true => out.push(c),
            false => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
        }
    }
    out.into()
}

/// A text for people in the character set of the locale.
pub(crate) fn in_locale(text: &str) -> Cow<'_, str> {
    static IS_ASCII: OnceLock<bool> = OnceLock::new();
    match IS_ASCII.get_or_init(|| text::is_ascii_locale(|name| std::env::var(name).ok())) {
        true => text::ascii(text),
        false => text.into(),
    }
}

/// Prints a line to standard error, folded on a terminal; an error there has nowhere to go.
pub(crate) fn complain(text: &str) {
    let text = text::printable(text);
    let text = in_locale(&text);
    let text = if io::stderr().is_terminal() { text::fold(&text, columns()) } else { text.into_owned() };
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// A progress bar on standard error, if that is a terminal; invisible otherwise.
pub(crate) fn progress(steps: usize) -> indicatif::ProgressBar {
    if !io::stderr().is_terminal() || steps < 2 {
        return indicatif::ProgressBar::hidden();
    }
    let style = indicatif::ProgressStyle::with_template("[{pos}/{len}] {wide_bar} {elapsed} {msg}")
        .unwrap_or_else(|_| indicatif::ProgressStyle::default_bar());
    let blocks = "█▉▊▋▌▍▎▏ ";
    let style = if in_locale(blocks) == blocks { style } else { style.progress_chars("=> ") };
    indicatif::ProgressBar::new(steps as u64).with_style(style)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::fd::AsFd;

    const CHILD: &str = "WARPLAB_TEST_SCREEN_CHILD";

    /// Run by the test below in a process of its own: the streams are the process's.
    #[test]
    fn child() {
        if std::env::var_os(CHILD).is_none() {
            return;
        }
        let screen = Screen::apart(When::Auto).unwrap();
        screen.json("{\"a\":1}").unwrap();
        // What the driver does: it writes to the process's standard output and knows of nothing.
        File::from(io::stdout().as_fd().try_clone_to_owned().unwrap()).write_all(b"from a kernel\n").unwrap();
        screen.json("{\"b\":\"\u{202e}\"}").unwrap();
    }

    #[test]
    fn json_keeps_apart_what_kernels_print() {
        let mut child = std::process::Command::new(std::env::current_exe().unwrap());
        child.args(["--exact", "screen::tests::child", "--nocapture"]).env(CHILD, "1");
        let output = child.output().unwrap();
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{out}{err}");
        assert!(out.contains("{\"a\":1}\n{\"b\":\"\\u202e\"}\n") && !out.contains("from a kernel"), "{out}");
        assert!(err.contains("from a kernel"), "{err}");
    }
}
