//! `cargo lab`: the labs on the command line.
//!
//! Only this crate knows all labs, creates devices, reads and writes files, and sets the exit status: 0 if everything
//! passed, 1 if a kernel failed, 2 for wrong use or a failure of the tool itself.

mod access;
mod args;
mod autograder;
mod book;
mod cache;
mod commands;
mod course;
mod devices;
mod export;
mod finish;
mod format;
mod grading;
mod html;
mod identify;
mod kernel_file;
mod likeness;
mod npy;
mod offered;
mod own;
mod program;
mod progress;
mod ptxas;
mod references;
mod registry;
mod screen;
mod selection;
mod standard_output;
mod tuned;
mod usage;
mod user_data;
mod workspace;

use args::{Cli, Command};
use clap::{ColorChoice, CommandFactory, FromArgMatches};
use harness::report::When;
use screen::Screen;
use std::process::ExitCode;
use workspace::Workspace;

fn main() -> ExitCode {
    commands::completions::answer();
    source::set_program(program::name());
    match parse(words()).and_then(run) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        // The reader closed the pipe after reading enough text. For output to programs this is an error instead
        // (`screen::incomplete`).
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            let is_ours = error.is::<source::Failure>();
            screen::complain(&if is_ours { error.to_string() } else { format!("error: {error:#}") });
            ExitCode::from(2)
        }
    }
}

/// Parses the command line. `--color` also applies to help and usage errors, wherever it stands.
///
/// # Errors
/// Says what is wrong with the command line. Help, and errors that clap words, are printed here and end the process.
fn parse(words: Vec<std::ffi::OsString>) -> anyhow::Result<Cli> {
    let text: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
    let after =
        text.iter().position(|word| word == "--color").and_then(|at| text.get(at + 1)).map(AsRef::as_ref);
    let said = text.iter().find_map(|word| word.strip_prefix("--color=")).or(after);
    let choice = said.and_then(|value| value.parse().ok()).unwrap_or(ColorChoice::Auto);
    let command = program::named(Cli::command(), source::program()).color(choice);
    let matches = match command.clone().try_get_matches_from(&words) {
        Ok(matches) => matches,
        Err(error) => {
            // A usage error quotes words of the command line, and control characters must not reach the terminal. So
            // parse again with control characters spelled out; the error stays the same.
            let spelled: Vec<String> =
                text.iter().map(|word| source::text::printable(word).into_owned()).collect();
            let error = command.clone().try_get_matches_from(&spelled).err().unwrap_or(error);
            match usage::failure(&error, &command, &spelled) {
                Some(failure) => return Err(failure.into()),
                None => exit(&error),
            }
        }
    };
    Ok(Cli::from_arg_matches(&matches).unwrap_or_else(|error| exit(&error)))
}

/// Prints help or an error of usage, and ends the program. Help that cannot be written is an error, as other output is.
fn exit(error: &clap::Error) -> ! {
    let text = error.render().to_string();
    // As it is unless the locale needs another spelling: Clap then knows best where colours go.
    let spelled = screen::in_locale(&text);
    let written = match (spelled == text, error.use_stderr()) {
        (_, false) if standard_output::was_closed() => Err(std::io::Error::other("it is closed")),
        (true, _) => error.print(),
        (false, true) => std::io::Write::write_all(&mut std::io::stderr(), spelled.as_bytes()),
        (false, false) => std::io::Write::write_all(&mut std::io::stdout(), spelled.as_bytes()),
    };
    let written = written.and_then(|()| std::io::Write::flush(&mut std::io::stdout()));
    match written {
        // A reader, such as `head`, may have seen enough.
        Err(why) if !error.use_stderr() && why.kind() != std::io::ErrorKind::BrokenPipe => {
            screen::complain(&format!("error: standard output cannot be written: {why}"));
            std::process::exit(2);
        }
        _ => std::process::exit(error.exit_code()),
    }
}

/// Runs the command; returns whether everything passed.
fn run(cli: Cli) -> anyhow::Result<bool> {
    let when = match cli.color {
        ColorChoice::Auto => When::Auto,
        ColorChoice::Always => When::Always,
        ColorChoice::Never => When::Never,
    };
    let for_programs = cli.command.as_ref().is_some_and(is_for_programs);
    let screen = if for_programs { Screen::apart(when)? } else { Screen::new(when) };
    // Called only by commands that need a workspace, because outside a checkout it unpacks the references.
    let find = Workspace::find;
    match cli.command {
        None => commands::status::status(&screen, &find()?),
        Some(Command::Run(args)) if args.best => commands::best::best(&screen, &find()?, &args),
        Some(Command::Run(args)) => commands::run::run(&screen, &find()?, &args),
        Some(Command::Tune(args)) => commands::tune::tune(&screen, &find()?, &args),
        Some(Command::Compare(args)) => commands::compare::compare(&screen, &find()?, &args),
        Some(Command::Grade(args)) => commands::grade::grade(&screen, &find()?, &args),
        Some(Command::Gradebook(args)) => commands::gradebook::gradebook(&screen, &find()?, &args),
        Some(Command::Similar(args)) => commands::similar::similar(&screen, &find()?, &args),
        Some(Command::Merge(args)) => commands::merge::merge(&screen, &args),
        Some(Command::Compile(args)) => commands::compile::compile(&screen, &args),
        Some(Command::Launch(args)) => commands::launch::launch(&screen, &args),
        Some(Command::Profile(args)) => commands::profile::profile(&screen, &find()?, &args),
        Some(Command::Sanitize(args)) => commands::sanitize::sanitize(&screen, &find()?, &args),
        Some(Command::Init(args)) => commands::init::init(&screen, &args),
        Some(Command::Watch(args)) => commands::watch::watch(&screen, &find()?, &args),
        Some(Command::Hint(args)) => commands::hint::hint(&screen, &find()?, &args),
        Some(Command::Once(args)) => commands::once::once(&screen, &find()?, &args),
        Some(Command::Reset(args)) => commands::reset::reset(&screen, &find()?, &args),
        Some(Command::Explain(args)) => commands::explain::explain(&screen, &args),
        Some(Command::Doctor(args)) => commands::doctor::doctor(&screen, &find()?, args.json),
        Some(Command::Models(args)) => commands::models::models(&screen, args.json),
        Some(Command::Completions(args)) => commands::completions::completions(&screen, &args),
        Some(Command::Man(args)) => commands::man::man(&screen, &args),
        Some(Command::Autograder(args)) => commands::autograder::autograder(&screen, &find()?, &args),
        Some(Command::ExportCourse(args)) => commands::export_course::export_course(&screen, &find()?, &args),
        Some(Command::Starters(args)) => commands::starters::starters(&screen, &find()?, args.check),
    }
}

/// Whether a command that may run kernels on a GPU prints output for programs, or a page.
fn is_for_programs(command: &Command) -> bool {
    match command {
        Command::Run(args) => {
            args.format.is_for_programs() || args.html.as_deref().is_some_and(html::is_stdout)
        }
        Command::Launch(args) => args.file.format.is_for_programs(),
        Command::Grade(_) => true,
        _ => false,
    }
}

/// The words of the command line. `help --help` becomes `help`.
fn words() -> Vec<std::ffi::OsString> {
    let mut words: Vec<_> = std::env::args_os().collect();
    if words.get(1).is_some_and(|w| w == "help") && words.get(2).is_some_and(|w| w == "--help" || w == "-h") {
        words.truncate(2);
    }
    words
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let io = error.downcast_ref::<std::io::Error>();
    io.is_some_and(|e| e.kind() == std::io::ErrorKind::BrokenPipe)
}
