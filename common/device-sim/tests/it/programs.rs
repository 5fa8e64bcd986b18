//! Runs a program's kernel `k` on the simulated device.

use device::{Argument, CompileOptions, Device, DeviceError, KernelFile, LaunchRequest, LaunchShape};
use device_sim::{DeviceModel, SimDevice};

/// Runs `k` in one block with buffers of these bytes; gives the last one's, or the diagnostics.
pub(crate) fn attempt(text: &str, threads: u32, buffers: &[Vec<u8>]) -> Result<Vec<u8>, String> {
    attempt_warned(text, [1, threads], buffers).map(|(out, _)| out)
}

/// The same in that many blocks of that many threads, with the run's warnings.
pub(crate) fn attempt_warned(
    text: &str,
    [blocks, threads]: [u32; 2],
    buffers: &[Vec<u8>],
) -> Result<(Vec<u8>, String), String> {
    let shown = |m: &device::Messages| {
        m.diagnostics.iter().map(|d| source::render::full(&m.sources, d, false) + "\n").collect::<String>()
    };
    let mut device = SimDevice::new(&DeviceModel::named("h200").unwrap());
    device.options_mut().every_mode = true;
    device.options_mut().instruction_budget = 1_000_000;
    let file = KernelFile { name: "k.cu".into(), text: text.into() };
    let program = match device.compile(&file, &CompileOptions::default()) {
        Ok(program) => program,
        Err(DeviceError::Compile(m)) => return Err(shown(&m)),
        Err(error) => panic!("{error}"),
    };
    let mut arguments = Vec::new();
    let mut last = None;
    for bytes in buffers {
        let buffer = device.alloc(bytes.len() as u64).unwrap();
        device.write(buffer, 0, bytes).unwrap();
        arguments.push(Argument::Buffer(buffer));
        last = Some((buffer, bytes.len()));
    }
    let shape = LaunchShape { grid: [blocks, 1, 1], block: [threads, 1, 1], dynamic_shared: 0 };
    let warnings = match device.launch(&LaunchRequest::new(program.id, "k", shape, &arguments)) {
        Ok(report) => shown(&report.warnings),
        Err(DeviceError::Launch { messages: m, .. }) => return Err(shown(&m)),
        Err(error) => panic!("{error}"),
    };
    let (buffer, size) = last.unwrap();
    let mut out = vec![0; size];
    device.read(buffer, 0, &mut out).unwrap();
    Ok((out, warnings))
}

pub(crate) fn run(text: &str, threads: u32, buffers: &[Vec<u8>]) -> Vec<u8> {
    attempt(text, threads, buffers).unwrap_or_else(|why| panic!("{why}"))
}
