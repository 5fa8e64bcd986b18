//! Tries the edits that a diagnostic suggests, so that messages show only edits that work.
//!
//! [`try_suggestions`] applies each suggestion of a diagnostic to the text and has the caller compile and run the
//! changed text; the [`Remedy`] is what the message then tells to do. An edit often uncovers the next mistake, such as a race at the next missing barrier. The search then
//! continues with that mistake's suggestions, up to [`source::MAX_EDITS`] edits, which together count as one
//! suggestion. This module knows no device and no exercise: the caller defines what a run is and when its result is
//! correct.

use crate::{KernelFile, Messages};
use source::{Code, Diagnostic, FileId, Severity, SourceMap, Suggestion, Tried};
use std::collections::BTreeSet;

/// Outcome of compiling and running a changed text.
pub enum Trial {
    /// It ran to its end. Holds what is known about its result, and all messages of the run.
    Ran(Tried, Vec<Messages>),
    /// It does not compile, or the run stopped. Holds the messages; their diagnostics have suggestions if the launch
    /// asked for them.
    Failed(Vec<Messages>),
    /// It ran, and the result is wrong.
    Wrong,
    /// The caller has no budget left for another run, so the search ends.
    Spent,
}

/// What a message tells to do about an error.
#[derive(Clone, Debug, PartialEq)]
pub enum Remedy {
    /// A suggestion that was tried and works.
    Edit(Suggestion),
    /// Help instead of the error's own, which would lead away from the cause.
    Help(String),
}

impl Remedy {
    /// Puts it into the error's diagnostic.
    pub fn put_into(self, diagnostic: &mut Diagnostic) {
        match self {
            Remedy::Edit(suggestion) => diagnostic.suggestions.push(suggestion),
            Remedy::Help(help) => diagnostic.help = vec![help],
        }
    }
}

/// Maximum number of texts tried per diagnostic.
const MAX_TRIALS: usize = 64;
/// Maximum number of suggestions tried per mistake after the first.
const MAX_FURTHER: usize = 12;

/// Maximum number of suggestions of warnings that are tried per error.
const MAX_OF_WARNINGS: usize = 4;

/// Returns the first suggestion that works, marked as tried: the changed text compiles, runs to its end and produces no
/// message with a new code. Suggestions of warnings come before those of `diagnostic`, because a mistake that the
/// compiler saw often causes the error. A race that a warning explains has no repair of its own; without a suggestion
/// that works, its help names the warning. `told` holds all messages about the unchanged text, including `diagnostic`.
pub fn try_suggestions(
    file: &KernelFile,
    (sources, diagnostic): (&SourceMap, &Diagnostic),
    told: &[Messages],
    attempt: &mut dyn FnMut(&KernelFile) -> Trial,
) -> Option<Remedy> {
    let mut trials = Trials { file, told: codes(told), attempt, left: MAX_TRIALS };
    let mut seen = vec![Mistake::of(sources, diagnostic)];
    let warnings = warnings(told).filter(|warning| *warning != diagnostic);
    let mut proposals: Vec<_> = warnings.flat_map(|w| w.suggestions.clone()).take(MAX_OF_WARNINGS).collect();
    let explaining = explaining_warning((sources, diagnostic), told);
    if explaining.is_none() {
        proposals.extend(diagnostic.suggestions.iter().cloned());
    }
    let found = trials.search(&proposals, None, &mut seen).map(Remedy::Edit);
    found.or_else(|| explaining.map(|warning| Remedy::Help(fix_first(sources, warning))))
}

/// The compiler's warning that probably explains a race, because it is about a condition or an index on the same line,
/// or on the line above: in `if (i = 3) x[i] = 7;` all threads write `x[3]`, and no barrier helps.
fn explaining_warning<'a>(
    (sources, error): (&SourceMap, &Diagnostic),
    told: &'a [Messages],
) -> Option<&'a Diagnostic> {
    let is_race = is_hidden_by_others(error.code);
    let mut warnings = warnings(told).filter(|warning| is_race && decides_which_elements(warning.code));
    warnings.find(|warning| {
        let Some(at) = warning.span() else { return false };
        let line = sources.position(at).line;
        let lines =
            error.labels.iter().filter(|l| l.span.file == at.file).map(|l| sources.position(l.span).line);
        lines.into_iter().any(|own| own == line || own == line + 1)
    })
}

/// Warnings of the compiler.
fn warnings(told: &[Messages]) -> impl Iterator<Item = &Diagnostic> {
    let all = told.iter().flat_map(|m| &m.diagnostics);
    all.filter(|d| d.severity == Severity::Warning && d.thread.is_none() && d.race.is_none())
}

/// Whether the mistake behind a warning makes other threads run a statement, or makes it access other elements.
fn decides_which_elements(code: Code) -> bool {
    matches!(
        code,
        Code::AssignmentInCondition
            | Code::BitwisePrecedence
            | Code::CaretAsPower
            | Code::ChainedComparison
            | Code::CommaInIndex
            | Code::ConstantCondition
            | Code::EmptyBody
            | Code::EmptyIf
            | Code::MacroWithAssignment
            | Code::MacroWithSemicolon
            | Code::UnsignedComparison
            | Code::UnusedResult
    )
}

/// Help for an error that a warning explains, where no suggestion was tried with success.
fn fix_first(sources: &SourceMap, warning: &Diagnostic) -> String {
    let line = warning.span().map_or(String::new(), |at| format!(" in line {}", sources.position(at).line));
    format!("the warning `{}`{line} may explain this error: fix it first", warning.code.as_str())
}

/// The file's text with the edits of `suggestion` applied; `None` if an edit belongs to an included file.
fn changed(suggestion: &Suggestion, file: &KernelFile) -> Option<String> {
    let own = suggestion.edits.iter().all(|edit| edit.span.file == FileId::default());
    suggestion.apply(&file.text).filter(|_| own)
}

