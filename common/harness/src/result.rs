//! The result of grading: plain data, the same for text, JSON and tests.

use crate::{Case, Extra};
use device::{Counters, DeviceInfo, Occupancy, WarpAccess, WarpBranch};
use serde::Serialize;
use source::{Diagnostic, Finding, SourceMap, labels, render};
use std::fmt;
use std::sync::Arc;

/// The version of the JSON form of [`ExerciseReport`]; it grows when a field changes its meaning or goes.
pub const SCHEMA: u32 = 4;

/// How a check or an exercise ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// As asked.
    Passed,
    /// Not as asked.
    Failed,
    /// Not judged; the message says why.
    Skipped,
}

/// One thing that was checked.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Check {
    /// `compiles`, `signature`, `correct_<case>`, `clean`, `contract` or `gate_<id>`.
    pub name: String,
    /// How it ended.
    pub status: Status,
    /// Why; may be empty when passed. May have several lines.
    pub message: String,
    /// Which share of its points it gives, 0 to 1: 1 if passed, 0 if skipped.
    pub credit: f64,
}

impl Check {
    /// Whether it compares the outputs of one problem size.
    pub fn is_case(&self) -> bool {
        self.name.starts_with("correct_")
    }
}

/// A gate's verdict.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GateResult {
    /// The gate's name.
    pub id: String,
    /// What is asked, in words.
    pub asks: String,
    /// What the kernel has, at the size where it is furthest on the wrong side; `None` where there was nothing to measure.
    pub value: Option<f64>,
    /// `≤` or `≥`.
    pub bound: String,
    /// The limit.
    pub limit: f64,
    /// What the reference solution was measured to have there; `None` if it could not be run.
    pub reference: Option<f64>,
    /// The unit; may be empty.
    pub unit: String,
    /// Whether the value is on the good side at every gated size.
    pub passed: bool,
    /// How near it comes, 0 to 1: the limit over the value, or the value over the limit where it is to be at least that.
    pub credit: f64,
    /// `2.1 floats loaded per output; at most 1.2; the reference makes 0.62 (at 1024x1024)`.
    pub message: String,
    /// What to look at when it is missed; may be empty.
    pub hint: String,
    /// The line that has most of what is counted, 1-based, of a missed gate with an upper limit.
    pub line: Option<u32>,
    /// Every gated size.
    pub sizes: Vec<GateSize>,
}

/// What a gate found at one problem size.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GateSize {
    /// The case's label.
    pub case: String,
    /// What the kernel has.
    pub value: Option<f64>,
    /// The limit there.
    pub limit: f64,
    /// What the reference solution was measured to have.
    pub reference: Option<f64>,
    /// Whether the value is on the good side.
    pub passed: bool,
}

/// Which of the two kinds of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum TimeKind {
    /// Estimated from counters and a device model.
    Modelled,
    /// By a clock.
    Measured,
}

/// A time that says what kind it is.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Time {
    /// Seconds of all launches of the case.
    pub seconds: f64,
    /// Modelled or measured.
    pub kind: TimeKind,
    /// The device model of a modelled time.
    pub model: Option<String>,
    /// Which resource limits the longest launch, of a modelled time.
    pub limit: Option<String>,
    /// Half of the range between the quartiles in seconds, of a measured time.
    pub spread: Option<f64>,
    /// Half of the 95 % confidence interval of the median in seconds, of a measured time.
    pub confidence: Option<f64>,
    /// Whether the data may have come from the L2 cache instead of device memory, of a measured time.
    pub warm_cache: Option<bool>,
}

