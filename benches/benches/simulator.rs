//! The machine on four kernels, at the report size of their exercise, uploads and comparison with the host included,
//! and on those of `benches/peers`.
//!
//! Throughput is in elements: multiply-adds of the algorithm where it has any (half its flops), otherwise array elements moved
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

/// The kernels of `benches/peers`, which compares with other simulators; here the launch alone, in each mode. Throughput is as
/// there: multiply-adds of a product, outputs of a convolution, elements of a transposition.
fn peers(c: &mut Criterion) {
    // A kernel, its size, its block, outputs by axis of a block, and how much work an output is.
    let kernels = [
        ("matmul_tiled", 256, [16, 16], 16, 256),
        ("matmul_naive", 256, [16, 16], 16, 256),
        ("convolution", 1024, [16, 16], 16, 1),
        ("transpose", 1024, [32, 8], 32, 1),
    ];
    let mut group = c.benchmark_group("peers");
    group.sample_size(10);
    for (kernel, n, block, outputs, work) in kernels {
        let text = include_str!("../peers/kernels/kernels.cu");
        let grid = [n / outputs; 2];
        let mut bound = benches::Launchable::new(text, kernel, grid, block, n as i32);
        group.throughput(Throughput::Elements(u64::from(n) * u64::from(n) * work));
        for mode in benches::MODES {
            bound.set_mode(mode);
            group.bench_function(format!("{kernel}/{}", mode.name), |b| b.iter(|| bound.launch()));
        }
    }
}

criterion_group!(all, simulator, peers);
criterion_main!(all);
