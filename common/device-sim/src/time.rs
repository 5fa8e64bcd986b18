//! The modelled time of a launch: an estimate from counters and a device model.
//!
//! # The formula
//!
//! Each resource of the device would need a time of its own for what the launch asks of it:
//!
//! | resource | time |
//! |---|---|
//! | device memory | bytes / (0.92 × bandwidth); bytes are those that leave L1 (load misses and all stores), but no more than the buffers in use have: what is touched again is taken to hit L2. Without caches (compute 1.3): the bytes of all segments |
//! | L2 | whole sectors / its bandwidth + sectors stored in part / the lower bandwidth for these |
//! | L1 and load/store | 1.25 cycles a request of 128 bytes, and one for each sector beyond those the bytes need |
//! | shared memory | 1.15 cycles a wavefront (2 where a wavefront is a half-warp) |
//! | constant memory, texture | a cycle a pass; a cycle for 8 lanes |
//! | issue | 1.15 × warp instructions / instructions per cycle |
//! | arithmetic | operations / lanes, for single, double and special ones |
//! | block scheduler | a cycle a block, over the whole device |
//! | latency | waves × (3.8 × memory latency + 0.42 × memory latency for each barrier of a warp + 4 cycles for each of its instructions), where a wave is as many warps as are resident on the device: too few warps in flight leave the memory idle |
//!
//! The first row and arithmetic are the roofline (Williams, Waterman and Patterson, "Roofline", CACM 52(4), 2009). The last is Little's law on
//! warps (Hong and Kim, "An analytical model for a GPU architecture", ISCA 2009; Volkov, "Understanding latency hiding on GPUs",
//! thesis, Berkeley 2016). A grid of fewer blocks than SMs has
//! the rates of as many SMs as it has blocks. Resources overlap, but not perfectly: the times are joined by a norm, (Σ tᵖ)^(1/p) with p = 3.5, which
//! is the largest where one is far above the rest, and above it where several are near. The launch itself adds 1.1 µs.
//!
//! [`share_of_full`] is the same estimate for a grid of like blocks that fills the device many times, divided by how many times
//! larger it is: exercises run at sizes that a simulator can do, at which a large device is in part idle.
//!
//! # How far to trust it
//!
//! The constants were fitted to 47 profiled launches on an H200 (`tests/data/h200-ncu.csv`); for those, with the profiler's own counters, modelled over
//! measured lies from 0.5 to 1.25, with a mean error below a factor of 1.25 (`tests/it/calibration.rs`). At small sizes, which leave
//! a part of an H200 idle, it is too fast, 0.55 to 0.92 for 28 of 29 launches and 0.40 for the naive matrix product. The worst of the others are loads with a stride
//! of 64 bytes and more (0.54: device memory moves 64 bytes at least) and a divergent convolution (0.63). For other devices the same
//! constants are used with their sizes and rates, unverified. Not modelled: conflicts of atomics, partition camping, instruction
//! caches, clocks that drop under load. The instruction count is the simulator's, not that of the real compiler's code.

use crate::model::{Coalescing, DeviceModel};
use ::device::TimeLimit;

/// What a launch asks of the device.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Work {
    /// Blocks of the grid.
    pub blocks: u64,
    /// Warps of all blocks.
    pub warps: u64,
    /// Warps that are resident on one SM.
    pub resident_warps: u64,
    /// Warp instructions.
    pub warp_instructions: u64,
    /// Global and local loads.
    pub loads: Access,
    /// Global and local stores, and atomics.
    pub stores: Access,
    /// Load sectors that L1 had.
    pub l1_hit_sectors: u64,
    /// Bytes of the buffers that the launch can reach.
    pub footprint: u64,
    /// Passes of shared memory, loads and stores.
    pub shared_wavefronts: u64,
    /// Passes of constant memory.
    pub constant_passes: u64,
    /// Groups of 8 lanes that read a texture.
    pub texture_requests: u64,
    /// Single-precision operations of threads (a fused multiply-add is one).
    pub f32_operations: u64,
    /// Double-precision operations of threads.
    pub f64_operations: u64,
    /// Roots, divisions and other functions of threads.
    pub special_operations: u64,
    /// Barriers, counted once per warp.
    pub barriers: u64,
}

/// Accesses of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Access {
    /// Warp-level requests.
    pub requests: u64,
    /// 32-byte sectors moved.
    pub sectors: u64,
    /// Bytes that the threads asked for.
    pub bytes: u64,
}

/// An estimate.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// Seconds.
    pub seconds: f64,
    /// The resource with the longest time.
    pub limit: TimeLimit,
    /// Each resource's time in seconds.
    pub terms: Vec<(TimeLimit, f64)>,
}

