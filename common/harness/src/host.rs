//! Host computations: sums for references, and timing of the plain single-threaded loop in a comparison's host row.

use std::time::{Duration, Instant};

/// Adds `factor * terms[i]` to `values[i]`, and the magnitude of the product to `scales[i]`, in double precision, up
/// to the length of the shortest slice.
pub fn accumulate(values: &mut [f64], scales: &mut [f64], factor: f32, terms: &[f32]) {
    let factor = f64::from(factor);
    for ((value, scale), term) in values.iter_mut().zip(scales).zip(terms) {
        let product = factor * f64::from(*term);
        *value += product;
        *scale += product.abs();
    }
}

/// Runs a plain host loop three times and returns the shortest time. `work` returns part of its result, so that the
/// compiler cannot remove the computation.
pub fn time_host<T>(mut work: impl FnMut() -> T) -> Duration {
    let mut best = Duration::MAX;
    for _ in 0..3 {
        let start = Instant::now();
        std::hint::black_box(work());
        best = best.min(start.elapsed());
    }
    best
}
