//! The harness's integration tests, in one program.

mod best;
mod compare;
mod fake;
mod glossary;
mod grading;
mod runner;
