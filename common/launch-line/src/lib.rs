//! A kernel launch as a line of text: `--kernel saxpy --grid 16 --block 256 --arg 4096 --arg f32[4096]=ramp`.
//!
//! The options are [`LaunchLine`] and [`LaunchLimits`], which a command line takes in with `clap`; [`words`] takes a line apart as a shell
//! does. A [`Request`] checks them, [`compile()`] compiles the file, and [`Request::run`] makes arguments and launches. [`Launched`] shows what
//! came of it, and after a mistake tries what its message suggests ([`Launched::suggest`]).
//!
//! The book's page on commands says what an argument may be. Arrays in files, and the clock, are the caller's ([`Arrays`]), so a caller
//! without files can refuse them.

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
mod words;

pub use arguments::shown as parameter;
pub use arrays::{Array, Arrays, Clock, NoFiles};
pub use launch::{Launched, Request};
pub use options::{LaunchLimits, LaunchLine};
pub use program::{Outcome, compile, compile_options, dimensions, host_code, json, kernel, text};
pub use spec::element::Scalar;
pub use suggest::suggest_for_file;
pub use words::words;
