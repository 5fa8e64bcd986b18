//! Errors of the command line's grammar, in the form of all other errors: what is wrong, and a command to type.

use clap::Command;
use clap::error::{ContextKind, ContextValue, Error, ErrorKind};
use source::Failure;

/// The failure that says what clap's error says; `None` for help, the version, and errors that clap words well.
pub(crate) fn failure(error: &Error, command: &Command, words: &[String]) -> Option<Failure> {
    match error.kind() {
        ErrorKind::MissingRequiredArgument => Some(missing(error, subcommand(command, words)?)),
        ErrorKind::InvalidSubcommand => Some(unknown(error)),
        ErrorKind::ValueValidation => number(error),
        _ => None,
    }
}

fn subcommand<'a>(command: &'a Command, words: &[String]) -> Option<&'a Command> {
    words.iter().skip(1).find_map(|word| command.find_subcommand(word))
}

fn texts(error: &Error, kind: ContextKind) -> Vec<String> {
    match error.get(kind) {
        Some(ContextValue::String(text)) => vec![text.clone()],
        Some(ContextValue::Strings(texts)) => texts.clone(),
        _ => Vec::new(),
    }
}

/// Required arguments are missing. The help is the first example that the command's own help has.
fn missing(error: &Error, command: &Command) -> Failure {
    let names = texts(error, ContextKind::InvalidArg).join(" and ");
    let name = command.get_name();
    let start = format!("{} {name} ", source::program());
    let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let example = help.lines().map(str::trim).find(|line| line.starts_with(&start));
    // The explanation after an example begins after two blanks.
    let example = example.and_then(|line| line.split("  ").next()).map(|line| line.trim_end_matches(" \\"));
    let usage = source::command(format!("{name} --help"));
    let help = match example {
        Some(example) => format!("for example `{example}`; {usage} lists all options"),
        None => format!("{usage} says how to write it"),
    };
    Failure::new(format!("{}: {names} is missing", source::command(name)), help)
}

fn unknown(error: &Error) -> Failure {
    let word = texts(error, ContextKind::InvalidSubcommand).concat();
    let near = texts(error, ContextKind::SuggestedSubcommand);
    let all = source::command("help");
    let help = match near.as_slice() {
        [] => format!("{all} lists the commands"),
        names => {
            let names: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
            format!("did you mean {}? {all} lists the commands", names.join(" or "))
        }
    };
    Failure::new(format!("there is no command `{word}`"), help)
}

/// A value that is not a number. Rust's own words for it do not name what is expected.
fn number(error: &Error) -> Option<Failure> {
    let why = std::error::Error::source(error)?;
    let expected = match why {
        _ if why.is::<std::num::ParseIntError>() => "a whole number, such as 1",
        _ if why.is::<std::num::ParseFloatError>() => "a number, such as 1.5",
        _ => return None,
    };
    let option = texts(error, ContextKind::InvalidArg).concat();
    let option = option.split(' ').next().unwrap_or_default();
    let value = texts(error, ContextKind::InvalidValue).concat();
    Some(Failure::new(
        format!("{option}: `{value}` is not a number that it takes"),
        format!("give {expected}"),
    ))
}
