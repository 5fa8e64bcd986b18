//! Text to executable program: every reference of a lab, compiled one after the other. Throughput is in bytes of source.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use device::CompileOptions;

fn front_end(c: &mut Criterion) {
    let mut group = c.benchmark_group("front_end");
    for lab in benches::labs() {
        let files: Vec<_> = lab.exercises.iter().map(|e| benches::solution(&lab, e.name())).collect();
        group.throughput(Throughput::Bytes(files.iter().map(|f| f.text.len() as u64).sum()));
        group.bench_function(lab.package, |b| {
            b.iter_batched(
                benches::device,
                |mut device| {
                    for file in &files {
                        device.compile(file, &CompileOptions::default()).expect("the reference compiles");
                    }
                },
                criterion::BatchSize::SmallInput,
            );
        });
    }
}

criterion_group!(all, front_end);
criterion_main!(all);
