//! Device models: what a GPU is, in numbers, each a data file below `models/` that says where its numbers are from.

use serde::Deserialize;
use std::collections::BTreeMap;

/// A GPU in numbers.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeviceModel {
    /// A short name for commands, as `h200`.
    pub name: String,
    /// The name for people, as `NVIDIA H200 SXM`.
    pub title: String,
    /// As `9.0`.
    pub compute_capability: String,
    /// How a warp's global accesses become memory traffic.
    pub coalescing: Coalescing,
    /// Whether L1 keeps what plain global loads read; if not, only read-only loads (`__ldg`) and textures use it.
    pub plain_loads_in_l1: bool,
    /// Streaming multiprocessors.
    pub sms: u32,
    /// Cycles a second, of the processors.
    pub clock_hz: f64,
    /// Single-precision lanes of an SM.
    pub f32_lanes_per_sm: u32,
    /// Double-precision lanes of an SM.
    pub f64_lanes_per_sm: u32,
    /// Lanes of an SM for roots, reciprocals and the like.
    pub special_lanes_per_sm: u32,
    /// Warp instructions that an SM issues in a cycle.
    pub warp_instructions_per_clock: f64,
    /// Single-precision operations per second (a fused multiply-add counts 2).
    pub f32_flops: f64,
    /// Resident warps of an SM.
    pub warps_per_sm: u32,
    /// Resident blocks of an SM.
    pub blocks_per_sm: u32,
    /// Resident threads of an SM.
    pub threads_per_sm: u32,
    /// Threads of a block.
    pub threads_per_block: u32,
    /// 32-bit registers of an SM.
    pub registers_per_sm: u32,
    /// Shared memory of an SM, bytes.
    pub shared_bytes_per_sm: u32,
    /// Shared memory that a block may have without asking for more, bytes.
    pub shared_bytes_per_block: u32,
    /// Banks of shared memory, 4 bytes wide.
    pub shared_banks: u32,
    /// Device memory, bytes.
    pub memory_bytes: u64,
    /// Device memory bandwidth, bytes per second.
    pub memory_bandwidth: f64,
    /// Cycles from a load to its value when no cache has it.
    pub memory_latency_cycles: f64,
    /// L1 cache (with shared memory, where they are one) of an SM, bytes; 0 for none.
    pub l1_bytes_per_sm: u64,
    /// L2 cache, bytes; 0 for none.
    pub l2_bytes: u64,
    /// L2 bandwidth for whole sectors, bytes per second; 0 without L2.
    pub l2_bandwidth: f64,
    /// L2 bandwidth for stores that fill a part of a sector, counted as whole sectors, bytes per second.
    pub l2_partial_store_bandwidth: f64,
    /// Host link in one direction, bytes per second.
    pub host_link_bandwidth: f64,
    /// Where each number is from, by field; `residency` for the limits of an SM and a block.
    pub sources: BTreeMap<String, String>,
}

/// How a warp's global accesses become memory traffic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum Coalescing {
    /// By warp, in 32-byte sectors, through L1 and L2.
    #[serde(rename = "modern")]
    Modern,
    /// Compute capability 1.2 and 1.3: by half-warp, in segments of 32, 64 or 128 bytes, without a cache.
    #[serde(rename = "compute-1.3")]
    Compute13,
}

/// The model files, by name.
const FILES: [(&str, &str); 7] = [
    ("gtx260", include_str!("../models/gtx260.toml")),
    ("gtx980", include_str!("../models/gtx980.toml")),
    ("t4", include_str!("../models/t4.toml")),
    ("rtx4090", include_str!("../models/rtx4090.toml")),
    ("a100", include_str!("../models/a100.toml")),
    ("h100", include_str!("../models/h100.toml")),
    ("h200", include_str!("../models/h200.toml")),
];

/// The model that is taken when none is asked for.
pub const DEFAULT_MODEL: &str = "h200";

/// A model name that is not known.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no device model `{name}`{}: known are {}", source::did_you_mean(.name, DeviceModel::names()), DeviceModel::names().join(", "))]
pub struct UnknownModel {
    /// As asked for.
    pub name: String,
}

impl DeviceModel {
    /// Names of all models, oldest device first.
    pub fn names() -> Vec<&'static str> {
        FILES.iter().map(|(name, _)| *name).collect()
    }

    /// The model of that name.
    ///
    /// # Errors
    /// The known names.
    pub fn named(name: &str) -> Result<DeviceModel, UnknownModel> {
        let unknown = || UnknownModel { name: name.to_owned() };
        let (_, text) = FILES.iter().find(|(n, _)| *n == name).ok_or_else(unknown)?;
        // The files are part of the program, and a test reads each.
        toml::from_str(text).map_err(|_| unknown())
    }

    /// The major number of the compute capability.
    pub(crate) fn major(&self) -> u32 {
        self.compute_capability.split('.').next().and_then(|m| m.parse().ok()).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_model_parses_and_is_named_as_its_file() {
        for (name, text) in FILES {
            let model: DeviceModel = toml::from_str(text).unwrap_or_else(|e| panic!("{name}: {e}"));
            assert_eq!(model.name, name);
        }
    }

    #[test]
    fn every_number_has_its_source() {
        let residency = [
            "warps_per_sm",
            "blocks_per_sm",
            "threads_per_sm",
            "threads_per_block",
            "registers_per_sm",
            "shared_bytes_per_sm",
            "shared_bytes_per_block",
            "shared_banks",
        ];
        for (name, text) in FILES {
            let table: toml::Table = text.parse().unwrap();
            let model = DeviceModel::named(name).unwrap();
            let numbers = table.iter().filter(|(_, v)| v.is_integer() || v.is_float() || v.is_bool());
            for (field, _) in numbers.filter(|(f, _)| !residency.contains(&f.as_str())) {
                assert!(
                    model.sources.get(field).is_some_and(|s| s.len() > 5),
                    "{name}: no source for {field}"
                );
            }
            assert!(model.sources.contains_key("residency"), "{name}");
        }
    }

    #[test]
    fn rates_agree_with_lanes_and_clock() {
        for name in DeviceModel::names() {
            let m = DeviceModel::named(name).unwrap();
            // The GT200 issues a multiply beside the multiply-add: 3 operations a lane and cycle.
            let operations = if m.coalescing == Coalescing::Compute13 { 3.0 } else { 2.0 };
            let rate = f64::from(m.sms * m.f32_lanes_per_sm) * operations * m.clock_hz;
            assert!((rate / m.f32_flops - 1.0).abs() < 0.01, "{name}: {rate} and {}", m.f32_flops);
            assert_eq!(m.threads_per_sm, 32 * m.warps_per_sm, "{name}");
        }
    }

    #[test]
    fn an_unknown_name_lists_the_known() {
        let error = DeviceModel::named("h2000").unwrap_err().to_string();
        assert_eq!(
            error,
            "there is no device model `h2000` (did you mean `h200`?): known are gtx260, gtx980, t4, rtx4090, a100, h100, h200"
        );
    }
}
