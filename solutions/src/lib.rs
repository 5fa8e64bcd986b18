//! The reference kernels, one file an exercise, and the tests that prove them.
//!
//! The tests hold what must be true of every exercise: its solution passes all checks and gates, its starter is derived
//! from the solution, compiles, and fails; no exercise is without its files and no file without its exercise. They also
//! hold the labs' host references against values worked out by hand.

use harness::{Lab, Paths, hyphenated};
use std::path::Path;

pub use labs::all as labs;

/// The lab whose folder is so named, with `_` or `-` between words.
///
/// # Panics
/// If there is none.
pub fn lab(folder: &str) -> Lab {
    let lab = labs().into_iter().find(|lab| lab.folder == hyphenated(folder));
    lab.unwrap_or_else(|| panic!("no lab is called {folder}"))
}

/// Where the files of this workspace are.
pub fn paths() -> Paths {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    Paths::new(folder.parent().unwrap_or(folder))
}
