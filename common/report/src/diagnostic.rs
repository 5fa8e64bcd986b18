//! Diagnostics as data. Fields are in alphabetical order, so that every way to write them gives the same JSON.

use serde::{Deserialize, Serialize};
use source::{Place, SourceMap, bounded};
use std::iter::once;

/// A diagnostic as text and as data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// The full message with source lines and carets, without colour.
    pub text: String,
    /// The message on one line.
    pub concise: String,
    /// The message as data.
    pub json: Diagnostic,
}

/// A diagnostic. Lines and columns are 1-based, columns in characters; an end is excluded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// `blockIdx` of the thread that met the error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block: Option<[u32; 3]>,
    /// The stable code.
    pub code: String,
    /// First column of the error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// End column of the error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_column: Option<u32>,
    /// End line of the error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_line: Option<u32>,
    /// File of the error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Advice on how to fix it.
    #[serde(default)]
    pub help: Vec<String>,
    /// The labels; the first marks the error. Only in reports of grading, and not in older ones; readers use
    /// [`Diagnostic::places`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub labels: Option<Vec<Label>>,
    /// Line of the error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// What was found, on one line.
    pub message: String,
    /// Facts that do not fit a label.
    #[serde(default)]
    pub notes: Vec<String>,
    /// The two accesses of a race.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub race: Option<Race>,
    /// The labels after the first, without their ends.
    #[serde(default)]
    pub related: Vec<Related>,
    /// Whether a launch found it instead of the compiler; only in reports of grading.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<bool>,
    /// `error`, `warning` or `note`.
    pub severity: String,
    /// Edits that were tried; reports before schema 4 lack them.
    #[serde(default)]
    pub suggestions: Vec<Suggestion>,
    /// `threadIdx` of the thread that met the error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread: Option<[u32; 3]>,
    /// What causes it: `program`, or `unsupported` for the simulator.
    pub verdict: String,
}

impl Diagnostic {
    /// The data of a diagnostic whose spans point into `map`, without `labels` and `run`.
    pub fn of(map: &SourceMap, diagnostic: &source::Diagnostic) -> Diagnostic {
        let place = diagnostic.span().map(|span| Place::of(map, span));
        let related = diagnostic.labels.iter().skip(1).map(|label| Related::of(map, label));
        let suggestions = diagnostic.suggestions.iter().filter_map(|one| Suggestion::of(map, one));
        Diagnostic {
            block: diagnostic.thread.map(|at| at.block),
            code: diagnostic.code.as_str().to_owned(),
            column: place.as_ref().map(|at| at.column),
            end_column: place.as_ref().map(|at| at.end_column),
            end_line: place.as_ref().map(|at| at.end_line),
            line: place.as_ref().map(|at| at.line),
            file: place.map(|at| at.file),
            help: diagnostic.help.clone(),
            labels: None,
            message: diagnostic.title.clone(),
            notes: diagnostic.notes.clone(),
            race: diagnostic.race.as_ref().map(|race| Race::of(map, race)),
            related: related.collect(),
            run: None,
            severity: diagnostic.severity.word().to_owned(),
            suggestions: suggestions.collect(),
            thread: diagnostic.thread.map(|at| at.thread),
            verdict: diagnostic.verdict.word().to_owned(),
        }
    }

    /// The labelled places in source text; the first marks the error. In a report without labels, each is one
    /// character long.
    pub fn places(&self) -> Vec<Label> {
        if let Some(labels) = self.labels.as_ref().filter(|labels| !labels.is_empty()) {
            return labels.clone();
        }
        let own = || Some(Label::start(self.file.as_ref()?, self.line?, self.column?, ""));
        let related = self.related.iter().map(|at| Label::start(&at.file, at.line, at.column, &at.message));
        own().into_iter().chain(related).collect()
    }