/// Exponent of the norm that joins the times.
const NORM: f64 = 3.5;
/// Seconds of a launch that does nothing.
const LAUNCH: f64 = 1.1e-6;
/// Share of the data sheet's bandwidth that long copies reach.
const MEMORY_SHARE: f64 = 0.92;
/// Memory latencies that a warp lives which loads, uses and stores once.
const LIFETIME: f64 = 3.8;
/// Memory latencies that each barrier adds.
const BARRIER: f64 = 0.42;
/// Cycles from an instruction of a warp to the next that needs its result.
const DEPENDENT: f64 = 4.0;
/// Cycles of a load/store request.
const REQUEST: f64 = 1.25;
/// Cycles of a shared-memory wavefront.
const WAVEFRONT: f64 = 1.15;
/// Issue slots of a warp instruction.
const ISSUE: f64 = 1.15;

/// The time that `work` would take on the model's device.
pub fn estimate(model: &DeviceModel, work: &Work) -> Estimate {
    // A grid of fewer blocks than SMs leaves the other SMs without work.
    let busy = u64::from(model.sms).min(work.blocks.max(1)) as f64;
    let per_sm = |cycles: f64| cycles / busy / model.clock_hz;
    let issue = work.warp_instructions as f64 * ISSUE / model.warp_instructions_per_clock;
    let terms = vec![
        (TimeLimit::DeviceMemory, device_memory(model, work)),
        (TimeLimit::L2, l2(model, work)),
        (TimeLimit::L1, per_sm(l1_cycles(model, work))),
        (TimeLimit::SharedMemory, per_sm(shared_cycles(model, work))),
        (TimeLimit::Issue, per_sm(issue)),
        (TimeLimit::Arithmetic, per_sm(arithmetic_cycles(model, work))),
        (TimeLimit::Latency, latency(model, work)),
        (TimeLimit::Launch, work.blocks as f64 / model.clock_hz),
    ];
    let joined = libm::pow(terms.iter().map(|(_, t)| libm::pow(*t, NORM)).sum(), 1.0 / NORM);
    let longest = terms.iter().max_by(|a, b| a.1.total_cmp(&b.1)).copied();
    let limit = longest.filter(|(_, t)| *t > LAUNCH).map_or(TimeLimit::Launch, |(limit, _)| limit);
    Estimate { seconds: LAUNCH + joined, limit, terms }
}

/// Waves of resident warps that a grid has which fills the device.
const FULL_WAVES: u64 = 32;

/// Seconds that `work` takes as a part of a grid of like blocks that fills the device many times.
pub fn share_of_full(model: &DeviceModel, work: &Work) -> f64 {
    let warps = u64::from(model.sms) * work.resident_warps * FULL_WAVES;
    let factor = warps.div_ceil(work.warps.max(1)).max(1);
    (estimate(model, &work.times(factor)).seconds - LAUNCH) / factor as f64
}

impl Work {
    /// The work of a grid of `factor` times as many like blocks over as much more memory.
    fn times(&self, factor: u64) -> Work {
        let access = |a: Access| Access {
            requests: a.requests * factor,
            sectors: a.sectors * factor,
            bytes: a.bytes * factor,
        };
        Work {
            blocks: self.blocks * factor,
            warps: self.warps * factor,
            resident_warps: self.resident_warps,
            warp_instructions: self.warp_instructions * factor,
            loads: access(self.loads),
            stores: access(self.stores),
            l1_hit_sectors: self.l1_hit_sectors * factor,
            footprint: self.footprint * factor,
            shared_wavefronts: self.shared_wavefronts * factor,
            constant_passes: self.constant_passes * factor,
            texture_requests: self.texture_requests * factor,
            f32_operations: self.f32_operations * factor,
            f64_operations: self.f64_operations * factor,
            special_operations: self.special_operations * factor,
            barriers: self.barriers * factor,
        }
    }
}

fn device_memory(model: &DeviceModel, work: &Work) -> f64 {
    let missed = work.loads.sectors.saturating_sub(work.l1_hit_sectors) + work.stores.sectors;
    let bytes = match model.coalescing {
        Coalescing::Modern => (missed * 32).min(work.footprint),
        Coalescing::Compute13 => (work.loads.sectors + work.stores.sectors) * 32,
    };
    bytes as f64 / (MEMORY_SHARE * model.memory_bandwidth)
}

fn l2(model: &DeviceModel, work: &Work) -> f64 {
    if model.l2_bytes == 0 {
        return 0.0;
    }
    let missed = work.loads.sectors.saturating_sub(work.l1_hit_sectors);
    let partial = work.stores.excess();
    let whole = missed + work.stores.sectors - partial;
    (whole * 32) as f64 / model.l2_bandwidth + (partial * 32) as f64 / model.l2_partial_store_bandwidth
}

impl Access {
    /// Sectors beyond those that the bytes would fill.
    fn excess(&self) -> u64 {
        self.sectors.saturating_sub(self.bytes.div_ceil(32))
    }

