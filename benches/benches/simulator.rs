//! The machine on four kernels, at the report size of their exercise, uploads and comparison with the host included.
//!
//! Throughput is in elements: multiply-adds of the algorithm where it has any (half its flops), else array elements moved
//! (an eighth of its compulsory bytes: one float in, one out).

use criterion::{Criterion, Throughput, criterion_group, criterion_main};

/// Lab (0-based), exercise, and what the benchmark is called.
const KERNELS: [(usize, &str, &str); 4] = [
    (5, "tiled", "matmul tiled"),
    (3, "output_tile", "convolution tiled"),
    (6, "padded", "transpose padded"),
    (0, "shared", "stencil shared"),
];

fn simulator(c: &mut Criterion) {
    let labs = benches::labs();
    let mut group = c.benchmark_group("simulator");
    group.sample_size(10);
    for (lab, exercise, name) in KERNELS {
        let lab = &labs[lab];
        let file = benches::solution(lab, exercise);
        let exercise = benches::exercise(lab, exercise);
        let case =
            exercise.cases().into_iter().find(|c| c.is_report).expect("every exercise has a report size");
        let fused = exercise.flops(&case) / 2.0;
        let elements = if fused > 0.0 { fused } else { exercise.bytes(&case) / 8.0 };
        group.throughput(Throughput::Elements(elements as u64));
        group.bench_function(name, |b| {
            b.iter_batched(
                || (benches::device(), file.clone()),
                |(mut device, file)| {
                    harness::measure(exercise, file, device.as_mut(), 1).expect("the reference passes")
                },
                criterion::BatchSize::PerIteration,
            );
        });
    }
}

criterion_group!(all, simulator);
criterion_main!(all);