    /// Every text that may quote the program or name its file.
    pub(crate) fn texts(&mut self) -> impl Iterator<Item = &mut String> {
        let labels = self.labels.iter_mut().flatten().flat_map(|at| [&mut at.file, &mut at.message]);
        let related = self.related.iter_mut().flat_map(|at| [&mut at.file, &mut at.message]);
        let suggestions = self.suggestions.iter_mut().flat_map(|one| {
            let edits = one.edits.iter_mut().flat_map(|edit| [&mut edit.file, &mut edit.replacement]);
            [&mut one.message, &mut one.tried.message].into_iter().chain(edits)
        });
        let races = self.race.iter_mut().flat_map(|race| {
            let accesses = race.accesses.iter_mut().flat_map(|one| one.code.iter_mut().chain(&mut one.file));
            once(&mut race.element).chain(accesses)
        });
        let said = once(&mut self.message).chain(&mut self.notes).chain(&mut self.help);
        said.chain(&mut self.file).chain(suggestions).chain(labels).chain(related).chain(races)
    }
}

/// Marked source text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)] // The fields of `Place`, and the text of the label.
pub struct Label {
    pub column: u32,
    pub end_column: u32,
    pub end_line: u32,
    pub file: String,
    pub line: u32,
    pub message: String,
}

impl Label {
    /// The data of a label whose span points into `map`.
    pub fn of(map: &SourceMap, label: &source::Label) -> Label {
        let Place { file, line, column, end_line, end_column } = Place::of(map, label.span);
        Label { column, end_column, end_line, file, line, message: label.message.clone() }
    }

    /// A label whose end is unknown.
    fn start(file: &str, line: u32, column: u32, message: &str) -> Label {
        let (file, message) = (file.to_owned(), message.to_owned());
        Label { column, end_column: column.saturating_add(1), end_line: line, file, line, message }
    }
}

/// Start of a label, with its text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)] // The fields of `Label`.
pub struct Related {
    pub column: u32,
    pub file: String,
    pub line: u32,
    #[serde(default)]
    pub message: String,
}

impl Related {
    fn of(map: &SourceMap, label: &source::Label) -> Related {
        let Label { column, file, line, message, .. } = Label::of(map, label);
        Related { column, file, line, message }
    }
}

/// A suggested edit that was tried.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Suggestion {
    /// The edits that belong together.
    #[serde(default)]
    pub edits: Vec<Edit>,
    /// The instruction in words.
    pub message: String,
    /// What trying it gave.
    pub tried: Tried,
}

impl Suggestion {
    /// `None` if it was not tried.
    fn of(map: &SourceMap, suggestion: &source::Suggestion) -> Option<Suggestion> {
        let tried = suggestion.tried?;
        let edit = |edit: &source::Edit| {
            let Place { file, line, column, end_line, end_column } = Place::of(map, edit.span);
            Edit { column, end_column, end_line, file, line, replacement: edit.replacement.clone() }
        };
        Some(Suggestion {
            edits: suggestion.edits.iter().map(edit).collect(),
            message: bounded(suggestion.words(map)),
            tried: Tried { message: tried.words().to_owned(), result: tried.result().to_owned() },
        })
    }
}

/// A replacement of one range of a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)] // The fields of `Place`, and the new text.
pub struct Edit {
    pub column: u32,
    pub end_column: u32,
    pub end_line: u32,
    pub file: String,
    pub line: u32,
    pub replacement: String,
}

/// Result of trying a suggestion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tried {
    /// The result in words.
    pub message: String,
    /// `right`, `unknown` or `not-run`.
    #[serde(default)]
    pub result: String,
}

/// Two accesses without an order between them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Race {
    /// The two accesses, in the order in which the run executed them.
    pub accesses: Vec<RaceAccess>,
    /// The place of the missing barrier. Present only in reports of schema 3 and before, which guessed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub barrier: Option<Barrier>,
    /// The element that both access, in the notation of the source.
    pub element: String,
}

