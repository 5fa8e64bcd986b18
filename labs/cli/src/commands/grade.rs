//! `cargo lab grade`: submissions in, one JSON object per line and exercise out.

use crate::args::GradeArgs;
use crate::course;
use crate::devices;
use crate::failure::Failure;
use crate::grading::{self, Detail};
use crate::identify;
use crate::registry::{self, Target};
use crate::screen::{Screen, complain, progress};
use crate::selection::Selector;
use crate::workspace::Workspace;
use harness::{Includes, Lab, Status};
use rayon::prelude::*;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// What became of one file.
struct Outcome {
    line: String,
    status: Status,
    /// No grade could be given.
    is_error: bool,
}

/// Grades every file, several at a time, and prints in the order of the command line (folders: by path).
///
/// # Errors
/// Wrong options; or, after everything was printed, that a file could not be graded at all.
pub(crate) fn grade(screen: &Screen, workspace: &Workspace, args: &GradeArgs) -> anyhow::Result<bool> {
    let labs = registry::labs();
    devices::device(&args.options.device(), &args.options.model)?;
    let option = args.exercise.as_ref();
    let exercise = option.map(|word| Selector::new(&labs, workspace).one(word)).transpose()?;
    let weights = course::weights(&labs, args.course.as_deref())?;
    let how = grading::how(&args.options, Detail::Verdict, weights);
    let how = harness::Options { includes: Includes::default(), ..how };
    let mut files = Vec::new();
    for path in &args.files {
        collect(path, &mut files)?;
    }
    let bar = progress(files.len());
    let mut outcomes = Vec::with_capacity(files.len());
    // In batches, so that what is done is printed soon and in order.
    for batch in files.chunks(4 * rayon::current_num_threads()) {
        let graded: Vec<Outcome> = batch
            .par_iter()
            .map(|file| {
                let outcome = one(&labs, exercise, file, workspace, args, &how);
                bar.inc(1);
                outcome
            })
            .collect();
        for outcome in &graded {
            bar.suspend(|| screen.json(&outcome.line))?;
        }
        outcomes.extend(graded);
    }
    bar.finish_and_clear();
    let errors = outcomes.iter().filter(|o| o.is_error).count();
    let passed = outcomes.iter().filter(|o| o.status == Status::Passed).count();
    complain(&format!("{passed} of {} passed", outcomes.len()));
    if errors > 0 {
        let what = format!("{errors} of {} files could not be graded", outcomes.len());
        return Err(Failure::new(what, "their objects have `\"status\":\"error\"` and say why").into());
    }
    Ok(passed == outcomes.len())
}

/// Whether a folder's entry is not a submission: hidden, or what macOS puts into archives beside the files.
fn is_passed_over(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".") || name == "__MACOSX"
}

/// Whether a file is called as a mail program or an editor calls a submission's copy: `x.cu.txt`, `x.cu~`.
fn is_nearly_a_kernel_file(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    name.contains(".cu.") || name.ends_with(".cu~")
}

/// The file itself, or every `.cu` file below a folder in order of path.
fn collect(path: &Path, files: &mut Vec<PathBuf>) -> Result<(), Failure> {
    if !path.is_dir() {
        files.push(path.to_path_buf());
        return Ok(());
    }
    let fail = |e: std::io::Error| {
        Failure::new(format!("{}: cannot be read: {e}", path.display()), "check the folder's permissions")
    };
    let mut entries: Vec<_> =
        std::fs::read_dir(path).map_err(fail)?.collect::<Result<_, _>>().map_err(fail)?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    let before = files.len();
    for entry in entries {
        let kind = entry.file_type().map_err(fail)?;
        if is_passed_over(&entry.file_name()) {
            continue;
        }
        let entry = entry.path();
        if kind.is_dir() {
            collect_below(&entry, files)?;
        } else if entry.extension().is_some_and(|e| e.eq_ignore_ascii_case("cu")) && entry.is_file() {
            files.push(entry);
        } else if is_nearly_a_kernel_file(&entry) {
            complain(&format!("{}: skipped, because its name does not end in .cu", entry.display()));
        }
    }
    if files.len() == before {
        let what = format!("{}: there is no .cu file in this folder", path.display());
        return Err(Failure::new(what, "name a folder of submissions, or the files themselves"));
    }
    Ok(())
}

/// As [`collect`], but a folder without kernel files is not an error: only the one named on the command line is.
fn collect_below(path: &Path, files: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let has_none = |e: &Failure| e.what.ends_with("there is no .cu file in this folder");
    match collect(path, files) {
        Err(e) if has_none(&e) => Ok(()),
        other => other,
    }
}

fn one(
    labs: &[Lab],
    exercise: Option<Target<'_>>,
    file: &Path,
    workspace: &Workspace,
    args: &GradeArgs,
    how: &harness::Options,
) -> Outcome {
    let graded = find(labs, exercise, file)
        .and_then(|target| grading::grade_with(target, file, workspace, &args.options, how))
        .and_then(|report| Ok((grading::json_line(&report)?, report.status)));
    match graded {
        Ok((line, status)) => Outcome { line, status, is_error: false },
        Err(failure) => {
            let object = serde_json::json!({
                "schema": harness::SCHEMA,
                "file": file.display().to_string(),
                "status": "error",
                "score": 0,
                "error": failure.what,
                "help": failure.help,
            });
            Outcome { line: object.to_string(), status: Status::Failed, is_error: true }
        }
    }
}

fn find<'a>(labs: &'a [Lab], exercise: Option<Target<'a>>, file: &Path) -> Result<Target<'a>, Failure> {
    if !file.is_file() {
        let what = format!("{} is neither a file nor a folder", file.display());
        return Err(Failure::new(what, "check the path"));
    }
    if file.is_symlink() {
        // Else a submission could be a link to the solution, or to a file that is none of its author's business.
        let what = format!("{} is a symbolic link", file.display());
        return Err(Failure::new(what, "submit the file itself"));
    }
    match exercise {
        Some(target) => Ok(target),
        None => {
            // What cannot be read as text is identified by its path alone, and refused when it is graded.
            let text = harness::read_kernel_file(file, "").map(|f| f.text).unwrap_or_default();
            identify::identify(labs, file, &text)
        }
    }
}
