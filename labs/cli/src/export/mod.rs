//! A course as two folders: `student`, which students get, and `instructor`, which they do not.
//!
//! The student's half is a checkout of its own, without history and without a line of a solution: the sources of the program, the
//! starters, the book's chapters for students, and what the solutions were measured to have ([`harness::reference`]). It is made of files
//! that are named or of a known kind, so that other files in the checkout do not reach students.
//!
//! The instructor's half has what the student's lacks: the solutions, the whole course file, and a script that grades with both.

mod book;
mod cargo;
mod instructor;
mod student;
mod tree;

use crate::workspace::Workspace;
use harness::Lab;
use source::Failure;
use std::path::{Path, PathBuf};

/// What a course is made of.
pub(crate) struct Course<'a> {
    /// The checkout that it is made from.
    pub(crate) workspace: &'a Workspace,
    /// All labs.
    pub(crate) labs: &'a [Lab],
    /// The text of the instructor's course file, which is valid.
    pub(crate) file: Option<&'a str>,
    /// The seed that submissions are graded with.
    pub(crate) seed: u64,
}

/// Writes both halves to a folder that does not exist or is empty; whole, or not at all.
///
/// # Errors
/// A folder that has something in it, a checkout without solutions, or a file that cannot be read or written.
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

/// A folder that is being written. It is removed unless it is finished.
struct Partial {
    path: PathBuf,
}

impl Partial {
    /// In the same folder as the one that it is to become, so that it only has to be renamed.
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
        // Not every system renames a folder over an empty one.
        let _ = std::fs::remove_dir(folder);
        std::fs::rename(&self.path, folder).map_err(|e| cannot("written", folder, &e))
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        // It is not there when it was finished.
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

/// That a file cannot be `read` or `written`.
fn cannot(what: &str, path: &Path, error: &std::io::Error) -> Failure {
    let help = if what == "read" {
        "run this in a complete checkout of the project"
    } else {
        "choose a folder that you may write to"
    };
    Failure::new(format!("{}: cannot be {what}: {error}", path.display()), help)
}
