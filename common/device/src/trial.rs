//! Tries what a message suggests, before the message shows it.
//!
//! [`try_suggestions`] applies each proposal of a diagnostic to the text and has the caller compile and run what comes of it. Where one
//! mistake gives way to another of the same kind, or to a race, such as that at the next missing barrier, it continues there, up to
//! [`source::MAX_EDITS`] edits, which then count as one suggestion. Nothing here knows a device or an exercise: what a run is, and when its
//! result is right, is the caller's to say.

use crate::{KernelFile, Messages};
use source::{Code, Diagnostic, FileId, Severity, SourceMap, Suggestion, Tried};
use std::collections::BTreeSet;

/// What came of running a changed text.
pub enum Trial {
    /// It ran to its end: what is known of its result, and everything that was said of it.
    Ran(Tried, Vec<Messages>),
    /// It does not compile, or the run stopped: what was said, with proposals of its own if the launch was asked for them.
    Failed(Vec<Messages>),
    /// It ran, and the result is wrong.
    Wrong,
    /// There is nothing left to run it with: no other is tried.
    Spent,
}

/// Texts that are tried for one diagnostic, at most.
const MAX_TRIALS: usize = 64;
/// Proposals that are tried for each mistake after the first.
const MAX_FURTHER: usize = 12;

/// The first of a diagnostic's suggestions that mends it, as one that was tried: the text compiles, runs to its end, and nothing is said of
/// it that was not said before. `told` is all that was said of the text as it is, the diagnostic among it.
pub fn try_suggestions(
    file: &KernelFile,
    (sources, diagnostic): (&SourceMap, &Diagnostic),
    told: &[Messages],
    attempt: &mut dyn FnMut(&KernelFile) -> Trial,
) -> Option<Suggestion> {
    let mut trials = Trials { file, told: codes(told), attempt, left: MAX_TRIALS };
    let mut seen = vec![Mistake::of(sources, diagnostic)];
    trials.search(&diagnostic.suggestions, None, &mut seen)
}

/// The text with the edits made; nothing if one is of an included file.
fn changed(suggestion: &Suggestion, file: &KernelFile) -> Option<String> {
    let own = suggestion.edits.iter().all(|edit| edit.span.file == FileId::default());
    suggestion.apply(&file.text).filter(|_| own)
}

/// Errors of a file that are tried, at most.
const MAX_ERRORS: usize = 8;

/// Of the errors of a file that does not compile, those with a suggestion that removes them, each with its place in `told`. `compile` says
/// what is wrong with a changed text, if it can.
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

/// What tells one mistake from another although lines have moved: its code, and the text of the lines that it marks. In another order they
/// are of another mistake: a read before the next iteration's write is not that write before the read.
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

/// Whether a launch that stops at another mistake cannot have said this one: it was in the text before.
fn is_hidden_by_others(code: Code) -> bool {
    matches!(code, Code::SharedMemoryRace | Code::GlobalMemoryRace)
}

fn codes(messages: &[Messages]) -> BTreeSet<&'static str> {
    messages.iter().flat_map(|m| &m.diagnostics).map(|d| d.code.as_str()).collect()
}

struct Trials<'a> {
    file: &'a KernelFile,
    /// Codes of what was said before any change.
    told: BTreeSet<&'static str>,
    attempt: &'a mut dyn FnMut(&KernelFile) -> Trial,
    left: usize,
}

impl Trials<'_> {
    /// Tries proposals for the text after `first`; then what mends the mistakes that are left after each of them.
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

    /// Notes may be new, but for one that says that a race is none because all threads store the same: that comes of updates that are lost.
    fn says_nothing_new(&self, messages: &[Messages]) -> bool {
        let all = messages.iter().flat_map(|m| &m.diagnostics);
        let counts = |d: &&Diagnostic| d.severity != Severity::Note || d.code == Code::SameValue;
        all.filter(counts).all(|d| d.severity != Severity::Error && self.told.contains(d.code.as_str()))
    }
}
