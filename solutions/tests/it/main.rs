//! The tests that prove the solutions, in one program.

#[macro_use]
mod exercises;

mod arithmetic;
mod bank;
mod best;
mod counters;
mod edited;
mod figures;
mod files;
mod grades;
mod hints;
mod json_schema;
mod mistakes;
mod modes;
mod oracle;
mod references;
mod schema;
mod small;
