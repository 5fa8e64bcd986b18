//! The reference kernels, one file an exercise, and the tests that prove them.
//!
//! The tests hold what must be true of every exercise: its solution passes all checks and gates, its starter is derived
//! from the solution, compiles, and fails; no exercise is without its files and no file without its exercise. They also
//! hold the labs' host references against values worked out by hand.

use harness::{Lab, Paths};
use std::path::Path;

/// All labs, in order.
pub fn labs() -> Vec<Lab> {
    vec![lab_1::lab(), lab_2::lab(), lab_3::lab(), lab_4::lab(), lab_5::lab(), lab_6::lab(), lab_7::lab()]
}

/// Where the files of this workspace are.
pub fn paths() -> Paths {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    Paths::new(folder.parent().unwrap_or(folder))
}
