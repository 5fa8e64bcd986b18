//! What workers hand over, what stops them, and what they cannot reach.

#[cfg(unix)]
mod workers;

use libtest_mimic::{Arguments, Trial};
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = Arguments { test_threads: Some(1), ..Arguments::from_args() };
    #[cfg(unix)]
    let tests: Vec<Trial> = workers::tests();
    #[cfg(not(unix))]
    let tests: Vec<Trial> = Vec::new();
    libtest_mimic::run(&arguments, tests).exit_code()
}
