//! The fields of a report's JSON that the page reads. The book's page on grading explains their meaning.
#![allow(missing_docs)] // Types and fields mirror the JSON.

use crate::warp::Race;
use report::{
    Case, Check, Counters, DeviceInfo, Extra, GateResult, HotLine, Metrics, Status, WarpAccess, WarpBranch,
};
use serde::Deserialize;
use std::fmt;

/// Newest supported version of the JSON.
pub const SCHEMA: u32 = 4;

/// Oldest supported version of the JSON; earlier versions have gates in other units.
pub const OLDEST_SCHEMA: u32 = 2;

/// Error for JSON that is not a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(String);

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

/// The report of one graded file.
#[derive(Clone, Debug, Deserialize)]
pub struct Report {
    pub lab: String,
    pub exercise: String,
    pub title: String,
    pub file: String,
    pub device: DeviceInfo,
    pub seed: u64,
    pub status: Status,
    pub score: u32,
    pub hint: Option<String>,
    /// Advice on what to do next; older reports lack it.
    #[serde(default)]
    pub next: Option<String>,
    pub checks: Vec<Check>,
    pub gates: Vec<GateResult>,
    pub case: Option<Case>,
    pub counters: Option<Counters>,
    pub metrics: Metrics,
    pub extras: Vec<Extra>,
    pub lines: Vec<HotLine>,
    /// Accesses of single warps; present if grading recorded them; older reports lack them.
    #[serde(default)]
    pub accesses: Vec<WarpAccess>,
    /// Branches of single warps; present in the same reports as `accesses`.
    #[serde(default)]
    pub branches: Vec<WarpBranch>,
    pub diagnostics: Vec<Message>,
    pub printed: String,
    /// The size at which it was printed; older reports do not say it.
    #[serde(default)]
    pub printed_at: Option<String>,
    /// Whether there was more.
    #[serde(default)]
    pub printed_is_cut: bool,
}

impl Report {
    /// Reads a report from a JSON object.
    ///
    /// # Errors
    /// The JSON has an unsupported version, holds no grade, or lacks a field.
    pub fn from_json(object: &serde_json::Value) -> Result<Report, Error> {
        match object["schema"].as_u64() {
            Some(schema) if (u64::from(OLDEST_SCHEMA)..=u64::from(SCHEMA)).contains(&schema) => {}
            Some(schema) => {
                return Err(Error(format!(
                    "the report has schema {schema}, and pages are made of schemas {OLDEST_SCHEMA} to {SCHEMA}"
                )));
            }
            None => return Err(Error("this is not the JSON of a report: it has no `schema`".to_owned())),
        }
        if let Some(error) = object["error"].as_str() {
            return Err(Error(format!("the file has no grade: {error}")));
        }
        Report::deserialize(object).map_err(|e| Error(format!("this is not the JSON of a report: {e}")))
    }
}

impl Report {
    /// Replaces every text that may quote the student: file names, messages, source lines and the kernel's output.
    pub fn map_texts(&mut self, map: impl Fn(&str) -> String) {
        let change = |text: &mut String| *text = map(text);
        change(&mut self.file);
        change(&mut self.printed);
        self.hint.iter_mut().chain(&mut self.next).for_each(change);
        self.checks.iter_mut().for_each(|check| change(&mut check.message));
        self.lines.iter_mut().for_each(|line| change(&mut line.text));
        for access in &mut self.accesses {
            change(&mut access.text);
            access.name.iter_mut().for_each(change);
        }
        self.branches.iter_mut().for_each(|branch| change(&mut branch.text));
        self.metrics.notes.iter_mut().for_each(|note| change(&mut note.text));
        for message in &mut self.diagnostics {
            change(&mut message.text);
            change(&mut message.concise);
            message.json.texts().for_each(change);
        }
        for extra in &mut self.extras {
            match extra {
                Extra::Fact { value, .. } => change(value),
                Extra::Table(table) => {
                    table.rows.iter_mut().flatten().chain(&mut table.notes).for_each(change)
                }
            }
        }
    }
}