impl Race {
    fn of(map: &SourceMap, race: &source::Race) -> Race {
        let access = |access: &source::RaceAccess| RaceAccess {
            block: access.at.block,
            code: access.span.map(|span| bounded(map.text(span).to_owned())),
            file: access.span.map(|span| map.file(span.file).name().to_owned()),
            kind: access.kind.word().to_owned(),
            line: access.span.map(|span| map.position(span).line),
            next_iteration: None,
            thread: access.at.thread,
        };
        Race {
            accesses: race.accesses.iter().map(access).collect(),
            barrier: None,
            element: race.element.clone(),
        }
    }
}

/// One of the two accesses of a race.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RaceAccess {
    /// `blockIdx`.
    pub block: [u32; 3],
    /// The source text of the access.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// Its file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// `read`, `write` or `atomic`.
    pub kind: String,
    /// Its 1-based line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Whether this access belongs to a later iteration of the surrounding loop than the other one. Like
    /// [`Race::barrier`], only in older reports.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_iteration: Option<bool>,
    /// `threadIdx`.
    pub thread: [u32; 3],
}

/// Where a barrier is missing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Barrier {
    /// The 1-based line before it.
    pub after: Option<u32>,
    /// The 1-based line after it.
    pub before: Option<u32>,
    /// `between` two lines, `loop-start`, `loop-end`, `none` or `unknown`.
    pub place: String,
}

#[cfg(test)]
mod tests {
    use super::*;
    use source::{Code, Span, ThreadPosition};

    #[test]
    fn data_have_place_thread_and_related_and_labels_end_after_their_last_character() {
        let mut map = SourceMap::new();
        let file = map.add("a.cu", "µ = yy;\nint z;\n");
        let diagnostic = source::Diagnostic::new(Code::UnexpectedToken, "t")
            .label(Span::new(file, 5, 7), "not found")
            .label(Span::new(file, 0, 12), "over two lines")
            .at_thread(ThreadPosition { thread: [1, 2, 0], block: [3, 0, 0] });
        let labels: Vec<Label> = diagnostic.labels.iter().map(|label| Label::of(&map, label)).collect();
        let place = |at: &Label| [at.line, at.column, at.end_line, at.end_column];
        assert_eq!(labels.iter().map(place).collect::<Vec<_>>(), [[1, 5, 1, 7], [1, 1, 2, 4]]);
        assert_eq!((labels[0].file.as_str(), labels[0].message.as_str()), ("a.cu", "not found"));
        let mut data = Diagnostic::of(&map, &diagnostic);
        assert_eq!([data.line, data.column, data.end_line, data.end_column], [1, 5, 1, 7].map(Some));
        assert_eq!((data.block, data.thread), (Some([3, 0, 0]), Some([1, 2, 0])));
        assert_eq!((data.related.len(), data.related[0].column), (1, 1));
        assert_eq!(data.places()[1].message, "over two lines");
        data.labels = Some(labels);
        assert_eq!(data.places()[1].end_line, 2);
    }

    /// An object sorts its fields, and a structure writes them as they are declared.
    #[test]
    fn an_object_and_a_structure_give_the_same_text() {
        let label = r#"{"column":1,"end_column":2,"end_line":3,"file":"a","line":3,"message":"m"}"#;
        let edit = label.replace("message", "replacement");
        let access = r#"{"block":[0,0,0],"code":"c","file":"a","kind":"read","line":1,"next_iteration":true,"thread":[0,0,0]}"#;
        let text = format!(
            r#"{{"block":[0,0,0],"code":"c","column":1,"end_column":2,"end_line":3,"file":"a","help":["h"],"labels":[{label}],"line":3,"message":"m","notes":[],"race":{{"accesses":[{access}],"barrier":null,"element":"e"}},"related":[{{"column":1,"file":"a","line":1,"message":""}}],"run":true,"severity":"error","suggestions":[{{"edits":[{edit}],"message":"m","tried":{{"message":"m","result":"right"}}}}],"thread":[0,0,0],"verdict":"program"}}"#
        );
        let read: Diagnostic = serde_json::from_str(&text).unwrap();
        let written = serde_json::to_string(&read).unwrap();
        assert_eq!(written, text.replace(r#""barrier":null,"#, ""));
        assert_eq!(written, serde_json::to_value(&read).unwrap().to_string());
    }
}
