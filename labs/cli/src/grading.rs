//! Grading of one file, shared by all commands.

use crate::args::RunOptions;
use crate::course::Asked;
use crate::devices;
use crate::registry::Target;
use crate::workspace::Workspace;
use harness::{ExerciseReport, Includes};
use serde::Serialize;
use source::Failure;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// Which parts of a report to produce.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Detail {
    /// Everything, including the exercise's own tables and sweeps.
    Full,
    /// Everything except these.
    Verdict,
}

/// Grades one file on a new device.
///
/// # Errors
/// Says that the device model is unknown, or that the tool has a defect. Errors in the file are part of the report
/// instead.
pub(crate) fn grade(
    target: Target<'_>,
    file: &Path,
    workspace: &Workspace,
    options: &RunOptions,
    detail: Detail,
) -> Result<ExerciseReport, Failure> {
    grade_with(target, file, workspace, options, &how(options, detail, Asked::default()))
}

/// What the harness is asked for, with a kernel file of the user's own: it may include anything.
pub(crate) fn how(options: &RunOptions, detail: Detail, asked: Asked) -> harness::Options {
    let extras = detail == Detail::Full;
    harness::Options {
        seed: options.seed,
        extras,
        weights: asked.weights,
        printed: asked.printf,
        includes: Includes::Anywhere,
        ..Default::default()
    }
}

/// Grades one file like [`grade`], with explicit options: `how` has the seed, and values for the file's constants.
///
/// # Errors
/// The errors of [`grade`].
pub(crate) fn grade_with(
    target: Target<'_>,
    file: &Path,
    workspace: &Workspace,
    options: &RunOptions,
    how: &harness::Options,
) -> Result<ExerciseReport, Failure> {
    let mut device = devices::device(&options.device(), &options.model)?;
    caught(file, || {
        harness::grade(target.lab, target.exercise, file, workspace.paths(), device.as_mut(), how)
    })
}

/// Runs `work` and catches panics, so that a defect of the simulator on one submission does not lose the grades of
/// all others.
///
/// # Errors
/// Says that `work` panicked.
pub(crate) fn caught<T>(file: &Path, work: impl FnOnce() -> T) -> Result<T, Failure> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| {
        let what = format!("{}: grading stopped by a defect of the tool", file.display());
        Failure::new(what, "report it with the kernel file; the message above says where")
    })
}

/// Formats a value as one line of JSON.
///
/// # Errors
/// Says that JSON cannot represent the value.
pub(crate) fn json(value: &impl Serialize) -> Result<String, Failure> {
    serde_json::to_string(value)
        .map_err(|e| Failure::new(format!("the report cannot be written as JSON: {e}"), "report it"))
}
