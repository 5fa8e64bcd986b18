//! The command line's integration tests, in one program.

mod architecture;
mod book;
mod commands;
mod editor;
mod english;
mod explain;
mod features;
mod formats;
mod fuzzed;
mod html;
mod init;
mod input;
mod launch;
mod lists;
mod modules;
mod names;
mod objects;
mod progress;
mod support;
mod transcript;
mod watch;
mod widths;
