//! Finds the files to grade and their exercises.
//!
//! A folder may contain submissions that cannot be graded: an archive, a link, a kernel with a wrong name ([`Flaw`]).
//! Each still gets an object with the reason; without one, the submission would be missing and count 0.

use crate::identify;
use crate::registry::{self, Target};
use crate::screen::complain;
use device::KernelFile;
use harness::Lab;
use source::Failure;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// A file to grade.
pub(crate) struct Submission<'a> {
    /// 0-based index among the files of the command.
    pub(super) index: usize,
    pub(crate) path: PathBuf,
    /// Its exercise, or why the exercise is unknown.
    pub(crate) target: Result<Target<'a>, Failure>,
    /// Why it is not graded, even if its exercise is known.
    pub(crate) refused: Option<Failure>,
}

impl Submission<'_> {
    /// Reads the kernel file; `name` is the file's name in messages.
    ///
    /// # Errors
    /// Says why it is no kernel file.
    pub(crate) fn read(&self, name: &str) -> Result<KernelFile, String> {
        harness::read_kernel_file(&self.path, name)
    }
}

/// A file, or an unreadable folder.
struct Found {
    path: PathBuf,
    refused: Option<Failure>,
    /// If it is refused because of its name: the path with the correct name.
    named: Option<PathBuf>,
}

/// Why a submitted file in a folder is not graded.
enum Flaw {
    Link,
    Archive,
    /// A kernel file with a wrong name; holds the correct name.
    Named(String),
}

/// Finds the files that the paths refer to, in the order of the command line, and within a folder by path.
/// `assignment` lists the exercises that count; if it is not empty, a folder may contain no file.
///
/// # Errors
/// Says that a folder cannot be read or has no kernel file.
pub(crate) fn find<'a>(
    labs: &'a [Lab],
    exercise: Option<Target<'a>>,
    paths: &[PathBuf],
    assignment: &[String],
) -> Result<Vec<Submission<'a>>, Failure> {
    let mut files = Vec::new();
    paths.iter().try_for_each(|path| collect(labs, path, !assignment.is_empty(), &mut files))?;
    let submission = |(index, Found { path, refused, named }): (usize, Found)| {
        let target = match &refused {
            None => identified(labs, exercise, assignment, &path),
            Some(failure) => {
                let told = || identify::identify(labs, named.as_deref()?, &text(&path)).ok();
                exercise.or_else(told).ok_or_else(|| failure.clone())
            }
        };
        Submission { index, path, target, refused }
    };
    Ok(files.into_iter().enumerate().map(submission).collect())
}

/// Whether to skip a folder's entry: hidden files, and metadata that macOS puts into archives.
fn is_passed_over(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".") || name == "__MACOSX"
}

/// File name extensions of archives.
const ARCHIVES: [&str; 13] =
    ["zip", "tar", "gz", "tgz", "bz2", "tbz2", "xz", "txz", "zst", "tzst", "7z", "rar", "lz"];

/// Extensions of other C and C++ files; such a file is a kernel file if it defines a kernel.
const C_FILES: [&str; 8] = ["c", "cc", "cpp", "cxx", "c++", "cuh", "h", "hpp"];

/// The flaw of a file whose name does not end in `.cu`; `None` if it is no submission, such as a readme.
fn flaw(labs: &[Lab], path: &Path) -> Option<Flaw> {
    if path.is_symlink() {
        return Some(Flaw::Link);
    }
    if !path.is_file() {
        return None;
    }
    let name = path.file_name()?.to_string_lossy();
    let (stem, end) = name.rsplit_once('.').map_or((&*name, ""), |(stem, end)| (stem, end.trim()));
    let end = end.to_ascii_lowercase();
    if ARCHIVES.contains(&&*end) {
        return Some(Flaw::Archive);
    }
    if let Some(stem) = before_cu(&name) {
        return Some(Flaw::Named(format!("{stem}.cu")));
    }
    let should_be = format!("{}.cu", stem.trim());
    let is_exercise =
        || registry::every(labs).any(|target| identify::is_named(&target, Path::new(&should_be)));
    let has_kernel = || text(path).contains("__global__");
    let is_kernel = match &*end {
        "" | "txt" => is_exercise(),
        end if C_FILES.contains(&end) => is_exercise() || has_kernel(),
        _ => false,
    };
    is_kernel.then_some(Flaw::Named(should_be))
}

/// The part before `.cu` in the name of a copy or a renamed file: `x.cu.txt`, `x.cu~`, `x.cu `, `x.cu (1)`, `x.cuh`.
fn before_cu(name: &str) -> Option<&str> {
    let lower = name.to_ascii_lowercase();
    let at = lower.find(".cu")?;
    let rest = &lower[at + 3..];
    let is_end = !rest.starts_with(|c: char| c.is_alphanumeric()) || rest == "h";
    (is_end && at > 0).then(|| name[..at].trim())
}

