//! What a run of the suite leaves.

use crate::ours::{FAST, FULL, PREFIX};
use crate::record::{Kept, Outcome, Setting, median};
use crate::worker::Share;
use serde::{Deserialize, Serialize};

/// A run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SuiteRecord {
    #[serde(flatten)]
    pub(crate) setting: Setting,
    /// In order of the manifest, spelling by spelling.
    pub(crate) suite: Vec<SuiteEntry>,
}

/// A spelling of a kernel.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SuiteEntry {
    /// The kernel's name in the manifest.
    pub(crate) kernel: String,
    /// What tables call it.
    pub(crate) title: String,
    /// The function.
    pub(crate) spelling: String,
    /// The simulator with all checks and counters.
    pub(crate) full: Outcome<Timed>,
    /// The simulator with none.
    pub(crate) fast: Outcome<Timed>,
    pub(crate) pocl: Outcome<Timed>,
}

/// Times of a correct result.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Timed {
    /// Launches that were timed together, a repetition.
    pub(crate) launches: u32,
    /// Seconds of one launch, a repetition.
    pub(crate) seconds: Vec<f64>,
    /// Bytes by which the process's memory grew in the first launch, besides the buffers.
    pub(crate) memory: Option<u64>,
    /// What the simulator has proved of the launch before it began.
    #[serde(default)]
    pub(crate) proved: Option<Share>,
}

/// The simulator's modes that are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Full,
    Fast,
}

impl Mode {
    pub(crate) const ALL: [Mode; 2] = [Mode::Full, Mode::Fast];

    /// As [`MODES`](crate::ours::MODES) call it.
    pub(crate) fn id(self) -> &'static str {
        match self {
            Mode::Full => FULL,
            Mode::Fast => FAST,
        }
    }

    /// What results call it.
    pub(crate) fn contestant(self) -> String {
        format!("{PREFIX}{}", self.id())
    }
}

/// Seconds of a launch, if it was measured.
pub(crate) fn seconds(outcome: &Outcome<Timed>) -> Option<f64> {
    match outcome {
        Outcome::Measured(timed) => Some(median(&timed.seconds)),
        Outcome::Missing(_) | Outcome::Failed(_) => None,
    }
}

impl SuiteEntry {
    pub(crate) fn ours(&self, mode: Mode) -> &Outcome<Timed> {
        match mode {
            Mode::Full => &self.full,
            Mode::Fast => &self.fast,
        }
    }

    /// The simulator's time divided by PoCL's, if both were measured.
    pub(crate) fn ratio(&self, mode: Mode) -> Option<f64> {
        ratio(self.ours(mode), &self.pocl)
    }
}

/// The first time divided by the second, if both were measured: the median over the rounds, in each of which both were.
pub(crate) fn ratio(first: &Outcome<Timed>, second: &Outcome<Timed>) -> Option<f64> {
    let (Outcome::Measured(first), Outcome::Measured(second)) = (first, second) else { return None };
    let ratios: Vec<f64> = first.seconds.iter().zip(&second.seconds).map(|(a, b)| a / b).collect();
    Some(median(&ratios)).filter(|ratio| ratio.is_finite())
}

impl SuiteRecord {
    /// An empty one, of now and here.
    pub(crate) fn new(threads: usize) -> anyhow::Result<SuiteRecord> {
        Ok(SuiteRecord { setting: Setting::new(threads)?, suite: Vec::new() })
    }

    /// Contestants that failed, over all entries.
    pub(crate) fn failures(&self) -> usize {
        let outcomes = self.suite.iter().flat_map(|entry| [&entry.full, &entry.fast, &entry.pocl]);
        outcomes.filter(|outcome| matches!(outcome, Outcome::Failed(_))).count()
    }
}

impl Kept for SuiteRecord {
    const FILE: &str = "suite.json";
}
