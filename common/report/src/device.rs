//! What a device is, and how many warps fit on its multiprocessors.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Name and peak rates of a device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeviceInfo {
    /// A short name for commands, such as `sim` or `gpu`.
    pub id: String,
    /// A name to show, such as `simulator (model: NVIDIA H200)`.
    pub name: String,
    /// Whether it is a simulator.
    pub simulated: bool,
    /// Device memory bandwidth in bytes per second, of the card or the model.
    pub memory_bandwidth: f64,
    /// Single-precision operations per second without tensor cores (a fused multiply-add counts 2).
    pub f32_rate: f64,
    /// Host link bandwidth in bytes per second, one direction.
    pub host_link_bandwidth: f64,
    /// Where the rates come from.
    pub source: String,
}

/// How many warps fit on a multiprocessor, and which resource limits their number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Occupancy {
    /// Resident warps divided by the maximum of the device, 0 to 1.
    pub fraction: f64,
    /// Resident blocks per multiprocessor.
    pub blocks: u32,
    /// The limiting resource, such as `shared memory` or `threads`.
    pub limit: String,
}

impl fmt::Display for Occupancy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Occupancy { fraction, blocks, limit } = self;
        let percent = fraction * 100.0;
        write!(f, "{percent:.0} % ({blocks} blocks per multiprocessor (SM), limited by {limit})")
    }
}
