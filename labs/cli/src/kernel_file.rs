//! Any CUDA C++ file of the user's on a device: reading and compiling it, and printing what there is to say about it.

use crate::args::FileArgs;
use crate::screen::Screen;
use device::{CompileOptions, Device, Includes, KernelFile, Messages};
use device_sim::{DeviceModel, SimDevice};
use source::{Failure, Finding};

/// Bytes of device memory that one launch may have where it is simulated; the simulator takes about four times as many of the host's.
pub(crate) const MEMORY: u64 = 2 << 30;

/// A simulated device with the memory that a command may use.
///
/// # Errors
/// If there is no model of that name.
pub(crate) fn device(model: &str) -> Result<SimDevice, Failure> {
    let model = DeviceModel::named(model)
        .map_err(|unknown| Failure::new(unknown.to_string(), "`cargo lab models` says what each is"))?;
    let mut device = SimDevice::new(&model);
    device.limit_memory(Some(MEMORY));
    Ok(device)
}

/// The file, and how it is compiled.
///
/// # Errors
/// A file that cannot be read, or options that are wrong.
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

/// Prints diagnostics with their source, and where they are explained.
///
/// # Errors
/// What the stream says.
pub(crate) fn print(screen: &Screen, messages: &Messages) -> std::io::Result<()> {
    match launch_line::text(messages, screen.style()).strip_suffix('\n') {
        Some(text) => screen.line(text),
        None => Ok(()),
    }
}
