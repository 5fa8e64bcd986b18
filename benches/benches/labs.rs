//! Grading a lab: every reference, all sizes, gates and reports, as `cargo test -p lab-N` does for the student's files.

use criterion::{Criterion, criterion_group, criterion_main};
use harness::Options;

fn labs(c: &mut Criterion) {
    let paths = benches::paths();
    let mut group = c.benchmark_group("labs");
    group.sample_size(10);
    for lab in benches::labs() {
        group.bench_function(lab.package, |b| {
            b.iter(|| {
                for exercise in &lab.exercises {
                    let file = paths.solution(&lab, exercise.name());
                    let mut device = benches::device();
                    let options = Options { extras: false, ..Options::default() };
                    let report =
                        harness::grade(&lab, exercise.as_ref(), &file, &paths, device.as_mut(), &options);
                    assert!(report.passed(), "{} of {}", exercise.name(), lab.package);
                }
            });
        });
    }
}

criterion_group!(all, labs);
criterion_main!(all);