    /// Passes through L1, 128 bytes wide.
    fn passes(&self) -> u64 {
        self.requests.max(self.bytes / 128) + self.excess()
    }
}

fn l1_cycles(model: &DeviceModel, work: &Work) -> f64 {
    // A half-warp's request at compute 1.3 takes as long as the DRAM's, which is counted.
    let memory = match model.coalescing {
        Coalescing::Modern => (work.loads.passes() + work.stores.passes()) as f64 * REQUEST,
        Coalescing::Compute13 => 0.0,
    };
    memory.max(work.constant_passes as f64).max(work.texture_requests as f64)
}

fn shared_cycles(model: &DeviceModel, work: &Work) -> f64 {
    let cycles = if model.shared_banks == 16 { 2.0 } else { WAVEFRONT };
    work.shared_wavefronts as f64 * cycles
}

fn arithmetic_cycles(model: &DeviceModel, work: &Work) -> f64 {
    work.f32_operations as f64 / f64::from(model.f32_lanes_per_sm)
        + work.f64_operations as f64 / f64::from(model.f64_lanes_per_sm)
        + work.special_operations as f64 / f64::from(model.special_lanes_per_sm)
}

fn latency(model: &DeviceModel, work: &Work) -> f64 {
    let resident = (u64::from(model.sms) * work.resident_warps).max(1);
    let waves = (work.warps as f64 / resident as f64).max(1.0);
    let of_warp = |count: u64| count as f64 / work.warps.max(1) as f64;
    let waits = (LIFETIME + BARRIER * of_warp(work.barriers)) * model.memory_latency_cycles;
    waves * (waits + DEPENDENT * of_warp(work.warp_instructions)) / model.clock_hz
}

#[cfg(test)]
mod tests {
    use super::*;

    fn h200() -> DeviceModel {
        DeviceModel::named("h200").unwrap()
    }

    #[test]
    fn nothing_takes_the_launch_and_one_latency() {
        let estimate = estimate(&h200(), &Work { warps: 1, blocks: 1, resident_warps: 1, ..Work::default() });
        assert!((1.1e-6..2.5e-6).contains(&estimate.seconds), "{}", estimate.seconds);
    }

    #[test]
    fn a_long_copy_runs_at_the_memory_bandwidth() {
        let access = Access { requests: 1 << 20, sectors: 16 << 20, bytes: 512 << 20 };
        let work = Work {
            blocks: 1 << 17,
            warps: 1 << 20,
            resident_warps: 64,
            loads: access,
            stores: access,
            footprint: 1 << 30,
            ..Work::default()
        };
        let estimate = estimate(&h200(), &work);
        assert_eq!(estimate.limit, TimeLimit::DeviceMemory);
        let rate = (1u64 << 30) as f64 / estimate.seconds;
        assert!((0.75..0.92).contains(&(rate / 4.8e12)), "{rate}");
    }

    #[test]
    fn a_full_device_is_never_slower_and_a_large_grid_is_full() {
        let model = h200();
        let work = |blocks: u64| {
            let access = Access { requests: 8 * blocks, sectors: 32 * blocks, bytes: 1024 * blocks };
            Work {
                blocks,
                warps: 8 * blocks,
                resident_warps: 64,
                warp_instructions: 200 * blocks,
                loads: access,
                stores: access,
                footprint: 2048 * blocks,
                ..Work::default()
            }
        };
        let ratio = |blocks| share_of_full(&model, &work(blocks)) / estimate(&model, &work(blocks)).seconds;
        assert!(ratio(8) < 0.1, "8 blocks leave the device idle: {}", ratio(8));
        assert!((0.95..=1.0).contains(&ratio(1 << 18)), "{}", ratio(1 << 18));
    }

    #[test]
    fn more_of_any_work_never_takes_less_time() {
        let model = h200();
        let access = Access { requests: 1 << 14, sectors: 1 << 16, bytes: 1 << 21 };
        let base = Work {
            blocks: 512,
            warps: 4096,
            resident_warps: 32,
            warp_instructions: 1 << 18,
            loads: access,
            stores: access,
            footprint: 1 << 22,
            shared_wavefronts: 1 << 14,
            ..Work::default()
        };
        let more: [fn(&mut Work); 6] = [
            |w| w.warp_instructions *= 4,
            |w| w.loads.sectors *= 4,
            |w| w.stores.sectors *= 4,
            |w| w.shared_wavefronts *= 8,
            |w| w.barriers += 4096,
            |w| w.special_operations += 1 << 20,
        ];
        for change in more {
            let mut work = base;
            change(&mut work);
            assert!(estimate(&model, &work).seconds > estimate(&model, &base).seconds, "{work:?}");
        }
    }
}
