//! `cargo lab doctor`: lists what is installed on this computer, and how to install what is missing.
//!
//! It searches for the driver and CUDA's compilers in the same way as the labs, and runs a kernel on the GPU if there
//! is one.

use crate::program;
use crate::screen::Screen;
use crate::workspace::{Kind, Workspace};
use serde::Serialize;
use source::Failure;
use std::process::Command;

/// One component to look for.
#[derive(Serialize)]
struct Finding {
    name: &'static str,
    /// Whether the labs need it.
    required: bool,
    /// The version or path found; `None` if it is missing.
    found: Option<String>,
    /// Its purpose.
    purpose: &'static str,
    /// How to install it.
    how_to_get: &'static str,
    /// Whether it serves only to run kernels on a GPU.
    #[serde(skip)]
    is_for_gpu: bool,
}

const WITHOUT_GPU: &str = "Kernels run on the simulator. With an NVIDIA GPU, its driver and a CUDA compiler (NVRTC or nvcc) they run on both, and `--on sim`, \
     `--on gpu` and `--on both` choose.";
const WITH_GPU: &str = "Kernels run on the simulator, which diagnoses and counts, and on the GPU, which is timed; their results are compared. `--on sim`, \
     `--on gpu` and `--on both` choose.";

/// Prints the findings. Returns false if a required component is missing.
pub(crate) fn doctor(screen: &Screen, workspace: &Workspace, json: bool) -> anyhow::Result<bool> {
    let findings = look(workspace);
    let healthy = findings.iter().all(|f| !f.required || f.found.is_some());
    if json {
        let gpu = backend::probe().ok();
        let link = gpu.and_then(|_| backend::link_bandwidth().ok());
        let value = serde_json::json!({
            "healthy": healthy,
            "default_device": backend::default_name(None),
            "gpu": gpu,
            "host_link_bytes_per_second": link,
            "findings": findings,
        });
        screen.json(serde_json::to_string_pretty(&value)?)?;
        return Ok(healthy);
    }
    let (for_gpu, needed): (Vec<_>, Vec<_>) = findings.iter().partition(|finding| finding.is_for_gpu);
    print(screen, &needed)?;
    screen.line("\nOnly for kernels on a GPU:")?;
    print(screen, &for_gpu)?;
    screen.line("")?;
    screen.line(if backend::probe().is_ok() { WITH_GPU } else { WITHOUT_GPU })?;
    screen.line("")?;
    screen.line(source::spelled(match workspace.kind() {
        _ if !healthy => "Not ready: see `missing` above.",
        Kind::Elsewhere => "Ready, but not in a labs' folder: `cargo lab init FOLDER` writes one.",
        Kind::Checkout | Kind::Student => "Ready: `cargo lab` says what to do next.",
    }))?;
    Ok(healthy)
}

fn print(screen: &Screen, findings: &[&Finding]) -> std::io::Result<()> {
    for finding in findings {
        let need = if finding.required { "required" } else { "optional" };
        let (mark, text) = match &finding.found {
            Some(text) => (screen.good("found  "), text.as_str()),
            None if finding.required => (screen.bad("missing"), "not found"),
            None => (screen.dim("absent "), "not found"),
        };
        screen.line(format!("{mark}  {:<18} {text}", finding.name))?;
        if finding.found.is_none() {
            screen.line(format!("         {need}:  {}", finding.purpose))?;
            screen.line(format!("         get it:    {}", finding.how_to_get))?;
        }
    }
    Ok(())
}

/// Describes the sandbox of graded submissions on this system, and what it lacks.
fn grading_limits() -> Option<String> {
    let all = isolation::protections();
    let found: Vec<String> = all.iter().filter_map(|p| Some(format!("{} ({})", p.purpose, p.by?))).collect();
    let lacking: Vec<&str> = all.iter().filter(|p| p.by.is_none()).map(|p| p.purpose).collect();
    let lacking =
        if lacking.is_empty() { String::new() } else { format!("; no limit on {}", lacking.join(", ")) };
    (!found.is_empty()).then(|| format!("{}{lacking}", found.join(", ")))
}

