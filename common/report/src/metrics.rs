//! Times and what is computed from them.

use crate::Occupancy;
use serde::{Deserialize, Serialize};

/// Kind of a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TimeKind {
    /// Estimated from counters and a device model.
    Modelled,
    /// Measured by the device's clock.
    Measured,
}

/// A time with its kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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

/// Seconds as text in a suitable unit: s, ms or µs.
pub fn duration(seconds: f64) -> String {
    match seconds {
        s if s >= 1.0 => format!("{s:.3} s"),
        s if s >= 1e-3 => format!("{:.3} ms", s * 1e3),
        s => format!("{:.2} µs", s * 1e6),
    }
}

impl Time {
    /// The seconds as text, with their spread: `1.500 ms ± 10.00 µs`.
    pub fn spent(&self) -> String {
        let spread = self.spread.map(|s| format!(" ± {}", duration(s))).unwrap_or_default();
        duration(self.seconds) + &spread
    }

    /// What limits it, after its seconds: `, limited by …`.
    pub fn limited(&self) -> String {
        self.limit.as_ref().map(|limit| format!(", limited by {limit}")).unwrap_or_default()
    }

    /// The kind in words: `modelled (h200)` or `measured`.
    pub fn basis(&self) -> String {
        match (self.kind, &self.model) {
            (TimeKind::Measured, _) => "measured".to_owned(),
            (TimeKind::Modelled, Some(model)) => format!("modelled ({model})"),
            (TimeKind::Modelled, None) => "modelled".to_owned(),
        }
    }
}

/// Performance metrics of the report case.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
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
    #[serde(default)]
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
    #[serde(default)]
    pub not_modelled: Vec<String>,
}

impl Metrics {
    /// How many launches the time is of, after the time: `, 2 launches`.
    pub fn launched(&self) -> String {
        if self.launches > 1 { format!(", {} launches", self.launches) } else { String::new() }
    }

    /// How much faster the kernel is in a grid that fills the device, after its time; empty without a baseline.
    pub fn faster(&self) -> String {
        let faster = self.baseline.as_ref().zip(self.full_speedup);
        faster.map(|(name, s)| format!(", {s:.2} times as fast as `{name}`")).unwrap_or_default()
    }

    /// Whether a measured time is shorter than the roofline bound: then fewer bytes were moved than the bound assumes.
    pub fn is_above_bound(&self) -> bool {
        let is_measured = self.time.as_ref().is_some_and(|t| t.kind == TimeKind::Measured);
        is_measured && self.roofline_percent.is_some_and(|percent| percent > 100.0)
    }
}

/// A paragraph below a number of a report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct Note {
    /// The number that it explains; a report that was read does not say it.
    pub about: Option<Explained>,
    /// The paragraph.
    pub text: String,
}

impl From<String> for Note {
    fn from(text: String) -> Note {
        Note { about: None, text }
    }
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
