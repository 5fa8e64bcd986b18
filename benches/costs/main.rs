//! What a unit of a submission's budget costs in time, by kind of instruction.
//!
//! A submission is stopped when its launches have used up a budget of units ([`harness::INSTRUCTIONS`]), which are counted the same way on
//! every computer. So that the budget and not the computer ends a launch, no instruction may take much longer per unit than the others. `cargo
//! run --release -p benches --bin costs` launches an endless loop of each kind of instruction, once with all threads and once in
//! a branch that half of the threads take, and prints the CPU time per unit, and what the whole budget would take. `costs NAME...` runs the
//! kinds whose names contain a word.

mod kinds;

use anyhow::{bail, ensure};
use device::{
    Allowance, Argument, CompileOptions, Device, DeviceError, KernelFile, LaunchOptions, LaunchRequest,
    LaunchShape,
};
use device_sim::{DEFAULT_MODEL, DeviceModel, SimDevice};
use kinds::{KINDS, Kind};
use rustix::time::{ClockId, clock_gettime};
use std::process::ExitCode;

/// Budget of one launch, units.
const UNITS: u64 = 20_000_000;

/// Elements of each buffer.
const ELEMENTS: usize = 1 << 16;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let is_wanted = |kind: &&Kind| words.is_empty() || words.iter().any(|word| kind.name.contains(&**word));
    println!("CPU time; {} units in all would take the seconds on the right\n", harness::INSTRUCTIONS);
    println!("{:28}{:>10}{:>10}{:>10}", "kind", "ns/unit", "branch", "budget, s");
    let mut failed = false;
    for kind in KINDS.iter().filter(is_wanted) {
        match (nanoseconds(&kind.text(false)), nanoseconds(&kind.text(true))) {
            (Ok(all), Ok(branch)) => {
                let seconds = all.max(branch) * harness::INSTRUCTIONS as f64 / 1e9;
                println!("{:28}{all:10.1}{branch:10.1}{seconds:10.1}", kind.name);
            }
            (Err(error), _) | (_, Err(error)) => {
                failed = true;
                eprintln!("costs: {}: {error:#}", kind.name);
            }
        }
    }
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// CPU time per unit of a kernel that runs until its budget ends, nanoseconds.
fn nanoseconds(text: &str) -> anyhow::Result<f64> {
    let model = DeviceModel::named(DEFAULT_MODEL).expect("the default model is known");
    let mut device = SimDevice::new(&model);
    let file = KernelFile { name: "costs.cu".into(), text: text.to_owned() };
    let program = match device.compile(&file, &CompileOptions::default()) {
        Ok(program) => program,
        Err(DeviceError::Compile(messages)) => {
            let full = |d| source::render::full(&messages.sources, d, false);
            bail!("{}", messages.diagnostics.iter().map(full).collect::<Vec<_>>().join("\n"));
        }
        Err(error) => return Err(error.into()),
    };
    let mut buffer = || -> Result<Argument, DeviceError> {
        let buffer = device.alloc(ELEMENTS as u64 * 4)?;
        let values = (0..ELEMENTS).flat_map(|i| (i as f32 * 0.001 + 0.5).to_le_bytes());
        device.write(buffer, 0, &values.collect::<Vec<u8>>())?;
        Ok(Argument::Buffer(buffer))
    };
    let arguments = [buffer()?, buffer()?, Argument::I32(ELEMENTS as i32)];
    let shape = LaunchShape { grid: [32, 1, 1], block: [128, 1, 1], dynamic_shared: 0 };
    let options = LaunchOptions { allowance: Some(Allowance::new(UNITS)), ..LaunchOptions::default() };
    let request = LaunchRequest::new(program.id, "k", shape, &arguments).with(options);
    let begin = cpu_time();
    let result = device.launch(&request);
    let time = cpu_time() - begin;
    let Err(DeviceError::Launch { messages, .. }) = result else { bail!("the launch ended: {result:?}") };
    let code = messages.diagnostics.first().map(|d| d.code);
    ensure!(code == Some(source::Code::InstructionBudget), "stopped by {code:?}");
    Ok(time / UNITS as f64 * 1e9)
}

/// CPU time of the process, seconds.
fn cpu_time() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
