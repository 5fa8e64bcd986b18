//! The instructor's half of a course.

use super::Course;
use super::tree::Tree;
use crate::failure::Failure;
use std::path::Path;

const README: &str = include_str!("texts/instructor.md");
const GRADE: &str = include_str!("texts/grade.sh");
/// The course file of a course without one of its own.
const COURSE: &str = include_str!("texts/course.toml");

/// Writes it.
///
/// # Errors
/// A file that cannot be read or written.
pub(super) fn write(course: &Course<'_>, folder: &Path) -> Result<(), Failure> {
    let tree = Tree { from: &course.workspace.paths().root, to: folder };
    for lab in course.labs {
        let is_kernel = |name: &Path| name.extension().is_some_and(|kind| kind == "cu");
        tree.folder(&format!("solutions/{}", lab.folder), &is_kernel)?;
    }
    tree.write("course.toml", course.file.unwrap_or(COURSE))?;
    tree.write_script("grade.sh", &GRADE.replace("SEED", &course.seed.to_string()))?;
    tree.write("README.md", README)
}
