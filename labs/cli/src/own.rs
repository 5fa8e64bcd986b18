//! The user's own kernels: how far each one is, which is in hand, and grading them so that grade and progress are kept.

use crate::args::RunOptions;
use crate::cache::{Cache, Entry};
use crate::devices;
use crate::grading;
use crate::progress::Progress;
use crate::registry::Target;
use crate::screen::Screen;
use crate::workspace::Workspace;
use harness::ExerciseReport;
use source::Failure;
use source::text::{cut, width};

/// How far an exercise is, as far as can be said without grading it.
pub(crate) enum State {
    /// The file is the starter.
    Untouched,
    /// The file is not there, or cannot be read.
    Missing,
    /// The file as it is was graded.
    Graded(Entry),
    /// The file has changed since it was graded, if it ever was.
    Changed,
}

impl State {
    /// Whether the exercise is known to be solved by the file as it is.
    pub(crate) fn is_solved(&self) -> bool {
        matches!(self, State::Graded(entry) if entry.passed)
    }

    /// Mark, name, how far it is, and the title, or what fails; one line.
    pub(crate) fn row(&self, target: Target<'_>, hints: usize, screen: &Screen) -> String {
        let title = target.exercise.title().to_string();
        let points = |entry: &Entry| format!("{} points", entry.score);
        let (mark, note, text) = match self {
            State::Untouched => (screen.dim("-"), "not started".to_string(), title),
            State::Missing => {
                (screen.bad("?"), "missing".to_string(), format!("the file is not there: {title}"))
            }
            State::Changed => (screen.dim("~"), "changed".to_string(), format!("not graded yet: {title}")),
            State::Graded(entry) if entry.passed => (screen.good("✓"), points(entry), title),
            State::Graded(entry) => {
                let failed = entry.failed_check.as_deref().unwrap_or("a check");
                (screen.bad("✗"), points(entry), format!("fails `{failed}`: {title}"))
            }
        };
        let lead = format!("{:<20} {note:<11}  ", target.exercise.name());
        let text = format!("{text}{}", self::hints(hints));
        format!("  {mark} {lead}{}", cut(&text, screen.width.saturating_sub(4 + width(&lead))))
    }
}

/// As `, 2 hints`; nothing if none were seen.
pub(crate) fn hints(seen: usize) -> String {
    match seen {
        0 => String::new(),
        1 => ", 1 hint".to_string(),
        seen => format!(", {seen} hints"),
    }
}

/// The options of commands that have none.
pub(crate) fn default_options() -> RunOptions {
    RunOptions { seed: 1, model: devices::DEFAULT_MODEL.to_string(), on: None }
}

/// How far an exercise is, by its file and what is kept.
pub(crate) fn state(target: Target<'_>, workspace: &Workspace, cache: &Cache, options: &RunOptions) -> State {
    let Some(text) = workspace.kernel_text(target) else {
        return State::Missing;
    };
    if is_starter(target, workspace, &text) {
        return State::Untouched;
    }
    cache.get(target, &text, options).map_or(State::Changed, State::Graded)
}

fn is_starter(target: Target<'_>, workspace: &Workspace, text: &str) -> bool {
    workspace.starter(target).is_ok_and(|starter| starter == text)
}

/// The exercise that the user is at: the first that is not solved, or, if all are, the one whose file was changed last. Its index;
/// the first one if there is no other reason.
pub(crate) fn in_hand(targets: &[Target<'_>], workspace: &Workspace, options: &RunOptions) -> usize {
    let cache = Cache::new(workspace);
    let progress = Progress::of(workspace);
    let solved = |target: Target<'_>| match state(target, workspace, &cache, options) {
        State::Graded(entry) => entry.passed,
        // Solved before, and built anew since, so that no grade is found.
        State::Changed => progress.is_solved(target),
        State::Untouched | State::Missing => false,
    };
    let changed =
        |target: &Target<'_>| std::fs::metadata(workspace.kernel(*target)).and_then(|m| m.modified()).ok();
    let unsolved = targets.iter().position(|target| !solved(*target));
    unsolved.or_else(|| (0..targets.len()).max_by_key(|i| changed(&targets[*i]))).unwrap_or(0)
}

/// A report on one of the user's kernels.
pub(crate) struct Graded {
    /// The report.
    pub(crate) report: ExerciseReport,
    /// Whether it solves the exercise, and none before it did.
    pub(crate) is_first_pass: bool,
}

/// Grades the user's kernel of an exercise, and keeps its grade and the progress. Nothing is kept of a file that is saved meanwhile:
/// which of its texts was graded is not known.
///
/// # Errors
/// As [`grading::grade_with`].
pub(crate) fn grade(
    target: Target<'_>,
    workspace: &Workspace,
    options: &RunOptions,
    how: &harness::Options,
) -> Result<Graded, Failure> {
    let before = workspace.kernel_text(target);
    let report = grading::grade_with(target, &workspace.kernel(target), workspace, options, how)?;
    let text = before.filter(|text| workspace.kernel_text(target).as_ref() == Some(text));
    let is_first_pass = text.is_some_and(|text| {
        Cache::new(workspace).put(target, &text, options, &report);
        !is_starter(target, workspace, &text)
            && Progress::change(workspace, |progress| progress.record(target, &text, &report))
    });
    Ok(Graded { report, is_first_pass })
}
