//! The result of grading, as plain data from which text, JSON and tests are produced.

use crate::{Case, Extra};
use device::{Counters, DeviceInfo, Occupancy, WarpAccess, WarpBranch};
use serde::Serialize;
use source::{Diagnostic, Finding, SourceMap, labels, render};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// Version of the JSON form of [`ExerciseReport`]; it increases when a field changes its meaning or is removed.
pub const SCHEMA: u32 = 4;

/// Outcome of a check or an exercise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// The requirement is met.
    Passed,
    /// The requirement is not met.
    Failed,
    /// Not judged; the message says why.
    Skipped,
}

/// One check of an exercise.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Check {
    /// `compiles`, `signature`, `correct_<case>`, `clean`, `contract` or `gate_<id>`.
    pub name: String,
    /// Its outcome.
    pub status: Status,
    /// The reason; may be empty if passed, and may have several lines.
    pub message: String,
    /// Share of its points, 0 to 1: 1 if passed, 0 if skipped.
    pub credit: f64,
}

impl Check {
    /// Whether the check compares the outputs of one problem size.
    pub fn is_case(&self) -> bool {
        self.name.starts_with("correct_")
    }
}

/// Result of a gate.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GateResult {
    /// The gate's name.
    pub id: String,
    /// The requirement in words.
    pub asks: String,
    /// The kernel's value at its worst size; `None` if there was nothing to measure.
    pub value: Option<f64>,
    /// `≤` or `≥`.
    pub bound: String,
    /// The limit.
    pub limit: f64,
    /// The reference solution's value at that size; `None` if unknown.
    pub reference: Option<f64>,
    /// The unit; may be empty.
    pub unit: String,
    /// Whether the kernel passes at every gated size.
    pub passed: bool,
    /// Share of the points, 0 to 1: limit / value for an upper limit, value / limit for a lower one.
    pub credit: f64,
    /// `2.1 floats loaded per output; limit: at most 1.2; reference: 0.62 (at 1024x1024)`.
    pub message: String,
    /// Advice for a missed gate; may be empty.
    pub hint: String,
    /// For a missed gate with an upper limit: the 1-based line with the largest part of the counted quantity.
    pub line: Option<u32>,
    /// Results at every gated size.
    pub sizes: Vec<GateSize>,
}

/// Result of a gate at one problem size.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GateSize {
    /// The case's label.
    pub case: String,
    /// The kernel's value.
    pub value: Option<f64>,
    /// The limit at this size.
    pub limit: f64,
    /// The reference solution's value; `None` if unknown.
    pub reference: Option<f64>,
    /// Whether the kernel passes at this size.
    pub passed: bool,
}

/// Kind of a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum TimeKind {
    /// Estimated from counters and a device model.
    Modelled,
    /// Measured by the device's clock.
    Measured,
}

/// A time with its kind.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Time {
    /// Seconds of all launches of the case.
    pub seconds: f64,
    /// Modelled or measured.
    pub kind: TimeKind,
    /// The device model of a modelled time.
    pub model: Option<String>,
    /// For a modelled time: the resource that limits the longest launch.
    pub limit: Option<String>,
    /// For a measured time: half of the interquartile range, seconds.
    pub spread: Option<f64>,
    /// For a measured time: half of the 95 % confidence interval of the median, seconds.
    pub confidence: Option<f64>,
    /// For a measured time: whether the data may have come from the L2 cache instead of device memory.
    pub warm_cache: Option<bool>,
}

/// Performance metrics of the report case.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Metrics {
    /// The time behind the rates: measured if available, otherwise modelled.
    pub time: Option<Time>,
    /// The modelled time, if `time` is measured and the simulator also ran.
    pub modelled: Option<Time>,
    /// The algorithm's own floating-point operations.
    pub flops: f64,
    /// Compulsory bytes.
    pub bytes: f64,
    /// `flops / time`, in 10⁹ per second; `None` for algorithms without floating point.
    pub gflops: Option<f64>,
    /// `bytes / time`, in 10⁹ per second.
    pub gbps: Option<f64>,
    /// Flops per compulsory byte.
    pub arithmetic_intensity: Option<f64>,
    /// The roofline bound on the time (the larger of bytes / bandwidth and flops / rate) divided by the time, in
    /// percent.
    pub roofline_percent: Option<f64>,
    /// Global load sectors per request.
    pub load_sectors_per_request: Option<f64>,
    /// Sectors of a coalesced request for 32-bit elements: 4 for a warp, 2 for a half-warp on old devices.
    pub coalesced_sectors: u32,
    /// What `load_sectors_per_request` would be if each warp had loaded its bytes from consecutive addresses: 4 for `float`, 16 for `float4`.
    pub coalesced_load_sectors: Option<f64>,
    /// The same of `store_sectors_per_request`.
    pub coalesced_store_sectors: Option<f64>,
    /// Global store sectors per request.
    pub store_sectors_per_request: Option<f64>,
    /// Maximum wavefronts of one shared access (load or store): n for an n-way bank conflict.
    pub conflict_degree: Option<u64>,
    /// Occupancy of the longest launch.
    pub occupancy: Option<Occupancy>,
    /// Name of the baseline exercise.
    pub baseline: Option<String>,
    /// The baseline's time divided by this kernel's time of the same kind.
    pub speedup: Option<f64>,
    /// Modelled seconds for this work in a grid that fills the device, which is the cost in a large problem.
    pub share_of_full: Option<f64>,
    /// The baseline's `share_of_full` divided by this kernel's.
    pub full_speedup: Option<f64>,
    /// The baseline's global load requests divided by this kernel's.
    pub load_reduction: Option<f64>,
    /// Lines of the launched kernels, without blank lines and lines that hold only a comment.
    pub source_lines: Option<u32>,
    /// Speed-up over the baseline per source line.
    pub speedup_per_line: Option<f64>,
    /// Launches of the case.
    pub launches: u64,
    /// Why the time is what it is, where the numbers above do not say it: what latency means here, and why a correct kernel is slower
    /// than its baseline. One paragraph each.
    pub notes: Vec<Note>,
    /// What the kernel did that a modelled time leaves out, in words.
    pub not_modelled: Vec<&'static str>,
}

/// A paragraph below a number of a report.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(into = "String")]
pub struct Note {
    /// The number that it explains.
    pub about: Explained,
    /// The paragraph.
    pub text: String,
}

impl From<Note> for String {
    fn from(note: Note) -> String {
        note.text
    }
}

/// A number that a note explains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Explained {
    /// The time.
    Time,
    /// The speed-up over the baseline.
    Speedup,
}

/// A source line with the counters of its instructions.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HotLine {
    /// 1-based line.
    pub line: u32,
    /// The line's text.
    pub text: String,
    /// Its memory work, the sort key of lines: sectors plus four times the shared memory wavefronts and constant
    /// passes.
    pub work: u64,
    /// Counters of its instructions.
    pub counters: Counters,
}

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
