//! Grading as every command does it.

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

/// Which parts of a report are wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Detail {
    /// All, with the exercise's own tables and sweeps.
    Full,
    /// Without them.
    Verdict,
}

/// Grades one file on a device of its own.
///
/// # Errors
/// An unknown device model, or a defect of the tool; never what the file says.
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

/// As [`grade`]; `how` has the seed, and values for the file's constants.
///
/// # Errors
/// As [`grade`].
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

/// What `work` gives; a defect of the simulator on one submission must not cost the grades of all others.
///
/// # Errors
/// That it panicked.
pub(crate) fn caught<T>(file: &Path, work: impl FnOnce() -> T) -> Result<T, Failure> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| {
        let what = format!("{}: grading stopped by a defect of the tool", file.display());
        Failure::new(what, "report it with the kernel file; the message above says where")
    })
}

/// One line of JSON.
///
/// # Errors
/// A value that JSON cannot hold.
pub(crate) fn json(value: &impl Serialize) -> Result<String, Failure> {
    serde_json::to_string(value)
        .map_err(|e| Failure::new(format!("the report cannot be written as JSON: {e}"), "report it"))
}
