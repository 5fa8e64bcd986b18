//! Fuzzing: what must hold of every input, tried on inputs that no programmer would write.
//!
//! A [`Target`] has seeds, a way to change an input, and [`Target::run`], which says what is wrong with what the program did. The targets:
//!
//! * `compile`: any bytes as a kernel file, through the front-end, the optimiser and the renderers of messages.
//! * `launch`: files that compile, run in every mode of the simulator and compared with the reference interpreter.
//! * `ir`: random modules of the IR, the same way, before and after optimisation.
//! * `grade` and `inputs`: submissions and other files, given to the built `lab` program.
//!
//! They are run in three ways: over the files of `corpus` and a fixed number of random cases by the tests; for hours by the program
//! `fuzz`, which starts a worker process with limits of time and memory and guides it by coverage if it was built so (`.ci/fuzz` does);
//! and on one file by `fuzz check`. The cases of a seed are the same on every machine.
//!
//! Why this is our own and no library: coverage guidance on stable Rust needs only the counters that LLVM's `sancov-module` pass places,
//! and one function that learns where they are (the module `coverage`). libFuzzer (`cargo-fuzz`, `bolero`) and honggfuzz bring a C++ or C
//! toolchain to build, and LibAFL hundreds of crates. None knows what a CUDA file is made of, which decides how deep a case gets.

mod campaign;
mod coverage;
mod limits;
mod minimise;
pub mod mutate;
mod panics;
mod random;
pub mod seeds;
mod target;
pub mod targets;
mod worker;

pub use campaign::{Campaign, run};
pub use limits::FOUND;
pub use minimise::{Minimise, minimise, outcome};
pub use random::Random;
pub use target::{Finding, Target, check};
pub use worker::{Work, work};

use std::path::Path;

/// Runs a target's corpus, and then a fixed number of random cases that are made of it: for tests. `FUZZ_CASES` of the environment sets another
/// number, `FUZZ_SEED` other cases. An input that shows a defect is kept in `folder`.
///
/// # Panics
/// At the first finding, and if the target has no corpus or a variable of the environment is not a number.
pub fn replay(target: &dyn Target, cases: u64, folder: &Path) {
    let number = |name: &str, default: u64| {
        std::env::var(name).map_or(default, |value| value.parse().expect("a number"))
    };
    let (seed, cases) = (number("FUZZ_SEED", 1), number("FUZZ_CASES", cases));
    let files = seeds::corpus(target.name());
    assert!(!files.is_empty(), "{} has a corpus", target.name());
    for (path, input) in &files {
        if let Err(finding) = check(target, input) {
            panic!("{}: {finding}", path.display());
        }
    }
    let inputs: Vec<Vec<u8>> = files.into_iter().map(|(_, input)| input).collect();
    for case in 0..cases {
        let mut random = Random::of(seed, case);
        let input = target.mutate(random.pick::<Vec<u8>>(&inputs), &inputs, &mut random);
        let Err(finding) = check(target, &input) else { continue };
        let path = folder.join(format!("{}-{seed}", target.name())).with_extension(target.extension());
        std::fs::write(&path, &input).expect("the folder can be written to");
        let (name, path) = (target.name(), path.display());
        panic!("{finding}\nfor {path}; make it smaller with `cargo run -p fuzz -- minimise {name} {path}`");
    }
}
