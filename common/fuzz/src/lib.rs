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

/// Runs a fixed number of random cases of a target, and then stops: for tests.
///
/// # Errors
/// The first finding, with the input that shows it.
pub fn bounded(
    target: &dyn Target,
    seeds: &[Vec<u8>],
    seed: u64,
    cases: u64,
) -> Result<(), (Finding, Vec<u8>)> {
    for case in 0..cases {
        let mut random = Random::of(seed, case);
        let input = target.mutate(random.pick::<Vec<u8>>(seeds), seeds, &mut random);
        check(target, &input).map_err(|finding| (finding, input))?;
    }
    Ok(())
}
