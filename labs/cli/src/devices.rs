//! Opens the devices that commands run on.

use device::{Argument, CompileOptions, Device, DeviceError, KernelFile, LaunchRequest, LaunchShape};
use source::Failure;

/// The default device model for times.
pub(crate) const DEFAULT_MODEL: &str = device_sim::DEFAULT_MODEL;

/// Opens the device of this name (`sim`, `gpu`, `both`) and model.
///
/// # Errors
/// Says that there is no such device or model.
pub(crate) fn device(on: &str, model: &str) -> Result<Box<dyn Device>, Failure> {
    let help = |why: &str| match (on, why.contains("doctor`")) {
        ("sim", _) => "`cargo lab models` says what each is",
        (_, true) => "`--on sim` needs no GPU",
        (_, false) => {
            "`cargo lab doctor` says what was found and how to get the rest; `--on sim` needs no GPU"
        }
    };
    backend::open(Some(on), Some(model)).map_err(|why| Failure::new(why.as_str(), help(&why)))
}

/// A kernel in which each thread reads, adds and writes; run with two blocks.
const SELF_TEST: &str = "__global__ void add(const int *x, int *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] + i;
}
";

/// Tests the device with a small kernel: compiles, launches and compares the result.
///
/// # Errors
/// Names the step that failed.
pub(crate) fn self_test(on: &str) -> Result<String, Failure> {
    let fail =
        |what: String| Failure::new(format!("the self-test on `{on}` failed: {what}"), "run `cargo test`");
    let mut device = device(on, DEFAULT_MODEL)?;
    let results = add(device.as_mut()).map_err(|e| fail(e.to_string()))?;
    let expected: Vec<i32> = (0..LENGTH).map(|i| 7 + i).collect();
    if results != expected {
        return Err(fail("a kernel gave wrong results".to_string()));
    }
    Ok("compiled and ran a kernel, with correct results".to_string())
}

const LENGTH: i32 = 50;

fn add(device: &mut dyn Device) -> Result<Vec<i32>, DeviceError> {
    let file = KernelFile { name: "self-test.cu".to_string(), text: SELF_TEST.to_string() };
    let program = device.compile(&file, &CompileOptions::default())?;
    let bytes = 4 * LENGTH as u64;
    let (x, y) = (device.alloc(bytes)?, device.alloc(bytes)?);
    device.write(x, 0, &7i32.to_le_bytes().repeat(LENGTH as usize))?;
    let shape = LaunchShape { grid: [2, 1, 1], block: [32, 1, 1], dynamic_shared: 0 };
    let arguments = [Argument::Buffer(x), Argument::Buffer(y), Argument::I32(LENGTH)];
    device.launch(&LaunchRequest::new(program.id, "add", shape, &arguments))?;
    let mut results = vec![0; bytes as usize];
    device.read(y, 0, &mut results)?;
    Ok(results.chunks_exact(4).map(|b| i32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect())
}
