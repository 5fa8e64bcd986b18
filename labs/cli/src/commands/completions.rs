//! `lab completions`: prints a shell script that completes commands, generated from the command line's grammar.
//!
//! The script completes the program `lab`. Cargo's own completions ignore aliases, so in the project's folder a shell
//! function named `lab` calls `cargo lab`.

use crate::args::Cli;
use crate::program;
use crate::screen::Screen;
use clap::{Args, CommandFactory};
use clap_complete::Shell;

/// Help text after the options.
pub(crate) const HELP: &str = "\
Examples:
  lab completions bash > ~/.local/share/bash-completion/completions/lab
  lab completions zsh > ~/.zfunc/_lab                  with ~/.zfunc in fpath, before compinit
  lab completions fish > ~/.config/fish/completions/lab.fish
  lab completions powershell >> $PROFILE

The script completes the command `lab`. In a checkout of the project a shell function of that name can call Cargo; the book's page on
the command line has one.";

/// Arguments of `completions`.
#[derive(Args, Debug)]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub(crate) shell: Shell,
}

/// Prints the script.
pub(crate) fn completions(screen: &Screen, args: &CompletionsArgs) -> anyhow::Result<bool> {
    let mut command = program::named(Cli::command(), program::INSTALLED);
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, program::INSTALLED, &mut script);
    screen.line(String::from_utf8(script)?.trim_end())?;
    Ok(true)
}
