//! Each file of the corpus, and random cases made of them: always the same, so that a failure is repeated by running the test again.
//! `FUZZ_CASES` sets how many cases, `FUZZ_SEED` which.

use fuzz::targets::{Compile, Ir, Launch};
use std::path::Path;

/// Runs a target's corpus, and cases that are made of it.
fn run(target: &dyn fuzz::Target, cases: u64) {
    fuzz::replay(target, cases, Path::new(env!("CARGO_TARGET_TMPDIR")));
}

#[test]
fn any_bytes_compile_or_are_refused() {
    run(&Compile, 150);
}

#[test]
fn launches_are_the_same_in_every_mode() {
    run(&Launch, 120);
}

#[test]
fn modules_are_the_same_before_and_after_all_passes() {
    run(&Ir, 300);
}