/// What the report says of performance. Everything is of the report case.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Metrics {
    /// The time that the rates are from: measured where there is one, otherwise modelled.
    pub time: Option<Time>,
    /// The modelled time, where `time` is a measured one and the simulator ran too.
    pub modelled: Option<Time>,
    /// The algorithm's own floating-point operations.
    pub flops: f64,
    /// Compulsory bytes.
    pub bytes: f64,
    /// `flops / time`, in 10⁹ a second; `None` for algorithms without floating point.
    pub gflops: Option<f64>,
    /// `bytes / time`, in 10⁹ a second.
    pub gbps: Option<f64>,
    /// Flops per compulsory byte.
    pub arithmetic_intensity: Option<f64>,
    /// Roofline bound on the time (the larger of bytes over bandwidth and flops over rate) over the time, in per cent.
    pub roofline_percent: Option<f64>,
    /// Global load sectors per request.
    pub load_sectors_per_request: Option<f64>,
    /// Sectors of a coalesced request for 32-bit elements: 4 of a warp, 2 of a half-warp, as old devices count.
    pub coalesced_sectors: u32,
    /// What `load_sectors_per_request` would be if each warp had loaded its bytes from consecutive addresses: 4 for `float`, 16 for `float4`.
    pub coalesced_load_sectors: Option<f64>,
    /// The same of `store_sectors_per_request`.
    pub coalesced_store_sectors: Option<f64>,
    /// Global store sectors per request.
    pub store_sectors_per_request: Option<f64>,
    /// Most wavefronts of one shared access (loads and stores): n for an n-way bank conflict.
    pub conflict_degree: Option<u64>,
    /// Occupancy of the longest launch.
    pub occupancy: Option<Occupancy>,
    /// The baseline's exercise.
    pub baseline: Option<String>,
    /// Baseline's time over this one's, of the same kind.
    pub speedup: Option<f64>,
    /// Seconds that the work takes as a part of a grid that fills the device, always modelled: what a large problem pays.
    pub share_of_full: Option<f64>,
    /// The baseline's `share_of_full` over this one's.
    pub full_speedup: Option<f64>,
    /// Baseline's global load requests over this one's.
    pub load_reduction: Option<f64>,
    /// Non-blank, non-comment lines of the kernels that were launched.
    pub source_lines: Option<u32>,
    /// Speed-up over the baseline for each of those lines.
    pub speedup_per_line: Option<f64>,
    /// Launches of the case.
    pub launches: u64,
    /// Why the time is what it is, where the numbers above do not say it: what latency means here, and why a correct kernel is slower
    /// than its baseline. One paragraph each.
    pub notes: Vec<Note>,
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

/// A source line with what its instructions did.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HotLine {
    /// 1-based.
    pub line: u32,
    /// The line's text.
    pub text: String,
    /// Its memory work, by which lines are ordered: sectors and, four times, shared memory wavefronts and constant passes.
    pub work: u64,
    /// What its instructions did.
    pub counters: Counters,
}

/// A diagnostic, rendered for people and for programs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Message {
    /// With source lines and carets, without colour.
    pub text: String,
    /// With ANSI colours.
    #[serde(skip)]
    pub colored: String,
    /// One line.
    pub concise: String,
    /// As an object; see `source::render::json`.
    pub json: serde_json::Value,
    /// With its places, for line-based formats.
    #[serde(skip)]
    pub finding: Finding,
    /// What it was rendered from.
    #[serde(skip)]
    pub(crate) origin: Origin,
}

impl Message {
    /// Renders a diagnostic in every form; `run`: whether a launch found it, and not the compiler.
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

    /// With source lines and carets, in lines of at most `width` columns.
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

/// All about one graded kernel file.
#[derive(Clone, Debug, Serialize)]
pub struct ExerciseReport {
    /// [`SCHEMA`].
    pub schema: u32,
    /// The lab's package, as `lab-6`.
    pub lab: String,
    /// The exercise.
    pub exercise: String,
    /// Its title.
    pub title: String,
    /// The file that was graded.
    pub file: String,
    /// What it ran on.
    pub device: DeviceInfo,
    /// The inputs' seed.
    pub seed: u64,
    /// Passed if every check passed or was skipped because this device cannot tell (no counters).
    pub status: Status,
    /// 0 to 100; see the page of [`score`](mod@crate::score) for the rule.
    pub score: u32,
    /// Where to begin, if nothing is written yet.
    pub hint: Option<String>,
    /// What to do next, one step: of the first failure, or after it passed.
    pub next: Option<String>,
    /// In order.
    pub checks: Vec<Check>,
    /// In order; empty if not evaluated.
    pub gates: Vec<GateResult>,
    /// The report case.
    pub case: Option<Case>,
    /// Counters of the report case, where the device has them.
    pub counters: Option<Counters>,
    /// Performance.
    pub metrics: Metrics,
    /// What the exercise adds.
    pub extras: Vec<Extra>,
    /// Lines of the file that touched memory, those with most memory work first.
    pub lines: Vec<HotLine>,
    /// Accesses of single warps, for pictures: of each line of the file whose accesses take more than the fewest sectors or passes, one for each kind
    /// and variable. Empty unless [`crate::Options::recording`] asks for them, and on devices that cannot say.
    pub accesses: Vec<WarpAccess>,
    /// Branches of single warps: of each line that splits a warp the one that does so most evenly. Empty as `accesses`.
    pub branches: Vec<WarpBranch>,
    /// What the front-end and the run had to say.
    pub diagnostics: Vec<Message>,
    /// The 1-based line of the kernel's name, where findings without a line of their own are shown; `None` if the file does not compile.
    #[serde(skip)]
    pub kernel_line: Option<u32>,
    /// What the kernel printed in the report case, cut to 4 KiB.
    pub printed: String,
}

impl ExerciseReport {
    /// The check of that name.
    pub fn check(&self, name: &str) -> Option<&Check> {
        self.checks.iter().find(|c| c.name == name)
    }

    /// Whether the exercise is solved.
    pub fn passed(&self) -> bool {
        self.status == Status::Passed
    }
}