/// Collects the file itself, or every submission below a folder in the order of paths. An unreadable subfolder
/// becomes an entry with a failure, so that its object says so and other files are graded.
fn collect(labs: &[Lab], path: &Path, may_be_empty: bool, files: &mut Vec<Found>) -> Result<(), Failure> {
    if !path.is_dir() {
        files.push(Found { path: path.to_path_buf(), refused: None, named: None });
        return Ok(());
    }
    let before = files.len();
    collect_below(labs, path, files).map_err(|e| unreadable(path, &e))?;
    if files.len() == before && !may_be_empty {
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

fn collect_below(labs: &[Lab], path: &Path, files: &mut Vec<Found>) -> io::Result<()> {
    let mut entries: Vec<_> = std::fs::read_dir(path)?.collect::<Result<_, _>>()?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        if is_passed_over(&entry.file_name()) {
            continue;
        }
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        let path = entry.path();
        if is_folder {
            if let Err(error) = collect_below(labs, &path, files) {
                let refused = Some(unreadable(&path, &error));
                files.push(Found { path, refused, named: None });
            }
        } else if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("cu")) {
            // This includes links and pipes with such a name, which are refused later.
            files.push(Found { path, refused: None, named: None });
        } else if let Some(flaw) = flaw(labs, &path) {
            files.extend(refused(path, flaw));
        }
    }
    Ok(())
}

/// The entry of a file that is not graded, with the reason. `None` if it is a copy beside the kernel file itself,
/// such as `x.cu.bak`.
fn refused(path: PathBuf, flaw: Flaw) -> Option<Found> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let (what, help, named) = match flaw {
        Flaw::Link => {
            (format!("`{name}` is a symbolic link"), "hand in the files themselves".to_owned(), None)
        }
        Flaw::Archive => {
            (format!("`{name}` is an archive"), "unpack it, and hand in its files".to_owned(), None)
        }
        Flaw::Named(should_be) => {
            let named = path.with_file_name(&should_be);
            if named.exists() {
                complain(&format!("{}: skipped, because {should_be} is beside it", path.display()));
                return None;
            }
            (format!("`{name}` is not a `.cu` file"), format!("rename it to `{should_be}`"), Some(named))
        }
    };
    // Put the help into the reason, because rows of tables show only the reason.
    let failure = Failure::new(format!("{what}; {help}"), help);
    Some(Found { path, refused: Some(failure), named })
}

/// Reads a submission for its digest, at most as many bytes as a kernel file may have; empty if it cannot be read.
pub(super) fn bytes(submission: &Submission) -> Vec<u8> {
    let mut bytes = Vec::new();
    if submission.target.is_ok()
        && submission.refused.is_none()
        && let Ok(file) = File::open(&submission.path)
    {
        // Ignore read errors: an unreadable file has no stored grade.
        let _ = file.take(harness::LARGEST_FILE + 1).read_to_end(&mut bytes);
    }
    bytes
}

/// Checks that the file is still readable; an unreadable file gets no grade.
///
/// # Errors
/// The error of the system.
pub(super) fn check(path: &Path) -> Result<(), Failure> {
    File::open(path).map(drop).map_err(|e| unreadable(path, &e))
}

/// The text that identifies the exercise. A file that is not text is identified by its path alone, and refused during
/// grading.
fn text(file: &Path) -> String {
    harness::read_kernel_file(file, "").map(|f| f.text).unwrap_or_default()
}

fn identified<'a>(
    labs: &'a [Lab],
    exercise: Option<Target<'a>>,
    assignment: &[String],
    file: &Path,
) -> Result<Target<'a>, Failure> {
    if file.is_symlink() {
        // Refuse links: a submission could link to the solution or to another person's file.
        let what = format!("{} is a symbolic link", file.display());
        return Err(Failure::new(what, "submit the file itself"));
    }
    if !file.is_file() {
        let what = format!("{} is neither a file nor a folder", file.display());
        return Err(Failure::new(what, "check the path"));
    }
    let text = text(file);
    let told = || identify::identify(labs, file, &text);
    match exercise {
        // If the assignment is one exercise, any file counts for it, unless it clearly belongs to another exercise.
        Some(target) if !assignment.is_empty() && !identify::has_kernels(&target, &text) => {
            Ok(told().ok().filter(|told| !assignment.contains(&told.name())).unwrap_or(target))
        }
        Some(target) => Ok(target),
        None => told(),
    }
}
