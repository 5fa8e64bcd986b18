//! A finding: the common summary of diagnostics and failed checks, with line and column numbers.
//!
//! Line-based formats are produced from findings, so that they also report failures without a diagnostic (a wrong
//! result, a missed gate).

use crate::text::printable;
use crate::{Diagnostic, Severity, SourceMap, Span, render};

/// A range of a named file. Lines and columns are 1-based and in characters; the end column is one past the last.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The file's name in messages.
    pub file: String,
    /// First line.
    pub line: u32,
    /// First column.
    pub column: u32,
    /// Last line.
    pub end_line: u32,
    /// One past the last column.
    pub end_column: u32,
}

impl Place {
    /// The range of a span.
    pub fn of(map: &SourceMap, span: Span) -> Place {
        let (start, end) = (map.position(span), map.position(span.after()));
        Place {
            file: map.file(span.file).name().to_owned(),
            line: start.line,
            column: start.column,
            end_line: end.line,
            end_column: end.column,
        }
    }

    /// The empty range at the start of a line.
    pub fn line(file: impl Into<String>, line: u32) -> Place {
        Place { file: file.into(), line, column: 1, end_line: line, end_column: 1 }
    }
}

/// One problem to report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The diagnostic's code, or the name of the check that failed.
    pub code: String,
    /// Its severity.
    pub severity: Severity,
    /// What is wrong, without advice.
    pub title: String,
    /// Its place, if it has one.
    pub place: Option<Place>,
    /// Related places, each with its message.
    pub related: Vec<(Place, String)>,
    /// Facts and advice, one paragraph each.
    pub notes: Vec<String>,
}

impl Finding {
    /// Converts a diagnostic.
    pub fn of(map: &SourceMap, diagnostic: &Diagnostic) -> Finding {
        let related = diagnostic.labels.iter().skip(1);
        Finding {
            code: diagnostic.code.as_str().to_owned(),
            severity: diagnostic.severity,
            title: diagnostic.title.clone(),
            place: diagnostic.span().map(|span| Place::of(map, span)),
            related: related.map(|label| (Place::of(map, label.span), label.message.clone())).collect(),
            notes: [diagnostic.notes.clone(), diagnostic.help.clone(), render::suggestions(map, diagnostic)]
                .concat(),
        }
    }

    /// The line `file:line:column: error[code]: title`, without control characters.
    pub fn concise(&self) -> String {
        let place = self.place.as_ref();
        let place = place.map(|at| format!("{}:{}:{}: ", at.file, at.line, at.column)).unwrap_or_default();
        let line = format!("{place}{}[{}]: {}", self.severity.word(), self.code, self.title);
        printable(&line.split('\n').map(str::trim_end).collect::<Vec<_>>().join(" ")).into_owned()
    }
}
