//! Measures the solutions, and writes the measured values that the playground contains: `cargo run -p playground
//! --example measure`.

use device_sim::{DEFAULT_MODEL, DeviceModel, SimDevice};
use harness::Paths;
use harness::reference::{Table, is_baseline};
use std::path::Path;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let paths = Paths::new(own.join("../.."));
    let labs = labs::all();
    let mut table = Table::default();
    for lab in &labs {
        for exercise in &lab.exercises {
            let mut device = SimDevice::new(&DeviceModel::named(DEFAULT_MODEL)?);
            let solution = paths.solution(lab, exercise.name());
            let is_baseline = is_baseline(&labs, lab, exercise.name());
            table.measure((lab, exercise.as_ref()), &solution, &mut device, 1, is_baseline)?;
        }
    }
    Ok(std::fs::write(own.join("measured.json"), table.text())?)
}
