//! What goes wrong outside a kernel: one line on what, one on what to do.

use std::fmt;

/// Wrong use, or a failure of the tool itself; exit status 2.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    /// What was wrong, one line, with the place in it.
    pub(crate) what: String,
    /// What to do.
    pub(crate) help: String,
}

impl Failure {
    /// A failure with its remedy. Commands are written as `cargo lab …`.
    pub(crate) fn new(what: impl Into<String>, help: impl Into<String>) -> Failure {
        Failure { what: source::spelled(what), help: source::spelled(help) }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: {}\n  help: {}", self.what, self.help)
    }
}

impl std::error::Error for Failure {}
