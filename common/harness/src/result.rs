//! The report of grading as the harness has it: each message also keeps the diagnostic and its sources.

use source::{Finding, SourceMap, render};
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// The report of one graded kernel file.
pub type ExerciseReport = report::Report<Message>;

/// A diagnostic, rendered for people and for programs.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[serde(transparent)]
pub struct Message {
    written: report::Message,
    /// The full message with ANSI colours.
    #[serde(skip)]
    pub colored: String,
    /// The message with its places, for line-based formats.
    #[serde(skip)]
    pub finding: Finding,
    /// The diagnostic that it was rendered from.
    #[serde(skip)]
    pub(crate) origin: Origin,
}

impl Deref for Message {
    type Target = report::Message;

    fn deref(&self) -> &report::Message {
        &self.written
    }
}

impl Message {
    /// Renders a diagnostic in every form; `run` says whether a launch found it instead of the compiler.
    pub(crate) fn new(sources: &Arc<SourceMap>, diagnostic: &source::Diagnostic, run: bool) -> Message {
        let labels = diagnostic.labels.iter().map(|label| report::Label::of(sources, label)).collect();
        let json = report::Diagnostic {
            labels: Some(labels),
            run: Some(run),
            ..report::Diagnostic::of(sources, diagnostic)
        };
        let (text, concise) =
            (render::full(sources, diagnostic, false), render::concise(sources, diagnostic));
        Message {
            written: report::Message { text, concise, json },
            colored: render::full(sources, diagnostic, true),
            finding: Finding::of(sources, diagnostic),
            origin: Origin { sources: sources.clone(), diagnostic: diagnostic.clone() },
        }
    }

    /// Renders the message with source lines and carets, in lines of at most `width` columns.
    pub fn shown(&self, color: bool, width: usize) -> String {
        render::full_within(&self.origin.sources, &self.origin.diagnostic, color, width)
    }
}

/// A diagnostic with the files that its spans point into.
#[derive(Clone)]
pub(crate) struct Origin {
    pub(crate) sources: Arc<SourceMap>,
    pub(crate) diagnostic: source::Diagnostic,
}

impl PartialEq for Origin {
    fn eq(&self, other: &Origin) -> bool {
        self.diagnostic == other.diagnostic
    }
}

impl fmt::Debug for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.diagnostic.fmt(f)
    }
}
