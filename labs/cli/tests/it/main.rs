//! The command line's integration tests, in one program.

mod architecture;
#[cfg(target_os = "linux")]
mod archives;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod autograder;
mod book;
mod commands;
mod course;
mod editor;
mod english;
mod explain;
mod features;
mod formats;
mod fuzzed;
mod grade;
mod gradebook;
mod html;
mod init;
mod input;
mod launch;
mod launch_host;
mod launch_values;
mod lists;
mod modules;
mod names;
mod objects;
mod output;
mod progress;
mod similar;
#[cfg(target_os = "linux")]
mod slurm;
mod support;
mod transcript;
mod watch;
mod widths;
