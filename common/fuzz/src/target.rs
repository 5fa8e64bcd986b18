//! What is fuzzed.

use crate::{Random, panics};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Something that must not happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What kind of thing it is, in a word or two: `panic`, `modes differ`.
    pub kind: String,
    /// The details.
    pub message: String,
}

impl Finding {
    /// A finding of that kind.
    pub fn new(kind: &str, message: impl Into<String>) -> Finding {
        Finding { kind: kind.to_owned(), message: message.into() }
    }

    /// The same for findings that have the same cause, as far as that can be told: the kind, and the first line of the details up to what
    /// is quoted there, without its numbers.
    pub fn signature(&self) -> String {
        let line = self.message.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let mut signature = format!("{}: ", self.kind);
        // Where it panicked is a signature by itself, but for the column.
        for c in line.chars().take(160) {
            match c {
                '"' | '{' | '`' if self.kind != "panic" => break,
                '0'..='9' if self.kind == "panic" => signature.push(c),
                '0'..='9' if signature.ends_with('#') => {}
                '0'..='9' => signature.push('#'),
                c => signature.push(c),
            }
        }
        signature
    }
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.kind, self.message)
    }
}

/// What is fuzzed: how inputs are made, and what must hold of them.
pub trait Target: Sync + std::fmt::Debug {
    /// Its name on the command line and in the corpus.
    fn name(&self) -> &'static str;

    /// How the names of its inputs end.
    fn extension(&self) -> &'static str {
        "cu"
    }

    /// Inputs to start from, besides those of the corpus.
    fn seeds(&self) -> Vec<Vec<u8>>;

    /// Another input, made of one and of parts of others.
    fn mutate(&self, input: &[u8], donors: &[Vec<u8>], random: &mut Random) -> Vec<u8>;

    /// Runs the program on an input.
    ///
    /// # Errors
    /// What it did that it must not. A panic need not be caught.
    fn run(&self, input: &[u8]) -> Result<(), Finding>;
}

/// As [`Target::run`], with a panic as a finding.
///
/// # Errors
/// As [`Target::run`].
pub fn check(target: &dyn Target, input: &[u8]) -> Result<(), Finding> {
    panics::record();
    panics::take();
    let result = catch_unwind(AssertUnwindSafe(|| target.run(input)));
    let panic = panics::take();
    match (result, panic) {
        (Err(_), panic) => Err(Finding::new("panic", panic.unwrap_or_default())),
        // A stage that catches its own panics says only that it stopped.
        (Ok(Err(finding)), Some(panic)) if finding.kind == "internal error" => {
            Err(Finding::new("panic", panic))
        }
        (Ok(result), _) => result,
    }
}
