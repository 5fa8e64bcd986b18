//! Errors outside a kernel: one line says what is wrong, one what to do.

use crate::spelled;
use std::fmt;

/// Wrong use, or a failure of the tool itself; the program exits with status 2.
#[derive(Clone, Debug)]
pub struct Failure {
    /// What is wrong, in one line that includes the place.
    pub what: String,
    /// Advice.
    pub help: String,
}

impl Failure {
    /// Creates a failure with advice. Write commands as `cargo lab …`.
    pub fn new(what: impl Into<String>, help: impl Into<String>) -> Failure {
        Failure { what: spelled(what), help: spelled(help) }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: {}\n  help: {}", self.what, self.help)
    }
}

impl std::error::Error for Failure {}
