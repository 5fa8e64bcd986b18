//! What the page reads of a report's JSON. Fields mean what the book's page on grading says.
#![allow(missing_docs)] // Types and fields are those of the JSON.

use crate::warp::{Access, Branch, Race};
use serde::Deserialize;
use std::fmt;

/// The newest version of the JSON that is read.
pub const SCHEMA: u32 = 4;

/// The oldest version of the JSON that is read; one before it has gates in other units.
pub const OLDEST_SCHEMA: u32 = 2;

/// JSON that is not a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(String);

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

/// How a check or an exercise ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    Passed,
    Failed,
    Skipped,
}

/// All about one graded file.
#[derive(Clone, Debug, Deserialize)]
pub struct Report {
    pub lab: String,
    pub exercise: String,
    pub title: String,
    pub file: String,
    pub device: Device,
    pub seed: u64,
    pub status: Status,
    pub score: u32,
    pub hint: Option<String>,
    /// What to do next; older reports do not say it.
    #[serde(default)]
    pub next: Option<String>,
    pub checks: Vec<Check>,
    pub gates: Vec<Gate>,
    pub case: Option<Case>,
    pub counters: Option<Counters>,
    pub metrics: Metrics,
    pub extras: Vec<Extra>,
    pub lines: Vec<HotLine>,
    /// Accesses of single warps; reports have them if they were asked for, and older ones never.
    #[serde(default)]
    pub accesses: Vec<Access>,
    /// Branches of single warps, as `accesses`.
    #[serde(default)]
    pub branches: Vec<Branch>,
    pub diagnostics: Vec<Message>,
    pub printed: String,
}

impl Report {
    /// The report of a JSON object.
    ///
    /// # Errors
    /// If it is of another version, has no grade, or lacks a field.
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
    /// Replaces every text that may quote what a student wrote: names of files, messages, source lines, and what the kernel printed.
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

/// What a launch recorded: the fields that its JSON (`lab launch --format json`) has in common with a report's. Of these pictures are drawn.
#[derive(Clone, Debug, Deserialize)]
pub struct Recorded {
    pub file: String,
    #[serde(default)]
    pub accesses: Vec<Access>,
    #[serde(default)]
    pub branches: Vec<Branch>,
    #[serde(default)]
    pub diagnostics: Vec<Diagnostic>,
}

impl Recorded {
    /// What a launch's JSON object recorded.
    ///
    /// # Errors
    /// If it lacks a field.
    pub fn from_json(object: &serde_json::Value) -> Result<Recorded, Error> {
        Recorded::deserialize(object).map_err(|e| Error(format!("this is not the JSON of a launch: {e}")))
    }
}

/// What it ran on.
#[derive(Clone, Debug, Deserialize)]
pub struct Device {
    pub name: String,
    pub simulated: bool,
    /// Bytes per second.
    pub memory_bandwidth: f64,
    /// Single-precision operations per second.
    pub f32_rate: f64,
    /// Where the numbers are from.
    pub source: String,
}

/// One thing that was checked.
#[derive(Clone, Debug, Deserialize)]
pub struct Check {
    pub name: String,
    pub status: Status,
    pub message: String,
    /// 0 to 1.
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
    /// What to look at; may be empty, and older reports do not have it.
    #[serde(default)]
    pub hint: String,
    pub sizes: Vec<GateSize>,
}

/// What a gate found at one size.
#[derive(Clone, Debug, Deserialize)]
pub struct GateSize {
    pub case: String,
    pub value: Option<f64>,
    /// The limit there; older reports have that of the gate alone.
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

/// Which of the two kinds of time.
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
    /// Seconds.
    pub spread: Option<f64>,
    pub warm_cache: Option<bool>,
}

impl Time {
    /// `modelled (h200)` or `measured`.
    pub fn basis(&self) -> String {
        match (self.kind, &self.model) {
            (TimeKind::Measured, _) => "measured".to_owned(),
            (TimeKind::Modelled, Some(model)) => format!("modelled ({model})"),
            (TimeKind::Modelled, None) => "modelled".to_owned(),
        }
    }
}

/// How many warps fit.
#[derive(Clone, Debug, Deserialize)]
pub struct Occupancy {
    pub fraction: f64,
    pub blocks: u32,
    pub limit: String,
}

/// What the report says of performance.
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
}

/// What an exercise adds.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Extra {
    Fact { name: String, value: String },
    Table(Table),
}

/// A table of text; a column of `#` alone is a column of bars.
#[derive(Clone, Debug, Deserialize)]
pub struct Table {
    pub title: String,
    pub header: Vec<String>,
    pub rows: Vec<Vec<String>>,
    pub notes: Vec<String>,
}

/// A source line with what its instructions did.
#[derive(Clone, Debug, Deserialize)]
pub struct HotLine {
    pub line: u32,
    pub text: String,
    /// Memory work, by which lines are ordered; 0 where the report does not say.
    #[serde(default)]
    pub work: u64,
    pub counters: Counters,
}

/// What a page shows of counters.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Counters {
    pub global_load_requests: u64,
    pub global_load_sectors: u64,
    pub global_store_requests: u64,
    pub global_store_sectors: u64,
    pub local_load_requests: u64,
    pub local_load_sectors: u64,
    pub local_store_requests: u64,
    pub local_store_sectors: u64,
    pub texture_requests: u64,
    pub texture_sectors: u64,
    pub shared_load_wavefronts: u64,
    pub shared_store_wavefronts: u64,
    pub shared_load_bank_conflicts: u64,
    pub shared_store_bank_conflicts: u64,
    pub constant_requests: u64,
    pub constant_passes: u64,
}

/// A diagnostic as text and as data.
#[derive(Clone, Debug, Deserialize)]
pub struct Message {
    /// With source lines and carets.
    pub text: String,
    /// One line.
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
    /// Changes that mend it; reports before schema 4 do not have them.
    #[serde(default)]
    pub suggestions: Vec<Suggestion>,
    pub thread: Option<[u32; 3]>,
    pub block: Option<[u32; 3]>,
    /// The two accesses of a race; older reports do not have them.
    #[serde(default)]
    pub race: Option<Race>,
    /// The first is where the fault is. [`Diagnostic::places`] has what reports without this field say.
    #[serde(default)]
    labels: Vec<Label>,
    #[serde(flatten)]
    place: Option<Place>,
    #[serde(default)]
    related: Vec<Place>,
}

impl Diagnostic {
    /// What it marks in source text; the first is where the fault is. Where only the beginning of a label is known, it is one character
    /// long.
    pub fn places(&self) -> Vec<Label> {
        if !self.labels.is_empty() {
            return self.labels.clone();
        }
        self.place.iter().chain(&self.related).map(Place::label).collect()
    }
}

impl Diagnostic {
    /// Every text in it but the code, the severity and the verdict.
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

/// A change that was tried, in words.
#[derive(Clone, Debug, Deserialize)]
pub struct Suggestion {
    pub message: String,
    pub tried: Tried,
}

/// What came of it, in words.
#[derive(Clone, Debug, Deserialize)]
pub struct Tried {
    pub message: String,
}

/// The beginning of a label.
#[derive(Clone, Debug, Deserialize)]
struct Place {
    file: String,
    line: u32,
    column: u32,
    /// Of a related place; that of the diagnostic itself is its title.
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
