//! What a launch reports.

use crate::{Counters, LineCounters, Messages, Recording};
use serde::Serialize;

/// What a launch reports.
#[derive(Clone, Debug)]
pub struct LaunchReport {
    /// Counters, where the device has them (the simulator does, unless it was to be fast).
    pub counters: Option<Counters>,
    /// The same by source line, in order of file and line; only lines that executed something.
    pub lines: Vec<LineCounters>,
    /// An estimate from counters and a device model.
    pub modelled: Option<ModelledTime>,
    /// The device's own clock.
    pub measured: Option<MeasuredTime>,
    /// How many warps fit.
    pub occupancy: Option<Occupancy>,
    /// Warnings of the run.
    pub warnings: Messages,
    /// What the kernel printed.
    pub printed: String,
    /// Accesses and branches of single warps; empty unless [`crate::LaunchOptions::recorded`] asked for them.
    pub recording: Recording,
    /// What reached threads on the path that [`crate::LaunchOptions::handover`] asks for, where the device can say.
    pub handed_over: Option<HandedOver>,
    /// What the launch took of its [`crate::Allowance`], in its units; 0 without one.
    pub work: u64,
}

/// What reached threads on a path.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HandedOver {
    /// Of each of the kernel's arguments, from 0 on, that is a buffer which is computed from the elements.
    pub outputs: Vec<OutputDependence>,
    /// Of [`crate::HandoverPath::Sums`]: the most values that one thread takes from others, or that threads add to one word of shared memory, one
    /// after the other.
    pub most: u64,
}

/// How an output changes with elements that reach threads on a path, and with all elements.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct OutputDependence {
    /// The kernel's argument, from 0 on.
    pub argument: usize,
    /// Sum of the squares of both changes: with the elements on the path, and from there to that with all elements.
    pub all: f64,
    /// Sum of the squares of the changes with the elements on the path: `all` if the whole output comes from these, and 0 if none does.
    pub on_path: f64,
}

/// An estimate of a kernel's time. Never a measurement, and always shown as modelled.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ModelledTime {
    /// Seconds.
    pub seconds: f64,
    /// The device model's name, as `h200`.
    pub model: String,
    /// Which resource the model says limits the kernel.
    pub limit: TimeLimit,
    /// Seconds that this launch's work would take as a part of a grid of like blocks that fills the device many times: what
    /// throughput alone allows, without the launch and without idle multiprocessors.
    pub share_of_full: f64,
    /// How many times the grid fills the model's device with resident warps; below 1 a part of it is idle.
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
    /// Instruction issue.
    Issue,
    /// Floating-point units.
    Arithmetic,
    /// Too few warps to hide latency.
    Latency,
    /// The launch itself.
    Launch,
}

/// A measured time of repeated launches.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MeasuredTime {
    /// Median seconds of one launch.
    pub seconds: f64,
    /// Half of the range between the quartiles, seconds.
    pub spread: f64,
    /// Half of the 95 % confidence interval of the median, seconds.
    pub confidence: f64,
    /// Launches that were timed.
    pub launches: u32,
    /// Whether the data came from device memory: the launches went round more of it than the L2 cache holds.
    pub cold_cache: bool,
}

/// How many warps fit on a streaming multiprocessor, and why no more.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Occupancy {
    /// Resident warps of the most that the device model holds, 0 to 1.
    pub fraction: f64,
    /// Blocks on a streaming multiprocessor.
    pub blocks: u32,
    /// What limits it, as `shared memory` or `threads`.
    pub limit: String,
}
