//! The fields of a report's JSON that the page reads. The book's page on grading explains their meaning.
#![allow(missing_docs)] // Types and fields mirror the JSON.

use crate::warp::Race;
use report::{Counters, DeviceInfo, Occupancy, WarpAccess, WarpBranch};
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

/// Outcome of a check or an exercise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    Passed,
    Failed,
    Skipped,
}

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
    pub gates: Vec<Gate>,
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
        self.metrics.notes.iter_mut().for_each(change);
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

/// One check of an exercise.
#[derive(Clone, Debug, Deserialize)]
pub struct Check {
    pub name: String,
    pub status: Status,
    pub message: String,
    /// Share of the check's points, 0 to 1.
    pub credit: f64,
}

/// A condition on counters.
#[derive(Clone, Debug, Deserialize)]
pub struct Gate {
    pub id: String,
    pub asks: String,
    pub bound: String,
    pub limit: f64,
    pub unit: String,
    pub passed: bool,
    /// Advice on where to look; may be empty; older reports lack it.
    #[serde(default)]
    pub hint: String,
    pub sizes: Vec<GateSize>,
}

/// Result of a gate at one size.
#[derive(Clone, Debug, Deserialize)]
pub struct GateSize {
    pub case: String,
    pub value: Option<f64>,
    /// The limit at this size; older reports have only the gate's limit.
    #[serde(default)]
    pub limit: Option<f64>,
    pub reference: Option<f64>,
    pub passed: bool,
}

/// A problem size.
#[derive(Clone, Debug, Deserialize)]
pub struct Case {
    pub label: String,
}

/// Kind of a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TimeKind {
    Modelled,
    Measured,
}

/// A time with its kind.
#[derive(Clone, Debug, Deserialize)]
pub struct Time {
    pub seconds: f64,
    pub kind: TimeKind,
    pub model: Option<String>,
    pub limit: Option<String>,
    /// Half of the interquartile range, seconds.
    pub spread: Option<f64>,
    pub warm_cache: Option<bool>,
}

impl Time {
    /// The kind in words: `modelled (h200)` or `measured`.
    pub fn basis(&self) -> String {
        match (self.kind, &self.model) {
            (TimeKind::Measured, _) => "measured".to_owned(),
            (TimeKind::Modelled, Some(model)) => format!("modelled ({model})"),
            (TimeKind::Modelled, None) => "modelled".to_owned(),
        }
    }
}

/// The performance metrics of a report.
#[derive(Clone, Debug, Deserialize)]
pub struct Metrics {
    pub time: Option<Time>,
    pub modelled: Option<Time>,
    pub flops: f64,
    pub bytes: f64,
    pub gflops: Option<f64>,
    pub gbps: Option<f64>,
    pub arithmetic_intensity: Option<f64>,
    pub roofline_percent: Option<f64>,
    pub load_sectors_per_request: Option<f64>,
    pub coalesced_load_sectors: Option<f64>,
    pub coalesced_store_sectors: Option<f64>,
    pub store_sectors_per_request: Option<f64>,
    pub conflict_degree: Option<u64>,
    pub occupancy: Option<Occupancy>,
    pub baseline: Option<String>,
    pub speedup: Option<f64>,
    pub share_of_full: Option<f64>,
    pub full_speedup: Option<f64>,
    pub load_reduction: Option<f64>,
    pub source_lines: Option<u32>,
    pub launches: u64,
    pub notes: Vec<String>,
    /// What a modelled time leaves out; older reports do not say it.
    #[serde(default)]
    pub not_modelled: Vec<String>,
}

/// An exercise's own results.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Extra {
    Fact { name: String, value: String },
    Table(Table),
}

/// A table of text. A column whose cells contain only `#` is a column of bars.
#[derive(Clone, Debug, Deserialize)]
pub struct Table {
    pub title: String,
    pub header: Vec<String>,
    pub rows: Vec<Vec<String>>,
    pub notes: Vec<String>,
}

/// A source line with the counters of its instructions.
#[derive(Clone, Debug, Deserialize)]
pub struct HotLine {
    pub line: u32,
    pub text: String,
    /// Memory work, the sort key of lines; 0 if the report lacks it.
    #[serde(default)]
    pub work: u64,
    pub counters: Counters,
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
