//! The only place that writes to standard output and error. It applies the requested colours, fits lines to the
//! terminal, writes ASCII if the locale has nothing else, removes control characters of kernels and file names, and does
//! not panic when a reader closes the pipe (`cargo lab … | head`).

use crate::standard_output;
use harness::report::{Style, When, columns};
use source::text;
use std::borrow::Cow;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::sync::OnceLock;

/// The output of a command.
pub(crate) struct Screen {
    /// Whether to use ANSI colours on standard output.
    pub(crate) color: bool,
    /// Maximum columns per line.
    pub(crate) width: usize,
    /// The original standard output, if kernels' output goes to standard error.
    apart: Option<File>,
}

impl Screen {
    /// A screen configured from the terminal and the environment.
    pub(crate) fn new(when: When) -> Screen {
        let color = when.colors(io::stdout().is_terminal(), |name| std::env::var_os(name));
        Screen { color, width: columns(), apart: None }
    }

    /// A screen for JSON. From now on, other writes to standard output go to standard error: a GPU's driver writes
    /// the kernel's output to the process's standard output, where it would corrupt the JSON.
    ///
    /// # Errors
    /// The error of the system.
    #[cfg(unix)]
    pub(crate) fn apart(when: When) -> io::Result<Screen> {
        use std::os::fd::AsFd;
        let screen = Screen::new(when);
        let apart = File::from(io::stdout().as_fd().try_clone_to_owned()?);
        rustix::stdio::dup2_stdout(io::stderr())?;
        Ok(Screen { apart: Some(apart), ..screen })
    }

    /// A screen for JSON. On this system the driver's output goes to the same stream.
    ///
    /// # Errors
    /// Never fails on this system.
    #[cfg(not(unix))]
    pub(crate) fn apart(when: When) -> io::Result<Screen> {
        Ok(Screen::new(when))
    }

    /// The style of this screen for the harness's reports.
    pub(crate) fn style(&self) -> Style {
        Style { color: self.color, width: self.width, verbose: false }
    }

    /// Prints a text and a line end to standard output, for people. Wraps long lines and spells out control
    /// characters.
    ///
    /// # Errors
    /// The error of the stream; a closed pipe is `ErrorKind::BrokenPipe`, which `main` treats as success.
    pub(crate) fn line(&self, text: impl AsRef<str>) -> io::Result<()> {
        self.write(&self.fitted(text.as_ref()))
    }

    /// Clears the terminal and prints a text like [`Screen::line`].
    ///
    /// # Errors
    /// The errors of [`Screen::line`].
    pub(crate) fn page(&self, text: &str) -> io::Result<()> {
        // Write the cursor's move, the clear and the text at once, so that the terminal does not flicker.
        self.write(&format!("\x1b[H\x1b[2J{}", self.fitted(text)))
    }

    /// The text as [`Screen::line`] prints it, wrapped to the terminal's width.
    pub(crate) fn fitted(&self, text: &str) -> String {
        let text = text.replace('\t', "    ");
        let text = if self.color { text::printable_colored(&text) } else { text::printable(&text) };
        text::fold(&in_locale(&text), self.width)
    }

    /// Prints a line for programs: unchanged except for control characters.
    ///
    /// # Errors
    /// The error of the stream, including a closed pipe.
    pub(crate) fn concise(&self, text: impl AsRef<str>) -> io::Result<()> {
        self.whole(&format!("{}\n", in_locale(&text::printable(text.as_ref()))))
    }

    /// Prints JSON.
    ///
    /// # Errors
    /// The error of the stream, including a closed pipe.
    pub(crate) fn json(&self, text: impl AsRef<str>) -> io::Result<()> {
        self.whole(&format!("{}\n", escaped(text.as_ref())))
    }

    /// Prints a document that is not terminal text, unchanged.
    ///
    /// # Errors
    /// The error of the stream, including a closed pipe.
    pub(crate) fn document(&self, text: &str) -> io::Result<()> {
        self.whole(&format!("{text}\n"))
    }

