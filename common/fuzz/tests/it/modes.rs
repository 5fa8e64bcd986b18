//! Every right program that the tests have, in every mode of the simulator: whatever a kernel does with the arguments it
//! gets here, a result or a mistake, it must be the same with each number of the host's threads, each instruction set, all
//! levels of specialization, and without checks and counters.
//!
//! Programs are found in the folders below, so one that is added to the corpus is tried here too. Each kernel is launched in two
//! shapes; `MODES=all` takes more shapes, and `MODES_PROGRAMS=FOLDER` the `.cu` files below that folder instead.

use fuzz::seeds;
use fuzz::targets::{Outcome, Shape, Trial};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

const FOLDERS: [&str; 6] = [
    "common/device-sim/tests/classics",
    "common/cuda-front/tests/corpus/accept",
    "common/cuda-front/tests/kernels",
    "common/cuda-front/tests/host/accept",
    "common/cuda-front/tests/check/pass",
    "kernels",
];

const fn shape(grid: [u32; 3], block: [u32; 3], n: i32) -> Shape {
    Shape { grid, block, shared: 8192, n, unwritten: false, cooperative: false }
}

const SHAPES: [Shape; 4] = [
    shape([3, 1, 1], [64, 1, 1], 64),
    Shape { unwritten: true, cooperative: true, ..shape([2, 2, 1], [16, 9, 1], 100) },
    shape([5, 1, 2], [7, 5, 3], 33),
    Shape { unwritten: true, ..shape([1, 1, 1], [256, 1, 1], 1000) },
];

/// What comes of the launches of some programs.
#[derive(Default)]
struct Found {
    outcomes: Vec<Outcome>,
    /// What differs between modes.
    wrong: Vec<String>,
    /// Launches that were compared with the IR's executable definition, and that were not.
    compared: [u64; 2],
}

/// Runs the kernels of a program in each shape.
fn run_program(path: &Path, shapes: &[Shape], found: &Mutex<Found>) {
    let text = String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned();
    let name = path.file_name().unwrap().to_string_lossy();
    for shape in shapes {
        let every_mode = |device: &mut device_sim::SimDevice| device.options_mut().every_mode = true;
        let result = Trial { shape: *shape, budget: 1_000_000, device: every_mode }.run(&name, &text);
        let mut found = found.lock().unwrap();
        match result {
            Ok(tried) => {
                found.outcomes.extend(tried.results.iter().map(|(outcome, _)| *outcome));
                (0..2).for_each(|n| found.compared[n] += tried.compared[n]);
            }
            Err(finding) => found.wrong.push(format!("{}: {finding}", path.display())),
        }
    }
}

#[test]
fn every_program_is_the_same_in_every_mode() {
    let folders = match std::env::var("MODES_PROGRAMS") {
        Ok(folder) => vec![PathBuf::from(folder)],
        Err(_) => FOLDERS.map(|folder| seeds::root().join(folder)).to_vec(),
    };
    let mut paths: Vec<PathBuf> = folders.iter().flat_map(|folder| seeds::files(folder)).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == "cu" || e == "cuh"));
    let all = std::env::var("MODES").is_ok_and(|modes| modes == "all");
    let shapes = if all { &SHAPES[..] } else { &SHAPES[..2] };
    let next = Mutex::new(paths.iter());
    let found = Mutex::default();
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let Some(path) = next.lock().unwrap().next() else { return };
                    run_program(path, shapes, &found);
                }
            });
        }
    });
    let Found { outcomes, wrong, compared: [compared, skipped] } = found.into_inner().unwrap();
    let count = |what: Outcome| outcomes.iter().filter(|o| **o == what).count();
    let [right, mistakes, none] = [Outcome::Result, Outcome::Mistake, Outcome::None].map(count);
    println!("{} programs: {right} launches, {mistakes} with a mistake, {none} not possible", paths.len());
    println!("{compared} compared with the IR's definition, {skipped} not");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    if std::env::var_os("MODES_PROGRAMS").is_none() {
        assert!(right > 500 && mistakes > 50 && none < right / 10, "{right} {mistakes} {none}");
        assert!(skipped < compared / 20, "{compared} {skipped}");
    }
}
