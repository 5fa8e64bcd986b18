//! The host row of a comparison: the plain single-threaded loop, measured.

use std::time::{Duration, Instant};

/// Runs a plain host loop three times and returns the shortest time. `work` returns something of the result, which is
/// kept from being optimised away.
pub fn time_host<T>(mut work: impl FnMut() -> T) -> Duration {
    let mut best = Duration::MAX;
    for _ in 0..3 {
        let start = Instant::now();
        std::hint::black_box(work());
        best = best.min(start.elapsed());
    }
    best
}
