//! `cargo lab doctor`: what was found on this computer, and how to get what was not.
//!
//! Libraries and programs are looked for by name; nothing is linked or loaded.

use crate::failure::Failure;
use crate::screen::Screen;
use crate::workspace::Workspace;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::Command;

/// One thing looked for.
#[derive(Serialize)]
struct Finding {
    /// What it is.
    name: &'static str,
    /// Whether the labs need it.
    required: bool,
    /// What was found: a version, a place.
    found: Option<String>,
    /// What it is for.
    purpose: &'static str,
    /// How to get it.
    how_to_get: &'static str,
}

const LIMITATION: &str = "This version runs every kernel on the simulator. A GPU, its driver and CUDA's tools are not used by the labs;
they are listed because you can use them beside the labs.";

/// Prints what was found. Exit status 1 if something that the labs need is missing.
pub(crate) fn doctor(screen: &Screen, workspace: &Workspace, json: bool) -> anyhow::Result<bool> {
    let findings = look(workspace);
    let healthy = findings.iter().all(|f| !f.required || f.found.is_some());
    if json {
        let value = serde_json::json!({ "healthy": healthy, "limitation": LIMITATION, "findings": findings });
        screen.line(serde_json::to_string_pretty(&value)?)?;
        return Ok(healthy);
    }
    for finding in &findings {
        let need = if finding.required { "required" } else { "optional" };
        let (mark, text) = match &finding.found {
            Some(text) => (screen.good("found  "), text.as_str()),
            None if finding.required => (screen.bad("missing"), "not found"),
            None => (screen.dim("absent "), "not found"),
        };
        screen.line(format!("{mark}  {:<18} {text}", finding.name))?;
        if finding.found.is_none() {
            screen.line(format!("         {need}: {}", finding.purpose))?;
            screen.line(format!("         get it: {}", finding.how_to_get))?;
        }
    }
    screen.line("")?;
    screen.line(LIMITATION)?;
    let verdict =
        if healthy { "Ready: `cargo lab` says what to do next." } else { "Not ready: see `missing` above." };
    screen.line(verdict)?;
    Ok(healthy)
}

fn look(workspace: &Workspace) -> Vec<Finding> {
    let finding =
        |name, required, found, purpose, how_to_get| Finding { name, required, found, purpose, how_to_get };
    vec![
        finding(
            "Rust",
            true,
            version_of("rustc", &["--version"]),
            "compiles the simulator and the labs",
            "https://rustup.rs",
        ),
        finding(
            "simulator",
            true,
            self_test().map_err(|e| crate::screen::complain(&format!("simulator self-test: {e}"))).ok(),
            "runs the kernels",
            "it is part of this project: run `cargo test -p simt`, and report what fails",
        ),
        finding(
            "project folder",
            true,
            Some(workspace.paths().root.display().to_string()),
            "has the kernels and the solutions",
            "clone the project again",
        ),
        finding(
            "GPU driver",
            false,
            driver(),
            "needed to run a kernel on an NVIDIA GPU (not used by this version)",
            "https://www.nvidia.com/drivers, or your distribution's `nvidia-driver` package",
        ),
        finding(
            "NVRTC",
            false,
            library(&["libnvrtc.so", "nvrtc64"]),
            "CUDA's compiler as a library (not used by this version)",
            "CUDA Toolkit, or `pip install nvidia-cuda-nvrtc` (needs no GPU)",
        ),
        finding(
            "nvcc",
            false,
            version_of("nvcc", &["--version"]),
            "CUDA's compiler, to build a kernel file into a program of your own",
            "CUDA Toolkit: https://developer.nvidia.com/cuda-downloads",
        ),
        finding(
            "ncu",
            false,
            version_of("ncu", &["--version"]),
            "Nsight Compute: the counters of these labs, measured by the hardware",
            "CUDA Toolkit, or https://developer.nvidia.com/nsight-compute",
        ),
        finding(
            "compute-sanitizer",
            false,
            version_of("compute-sanitizer", &["--version"]),
            "finds memory errors and races on a GPU",
            "CUDA Toolkit: https://developer.nvidia.com/cuda-downloads",
        ),
    ]
}

/// Grades nothing, but goes the whole way: text, front-end, machine, result.
fn self_test() -> Result<String, Failure> {
    crate::simulator::self_test()
}

/// The last line of a program's version message that has a digit in it, and where the program is.
fn version_of(program: &str, arguments: &[&str]) -> Option<String> {
    let path = executable(program)?;
    let output = Command::new(&path).args(arguments).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let is_version = |line: &&str| line.contains(|c: char| c.is_ascii_digit()) && !line.contains("Copyright");
    let line = text.lines().rev().find(is_version).unwrap_or("version unknown");
    Some(format!("{} ({})", line.trim(), path.display()))
}

fn executable(program: &str) -> Option<PathBuf> {
    let name = format!("{program}{}", std::env::consts::EXE_SUFFIX);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let extra = [PathBuf::from("/usr/local/cuda/bin"), PathBuf::from("/opt/cuda/bin")];
    std::env::split_paths(&path).chain(extra).map(|dir| dir.join(&name)).find(|file| file.is_file())
}

fn driver() -> Option<String> {
    let place = library(&["libcuda.so.1", "nvcuda.dll"])?;
    // `NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.04 …`
    let version = std::fs::read_to_string("/proc/driver/nvidia/version").ok().and_then(|text| {
        text.split_whitespace()
            .find(|w| w.contains('.') && w.starts_with(|c: char| c.is_ascii_digit()))
            .map(String::from)
    });
    Some(version.map_or(place.clone(), |v| format!("{v} ({place})")))
}

/// The first library whose file name begins with one of `names`, in the usual folders.
fn library(names: &[&str]) -> Option<String> {
    let fixed = [
        "/usr/lib/x86_64-linux-gnu",
        "/usr/lib/aarch64-linux-gnu",
        "/usr/lib64",
        "/usr/lib",
        "/usr/lib/wsl/lib",
        "/usr/local/cuda/lib64",
        "/usr/local/nvidia/lib64",
        "/opt/cuda/lib64",
        "C:\\Windows\\System32",
    ];
    let variables = ["LD_LIBRARY_PATH", "PATH"].map(|v| std::env::var_os(v).unwrap_or_default());
    let listed = variables.iter().flat_map(std::env::split_paths);
    listed.chain(fixed.map(PathBuf::from)).find_map(|dir| library_in(&dir, names))
}

fn library_in(dir: &Path, names: &[&str]) -> Option<String> {
    let mut matching: Vec<PathBuf> = std::fs::read_dir(dir)
        .ok()?
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            names.iter().any(|wanted| name.starts_with(wanted))
        })
        .collect();
    matching.sort();
    matching.first().map(|path| path.display().to_string())
}
