//! What goes wrong outside a kernel: one line on what, one on what to do.

use crate::spelled;
use std::fmt;

/// Wrong use, or a failure of the tool itself; exit status 2.
#[derive(Clone, Debug)]
pub struct Failure {
    /// What was wrong, one line, with the place in it.
    pub what: String,
    /// What to do.
    pub help: String,
}

impl Failure {
    /// A failure with its remedy. Commands are written as `cargo lab …`.
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