/// Maximum number of compile errors whose suggestions are tried.
const MAX_ERRORS: usize = 8;

/// Returns the compile errors that a suggestion removes: each error's index in `told`, with the suggestion that
/// removed it. `compile` returns the diagnostics of a changed text, or `None` if it cannot compile any more.
pub fn try_corrections(
    file: &KernelFile,
    told: &[Diagnostic],
    compile: &mut dyn FnMut(&KernelFile) -> Option<Vec<Diagnostic>>,
) -> Vec<(usize, Suggestion)> {
    let errors = |all: &[Diagnostic]| -> Vec<Code> {
        all.iter().filter(|d| d.severity == Severity::Error).map(|d| d.code).collect()
    };
    let before = errors(told);
    let mut tried = |suggestion: &Suggestion| {
        let text = changed(suggestion, file)?;
        let after = errors(&compile(&KernelFile { text, ..file.clone() })?);
        let is_gone = after.len() < before.len() && after.iter().all(|code| before.contains(code));
        is_gone.then_some(if after.is_empty() { Tried::Compiled } else { Tried::Removed })
    };
    let with_suggestions =
        told.iter().enumerate().filter(|(_, d)| d.severity == Severity::Error && !d.suggestions.is_empty());
    let found = with_suggestions.take(MAX_ERRORS).filter_map(|(at, diagnostic)| {
        let mut all = diagnostic.suggestions.iter();
        all.find_map(|s| Some((at, Suggestion { tried: Some(tried(s)?), ..s.clone() })))
    });
    found.collect()
}

/// Identifies a mistake even after edits moved its lines: its code, and the text of the labelled lines in label
/// order. The order matters: "read, then written by the next iteration" differs from "written, then read".
#[derive(Clone, PartialEq, Eq)]
struct Mistake {
    code: Code,
    lines: Vec<String>,
}

impl Mistake {
    fn of(sources: &SourceMap, diagnostic: &Diagnostic) -> Mistake {
        let line = |span: source::Span| {
            let text = sources.file(span.file).text();
            let line = sources.position(span).line as usize;
            let text = text.lines().nth(line.saturating_sub(1)).unwrap_or_default();
            text.split_whitespace().collect::<String>()
        };
        let lines = diagnostic.labels.iter().map(|label| line(label.span)).collect();
        Mistake { code: diagnostic.code, lines }
    }
}

/// Whether an earlier error may have hidden this one: a launch stops at its first error, so a race behind it was in
/// the text all along.
fn is_hidden_by_others(code: Code) -> bool {
    matches!(code, Code::SharedMemoryRace | Code::GlobalMemoryRace)
}

fn codes(messages: &[Messages]) -> BTreeSet<&'static str> {
    messages.iter().flat_map(|m| &m.diagnostics).map(|d| d.code.as_str()).collect()
}

struct Trials<'a> {
    file: &'a KernelFile,
    /// Codes of the messages about the unchanged text.
    told: BTreeSet<&'static str>,
    attempt: &'a mut dyn FnMut(&KernelFile) -> Trial,
    left: usize,
}

impl Trials<'_> {
    /// Tries each of `proposals` on top of `first`. If none works, continues with the suggestions for the mistake
    /// that was left after each.
    fn search(
        &mut self,
        proposals: &[Suggestion],
        first: Option<&Suggestion>,
        seen: &mut Vec<Mistake>,
    ) -> Option<Suggestion> {
        let mut partial: Vec<(Suggestion, Vec<Suggestion>, Mistake)> = Vec::new();
        for proposal in proposals {
            let whole = match first {
                Some(first) => first.then(proposal),
                None => Some(proposal.clone()),
            };
            let Some(whole) = whole else { continue };
            let Some(text) = changed(&whole, self.file) else { continue };
            self.left = self.left.checked_sub(1)?;
            match (self.attempt)(&KernelFile { text, ..self.file.clone() }) {
                Trial::Ran(tried, messages) if self.says_nothing_new(&messages) => {
                    return Some(Suggestion { tried: Some(tried), ..whole });
                }
                Trial::Failed(messages) => {
                    let next = messages.iter().find_map(|m| {
                        let error = |d: &&Diagnostic| d.severity == Severity::Error;
                        Some((m, m.diagnostics.iter().find(error)?))
                    });
                    let Some((messages, next)) = next else { continue };
                    let mistake = Mistake::of(&messages.sources, next);
                    let is_open = !next.suggestions.is_empty()
                        && (is_hidden_by_others(next.code) || self.told.contains(next.code.as_str()));
                    if is_open && !seen.contains(&mistake) {
                        let further = next.suggestions.iter().take(MAX_FURTHER).cloned().collect();
                        partial.push((whole, further, mistake));
                    }
                }
                Trial::Spent => return None,
                Trial::Ran(..) | Trial::Wrong => {}
            }
        }
        for (whole, further, mistake) in partial {
            seen.push(mistake);
            let found = self.search(&further, Some(&whole), seen);
            if found.is_some() {
                return found;
            }
            seen.pop();
        }
        None
    }

    /// Whether all messages have codes that the unchanged text produced, too. New notes are allowed except
    /// [`Code::SameValue`]: a race in which all threads store the same value may be a sign of lost updates.
    fn says_nothing_new(&self, messages: &[Messages]) -> bool {
        let all = messages.iter().flat_map(|m| &m.diagnostics);
        let counts = |d: &&Diagnostic| d.severity != Severity::Note || d.code == Code::SameValue;
        all.filter(counts).all(|d| d.severity != Severity::Error && self.told.contains(d.code.as_str()))
    }
}
