//! `cargo lab`: the labs on the command line.
//!
//! This crate alone knows all labs, makes devices, reads and writes files, and sets the exit status: 0 all passed,
//! 1 a kernel failed, 2 wrong use or a failure of the tool itself.

mod args;
mod arguments;
mod cache;
mod commands;
mod devices;
mod failure;
mod grading;
mod identify;
mod kernel_file;
mod npy;
mod ptxas;
mod registry;
mod screen;
mod spec;
mod symbols;
mod tuned;
mod workspace;

use args::{Cli, Command};
use clap::Parser;
use screen::Screen;
use std::process::ExitCode;
use workspace::Workspace;

fn main() -> ExitCode {
    match run(Cli::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        // Whoever read the output has had enough; nothing is left to say to them.
        Err(error) if is_broken_pipe(&error) => ExitCode::from(2),
        Err(error) => {
            let is_ours = error.is::<failure::Failure>();
            screen::complain(&if is_ours { error.to_string() } else { format!("error: {error:#}") });
            ExitCode::from(2)
        }
    }
}

/// Whether all that was asked for passed.
fn run(cli: Cli) -> anyhow::Result<bool> {
    let screen = Screen::new();
    let workspace = Workspace::find()?;
    match cli.command {
        None => commands::status::status(&screen, &workspace),
        Some(Command::Run(args)) if args.best => commands::best::best(&screen, &workspace, &args),
        Some(Command::Run(args)) => commands::run::run(&screen, &workspace, &args),
        Some(Command::Tune(args)) => commands::tune::tune(&screen, &workspace, &args),
        Some(Command::Compare(args)) => commands::compare::compare(&screen, &workspace, &args),
        Some(Command::Grade(args)) => commands::grade::grade(&screen, &workspace, &args),
        Some(Command::Compile(args)) => commands::compile::compile(&screen, &args),
        Some(Command::Launch(args)) => commands::launch::launch(&screen, &args),
        Some(Command::Profile(args)) => commands::profile::profile(&screen, &workspace, &args),
        Some(Command::Sanitize(args)) => commands::sanitize::sanitize(&screen, &workspace, &args),
        Some(Command::Once(args)) => commands::once::once(&screen, &args),
        Some(Command::Reset(args)) => commands::reset::reset(&screen, &workspace, &args),
        Some(Command::Doctor(args)) => commands::doctor::doctor(&screen, &workspace, args.json),
        Some(Command::Models(args)) => commands::models::models(&screen, args.json),
        Some(Command::Starters(args)) => commands::starters::starters(&screen, &workspace, args.check),
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let io = error.downcast_ref::<std::io::Error>();
    io.is_some_and(|e| e.kind() == std::io::ErrorKind::BrokenPipe)
}
