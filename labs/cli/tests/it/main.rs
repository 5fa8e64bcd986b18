//! The command line's integration tests, in one program.

mod architecture;
mod book;
mod commands;
mod input;
mod launch;
mod objects;
mod support;