/// The recording of a launch: the fields that the JSON of `lab launch --format json` shares with a report.
/// [`Recorded::pictures`] draws them.
#[derive(Clone, Debug, Deserialize)]
pub struct Recorded {
    pub file: String,
    #[serde(default)]
    pub accesses: Vec<WarpAccess>,
    #[serde(default)]
    pub branches: Vec<WarpBranch>,
    #[serde(default)]
    pub diagnostics: Vec<Diagnostic>,
}

impl Recorded {
    /// Reads the recording from the JSON object of a launch.
    ///
    /// # Errors
    /// The JSON lacks a field.
    pub fn from_json(object: &serde_json::Value) -> Result<Recorded, Error> {
        Recorded::deserialize(object).map_err(|e| Error(format!("this is not the JSON of a launch: {e}")))
    }
}

/// A diagnostic as text and as data.
#[derive(Clone, Debug, Deserialize)]
pub struct Message {
    /// The full message, with source lines and carets.
    pub text: String,
    /// The message on one line.
    pub concise: String,
    pub json: Diagnostic,
}

/// A diagnostic.
#[derive(Clone, Debug, Deserialize)]
pub struct Diagnostic {
    pub code: String,
    pub severity: String,
    pub verdict: String,
    pub message: String,
    #[serde(default)]
    pub notes: Vec<String>,
    #[serde(default)]
    pub help: Vec<String>,
    /// Edits that fix the error; reports before schema 4 lack them.
    #[serde(default)]
    pub suggestions: Vec<Suggestion>,
    pub thread: Option<[u32; 3]>,
    pub block: Option<[u32; 3]>,
    /// The two accesses of a race; older reports lack them.
    #[serde(default)]
    pub race: Option<Race>,
    /// The labels; the first marks the error. Use [`Diagnostic::places`], which also handles older reports without
    /// this field.
    #[serde(default)]
    labels: Vec<Label>,
    #[serde(flatten)]
    place: Option<Place>,
    #[serde(default)]
    related: Vec<Place>,
}

impl Diagnostic {
    /// The labelled places in source text; the first marks the error. A label whose end is unknown is one character
    /// long.
    pub fn places(&self) -> Vec<Label> {
        if !self.labels.is_empty() {
            return self.labels.clone();
        }
        self.place.iter().chain(&self.related).map(Place::label).collect()
    }
}

impl Diagnostic {
    /// Every text except code, severity and verdict.
    fn texts(&mut self) -> impl Iterator<Item = &mut String> {
        let labels = self.labels.iter_mut().flat_map(|label| [&mut label.file, &mut label.message]);
        let places = self.place.iter_mut().chain(&mut self.related);
        let places = places.flat_map(|place| std::iter::once(&mut place.file).chain(&mut place.message));
        let suggestions = self.suggestions.iter_mut().flat_map(|s| [&mut s.message, &mut s.tried.message]);
        let said = self.notes.iter_mut().chain(&mut self.help).chain(suggestions);
        let races = self.race.iter_mut().flat_map(Race::texts);
        std::iter::once(&mut self.message).chain(said).chain(labels).chain(places).chain(races)
    }
}

/// A suggested edit that was tried, in words.
#[derive(Clone, Debug, Deserialize)]
pub struct Suggestion {
    pub message: String,
    pub tried: Tried,
}

/// Result of trying the edit, in words.
#[derive(Clone, Debug, Deserialize)]
pub struct Tried {
    pub message: String,
}

/// Start of a label, as older reports have it.
#[derive(Clone, Debug, Deserialize)]
struct Place {
    file: String,
    line: u32,
    column: u32,
    /// The message of a related place. The diagnostic's own place has none; its title says it.
    #[serde(default)]
    message: Option<String>,
}

impl Place {
    fn label(&self) -> Label {
        Label {
            file: self.file.clone(),
            line: self.line,
            column: self.column,
            end_line: self.line,
            end_column: self.column.saturating_add(1),
            message: self.message.clone().unwrap_or_default(),
        }
    }
}

/// Marked source text. Lines and columns are 1-based, columns in characters; the end is excluded.
#[derive(Clone, Debug, Deserialize)]
pub struct Label {
    pub file: String,
    pub line: u32,
    pub column: u32,
    pub end_line: u32,
    pub end_column: u32,
    pub message: String,
}
