//! Each file of the corpus, and random cases made of them: always the same, so that a failure is repeated by running the test again.
//! `FUZZ_CASES` sets how many cases, `FUZZ_SEED` which.

use fuzz::targets::{Compile, Ir, Launch};
use fuzz::{Target, bounded, check, seeds};

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |value| value.parse().expect("a number"))
}

/// Runs a target's corpus, and cases that are made of it.
fn run(target: &dyn Target, cases: u64) {
    let files = seeds::corpus(target.name());
    assert!(files.len() > 3, "{} has a corpus", target.name());
    for (path, input) in &files {
        if let Err(finding) = check(target, input) {
            panic!("{}: {finding}", path.display());
        }
    }
    let inputs: Vec<Vec<u8>> = files.into_iter().map(|(_, input)| input).collect();
    let (seed, cases) = (number("FUZZ_SEED", 1), number("FUZZ_CASES", cases));
    if let Err((finding, input)) = bounded(target, &inputs, seed, cases) {
        let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
        let path = folder.join(format!("{}-{seed}", target.name())).with_extension(target.extension());
        std::fs::write(&path, &input).expect("the target folder can be written to");
        panic!(
            "{finding}\nfor {}; make it smaller with `cargo run -p fuzz -- minimise {} {}`",
            path.display(),
            target.name(),
            path.display()
        );
    }
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
