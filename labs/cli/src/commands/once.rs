//! `cargo lab once`: runs an exercise's report case on the GPU once, untimed, under an external tool. Also starts
//! such tools for other commands.

use crate::args::{OnceArgs, TargetArgs};
use crate::registry::{self, Target};
use crate::screen::Screen;
use crate::selection::{Chosen, Selector};
use crate::workspace::Workspace;
use source::Failure;
use std::path::PathBuf;
use std::process::{Command, Output};

/// Start of the last line of the run, which gives the number of launches.
const LAUNCHES: &str = "launches: ";

/// Runs the case. Returns false if the kernel is wrong.
pub(crate) fn once(screen: &Screen, workspace: &Workspace, args: &OnceArgs) -> anyhow::Result<bool> {
    let labs = registry::labs();
    let target = Selector::new(&labs, workspace).one(&format!("{}/{}", args.lab, args.exercise))?;
    let help = "the command that started this one says what is needed";
    let file = harness::read_kernel_file(&args.file, &args.file.display().to_string())
        .map_err(|e| Failure::new(e, help))?;
    let mut device = crate::devices::device("gpu", crate::devices::DEFAULT_MODEL)?;
    match harness::run_report_case(target.exercise, file, device.as_mut(), args.seed, false) {
        Ok((_, tally)) => {
            screen.line(format!("{LAUNCHES}{}", tally.launches))?;
            Ok(true)
        }
        Err(failure) => {
            screen.line(format!("failed: {failure}"))?;
            Ok(false)
        }
    }
}

/// The selected exercises, with their files.
///
/// # Errors
/// Says which lab, exercise or file does not exist.
pub(crate) fn targets<'a>(
    labs: &'a [harness::Lab],
    workspace: &Workspace,
    args: &TargetArgs,
) -> Result<Vec<(Target<'a>, PathBuf)>, Failure> {
    let file = |Chosen { target, file }: Chosen<'a>| {
        let file = match file {
            Some(file) => file,
            None if args.solution => workspace.solution(target)?,
            None => workspace.kernel(target),
        };
        if file.is_file() {
            return Ok((target, file));
        }
        let what = format!("{} does not exist or is not a file", workspace.shown(&file));
        Err(Failure::new(what, "`cargo lab reset LAB EXERCISE` restores a starter"))
    };
    let chosen = Selector::new(labs, workspace).chosen(&args.targets)?;
    if !args.solution && chosen.iter().any(|chosen| chosen.file.is_none()) {
        workspace.has_labs()?;
    }
    chosen.into_iter().map(file).collect()
}

/// Runs `tool`, one of CUDA's tools, on this program's command `once`.
///
/// # Errors
/// Says that the tool or a GPU is missing, or that the tool cannot be started.
pub(crate) fn watched(
    tool: &str,
    options: &[&str],
    target: Target<'_>,
    file: &std::path::Path,
    seed: u64,
) -> Result<Output, Failure> {
    backend::probe().map_err(|absent| {
        Failure::new(
            format!("`{tool}` needs a GPU: {absent}"),
            "`cargo lab doctor` says how to get what is missing",
        )
    })?;
    let path = nvrtc::executable(tool).ok_or_else(|| {
        let help = "it comes with the CUDA Toolkit: https://developer.nvidia.com/cuda-downloads";
        Failure::new(format!("`{tool}` is not installed"), help)
    })?;
    let fail =
        |e: std::io::Error| Failure::new(format!("`{tool}` cannot be run: {e}"), "check its installation");
    let own = std::env::current_exe().map_err(fail)?;
    let mut command = Command::new(path);
    command.args(options).arg(own).args(["once", target.lab.package, target.exercise.name()]);
    command.arg(file).arg(seed.to_string()).output().map_err(fail)
}

/// Number of launches that the run under the tool reports; `None` if it did not finish.
pub(crate) fn launches(output: &Output) -> Option<u64> {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().find_map(|line| line.trim().strip_prefix(LAUNCHES)?.parse().ok())
}
