//! What the benchmarks share: the labs, their reference kernels, and a simulated device.
//!
//! `cargo bench -p benches` runs all; `cargo bench -p benches --bench simulator -- matmul` one. Times are of this computer, so
//! none is written down here; the book's pages that state one name the command beside it.

use device::{Device, KernelFile};
use device_sim::{DeviceModel, SimDevice};
use harness::{Exercise, Lab, Paths};
use std::path::Path;

/// The seven labs in order.
pub fn labs() -> Vec<Lab> {
    vec![lab_1::lab(), lab_2::lab(), lab_3::lab(), lab_4::lab(), lab_5::lab(), lab_6::lab(), lab_7::lab()]
}

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
