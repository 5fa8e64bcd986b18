//! Submissions, course files, arrays, options and records of progress that nobody would write: the corpus of the crate `fuzz`, and a few
//! cases that are made of it, always the same. `FUZZ_CASES` sets how many, `FUZZ_SEED` which.

use fuzz::targets::{Grade, Inputs};
use fuzz::{Target, bounded, check, seeds};

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |value| value.parse().unwrap())
}

/// Runs a target's corpus, and cases that are made of it. It finds the program beside the tests.
fn run(target: &dyn Target, cases: u64) {
    assert!(std::path::Path::new(env!("CARGO_BIN_EXE_lab")).is_file());
    let files = seeds::corpus(target.name());
    assert!(!files.is_empty());
    for (path, input) in &files {
        if let Err(finding) = check(target, input) {
            panic!("{}: {finding}", path.display());
        }
    }
    let inputs: Vec<Vec<u8>> = files.into_iter().map(|(_, input)| input).collect();
    let (seed, cases) = (number("FUZZ_SEED", 1), number("FUZZ_CASES", cases));
    if let Err((finding, input)) = bounded(target, &inputs, seed, cases) {
        panic!("{finding}\nfor:\n{}", String::from_utf8_lossy(&input));
    }
}

#[test]
fn any_submission_is_graded() {
    run(&Grade, 4);
}

#[test]
fn any_file_is_read_or_refused() {
    run(&Inputs, 40);
}
