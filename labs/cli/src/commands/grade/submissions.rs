//! Which files are graded, and as which exercise.

use crate::identify;
use crate::registry::Target;
use crate::screen::complain;
use harness::Lab;
use source::Failure;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// A file to grade.
pub(super) struct Submission<'a> {
    /// Its place among the files of the command, 0-based.
    pub(super) index: usize,
    pub(super) path: PathBuf,
    /// What it is to be graded as, or why that cannot be told.
    pub(super) target: Result<Target<'a>, Failure>,
}

/// The files that the paths stand for, in order: of the command line, and within a folder by path.
///
/// # Errors
/// A folder that cannot be read or has no kernel file.
pub(super) fn find<'a>(
    labs: &'a [Lab],
    exercise: Option<Target<'a>>,
    paths: &[PathBuf],
) -> Result<Vec<Submission<'a>>, Failure> {
    let mut files = Vec::new();
    paths.iter().try_for_each(|path| collect(path, &mut files))?;
    let submission = |(index, (path, found)): (usize, (PathBuf, Result<(), Failure>))| {
        let target = found.and_then(|()| identified(labs, exercise, &path));
        Submission { index, path, target }
    };
    Ok(files.into_iter().enumerate().map(submission).collect())
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

/// The file itself, or every `.cu` file below a folder in order of path. A folder below it that cannot be read is among them, with its failure: it
/// gets an object that says so, and the others are graded.
fn collect(path: &Path, files: &mut Vec<(PathBuf, Result<(), Failure>)>) -> Result<(), Failure> {
    if !path.is_dir() {
        files.push((path.to_path_buf(), Ok(())));
        return Ok(());
    }
    let before = files.len();
    collect_below(path, files).map_err(|e| unreadable(path, &e))?;
    if files.len() == before {
        let what = format!("{}: there is no .cu file in this folder", path.display());
        return Err(Failure::new(what, "name a folder of submissions, or the files themselves"));
    }
    Ok(())
}

fn unreadable(path: &Path, error: &io::Error) -> Failure {
    let help = match error.kind() {
        io::ErrorKind::InvalidFilename => "its path is too long: move it up",
        _ => "check that it is there, and its permissions",
    };
    Failure::new(format!("{}: cannot be read: {error}", path.display()), help)
}

fn collect_below(path: &Path, files: &mut Vec<(PathBuf, Result<(), Failure>)>) -> io::Result<()> {
    let mut entries: Vec<_> = std::fs::read_dir(path)?.collect::<Result<_, _>>()?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        if is_passed_over(&entry.file_name()) {
            continue;
        }
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        let entry = entry.path();
        if is_folder {
            if let Err(error) = collect_below(&entry, files) {
                let failure = unreadable(&entry, &error);
                files.push((entry, Err(failure)));
            }
        } else if entry.extension().is_some_and(|e| e.eq_ignore_ascii_case("cu")) {
            // Also a link or a pipe of that name, which is refused by name.
            files.push((entry, Ok(())));
        } else if is_nearly_a_kernel_file(&entry) {
            complain(&format!("{}: skipped, because its name does not end in .cu", entry.display()));
        }
    }
    Ok(())
}

/// The text of a submission's file for a digest, as far as a kernel file may be long; nothing if it cannot be read or is no file.
pub(super) fn bytes(submission: &Submission) -> Vec<u8> {
    let mut bytes = Vec::new();
    if submission.target.is_ok()
        && let Ok(file) = File::open(&submission.path)
    {
        // What cannot be read has no grade to keep.
        let _ = file.take(harness::LARGEST_FILE + 1).read_to_end(&mut bytes);
    }
    bytes
}

/// That the file can still be read: one that cannot has no grade.
///
/// # Errors
/// What the system says.
pub(super) fn check(path: &Path) -> Result<(), Failure> {
    File::open(path).map(drop).map_err(|e| unreadable(path, &e))
}

fn identified<'a>(labs: &'a [Lab], exercise: Option<Target<'a>>, file: &Path) -> Result<Target<'a>, Failure> {
    if file.is_symlink() {
        // Else a submission could be a link to the solution, or to a file that is none of its author's business.
        let what = format!("{} is a symbolic link", file.display());
        return Err(Failure::new(what, "submit the file itself"));
    }
    if !file.is_file() {
        let what = format!("{} is neither a file nor a folder", file.display());
        return Err(Failure::new(what, "check the path"));
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
