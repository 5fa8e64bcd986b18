//! Submissions, course files, arrays, options and records of progress as no person would write them: the corpus of the crate `fuzz`, and a few
//! cases that are made of it, always the same. `FUZZ_CASES` sets how many, `FUZZ_SEED` which.

use fuzz::replay;
use fuzz::targets::{Grade, Inputs};
use std::path::Path;

/// Runs a target's corpus, and cases that are made of it. It finds the program beside the tests.
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
