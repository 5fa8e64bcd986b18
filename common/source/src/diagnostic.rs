//! Diagnostics: the messages of all stages to the user.

use crate::{Code, Edit, Kind, Span, Suggestion};

/// Severity of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// The program is rejected, or the launch stopped.
    Error,
    /// The program runs, but certainly not as intended.
    Warning,
    /// Information only.
    Note,
}

impl Severity {
    /// The first word of a message.
    pub fn word(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        }
    }
}

/// Whether the user's program or the simulator causes the diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// The program is wrong; nvcc or the hardware would refuse it too, or its behaviour is undefined.
    Program,
    /// The program may be correct; the simulator does not support this yet.
    Unsupported,
}

impl Verdict {
    /// The verdict in words.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Program => "program",
            Verdict::Unsupported => "unsupported",
        }
    }
}

/// The thread that a run-time diagnostic is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ThreadPosition {
    /// `threadIdx` x, y, z.
    pub thread: [u32; 3],
    /// `blockIdx` x, y, z.
    pub block: [u32; 3],
}

/// Kind of a racing access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RaceKind {
    /// Reads.
    Read,
    /// Writes.
    Write,
    /// Reads and writes at once.
    Atomic,
}

impl RaceKind {
    /// The kind in words.
    pub fn word(self) -> &'static str {
        match self {
            RaceKind::Read => "read",
            RaceKind::Write => "write",
            RaceKind::Atomic => "atomic",
        }
    }
}

/// One of two accesses that race.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RaceAccess {
    /// Its place in the source, if known.
    pub span: Option<Span>,
    /// Read, write or atomic.
    pub kind: RaceKind,
    /// The thread that performs it.
    pub at: ThreadPosition,
}

/// A race: two accesses without an order between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Race {
    /// The element that both access, in the notation of the source.
    pub element: String,
    /// The accesses, in the order in which the run executed them.
    pub accesses: [RaceAccess; 2],
}

/// A marked piece of source text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The marked range.
    pub span: Span,
    /// The text of the label; may be empty.
    pub message: String,
}

/// Maximum number of labels per diagnostic.
const MAX_LABELS: usize = 8;

/// Maximum bytes of each text in a diagnostic, because texts may quote names of any length from the program.
const MAX_TEXT: usize = 1000;

/// Cuts a text to the maximum length of a message's texts and ends it with `…` if it was longer.
pub fn bounded(mut text: String) -> String {
    if text.len() > MAX_TEXT {
        let end = (0..=MAX_TEXT).rev().find(|at| text.is_char_boundary(*at));
        text.truncate(end.unwrap_or(0));
        text.push('…');
    }
    text
}

/// One message to the user: a stable code, a title, labelled source, and advice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The stable code, such as `undeclared-name` or `shared-memory-race`.
    pub code: Code,
    /// How severe it is.
    pub severity: Severity,
    /// Whether the user's program or the simulator causes it.
    pub verdict: Verdict,
    /// One line without a full stop that says what was found (and what was expected).
    pub title: String,
    /// Labels: the first marks the error; the others mark related places.
    pub labels: Vec<Label>,
    /// Facts that do not fit a label.
    pub notes: Vec<String>,
    /// Advice on how to fix it.
    pub help: Vec<String>,
    /// For a diagnostic of a running kernel: the thread that met the error.
    pub thread: Option<ThreadPosition>,
    /// The two accesses of a race.
    pub race: Option<Box<Race>>,
    /// Edits that may fix the error, most likely first. Messages show only those that were tried.
    pub suggestions: Vec<Suggestion>,
}

impl Diagnostic {
    /// Creates a diagnostic with the code's first [`Kind`]. The title says what was found (and expected); for an
    /// unsupported feature it reads "… is not supported by the simulator yet".
    pub fn new(code: Code, title: impl Into<String>) -> Diagnostic {
        let kind = code.kinds()[0];
        Diagnostic {
            code,
            severity: kind.severity(),
            verdict: kind.verdict(),
            title: bounded(title.into()),
            labels: Vec::new(),
            notes: Vec::new(),
            help: Vec::new(),
            thread: None,
            race: None,
            suggestions: Vec::new(),
        }
    }

    /// Changes the diagnostic to another kind that the table lists for its code.
    ///
    /// # Panics
    /// Panics if the table does not list this kind for the code. That is a bug at the call site, independent of the
    /// user's file.
    pub fn with_kind(mut self, kind: Kind) -> Diagnostic {
        assert!(self.code.kinds().contains(&kind), "the table has no {kind:?} of `{}`", self.code);
        self.severity = kind.severity();
        self.verdict = kind.verdict();
        self
    }

    /// Adds a label. The first label is the place of the diagnostic. Labels after the eighth are dropped.
    pub fn label(mut self, span: Span, message: impl Into<String>) -> Diagnostic {
        if self.labels.len() < MAX_LABELS {
            self.labels.push(Label { span, message: bounded(message.into()) });
        }
        self
    }

    /// Adds a fact. Write commands as `cargo lab …`.
    pub fn note(mut self, note: impl Into<String>) -> Diagnostic {
        self.notes.push(bounded(crate::spelled(note)));
        self
    }

    /// Adds advice. Write commands as `cargo lab …`.
    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help.push(bounded(crate::spelled(help)));
        self
    }

    /// Suggests replacing a range of the text.
    pub fn edit(mut self, span: Span, replacement: &str) -> Diagnostic {
        self.suggestions.push(Suggestion::new(vec![Edit::replace(span, replacement)], ""));
        self
    }

    /// Suggests the similar name `name` instead of the text at `span`.
    pub fn mean(self, span: Span, name: &str) -> Diagnostic {
        self.help(format!("did you mean `{name}`?")).edit(span, name)
    }

    /// Sets the thread that met the error.
    pub fn at_thread(mut self, thread: ThreadPosition) -> Diagnostic {
        self.thread = Some(thread);
        self
    }

    /// Adds the two accesses of a race.
    pub fn with_race(mut self, race: Race) -> Diagnostic {
        self.race = Some(Box::new(Race { element: bounded(race.element), ..race }));
        self
    }

    /// The span of the first label, if there is one.
    pub fn span(&self) -> Option<Span> {
        self.labels.first().map(|l| l.span)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut_between_characters() {
        let long = "ä".repeat(MAX_TEXT);
        let d = Diagnostic::new(Code::ErrorDirective, format!("a{long}")).note(long.as_str()).help("short");
        assert_eq!(d.title.len(), 999 + '…'.len_utf8());
        assert_eq!(d.notes[0].len(), 1000 + '…'.len_utf8());
        assert!(d.title.ends_with("ä…") && d.notes[0].ends_with("ä…"));
        assert_eq!(d.help, ["short"]);
    }
}