    /// Prints a text for programs unchanged, without adding a line end.
    ///
    /// # Errors
    /// The error of the stream, including a closed pipe.
    pub(crate) fn exact(&self, text: &str) -> io::Result<()> {
        self.whole(text)
    }

    /// Prints lines for programs, of which a reader may take some and leave.
    ///
    /// # Errors
    /// As [`Screen::line`].
    pub(crate) fn values(&self, lines: &str) -> io::Result<()> {
        self.put(lines)
    }

    fn write(&self, text: &str) -> io::Result<()> {
        self.put(&format!("{text}\n"))
    }

    /// Writes output that is useless if incomplete.
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

    /// Rows and columns of the terminal; `None` if standard output is not a terminal.
    pub(crate) fn size(&self) -> Option<(u16, u16)> {
        console::Term::stdout().size_checked()
    }

    /// The text in bold, if colours are on.
    pub(crate) fn bold(&self, text: &str) -> String {
        self.styled("1", text)
    }

    /// The text in green, if colours are on.
    pub(crate) fn good(&self, text: &str) -> String {
        self.styled("32", text)
    }

    /// The text in red, if colours are on.
    pub(crate) fn bad(&self, text: &str) -> String {
        self.styled("31", text)
    }

    /// The text dimmed, if colours are on.
    pub(crate) fn dim(&self, text: &str) -> String {
        self.styled("2", text)
    }

    fn styled(&self, code: &str, text: &str) -> String {
        if self.color { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_string() }
    }
}

/// Converts an error of a stream that must receive all results, so that `main` does not treat a closed pipe as
/// success.
pub(crate) fn incomplete(error: io::Error) -> io::Error {
    io::Error::other(error.to_string())
}

/// Escapes characters that a terminal would interpret, and the line and paragraph separators of Unicode, which readers
/// of lines such as Python's `splitlines` take for line ends. They occur only inside JSON strings.
pub(crate) fn escaped(json: &str) -> Cow<'_, str> {
    let is_plain = |c: char| {
        !matches!(c, '\u{2028}' | '\u{2029}') && text::printable(c.encode_utf8(&mut [0; 4])).starts_with(c)
    };
    if !json.contains(['\u{2028}', '\u{2029}']) && text::printable(json) == json {
        return json.into();
    }
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        match is_plain(c) {
            true => out.push(c),
            false => _ = write!(out, "\\u{:04x}", c as u32),
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

/// Prints a text to standard error, wrapped. Commands to copy, which are indented by four blanks, stay on one line.
/// Ignores errors, because there is no other stream to report them.
pub(crate) fn complain(text: &str) {
    let text = text::printable(text);
    let text = in_locale(&text);
    let width = columns();
    let lines = text.lines().map(|line| match line.starts_with("    ") {
        true => line.to_owned(),
        false => text::fold(line, width),
    });
    let text = lines.collect::<Vec<_>>().join("\n");
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// A progress bar on standard error; hidden if that is not a terminal.
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

    /// The test below runs this in a new process, because standard streams belong to the process.
    #[test]
    fn child() {
        if std::env::var_os(CHILD).is_none() {
            return;
        }
        let screen = Screen::apart(When::Auto).unwrap();
        screen.json("{\"a\":1}").unwrap();
        // Imitates the driver, which writes to the process's standard output directly.
        File::from(io::stdout().as_fd().try_clone_to_owned().unwrap()).write_all(b"from a kernel\n").unwrap();
        screen.json("{\"b\":\"\u{202e}\u{2028}\u{2029}é\"}").unwrap();
    }

    #[test]
    fn json_keeps_apart_what_kernels_print() {
        let mut child = std::process::Command::new(std::env::current_exe().unwrap());
        child.args(["--exact", "screen::tests::child", "--nocapture"]).env(CHILD, "1");
        let output = child.output().unwrap();
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{out}{err}");
        assert!(
            out.contains("{\"a\":1}\n{\"b\":\"\\u202e\\u2028\\u2029é\"}\n") && !out.contains("from a kernel"),
            "{out}"
        );
        assert!(err.contains("from a kernel"), "{err}");
    }
}
