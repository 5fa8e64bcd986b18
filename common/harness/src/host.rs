//! What the host does: sums of a reference, and the plain single-threaded loop of a comparison's host row, measured.

use std::time::{Duration, Instant};

/// Adds `factor` times each of `terms` to the sums in `values`, and the products' magnitudes to `scales`, in double precision; as
/// far as the shortest of the three goes.
pub fn accumulate(values: &mut [f64], scales: &mut [f64], factor: f32, terms: &[f32]) {
    let factor = f64::from(factor);
    for ((value, scale), term) in values.iter_mut().zip(scales).zip(terms) {
        let product = factor * f64::from(*term);
        *value += product;
        *scale += product.abs();
    }
}

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
