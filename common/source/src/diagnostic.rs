//! What a stage has to say to the user.

use crate::{Code, Edit, Kind, Span, Suggestion};

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The program is refused, or the launch stopped.
    Error,
    /// The program runs, but this is certainly not meant.
    Warning,
    /// Something to know.
    Note,
}

impl Severity {
    /// The word that messages begin with.
    pub fn word(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        }
    }
}

/// Whose fault it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The program is wrong; nvcc or the hardware would refuse it too, or its behaviour is undefined.
    Program,
    /// The program may be right; the simulator does not support this yet.
    Unsupported,
}

/// The thread that a run-time diagnostic is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
pub struct ThreadPosition {
    /// `threadIdx` x, y, z.
    pub thread: [u32; 3],
    /// `blockIdx` x, y, z.
    pub block: [u32; 3],
}

/// What an access does to memory, of two that race.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RaceKind {
    /// Reads.
    Read,
    /// Writes.
    Write,
    /// Reads and writes at once.
    Atomic,
}

/// One of two accesses that race.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RaceAccess {
    /// Where it is in the source, if that is known.
    pub span: Option<Span>,
    /// What it does.
    pub kind: RaceKind,
    /// Which thread does it.
    pub at: ThreadPosition,
}

/// Two accesses that nothing orders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Race {
    /// What both access, as the source names it.
    pub element: String,
    /// In the order of the run.
    pub accesses: [RaceAccess; 2],
}

/// A marked piece of source text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// What is marked.
    pub span: Span,
    /// What to say about it; may be empty.
    pub message: String,
}

/// Labels of a diagnostic, at most.
const MAX_LABELS: usize = 8;

/// Bytes of a text in a diagnostic, at most: it may quote names and texts of the program, which may be of any length.
const MAX_TEXT: usize = 1000;

/// A text, its end replaced by `…` if it is longer than a message has room for.
pub fn bounded(mut text: String) -> String {
    if text.len() > MAX_TEXT {
        let end = (0..=MAX_TEXT).rev().find(|at| text.is_char_boundary(*at));
        text.truncate(end.unwrap_or(0));
        text.push('…');
    }
    text
}

/// One message to the user: a stable code, a title, marked source, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Its stable name, such as `undeclared-name` or `shared-memory-race`.
    pub code: Code,
    /// How bad it is.
    pub severity: Severity,
    /// Whose fault it is.
    pub verdict: Verdict,
    /// One line, without a full stop, that says what was found (and expected).
    pub title: String,
    /// The first is where the fault is; the others are what it has to do with.
    pub labels: Vec<Label>,
    /// Facts that do not fit a label.
    pub notes: Vec<String>,
    /// What to do about it.
    pub help: Vec<String>,
    /// The thread, for a diagnostic of a running kernel.
    pub thread: Option<ThreadPosition>,
    /// The two accesses of a race.
    pub race: Option<Box<Race>>,
    /// Changes of the text that would mend it, most likely first. Only those that were tried are shown.
    pub suggestions: Vec<Suggestion>,
}

impl Diagnostic {
    /// A diagnostic as the table of codes has it: of a code that is used with several kinds, the first. The title says what was found
    /// (and expected), or for what the simulator cannot do yet, "… is not supported by the simulator yet".
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

    /// The same as another of the kinds that the table has for the code.
    ///
    /// # Panics
    /// If the table has no such kind of the code: a mistake where the diagnostic is made, whatever the user's file.
    pub fn with_kind(mut self, kind: Kind) -> Diagnostic {
        assert!(self.code.kinds().contains(&kind), "the table has no {kind:?} of `{}`", self.code);
        self.severity = kind.severity();
        self.verdict = kind.verdict();
        self
    }

    /// Marks source text; the first label is the diagnostic's place. Those after the eighth are left out.
    pub fn label(mut self, span: Span, message: impl Into<String>) -> Diagnostic {
        if self.labels.len() < MAX_LABELS {
            self.labels.push(Label { span, message: bounded(message.into()) });
        }
        self
    }

    /// Adds a fact. Commands of the program are written as `cargo lab …`.
    pub fn note(mut self, note: impl Into<String>) -> Diagnostic {
        self.notes.push(bounded(crate::spelled(note)));
        self
    }

    /// Adds what to do. Commands of the program are written as `cargo lab …`.
    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help.push(bounded(crate::spelled(help)));
        self
    }

    /// Proposes to replace a range of the text.
    pub fn edit(mut self, span: Span, replacement: &str) -> Diagnostic {
        self.suggestions.push(Suggestion::new(vec![Edit::replace(span, replacement)], ""));
        self
    }

    /// Proposes a name in place of one that is like it.
    pub fn mean(self, span: Span, name: &str) -> Diagnostic {
        self.help(format!("did you mean `{name}`?")).edit(span, name)
    }

    /// Names the thread that met it.
    pub fn at_thread(mut self, thread: ThreadPosition) -> Diagnostic {
        self.thread = Some(thread);
        self
    }

    /// Adds the two accesses of a race.
    pub fn with_race(mut self, race: Race) -> Diagnostic {
        self.race = Some(Box::new(Race { element: bounded(race.element), ..race }));
        self
    }

    /// Where the diagnostic is, if anywhere.
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