fn look(workspace: &Workspace) -> Vec<Finding> {
    let finding = |name, required, found, purpose, how_to_get| Finding {
        name,
        required,
        found,
        purpose,
        how_to_get,
        is_for_gpu: false,
    };
    let mut findings = vec![
        finding(
            "Rust",
            // An installed program needs no compiler, wherever it is called.
            workspace.kind() == Kind::Checkout && source::program() != program::INSTALLED,
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
            "labs' folder",
            false,
            (workspace.kind() != Kind::Elsewhere).then(|| workspace.paths().root.display().to_string()),
            "has the kernels that you edit",
            "`lab init FOLDER` writes one, and so does a clone of the project",
        ),
        finding(
            "grading limits",
            false,
            grading_limits(),
            "keep a submission that is graded from the others' memory, from files and from the network",
            "Linux 5.13 or newer has all of them",
        ),
    ];
    findings.extend(gpu_tools());
    findings
}

/// What runs kernels on a GPU.
fn gpu_tools() -> [Finding; 8] {
    let finding = |name, required, found, purpose, how_to_get| Finding {
        name,
        required,
        found,
        purpose,
        how_to_get,
        is_for_gpu: true,
    };
    [
        finding(
            "GPU driver",
            false,
            driver(),
            "runs kernels on an NVIDIA GPU",
            "https://www.nvidia.com/drivers, or your distribution's `nvidia-driver` package",
        ),
        finding(
            "GPU",
            false,
            backend::probe().map(gpu).map_err(|absent| complain_of(&absent)).ok(),
            "runs kernels and measures their time",
            "an NVIDIA GPU of compute capability 5.0 or newer, and its driver",
        ),
        finding(
            "host link",
            false,
            link(),
            "measured, to say what transfers between host and GPU cost",
            "it comes with the GPU",
        ),
        finding(
            "NVRTC",
            false,
            nvrtc::Nvrtc::find().map(|n| n.describe()),
            "CUDA's compiler as a library: makes code for the GPU, and is a second opinion without one",
            "CUDA Toolkit, or `pip install nvidia-cuda-nvrtc` (needs no GPU; NVRTC_LIBRARY names another place)",
        ),
        finding(
            "nvcc",
            false,
            nvrtc::Nvcc::find().map(|n| n.describe()),
            "CUDA's compiler: used instead of NVRTC; also compiles host code",
            "CUDA Toolkit: https://developer.nvidia.com/cuda-downloads",
        ),
        finding(
            "kernel on the GPU",
            false,
            backend::probe().ok().and_then(|_| on_gpu()),
            "compiling and running a kernel there",
            "a driver, a GPU and one of the two compilers",
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

fn complain_of(absent: &backend::Absent) {
    if *absent != backend::Absent::NoDriver {
        crate::screen::complain(&absent.to_string());
    }
}

fn gpu(gpu: &backend::Properties) -> String {
    let ((major, minor), (cuda_major, cuda_minor)) = (gpu.compute_capability, gpu.driver_cuda);
    format!(
        "{}, compute capability {major}.{minor}, {:.0} GiB, {} multiprocessors, driver for CUDA {cuda_major}.{cuda_minor}",
        gpu.name,
        gpu.memory_bytes as f64 / f64::from(1 << 30),
        gpu.multiprocessors
    )
}

fn link() -> Option<String> {
    backend::probe().ok()?;
    let link = backend::link_bandwidth().ok()?;
    Some(format!(
        "measured, GB/s to and from the GPU: {:.1} and {:.1} page-locked, {:.1} and {:.1} pageable",
        link.pinned_to_device / 1e9,
        link.pinned_to_host / 1e9,
        link.pageable_to_device / 1e9,
        link.pageable_to_host / 1e9
    ))
}

fn on_gpu() -> Option<String> {
    crate::devices::self_test("gpu").map_err(|e| crate::screen::complain(&e.to_string())).ok()
}

/// Runs a small kernel through front-end and simulator and checks its result.
fn self_test() -> Result<String, Failure> {
    crate::devices::self_test("sim")
}

/// The last line with a digit in a program's version message, and the program's path.
fn version_of(program: &str, arguments: &[&str]) -> Option<String> {
    let path = nvrtc::executable(program)?;
    let output = Command::new(&path).args(arguments).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let is_version = |line: &&str| line.contains(|c: char| c.is_ascii_digit()) && !line.contains("Copyright");
    let line = text.lines().rev().find(is_version).unwrap_or("version unknown");
    Some(format!("{} ({})", line.trim(), path.display()))
}

fn driver() -> Option<String> {
    let place = cuda_driver::library()?.display().to_string();
    // `NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.04 …`
    let version = std::fs::read_to_string("/proc/driver/nvidia/version").ok().and_then(|text| {
        text.split_whitespace()
            .find(|w| w.contains('.') && w.starts_with(|c: char| c.is_ascii_digit()))
            .map(String::from)
    });
    Some(version.map_or(place.clone(), |v| format!("{v} ({place})")))
}
