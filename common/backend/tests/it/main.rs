//! One suite for both devices: programs whose results must be the same bits on the simulator and on a GPU, and what a GPU must
//! do besides. Without a GPU every test of one is shown as ignored, with the reason; none passes.

mod gpu;
mod objects;
mod programs;
mod structures;

use device::{Argument, CompileOptions, Device, DeviceError, KernelFile, LaunchRequest, LaunchShape};
use device_sim::{DeviceModel, SimDevice};
use libtest_mimic::{Arguments, Completion, Failed, Trial};

/// A program with what it is run with: its kernel `k` has an output buffer, an input buffer and their length as parameters.
pub(crate) struct Program {
    pub(crate) name: &'static str,
    pub(crate) text: &'static str,
    /// The kernel's name, with arguments where it is a template.
    pub(crate) kernel: &'static str,
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) dynamic_shared: u32,
}

/// Words of both buffers.
pub(crate) const WORDS: usize = 4096;

/// Bit patterns that reach the corners of each type: small and large integers, and floats from zero to infinity.
fn input() -> Vec<u32> {
    let corners = [
        0,
        1,
        2,
        0x7fff_ffff,
        0x8000_0000,
        0xffff_ffff,
        0x3f80_0000,
        0xbf80_0000,
        0x0000_0001,
        0x0080_0000,
        0x7f7f_ffff,
        0x7f80_0000,
        0xff80_0000,
        0x3eaa_aaab,
        0x4049_0fdb,
        0x4b80_0000,
    ];
    let mut state = 0x1234_5678_u32;
    let random = std::iter::repeat_with(move || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state
    });
    corners.into_iter().chain(random).take(WORDS).collect()
}

/// The output's words after one launch.
pub(crate) fn run(device: &mut dyn Device, program: &Program) -> Result<Vec<u32>, DeviceError> {
    let file = KernelFile { name: format!("{}.cu", program.name), text: program.text.to_owned() };
    let instantiate = if program.kernel.contains('<') { vec![program.kernel.to_owned()] } else { Vec::new() };
    let compiled = device.compile(&file, &CompileOptions { instantiate, ..CompileOptions::default() })?;
    let kernel = compiled.kernels.iter().find(|k| k.name.starts_with('k')).map(|k| k.name.clone());
    let kernel = kernel.ok_or_else(|| DeviceError::Use("the program has no kernel `k`".into()))?;
    if compiled.symbol("table").is_some() {
        let bytes: Vec<u8> = (0..7).flat_map(|i| (i as f32 * 0.75).to_le_bytes()).collect();
        device.set_symbol(compiled.id, "table", &bytes)?;
    }
    let bytes = 4 * WORDS as u64;
    let (output, source) = (device.alloc(bytes)?, device.alloc(bytes)?);
    device.write(output, 0, &vec![0; 4 * WORDS])?;
    let words: Vec<u8> = input().iter().flat_map(|w| w.to_le_bytes()).collect();
    device.write(source, 0, &words)?;
    let shape =
        LaunchShape { grid: program.grid, block: program.block, dynamic_shared: program.dynamic_shared };
    let arguments = [Argument::Buffer(output), Argument::Buffer(source), Argument::I32(WORDS as i32)];
    device.launch(&LaunchRequest::new(compiled.id, &kernel, shape, &arguments))?;
    let mut result = vec![0; 4 * WORDS];
    device.read(output, 0, &mut result)?;
    device.free(output)?;
    device.free(source)?;
    Ok(result.as_chunks::<4>().0.iter().map(|w| u32::from_le_bytes(*w)).collect())
}

/// What a device said, in words.
pub(crate) fn words(error: &DeviceError) -> String {
    match error {
        DeviceError::Compile(m) | DeviceError::Launch { messages: m, .. } => {
            let each = m.diagnostics.iter().map(|d| source::render::full(&m.sources, d, false));
            each.collect::<Vec<_>>().join("\n")
        }
        DeviceError::OutOfMemory { .. } | DeviceError::Use(_) => error.to_string(),
    }
}

/// A simulator that runs each launch in every mode, and fails if they differ.
pub(crate) fn simulator() -> SimDevice {
    let mut device = SimDevice::new(&DeviceModel::named("h200").expect("a model"));
    device.options_mut().every_mode = true;
    device
}

pub(crate) fn open(name: &str) -> Result<Box<dyn Device>, Failed> {
    backend::open(Some(name), None).map_err(Failed::from)
}

fn agrees(program: &Program) -> Result<(), Failed> {
    let mut results = Vec::new();
    for name in ["sim", "gpu"] {
        let result = run(open(name)?.as_mut(), program);
        results.push(result.map_err(|e| Failed::from(format!("on `{name}`: {}", words(&e))))?);
    }
    let [sim, gpu] = &results[..] else { return Err("two devices".into()) };
    if sim.iter().all(|w| *w == 0) {
        return Err("the program wrote nothing but zeros: it tests nothing".into());
    }
    let differ: Vec<usize> = (0..WORDS).filter(|i| sim[*i] != gpu[*i]).collect();
    match differ.first() {
        None => Ok(()),
        Some(at) => Err(format!(
            "{} of {WORDS} words differ, first word {at}: 0x{:08x} on the simulator, 0x{:08x} on the GPU (input 0x{:08x})",
            differ.len(),
            sim[*at],
            gpu[*at],
            input()[*at]
        )
        .into()),
    }
}

/// What the programs test where there is no GPU: that each computes something, and the same in every mode of the simulator.
fn run_on_the_simulator() -> Result<(), Failed> {
    for program in programs::ALL {
        let result = run(&mut simulator(), program);
        let found = result.map_err(|e| Failed::from(format!("{}: {}", program.name, words(&e))))?;
        if found.iter().all(|w| *w == 0) {
            return Err(format!("{}: nothing but zeros", program.name).into());
        }
    }
    Ok(())
}

/// A test that is ignored where there is no GPU, with the reason.
fn on_gpu(name: String, test: impl FnOnce() -> Result<(), Failed> + Send + 'static) -> Trial {
    Trial::ignorable_test(name, || match backend::probe() {
        Err(absent) => Ok(Completion::ignored_with(format!("skipped: {absent}"))),
        Ok(_) => test().map(|()| Completion::Completed),
    })
}

fn main() {
    if let Ok(name) = std::env::var(gpu::CHILD) {
        if let Err(failed) = gpu::run_as_child(&name) {
            eprintln!("{}", failed.message().unwrap_or("failed"));
            std::process::exit(1);
        }
        return;
    }
    let same = programs::ALL.iter().map(|p| on_gpu(format!("same_bits::{}", p.name), || agrees(p)));
    let own = gpu::TESTS.iter().map(|(name, test)| on_gpu(format!("gpu::{name}"), *test));
    let objects =
        objects::ALL.iter().map(|c| on_gpu(format!("same_bits::{}", c.name), || objects::agrees(c)));
    let structures = on_gpu("gpu::structures_by_value".into(), || structures::arrive_on("gpu"));
    let simulated = [
        Trial::test("objects_on_the_simulator", objects::runs_on_the_simulator),
        Trial::test("programs_on_the_simulator", run_on_the_simulator),
        Trial::test("structures_by_value_on_the_simulator", || structures::arrive_on("sim")),
    ];
    let all = same.chain(own).chain(objects).chain([structures]).chain(simulated).collect();
    libtest_mimic::run(&Arguments::from_args(), all).exit();
}
