//! The estimate of registers against nvcc's number for the same kernels (`data/h200-ncu.csv`).

use device::{CompileOptions, Device, KernelFile};
use device_sim::{DeviceModel, SimDevice};
use std::collections::BTreeMap;

const CSV: &str = include_str!("../data/h200-ncu.csv");

/// Registers that nvcc gave, by kernel; template arguments as the front-end spells them.
fn truth() -> BTreeMap<String, i64> {
    let mut lines = CSV.lines();
    let column = lines.next().unwrap().split(',').position(|c| c == "registers").unwrap();
    let row = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        (cells[0].replace(';', ", "), cells[column].parse().unwrap())
    };
    lines.map(row).collect()
}

#[test]
fn the_estimate_is_near_what_nvcc_takes() {
    let truth = truth();
    let mut device = SimDevice::new(&DeviceModel::named("h200").unwrap());
    let file = KernelFile { name: "truth.cu".into(), text: include_str!("../kernels/truth.cu").into() };
    let instantiate = truth.keys().filter(|k| k.contains('<')).cloned().collect();
    let program =
        device.compile(&file, &CompileOptions { instantiate, ..CompileOptions::default() }).unwrap();
    let mut errors = Vec::new();
    for (name, nvcc) in &truth {
        // The table has a few kernels more than the file.
        let Some(kernel) = program.kernel(name) else { continue };
        let estimate = device.resources(program.id, &kernel.name).unwrap().registers;
        let error = i64::from(estimate) - nvcc;
        println!("{name:24} nvcc {nvcc:3}  estimate {estimate:3}  {error:+}");
        errors.push(error);
    }
    let mean = errors.iter().map(|e| e.abs()).sum::<i64>() as f64 / errors.len() as f64;
    let worst = errors.iter().map(|e| e.abs()).max().unwrap();
    println!("mean error {mean:.1}, worst {worst}, of {} kernels", errors.len());
    assert!(errors.len() >= 20, "only {} kernels compared", errors.len());
    // Stated in the book. The worst are loops that were unrolled whole, whose loads nvcc issues ahead.
    assert!(mean < 2.6 && worst <= 14, "mean error {mean}, worst {worst}");
}
