//! Values that shell completion offers. Other values are accepted, too, because names can be written in several ways,
//! and the commands report wrong names better than a list would.
//!
//! The shell's script calls this program with the words of the line (`commands::completions`), so an offer can depend
//! on the words before: after a lab, its exercises.

use crate::args::Cli;
use crate::registry;
use clap::CommandFactory;
use clap_complete::engine::{
    ArgValueCandidates, ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter,
};
use harness::Lab;
use harness::glossary::Glossary;
use std::ffi::{OsStr, OsString};

/// Completes labs, exercises and kernel files; after a lab, its exercises.
pub(crate) fn targets() -> ArgValueCompleter {
    ArgValueCompleter::new(|current: &OsStr| {
        let labs = registry::labs();
        let context = lab_of(&labs, &words_before("targets"));
        let of_lab = context.map(|lab| exercises_of(lab, "")).unwrap_or_default();
        let mut general = labs_and_all(&labs);
        general.extend(labs.iter().flat_map(|lab| exercises_of(lab, &format!("{}/", lab.package))));
        let as_written = of_written_lab(&labs, current);
        let found = first_match([of_lab, general, as_written, other_names(&labs)], current);
        match found.is_empty() {
            true => PathCompleter::file()
                .filter(|path| path.extension().is_some_and(|e| e == "cu"))
                .complete(current),
            false => found,
        }
    })
}

/// Completes labs, and `all`.
pub(crate) fn labs() -> ArgValueCompleter {
    ArgValueCompleter::new(|current: &OsStr| {
        let labs = registry::labs();
        first_match([labs_and_all(&labs), other_names(&labs)], current)
    })
}

/// Completes exercises in the form `lab-1/naive`.
pub(crate) fn exercises() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let labs = registry::labs();
        labs.iter().flat_map(|lab| exercises_of(lab, &format!("{}/", lab.package))).collect()
    })
}

/// Completes device models.
pub(crate) fn models() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        device_sim::DeviceModel::names().into_iter().map(CompletionCandidate::new).collect()
    })
}

/// Completes the formats of results of `grade`.
pub(crate) fn grade_formats() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        gradebook::Format::ALL.iter().map(|format| candidate(format.name(), format.description())).collect()
    })
}

/// Completes entries of the glossary, also those of several words, word by word.
pub(crate) fn entries() -> ArgValueCompleter {
    ArgValueCompleter::new(|current: &OsStr| {
        let glossary = Glossary::new();
        let names: Vec<&str> = glossary.entries().iter().map(|entry| entry.name).collect();
        let begun: String = words_before("words").iter().map(|word| format!("{word} ")).collect();
        let rest = names.iter().filter_map(|name| name.strip_prefix(&begun)).map(CompletionCandidate::new);
        first_match([rest.collect(), names.iter().map(CompletionCandidate::new).collect()], current)
    })
}

fn candidate(value: impl Into<OsString>, help: &str) -> CompletionCandidate {
    CompletionCandidate::new(value).help(Some(help.to_owned().into()))
}

/// The candidates of the first list that has any with this beginning.
fn first_match<const N: usize>(
    lists: [Vec<CompletionCandidate>; N],
    current: &OsStr,
) -> Vec<CompletionCandidate> {
    let current = current.to_string_lossy();
    let begins = |c: &CompletionCandidate| c.get_value().to_string_lossy().starts_with(&*current);
    let matching = lists.into_iter().map(|list| list.into_iter().filter(begins).collect::<Vec<_>>());
    matching.into_iter().find(|list| !list.is_empty()).unwrap_or_default()
}

fn labs_and_all(labs: &[Lab]) -> Vec<CompletionCandidate> {
    let of_labs = labs.iter().map(|lab| candidate(lab.package, lab.title));
    of_labs.chain([candidate("all", "every lab")]).collect()
}

/// Names of labs besides `lab-1`, such as `stencil`.
fn other_names(labs: &[Lab]) -> Vec<CompletionCandidate> {
    labs.iter().flat_map(|lab| lab.names().into_iter().map(|name| candidate(name, lab.title))).collect()
}

fn exercises_of(lab: &Lab, prefix: &str) -> Vec<CompletionCandidate> {
    let shown = |e: &dyn harness::Exercise| candidate(format!("{prefix}{}", e.name()), e.title());
    lab.exercises.iter().map(|e| shown(&**e)).collect()
}

/// The exercises of the lab that the current word has before its slash, however it is written: `7/`, `stencil/`.
fn of_written_lab(labs: &[Lab], current: &OsStr) -> Vec<CompletionCandidate> {
    let current = current.to_string_lossy();
    let Some((name, _)) = current.split_once('/') else { return Vec::new() };
    labs.iter()
        .filter(|lab| lab.is_called(name))
        .flat_map(|lab| exercises_of(lab, &format!("{name}/")))
        .collect()
}

/// The lab to which a word after these belongs: the last one named, unless something else follows it; without words,
/// the lab of the current folder.
fn lab_of<'a>(labs: &'a [Lab], words: &[String]) -> Option<&'a Lab> {
    if words.is_empty() {
        let here = std::env::current_dir().ok()?;
        return here.components().find_map(|part| labs.iter().find(|lab| part.as_os_str() == lab.folder));
    }
    words.iter().fold(None, |context: Option<&Lab>, word| match context {
        Some(lab) if lab.exercise_called(word).is_some() => context,
        _ => labs.iter().find(|lab| lab.is_called(word)),
    })
}

/// The values of an argument in the words before the current one, without options and their values.
///
/// This process's own command line is `lab -- lab run 1 na`. Some shells say which word is the current one; in the
/// others it is the last.
fn words_before(argument: &str) -> Vec<String> {
    let mut words: Vec<OsString> = std::env::args_os().skip_while(|word| word != "--").skip(1).collect();
    let index = std::env::var("_CLAP_COMPLETE_INDEX").ok().and_then(|index| index.parse().ok());
    words.truncate(index.unwrap_or(words.len().saturating_sub(1)));
    let matches = Cli::command().ignore_errors(true).try_get_matches_from(words);
    let values = matches.ok().and_then(|matches| {
        let (_, arguments) = matches.subcommand()?;
        Some(arguments.try_get_many::<String>(argument).ok()??.cloned().collect())
    });
    values.unwrap_or_default()
}
