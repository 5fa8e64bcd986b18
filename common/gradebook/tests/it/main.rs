//! The crate's integration tests, in one program.

mod alias;
mod class;
mod course;
mod exception;
mod formats;
mod grades;
mod hostile;
mod imports;
mod lines;
mod merge;
mod naming;
mod pages;
mod rollup;
mod roster;
mod support;
