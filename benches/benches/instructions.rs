//! The machine by class of instruction, with all checks and counters and with none: the launch alone, of kernels that do
//! hardly anything else. Throughput is in lane operations: instructions executed times their active lanes, as the
//! simulator itself counts them.
//!
//! `cargo bench -p benches --bench instructions -- /none` is a table without checks; `-- shared` one class with both.

use benches::{Launchable, ON_AND_OFF};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use device::Counters;
use std::time::Duration;

/// A kernel of `instructions.cu`, and that it is what its name says.
type Class = (&'static str, fn(&Counters) -> bool);

/// Work of 16 instructions a round and thread.
const WORK: u64 = 16 * (BLOCKS * THREADS) as u64 * ROUNDS as u64;
const BLOCKS: u32 = 32;
const THREADS: u32 = 256;
const ROUNDS: i32 = 32;
/// The same for a whole warp.
const WARPS: u64 = WORK / 32;

const CLASSES: [Class; 29] = [
    ("integer", |c| c.thread_instructions >= WORK),
    ("integer_wide", |c| c.thread_instructions >= WORK),
    ("fused", |c| c.ffma == WORK),
    ("special", |c| c.special_functions == WORK),
    ("doubles", |c| c.dfma == WORK),
    ("select", |c| c.thread_instructions >= WORK && c.divergent_branches == 0),
    ("convert", |c| c.thread_instructions >= WORK),
    ("uniform", |c| c.thread_instructions >= WORK),
    ("load_contiguous", |c| c.global_load_requests == WARPS && c.global_load_sectors == 4 * WARPS),
    ("load_vector", |c| c.global_load_requests == WARPS / 4 && c.global_load_sectors == 4 * WARPS),
    ("load_broadcast", |c| c.global_load_requests == WARPS && c.global_load_sectors == WARPS),
    ("load_strided", |c| c.global_load_requests == WARPS && c.global_load_sectors == 32 * WARPS),
    ("load_gathered", |c| c.global_load_requests == WARPS && c.global_load_sectors > 24 * WARPS),
    ("store", |c| c.global_store_requests == WARPS),
    ("shared_load", |c| c.shared_load_requests == WARPS && c.shared_load_max_degree == 1),
    ("shared_load_conflicts", |c| c.shared_load_requests == WARPS && c.shared_load_max_degree == 32),
    ("shared_store", |c| c.shared_store_requests == WARPS && c.shared_store_max_degree == 1),
    ("shared_exchange", |c| c.shared_store_requests == WARPS && c.barriers == WARPS),
    ("constant", |c| c.constant_requests == WARPS && c.constant_passes == WARPS),
    ("local", |c| c.local_load_requests >= WARPS),
    // The profiler counts one for each 8 lanes.
    ("texture", |c| c.texture_requests == 4 * WARPS),
    ("atomic_shared", |c| c.shared_atomic_requests == WARPS),
    ("atomic_global", |c| c.global_atomic_requests == WARPS),
    ("shuffle", |c| c.thread_instructions >= 2 * WORK),
    ("vote", |c| c.thread_instructions >= 2 * WORK),
    ("barrier", |c| c.barriers == WARPS),
    ("branch_divergent", |c| c.divergent_branches > WARPS / 2),
    ("loop_uniform", |c| c.branches >= WARPS),
    ("call", |c| c.branches >= WARPS),
];

fn instructions(c: &mut Criterion) {
    let text = include_str!("../kernels/instructions.cu");
    let mut group = c.benchmark_group("instructions");
    group
        .sample_size(10)
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_millis(400));
    for (kernel, is_that) in CLASSES {
        let mut bound = Launchable::new(text, kernel, [BLOCKS, 1], [THREADS, 1], ROUNDS);
        let counted = bound.launch().expect("it counts unless told otherwise");
        assert!(is_that(&counted), "`{kernel}` is not what its name says: {counted:?}");
        group.throughput(Throughput::Elements(counted.thread_instructions));
        for mode in ON_AND_OFF {
            bound.set_mode(mode);
            group.bench_function(format!("{kernel}/{}", mode.name), |b| b.iter(|| bound.launch()));
        }
    }
}

criterion_group!(all, instructions);
criterion_main!(all);
