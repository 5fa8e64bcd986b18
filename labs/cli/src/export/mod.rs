//! Exports a course as two folders: `student` for students, and `instructor` for instructors only.
//!
//! The student's half is a separate checkout, without history and without any line of a solution. It contains the
//! program's sources, the starters, the book's chapters for students, and the measured values of the solutions
//! ([`harness::reference`]). Only listed files and listed kinds of files are copied, so that other files of the
//! checkout do not reach students.
//!
//! The instructor's half contains what the student's half lacks: the solutions, the whole course file, and a script
//! that grades with both.

mod book;
mod cargo;
mod instructor;
mod student;
mod tree;

use crate::workspace::Workspace;
use harness::Lab;
use source::Failure;
use std::path::{Path, PathBuf};

/// The contents of a course.
pub(crate) struct Course<'a> {
    /// The checkout that it is exported from.
    pub(crate) workspace: &'a Workspace,
    /// All labs.
    pub(crate) labs: &'a [Lab],
    /// The validated text of the instructor's course file.
    pub(crate) file: Option<&'a str>,
    /// The seed for grading submissions.
    pub(crate) seed: u64,
}

/// Writes both halves atomically to a folder that does not exist or is empty.
///
/// # Errors
/// Says that the folder is not empty, that the checkout has no solutions, or that a file cannot be read or written.
pub(crate) fn export(course: &Course<'_>, folder: &Path) -> Result<(), Failure> {
    course.workspace.has_solutions()?;
    let is_free = match std::fs::read_dir(folder) {
        Ok(mut entries) => entries.next().is_none(),
        Err(e) => e.kind() == std::io::ErrorKind::NotFound,
    };
    if !is_free {
        let what = format!("{} is there already, and is not an empty folder", folder.display());
        return Err(Failure::new(what, "give a new folder: nothing is replaced"));
    }
    let partial = Partial::beside(folder)?;
    student::write(course, &partial.path.join("student"))?;
    instructor::write(course, &partial.path.join("instructor"))?;
    partial.finish(folder)
}

/// A folder under construction; it is removed unless finished.
struct Partial {
    path: PathBuf,
}

impl Partial {
    /// Creates it beside `folder`, so that finishing needs only a rename.
    fn beside(folder: &Path) -> Result<Partial, Failure> {
        let name = folder.file_name().ok_or_else(|| {
            Failure::new(
                format!("{} is not the name of a new folder", folder.display()),
                "give one, such as `course`",
            )
        })?;
        let name = format!(".{}.partial-{}", name.to_string_lossy(), std::process::id());
        let path = folder.with_file_name(name);
        std::fs::create_dir_all(&path).map_err(|e| cannot("written", &path, &e))?;
        Ok(Partial { path })
    }

    fn finish(self, folder: &Path) -> Result<(), Failure> {
        // Not every system can rename a folder over an empty one.
        let _ = std::fs::remove_dir(folder);
        std::fs::rename(&self.path, folder).map_err(|e| cannot("written", folder, &e))
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        // After finishing, the folder no longer exists under this name.
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

/// The failure that a file cannot be `read` or `written`.
fn cannot(what: &str, path: &Path, error: &std::io::Error) -> Failure {
    let help = if what == "read" {
        "run this in a complete checkout of the project"
    } else {
        "choose a folder that you may write to"
    };
    Failure::new(format!("{}: cannot be {what}: {error}", path.display()), help)
}
