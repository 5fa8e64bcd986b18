//! Reads and compiles any CUDA C++ file of the user, and prints its messages.

use crate::args::FileArgs;
use crate::screen::Screen;
use device::{CompileOptions, Device, Includes, KernelFile, Messages};
use device_sim::{DeviceModel, SimDevice};
use source::{Failure, Finding};

/// Maximum bytes of simulated device memory per launch; the simulator needs about four times as much host memory.
pub(crate) const MEMORY: u64 = 2 << 30;

/// A simulated device with [`MEMORY`] bytes.
///
/// # Errors
/// Says that there is no model with this name.
pub(crate) fn device(model: &str) -> Result<SimDevice, Failure> {
    let model = DeviceModel::named(model)
        .map_err(|unknown| Failure::new(unknown.to_string(), "`cargo lab models` says what each is"))?;
    let mut device = SimDevice::new(&model);
    device.limit_memory(Some(MEMORY));
    Ok(device)
}

/// Reads the file and its compile options.
///
/// # Errors
/// Says that the file cannot be read, or which option is wrong.
pub(crate) fn read(args: &FileArgs, requests: &[String]) -> Result<(KernelFile, CompileOptions), Failure> {
    let name = args.file.display().to_string();
    let file = harness::read_kernel_file(&args.file, &name)
        .map_err(|what| Failure::new(what, "give the path of a CUDA C++ file"))?;
    if let Some(missing) = args.include.iter().find(|dir| !dir.is_dir()) {
        let what = format!("-I {}: there is no such folder", missing.display());
        return Err(Failure::new(what, "check the path"));
    }
    let options = CompileOptions {
        include_dirs: args.include.clone(),
        includes: Includes::Anywhere,
        ..launch_line::compile_options(&args.defines, requests)?
    };
    Ok((file, options))
}

/// Diagnostics as findings.
pub(crate) fn findings(messages: &Messages) -> Vec<Finding> {
    messages.diagnostics.iter().map(|d| Finding::of(&messages.sources, d)).collect()
}

/// Prints diagnostics with source lines, and says where the codes are explained.
///
/// # Errors
/// The error of the stream.
pub(crate) fn print(screen: &Screen, messages: &Messages) -> std::io::Result<()> {
    match launch_line::text(messages, screen.style()).strip_suffix('\n') {
        Some(text) => screen.line(text),
        None => Ok(()),
    }
}
