//! The report of one graded file.

use crate::{
    Case, Check, Counters, DeviceInfo, Diagnostic, Extra, GateResult, HotLine, Message, Metrics, Status,
    WarpAccess, WarpBranch,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// Version of the JSON of [`Report`]; it increases when a field changes its meaning or is removed.
pub const SCHEMA: u32 = 4;

/// Oldest version that can be read; earlier versions have gates in other units.
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

/// The report of one graded kernel file. `M` is the type of its messages: a program that grades has more of them than it writes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Report<M = Message> {
    /// [`SCHEMA`].
    pub schema: u32,
    /// The lab's package, such as `lab-6`.
    pub lab: String,
    /// The exercise.
    pub exercise: String,
    /// Its title.
    pub title: String,
    /// The file that was graded.
    pub file: String,
    /// The device that ran it.
    pub device: DeviceInfo,
    /// The inputs' seed.
    pub seed: u64,
    /// Passed if every check passed, or was skipped because this device has no counters.
    pub status: Status,
    /// 0 to 100; the harness computes it.
    pub score: u32,
    /// Where to start, if the student has written nothing yet.
    pub hint: Option<String>,
    /// The next step: for the first failure, or after passing.
    pub next: Option<String>,
    /// The checks, in order.
    pub checks: Vec<Check>,
    /// The gates, in order; empty if they were not evaluated.
    pub gates: Vec<GateResult>,
    /// The report case.
    pub case: Option<Case>,
    /// Counters of the report case, if the device has them.
    pub counters: Option<Counters>,
    /// The same counters under Nsight Compute's names, for those that it counts alike.
    pub profiler: Option<BTreeMap<String, u64>>,
    /// Performance.
    pub metrics: Metrics,
    /// The exercise's own results.
    pub extras: Vec<Extra>,
    /// Lines of the file that accessed memory, sorted by memory work, largest first.
    pub lines: Vec<HotLine>,
    /// Accesses of single warps, for pictures: for each line of the file whose accesses take more than the minimum,
    /// one per kind and variable. Empty unless grading records them, and on devices that cannot record.
    #[serde(default)]
    pub accesses: Vec<WarpAccess>,
    /// Branches of single warps: for each line that splits a warp, the most even split. Empty in the same cases as
    /// `accesses`.
    #[serde(default)]
    pub branches: Vec<WarpBranch>,
    /// Messages of the front-end and of the run.
    pub diagnostics: Vec<M>,
    /// The 1-based line of the kernel's name, for findings without their own line; `None` if the file does not
    /// compile.
    #[serde(skip)]
    pub kernel_line: Option<u32>,
    /// What the kernel printed at the first size that is wrong, or in the report case: the first lines.
    pub printed: String,
    /// The label of that size; `None` if nothing was printed.
    pub printed_at: Option<String>,
    /// Whether the kernel printed more.
    #[serde(default)]
    pub printed_is_cut: bool,
}

impl<M> Report<M> {
    /// The check with this name.
    pub fn check(&self, name: &str) -> Option<&Check> {
        self.checks.iter().find(|c| c.name == name)
    }

    /// Whether the exercise is solved.
    pub fn passed(&self) -> bool {
        self.status == Status::Passed
    }
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

    /// Replaces every text that may quote the student: file names, messages, source lines and the kernel's output.
    pub fn map_texts(&mut self, map: impl Fn(&str) -> String) {
        let change = |text: &mut String| *text = map(text);
        change(&mut self.file);
        change(&mut self.printed);
        self.hint.iter_mut().chain(&mut self.next).for_each(change);
        self.checks.iter_mut().for_each(|check| change(&mut check.message));
        self.lines.iter_mut().for_each(|line| change(&mut line.text));
        for access in &mut self.accesses {
            [&mut access.file, &mut access.text].into_iter().chain(&mut access.name).for_each(change);
        }
        let branches = self.branches.iter_mut().flat_map(|branch| [&mut branch.file, &mut branch.text]);
        branches.for_each(change);
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
#[derive(Clone, Debug, Deserialize)]
#[allow(missing_docs)] // The fields of `Report`.
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
