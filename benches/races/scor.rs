//! How many of the races of the ScoR suite's microbenchmarks the simulator reports: small kernels with flags, locks and atomics whose scope
//! or fence is right or wrong (Kamath, George, Basu, *ScoRD: A Scoped Race Detector for GPUs*, ISCA 2020).
//!
//! `cargo run --release -p benches --bin scor -- FOLDER` runs each and compares what is reported with the file's name, which begins with
//! `race` or `norace`. The suite is not part of this project: FOLDER is a checkout of `github.com/csl-iisc/ScoR`. Files are compiled
//! as they are; their host code is skipped, and its launch made here: one buffer of zeros, and the shape of the file's own macros.

use anyhow::{Context, bail, ensure};
use clap::Parser;
use device::{
    Argument, CompileOptions, Device, DeviceError, KernelFile, LaunchRequest, LaunchShape, Messages,
};
use device_sim::{DEFAULT_MODEL, DeviceModel, SimDevice};
use source::Code;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The kernel of each file.
const KERNEL: &str = "kmain";

/// Bytes of its buffer.
const BYTES: u64 = 4096;

/// The simulator on the microbenchmarks of the ScoR suite.
#[derive(Debug, Parser)]
#[command(name = "scor", max_term_width = 100)]
struct Arguments {
    /// A checkout of ScoR
    folder: PathBuf,
}

fn main() -> ExitCode {
    match run(&Arguments::parse().folder) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("scor: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(folder: &Path) -> anyhow::Result<()> {
    let folder = folder.join("microbenchmarks/src");
    let entries = std::fs::read_dir(&folder)
        .with_context(|| format!("{}: no checkout of csl-iisc/ScoR", folder.display()))?;
    let mut files = entries.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<PathBuf>>>()?;
    files.retain(|path| path.extension().is_some_and(|extension| extension == "cu"));
    files.sort();
    ensure!(!files.is_empty(), "{}: no kernel files", folder.display());
    // By label: files, and those of which a race is reported.
    let (mut racy, mut clean) = ([0, 0], [0, 0]);
    for path in &files {
        let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
        let is_racy = match name {
            _ if name.starts_with("race") => true,
            _ if name.starts_with("norace") => false,
            _ => bail!("{name}: neither `race` nor `norace`"),
        };
        let reported = reports_race(path)?;
        let count = if is_racy { &mut racy } else { &mut clean };
        count[0] += 1;
        count[1] += u32::from(reported);
        if reported != is_racy {
            println!("{name}: {}", if reported { "race reported" } else { "nothing reported" });
        }
    }
    println!("race reported: {} of {} with a race, {} of {} without", racy[1], racy[0], clean[1], clean[0]);
    Ok(())
}

/// Whether a race is reported of a file's launch.
fn reports_race(path: &Path) -> anyhow::Result<bool> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let [blocks, threads] = [defined(&text, "NBLOCKS")?, defined(&text, "TPERBLK")?];
    let mut device = SimDevice::new(&DeviceModel::named(DEFAULT_MODEL)?);
    let file = KernelFile { name: path.display().to_string(), text };
    let info = device.compile(&file, &CompileOptions::default())?;
    let buffer = device.alloc(BYTES)?;
    device.write(buffer, 0, &[0; BYTES as usize])?;
    let shape = LaunchShape { grid: [blocks, 1, 1], block: [threads, 1, 1], dynamic_shared: 0 };
    let request = LaunchRequest::new(info.id, KERNEL, shape, &[Argument::Buffer(buffer)]);
    let messages: Messages = match device.launch(&request) {
        Ok(_) => return Ok(false),
        Err(DeviceError::Launch { messages, .. }) => messages,
        Err(error) => return Err(error.into()),
    };
    let is_race = |code: Code| matches!(code, Code::SharedMemoryRace | Code::GlobalMemoryRace);
    Ok(messages.diagnostics.iter().any(|diagnostic| is_race(diagnostic.code)))
}

/// The number that a file defines a macro as.
fn defined(text: &str, name: &str) -> anyhow::Result<u32> {
    let lines = text.lines().filter_map(|line| line.strip_prefix("#define ")?.trim().strip_prefix(name));
    let value = lines.map(str::trim).find_map(|value| value.parse().ok());
    value.with_context(|| format!("the file does not define {name} as a number"))
}
