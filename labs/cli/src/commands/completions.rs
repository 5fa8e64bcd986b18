//! `lab completions`: prints a shell script that completes commands.
//!
//! The script calls this program for each completion ([`answer`]), which knows the labs and sees the words before.
//! It completes the program `lab`. Cargo's own completions ignore aliases, so in the project's folder a shell function
//! named `lab` calls `cargo lab`.

use crate::args::Cli;
use crate::program;
use crate::screen::Screen;
use clap::{Args, Command, CommandFactory};
use clap_complete::Shell;
use clap_complete::env::{CompleteEnv, Shells};
use source::Failure;

/// The environment variable that asks this program for completions. Its value is the shell's name.
const VARIABLE: &str = "LAB_COMPLETE";

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

/// Answers a shell's script that asks for completions, and ends the process; otherwise does nothing.
pub(crate) fn answer() {
    CompleteEnv::with_factory(visible).var(VARIABLE).complete();
}

/// The command line without hidden commands, which would be offered as soon as nothing else begins like them.
fn visible() -> Command {
    let all = program::named(Cli::command(), program::INSTALLED);
    let shown = all.get_subcommands().filter(|command| !command.is_hide_set()).cloned();
    Command::new(program::INSTALLED).args(all.get_arguments().cloned()).subcommands(shown.collect::<Vec<_>>())
}

/// Prints the script.
///
/// # Errors
/// Says that this program's path cannot be found out.
pub(crate) fn completions(screen: &Screen, args: &CompletionsArgs) -> anyhow::Result<bool> {
    let shell = args.shell.to_string();
    let shells = Shells::builtins();
    let completer = shells.completer(&shell).ok_or_else(|| {
        Failure::new(
            format!("there is no completion script for {shell}"),
            "use bash, zsh, fish, powershell or elvish",
        )
    })?;
    // An installed program may move with an update. The one that Cargo built is called directly: to call Cargo for
    // each completion takes longer, and only works in the project's folder.
    let path = match source::program() == program::INSTALLED {
        true => program::INSTALLED.to_owned(),
        false => std::env::current_exe()?.to_string_lossy().into_owned(),
    };
    let mut script = Vec::new();
    completer.write_registration(VARIABLE, program::INSTALLED, program::INSTALLED, &path, &mut script)?;
    let mut script = String::from_utf8(script)?;
    if args.shell == Shell::Zsh {
        script.push_str(AUTOLOADED);
    }
    screen.exact(&format!("{}\n", script.trim()))?;
    Ok(true)
}

/// Zsh runs a script in `fpath` at the first completion, as the function `_lab`, and expects it to complete.
const AUTOLOADED: &str = "
if [ \"$funcstack[1]\" = \"_lab\" ]; then
    _clap_dynamic_completer_lab \"$@\"
fi
";
