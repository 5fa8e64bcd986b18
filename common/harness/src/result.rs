//! The result of grading, as plain data from which text, JSON and tests are produced.

use report::{
    Case, Check, Counters, DeviceInfo, Extra, GateResult, HotLine, Metrics, Status, WarpAccess, WarpBranch,
};
use serde::Serialize;
use source::{Diagnostic, Finding, SourceMap, labels, render};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// Version of the JSON form of [`ExerciseReport`]; it increases when a field changes its meaning or is removed.
pub const SCHEMA: u32 = 4;

/// A diagnostic, rendered for people and for programs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Message {
    /// The full message with source lines and carets, without colour.
    pub text: String,
    /// The full message with ANSI colours.
    #[serde(skip)]
    pub colored: String,
    /// The message on one line.
    pub concise: String,
    /// The message as a JSON object; see `source::render::json`.
    pub json: serde_json::Value,
    /// The message with its places, for line-based formats.
    #[serde(skip)]
    pub finding: Finding,
    /// The diagnostic that it was rendered from.
    #[serde(skip)]
    pub(crate) origin: Origin,
}

impl Message {
    /// Renders a diagnostic in every form; `run` says whether a launch found it instead of the compiler.
    pub(crate) fn new(sources: &Arc<SourceMap>, diagnostic: &Diagnostic, run: bool) -> Message {
        let mut json = render::json(sources, diagnostic);
        json["run"] = run.into();
        json["labels"] = labels::json(sources, diagnostic);
        Message {
            text: render::full(sources, diagnostic, false),
            colored: render::full(sources, diagnostic, true),
            concise: render::concise(sources, diagnostic),
            json,
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
    pub(crate) diagnostic: Diagnostic,
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

/// The report of one graded kernel file.
#[derive(Clone, Debug, Serialize)]
pub struct ExerciseReport {
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
    /// 0 to 100; see the page of [`score`](mod@crate::score) for the rule.
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
    pub profiler: Option<BTreeMap<&'static str, u64>>,
    /// Performance.
    pub metrics: Metrics,
    /// The exercise's own results.
    pub extras: Vec<Extra>,
    /// Lines of the file that accessed memory, sorted by memory work, largest first.
    pub lines: Vec<HotLine>,
    /// Accesses of single warps, for pictures: for each line of the file whose accesses take more than the minimum,
    /// one per kind and variable. Empty unless [`crate::Options::recording`] requests them, and on devices that
    /// cannot record.
    pub accesses: Vec<WarpAccess>,
    /// Branches of single warps: for each line that splits a warp, the most even split. Empty in the same cases as
    /// `accesses`.
    pub branches: Vec<WarpBranch>,
    /// Messages of the front-end and of the run.
    pub diagnostics: Vec<Message>,
    /// The 1-based line of the kernel's name, for findings without their own line; `None` if the file does not
    /// compile.
    #[serde(skip)]
    pub kernel_line: Option<u32>,
    /// What the kernel printed at the first size that is wrong, or in the report case: the first lines ([`crate::Printed`]).
    pub printed: String,
    /// The label of that size; `None` if nothing was printed.
    pub printed_at: Option<String>,
    /// Whether the kernel printed more.
    pub printed_is_cut: bool,
}

impl ExerciseReport {
    /// The check with this name.
    pub fn check(&self, name: &str) -> Option<&Check> {
        self.checks.iter().find(|c| c.name == name)
    }

    /// Whether the exercise is solved.
    pub fn passed(&self) -> bool {
        self.status == Status::Passed
    }
}
