//! Text to executable program: every reference of a lab, compiled one after the other. Throughput is in bytes of source.
//! `stages` is each stage of the front-end by itself, for every kernel file that a lab has; `all` is all of them, `lazily` what
//! a device does before a kernel is launched: all but lowering and optimising. `instance` is that and one kernel made ready.
//!
//! `cargo bench -p benches --bench front_end -- stages` is a table of all of them; a part of a name, as
//! `stages/optimise/register_tiled`, selects.

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use cuda_front::{check, hir, lower};
use cuda_syntax::budget::Budget;
use cuda_syntax::{parse, preprocess};
use device::CompileOptions;
use source::SourceMap;
use std::time::Duration;

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
                BatchSize::SmallInput,
            );
        });
    }
}

/// What a file is before each stage; every stage takes one as the stage before it left it.
struct Stages {
    name: String,
    text: String,
    sources: SourceMap,
    tokens: preprocess::Preprocessed,
    tree: cuda_syntax::ast::File,
    program: hir::Program,
    module: simt_ir::Module,
}

impl Stages {
    fn of(name: String, text: String) -> Stages {
        let (sources, tokens) = preprocessed(&name, &text);
        let budget = Budget::default();
        let tree = parse::parse_with(&tokens.tokens, tokens.skipped.clone(), &budget, &mut Vec::new());
        let mut found = Vec::new();
        let program = check::check(&tree, &sources, &mut found, &[]);
        let module = lower::lower(&program, &mut found);
        assert!(found.iter().all(|d| d.severity != source::Severity::Error), "{name} is right");
        Stages { name, text, sources, tokens, tree, program, module }
    }
}

fn preprocessed(name: &str, text: &str) -> (SourceMap, preprocess::Preprocessed) {
    let mut sources = SourceMap::new();
    let file = sources.add(name, text);
    let options = preprocess::Options::default();
    let tokens =
        preprocess::preprocess_file(&mut sources, file, &options, &Budget::default(), &mut Vec::new());
    (sources, tokens)
}

/// Kernels of `best` files for one radius, which a file makes on request beside the one that chooses the radius inside.
const INSTANCES: [(&str, &str); 3] = [
    ("solutions/lab-1-stencil/best.cu", "stencil_best_radius<3>"),
    ("solutions/lab-2-convolution/best.cu", "conv2d_best_radius<3>"),
    ("solutions/lab-4-tiled-convolution/best.cu", "conv2d_best_radius<3>"),
];

/// From text to the kernel that a launch runs.
fn one_ready(name: &str, text: &str, kernel: &str) -> u32 {
    let instantiate = vec![kernel.to_owned()];
    let options = cuda_front::Options { lazily: true, instantiate, ..cuda_front::Options::default() };
    let mut compiled = cuda_front::compile(name, text, &options);
    let module = compiled.module.as_mut().expect("the file is right");
    let number = module.kernels.iter().position(|k| k.name == kernel).expect("the file has the kernel");
    cuda_front::prepare(module, &mut compiled.later, number).expect("the kernel is right")
}

fn stages(c: &mut Criterion) {
    let mut group = c.benchmark_group("stages");
    group
        .sample_size(10)
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_millis(400));
    for (name, text) in benches::kernel_files() {
        let s = Stages::of(name, text);
        group.bench_function(format!("preprocess/{}", s.name), |b| b.iter(|| preprocessed(&s.name, &s.text)));
        group.bench_function(format!("parse/{}", s.name), |b| {
            b.iter(|| parse::parse_with(&s.tokens.tokens, Vec::new(), &Budget::default(), &mut Vec::new()))
        });
        group.bench_function(format!("check/{}", s.name), |b| {
            b.iter(|| check::check(&s.tree, &s.sources, &mut Vec::new(), &[]))
        });
        group.bench_function(format!("lower/{}", s.name), |b| {
            b.iter(|| lower::lower(&s.program, &mut Vec::new()))
        });
        group.bench_function(format!("optimise/{}", s.name), |b| {
            b.iter_batched_ref(|| s.module.clone(), simt_opt::optimise, BatchSize::LargeInput)
        });
        for (_, kernel) in INSTANCES.iter().filter(|(file, _)| *file == s.name) {
            group.bench_function(format!("instance/{}", s.name), |b| {
                b.iter(|| one_ready(&s.name, &s.text, kernel))
            });
        }
        for (what, lazily) in [("all", false), ("lazily", true)] {
            let options = cuda_front::Options { lazily, ..cuda_front::Options::default() };
            group.bench_function(format!("{what}/{}", s.name), |b| {
                b.iter(|| cuda_front::compile(&s.name, &s.text, &options))
            });
        }
    }
}

criterion_group!(all, front_end, stages);
criterion_main!(all);
