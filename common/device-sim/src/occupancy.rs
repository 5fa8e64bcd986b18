//! How many blocks and warps of a launch are resident on an SM.
//!
//! Limits are those of the model: warps, threads, blocks and shared memory. [`occupancy`] leaves registers out, because only the
//! real compiler knows how many a kernel takes: where they limit, the true occupancy is lower. Who has a number, or an
//! estimate, asks [`occupancy_with_registers`].

use crate::DeviceModel;
use ::device::Occupancy;

/// Residency of a launch with `threads` threads and `shared` bytes of shared memory (static and dynamic) a block.
pub fn occupancy(model: &DeviceModel, threads: u32, shared: u32) -> Occupancy {
    tightest(model, threads, shared, None)
}

/// The same with `registers` 32-bit registers per thread as a further limit.
pub fn occupancy_with_registers(model: &DeviceModel, threads: u32, shared: u32, registers: u32) -> Occupancy {
    tightest(model, threads, shared, Some(registers))
}

/// Blocks that the register file holds. A warp takes its registers in units of 8 a thread, from the quarter of the file
/// that belongs to its scheduler (CUDA Occupancy Calculator, compute capability 5.0 and later; older devices differ by a unit).
fn by_registers(model: &DeviceModel, warps: u32, registers: u32) -> u32 {
    let a_warp = registers.max(1).next_multiple_of(8) * 32;
    4 * (model.registers_per_sm / 4 / a_warp) / warps
}

fn tightest(model: &DeviceModel, threads: u32, shared: u32, registers: Option<u32>) -> Occupancy {
    let warps = threads.div_ceil(32).max(1);
    // From compute capability 8.0 on the system takes 1 KiB of each block (CUDA C++ Programming Guide).
    let reserved = if model.major() >= 8 { 1024 } else { 0 };
    let by_shared =
        model.shared_bytes_per_sm.checked_div(shared.saturating_add(reserved)).unwrap_or(u32::MAX);
    let limits = [
        (model.warps_per_sm / warps, "threads"),
        (model.blocks_per_sm, "blocks"),
        (by_shared, "shared memory"),
        (registers.map_or(u32::MAX, |r| by_registers(model, warps, r.min(255))), "registers"),
    ];
    let (blocks, limit) = limits.into_iter().min_by_key(|(blocks, _)| *blocks).unwrap_or((0, "threads"));
    let fraction = f64::from(blocks * warps) / f64::from(model.warps_per_sm);
    Occupancy { fraction, blocks, limit: limit.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn h200(threads: u32, shared: u32) -> (f64, u32, String) {
        let o = occupancy(&DeviceModel::named("h200").unwrap(), threads, shared);
        (o.fraction, o.blocks, o.limit)
    }

    #[test]
    fn the_tightest_limit_is_named() {
        assert_eq!(h200(1024, 0), (1.0, 2, "threads".into()));
        assert_eq!(h200(64, 0), (1.0, 32, "threads".into()));
        assert_eq!(h200(32, 0), (0.5, 32, "blocks".into()));
        assert_eq!(h200(256, 48 * 1024), (0.5, 4, "shared memory".into()));
    }

    #[test]
    fn registers_limit_where_they_are_given() {
        let h200 = DeviceModel::named("h200").unwrap();
        let with = |threads, registers| {
            let o = occupancy_with_registers(&h200, threads, 0, registers);
            (o.blocks, o.limit)
        };
        assert_eq!(with(256, 32), (8, "threads".into()));
        assert_eq!(with(256, 33), (6, "registers".into()), "33 takes as many as 40");
        assert_eq!(with(1024, 64), (1, "registers".into()));
        assert_eq!(with(1024, u32::MAX), (0, "registers".into()));
    }

    #[test]
    fn what_does_not_fit_has_no_blocks() {
        assert_eq!(h200(4096, 0).1, 0);
        assert_eq!(h200(32, u32::MAX), (0.0, 0, "shared memory".into()));
    }

    #[test]
    fn a_partial_warp_takes_a_whole_one() {
        assert_eq!(h200(33, 0).1, 32);
        assert_eq!(h200(33, 0).0, 1.0);
        assert_eq!(h200(100, 0), (1.0, 16, "threads".into()));
    }
}
