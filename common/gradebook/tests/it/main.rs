//! The crate's integration tests, in one program.

mod formats;
mod hostile;
mod lines;
mod merge;
mod support;
