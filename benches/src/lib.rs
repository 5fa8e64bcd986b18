//! What the benchmarks share: the labs, their reference kernels, and a simulated device.
//!
//! `cargo bench -p benches` runs all; `cargo bench -p benches --bench simulator -- matmul` one. Times are of this computer, so
//! none is written down here; the book's pages that state one name the command beside it.

pub mod indigo;
mod launchable;

pub use labs::all as labs;
pub use launchable::{Launchable, MODES, Mode, ON_AND_OFF};

use device::{Device, KernelFile};
use device_sim::{DeviceModel, SimDevice};
use harness::{Exercise, Lab, Paths};
use std::path::Path;

/// The project's folders.
///
/// # Panics
/// If the project was moved since this was compiled.
pub fn paths() -> Paths {
    Paths::find(Path::new(env!("CARGO_MANIFEST_DIR")))
        .expect("the project's folder has `kernels` and `solutions`")
}

/// The reference of an exercise.
///
/// # Panics
/// If it cannot be read.
pub fn solution(lab: &Lab, exercise: &str) -> KernelFile {
    let path = paths().solution(lab, exercise);
    let name = paths().display(&path);
    harness::read_kernel_file(&path, &name).expect("the reference can be read")
}

/// Name and text of every kernel file: the references, the best kernels and the starters.
///
/// # Panics
/// If one cannot be read.
pub fn kernel_files() -> Vec<(String, String)> {
    let paths = paths();
    let mut files = Vec::new();
    for lab in labs() {
        let best = lab.best.iter().map(|best| paths.solution(&lab, best.exercise.name()));
        let solutions = lab.exercises.iter().map(|e| paths.solution(&lab, e.name()));
        let starters = lab.exercises.iter().map(|e| paths.kernel(&lab, e.name()));
        for path in solutions.chain(best).chain(starters) {
            let name = paths.display(&path);
            let file = harness::read_kernel_file(&path, &name).expect("the kernel file can be read");
            files.push((file.name, file.text));
        }
    }
    files
}

/// An exercise of a lab.
///
/// # Panics
/// If the lab has none of that name.
pub fn exercise<'a>(lab: &'a Lab, name: &str) -> &'a dyn Exercise {
    lab.exercise(name).expect("the lab has this exercise")
}

/// A simulated H200.
///
/// # Panics
/// If the simulator has no such model.
pub fn device() -> Box<dyn Device> {
    let model = DeviceModel::named("h200").expect("the simulator knows the H200");
    Box::new(SimDevice::new(&model))
}
