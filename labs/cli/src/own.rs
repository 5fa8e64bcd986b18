//! The user's own kernels: their states, the current exercise, and grading that saves grades and progress.

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

/// State of an exercise, as far as known without grading it.
pub(crate) enum State {
    /// The file is the starter.
    Untouched,
    /// The file is missing or unreadable.
    Missing,
    /// The current text of the file was graded.
    Graded(Entry),
    /// The current text of the file was not graded.
    Changed,
}

impl State {
    /// Whether the current text is known to solve the exercise.
    pub(crate) fn is_solved(&self) -> bool {
        matches!(self, State::Graded(entry) if entry.passed)
    }

    /// One line of the overview: mark, name, state, and the title or the failed check.
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

/// The number of hints seen, in the form `, 2 hints`; empty if none.
pub(crate) fn hints(seen: usize) -> String {
    match seen {
        0 => String::new(),
        1 => ", 1 hint".to_string(),
        seen => format!(", {seen} hints"),
    }
}

/// Options for commands without options of their own.
pub(crate) fn default_options() -> RunOptions {
    RunOptions { seed: 1, model: devices::DEFAULT_MODEL.to_string(), on: None }
}

/// The state of an exercise, from its file and the cache.
pub(crate) fn state(target: Target<'_>, workspace: &Workspace, cache: &Cache, options: &RunOptions) -> State {
    let Some(text) = workspace.kernel_text(target) else {
        return State::Missing;
    };
    if is_starter(target, workspace, &text) {
        return State::Untouched;
    }
    cache.get(target, &text, options).map_or(State::Changed, State::Graded)
}

/// Whether a text is the starter of an exercise.
pub(crate) fn is_starter(target: Target<'_>, workspace: &Workspace, text: &str) -> bool {
    workspace.starter(target).is_ok_and(|starter| starter == text)
}

/// The index of the current exercise: the first that is not solved, or, if all are, the one whose file was modified
/// last; 0 if no file decides it.
pub(crate) fn in_hand(targets: &[Target<'_>], workspace: &Workspace, options: &RunOptions) -> usize {
    let cache = Cache::new(workspace);
    let progress = Progress::of(workspace);
    let solved = |target: Target<'_>| match state(target, workspace, &cache, options) {
        State::Graded(entry) => entry.passed,
        // The program was rebuilt after the exercise was solved, so the cache has no grade.
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
    /// Whether this grading is the first that solves the exercise.
    pub(crate) is_first_pass: bool,
}

/// Grades the user's kernel of an exercise, and saves the grade and the progress. Saves nothing if the file changes
/// during grading, because it is then unknown which text was graded.
///
/// # Errors
/// The errors of [`grading::grade_with`].
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
