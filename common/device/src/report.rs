//! [`LaunchReport`]: the results of a launch besides the contents of its buffers.

use crate::{Messages, Recording};
use ::report::{Counters, LineCounters, Occupancy};
use serde::Serialize;

/// Everything a device reports about a launch.
#[derive(Clone, Debug)]
pub struct LaunchReport {
    /// Counters; `None` if the device does not count, such as a GPU or the simulator in fast mode.
    pub counters: Option<Counters>,
    /// Counters per source line, sorted by file and line; only lines that executed an instruction.
    pub lines: Vec<LineCounters>,
    /// Time estimated from counters and a device model.
    pub modelled: Option<ModelledTime>,
    /// Time measured by the device's own clock.
    pub measured: Option<MeasuredTime>,
    /// How many warps fit on a multiprocessor.
    pub occupancy: Option<Occupancy>,
    /// What was proved of the launch before it began; `None` if the device does not check accesses.
    pub proved: Option<Proved>,
    /// Warnings about what the kernel did.
    pub warnings: Messages,
    /// What the kernel printed.
    pub printed: String,
    /// Accesses and branches of single warps; empty unless [`crate::LaunchOptions::recorded`] asked for them.
    pub recording: Recording,
    /// The analysis that [`crate::LaunchOptions::handover`] requests, if the device can perform it.
    pub handed_over: Option<HandedOver>,
    /// Cost of the launch, in units of its [`crate::Allowance`]; 0 without an allowance.
    pub work: u64,
}

/// What was proved of a launch's accesses before it began, and so was not checked as it ran.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Proved {
    /// Loads and stores in the kernel's code, after optimisation.
    pub accesses: usize,
    /// Number of them that are certainly inside their allocations and aligned.
    pub in_bounds: usize,
    /// Parameters and variables on which threads certainly do not race; in shared memory, only those of `initialized`.
    pub no_races: Vec<String>,
    /// The other parameters and variables, on which races were looked for as the launch ran.
    pub checked: Vec<String>,
    /// Those of `no_races` and `checked` of which certainly nothing is read before it is written. Reads of the others were checked
    /// as the launch ran.
    pub initialized: Vec<String>,
}

/// Result of a [`crate::Handover`] analysis: how data reached threads on the given path.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HandedOver {
    /// One entry per argument that is a buffer computed from the elements.
    pub outputs: Vec<OutputDependence>,
    /// For [`crate::HandoverPath::Sums`] only: the maximum number of values that one thread takes from other threads,
    /// or that threads add one after another to one word of shared memory.
    pub most: u64,
}

/// How much an output changes when the elements on the path change, compared with a change of all elements.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct OutputDependence {
    /// 0-based index of the kernel's argument.
    pub argument: usize,
    /// Sum of the squares of two changes: the change counted in `on_path`, and the further change when all other
    /// elements change, too.
    pub all: f64,
    /// Sum of the squares of the changes when only the elements on the path change. Equals `all` if the whole output
    /// is computed from them; 0 if nothing is.
    pub on_path: f64,
}

/// A modelled estimate of a kernel's time. Reports always label it as modelled.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ModelledTime {
    /// Seconds.
    pub seconds: f64,
    /// Name of the device model, such as `h200`.
    pub model: String,
    /// Which resource the model says limits the kernel.
    pub limit: TimeLimit,
    /// Seconds for this launch's work in a grid large enough to fill the device many times over. Only throughput
    /// counts: launch overhead and idle multiprocessors are left out.
    pub share_of_full: f64,
    /// How many times the grid fills the modelled device with resident warps; below 1, part of the device is idle.
    pub waves: f64,
}

/// A resource that limits a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TimeLimit {
    /// Device memory bandwidth.
    DeviceMemory,
    /// L2 cache bandwidth.
    L2,
    /// L1 cache and load/store throughput.
    L1,
    /// Shared memory wavefronts.
    SharedMemory,
    /// Rate at which the schedulers issue instructions.
    Issue,
    /// Floating-point units.
    Arithmetic,
    /// Too few warps to hide latency.
    Latency,
    /// The fixed cost of a launch.
    Launch,
}

/// A measured time of repeated launches.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MeasuredTime {
    /// Median seconds of one launch.
    pub seconds: f64,
    /// Half of the interquartile range, seconds.
    pub spread: f64,
    /// Half of the 95 % confidence interval of the median, seconds.
    pub confidence: f64,
    /// Number of timed launches.
    pub launches: u32,
    /// Whether the data came from device memory. Launches then cycle through more data than the L2 cache holds.
    pub cold_cache: bool,
}
