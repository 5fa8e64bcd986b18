//! A kernel launch as a line of text: `--kernel saxpy --grid 16 --block 256 --arg 4096 --arg f32[4096]=ramp`.
//!
//! [`LaunchLine`] and [`LaunchLimits`] hold the options; a command line parses them with `clap`. A [`Request`]
//! checks the options, [`compile()`] compiles the file, and [`Request::run`] creates the arguments and launches the
//! kernel. [`Launched`] formats the results; after an error it tries the edits that the message suggests
//! ([`Launched::suggest`]).
//!
//! The book's page on commands explains the syntax of arguments. The caller provides files and the clock ([`Arrays`],
//! [`Clock`]), so a caller without files can refuse them.

mod arguments;
mod arrays;
mod launch;
mod options;
mod overview;
mod print;
mod program;
mod shape;
mod shown;
mod spec;
mod suggest;
mod symbols;
mod values;

pub use arguments::shown as parameter;
pub use arrays::{Array, Arrays, Clock, NoFiles};
pub use launch::{Launched, Request};
pub use options::{LaunchLimits, LaunchLine};
pub use program::{Outcome, compile, compile_options, dimensions, json, kernel, text};
pub use spec::element::Scalar;
pub use suggest::suggest_for_file;
