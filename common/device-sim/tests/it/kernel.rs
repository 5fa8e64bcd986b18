//! Runs a kernel on the simulated device and gives its words.

use device::{Argument, CompileOptions, Device, DeviceError, KernelFile, LaunchRequest, LaunchShape};
use device_sim::{DeviceModel, SimDevice};

/// Runs `k(unsigned *out, const unsigned *in)` in one block of `threads`; `in` as given, `words` words of `out`.
pub(crate) fn run(text: &str, threads: u32, input: &[u32], words: usize) -> Vec<u32> {
    run_in_modes(text, threads, input, words, true)
}

/// As [`run`], in one block of these extents.
pub(crate) fn run_block(text: &str, block: [u32; 3], input: &[u32], words: usize) -> Vec<u32> {
    launch(text, block, input, words, true)
}

/// As [`run`], in every mode of the simulator or in one alone.
pub(crate) fn run_in_modes(
    text: &str,
    threads: u32,
    input: &[u32],
    words: usize,
    every_mode: bool,
) -> Vec<u32> {
    launch(text, [threads, 1, 1], input, words, every_mode)
}

fn launch(text: &str, block: [u32; 3], input: &[u32], words: usize, every_mode: bool) -> Vec<u32> {
    let mut device = SimDevice::new(&DeviceModel::named("h200").unwrap());
    device.options_mut().every_mode = every_mode;
    let file = KernelFile { name: "k.cu".into(), text: text.into() };
    let program = match device.compile(&file, &CompileOptions::default()) {
        Ok(program) => program,
        Err(DeviceError::Compile(m)) => {
            panic!(
                "{:?}",
                m.diagnostics.iter().map(|d| source::render::full(&m.sources, d, false)).collect::<String>()
            )
        }
        Err(error) => panic!("{error}"),
    };
    let bytes: Vec<u8> = input.iter().flat_map(|v| v.to_le_bytes()).collect();
    let source = device.alloc(bytes.len() as u64).unwrap();
    device.write(source, 0, &bytes).unwrap();
    let output = device.alloc(words as u64 * 4).unwrap();
    let shape = LaunchShape { grid: [1, 1, 1], block, dynamic_shared: 0 };
    let arguments = [Argument::Buffer(output), Argument::Buffer(source)];
    if let Err(error) = device.launch(&LaunchRequest::new(program.id, "k", shape, &arguments)) {
        match error {
            DeviceError::Launch { messages: m, .. } => {
                panic!(
                    "{}",
                    m.diagnostics
                        .iter()
                        .map(|d| source::render::full(&m.sources, d, false))
                        .collect::<String>()
                )
            }
            other => panic!("{other}"),
        }
    }
    let mut bytes = vec![0; words * 4];
    device.read(output, 0, &mut bytes).unwrap();
    bytes.chunks(4).map(|c| u32::from_le_bytes(c.try_into().unwrap())).collect()
}

/// Numbers in which every bit takes both values.
pub(crate) fn numbers(n: u32) -> Vec<u32> {
    (0..n).map(|i| (i + 1).wrapping_mul(0x9e37_79b9) ^ (i << 7)).collect()
}
