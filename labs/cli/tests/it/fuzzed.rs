//! Runs the corpus of the crate `fuzz`, and a few fixed cases derived from it: malformed submissions, course files,
//! arrays, options and progress records. `FUZZ_CASES` sets the number of cases, `FUZZ_SEED` their seed.

use fuzz::replay;
use fuzz::targets::{Grade, Inputs};
use std::path::Path;

/// Runs a target's corpus, and cases derived from it. The program lies beside the tests.
fn run(target: &dyn fuzz::Target, cases: u64) {
    assert!(Path::new(env!("CARGO_BIN_EXE_lab")).is_file());
    replay(target, cases, Path::new(env!("CARGO_TARGET_TMPDIR")));
}

#[test]
fn any_submission_is_graded() {
    run(&Grade, 4);
}

#[test]
fn any_file_is_read_or_refused() {
    run(&Inputs, 40);
}
