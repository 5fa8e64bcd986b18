//! Writes the instructor's half of a course.

use super::Course;
use super::tree::Tree;
use source::Failure;
use std::path::Path;

const README: &str = include_str!("texts/instructor.md");
/// Template of hidden tests; their seed is derived from the course's seed.
const HIDDEN: &str = include_str!("texts/hidden.toml");
const GRADE: &str = include_str!("texts/grade.sh");
/// The default course file.
const COURSE: &str = include_str!("texts/course.toml");

/// Writes the folder.
///
/// # Errors
/// Says which file cannot be read or written.
pub(super) fn write(course: &Course<'_>, folder: &Path) -> Result<(), Failure> {
    let tree = Tree { from: &course.workspace.paths().root, to: folder };
    for lab in course.labs {
        let is_kernel = |name: &Path| name.extension().is_some_and(|kind| kind == "cu");
        tree.folder(&format!("solutions/{}", lab.folder), &is_kernel)?;
    }
    tree.write("course.toml", course.file.unwrap_or(COURSE))?;
    tree.write("hidden.toml", HIDDEN.replace("SEED", &hidden_seed(course.seed).to_string()))?;
    tree.write_script("grade.sh", &GRADE.replace("SEED", &course.seed.to_string()))?;
    tree.write("README.md", README.replace("SEED", &course.seed.to_string()))
}

/// A seed that is not easily guessed from the course's seed, and fits a TOML number.
fn hidden_seed(seed: u64) -> u64 {
    let mixed = seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ mixed >> 29) & 0x7fff_ffff
}
