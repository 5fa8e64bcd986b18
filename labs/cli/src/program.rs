//! The name of this program: `cargo lab` in the project's folder, `lab` if it is installed or unpacked.

use clap::Command;

/// The name in the source code's texts.
const WRITTEN: &str = "cargo lab";

/// The name of the installed program.
pub(crate) const INSTALLED: &str = "lab";

/// Returns `cargo lab` if Cargo runs this program (Cargo sets environment variables), otherwise `lab`.
pub(crate) fn name() -> &'static str {
    let of_this_package = std::env::var("CARGO_PKG_NAME").is_ok_and(|name| name == env!("CARGO_PKG_NAME"));
    if of_this_package && std::env::var_os("CARGO").is_some() { WRITTEN } else { INSTALLED }
}

/// Replaces the program's name in the usage lines and help texts of a command line.
pub(crate) fn named(command: Command, name: &'static str) -> Command {
    spelled(command.bin_name(name), name)
}

fn spelled(mut command: Command, name: &'static str) -> Command {
    let text = |text: Option<&clap::builder::StyledStr>| text.map(|t| t.to_string().replace(WRITTEN, name));
    if let Some(after) = text(command.get_after_help()) {
        command = command.after_help(after);
    }
    command = command.mut_args(|mut arg| {
        if let Some(help) = text(arg.get_help()) {
            arg = arg.help(help);
        }
        if let Some(help) = text(arg.get_long_help()) {
            arg = arg.long_help(help);
        }
        arg
    });
    command.mut_subcommands(|subcommand| spelled(subcommand, name))
}
