//! `cargo lab`: shows the labs, solved exercises and the next step.

use crate::args::RunOptions;
use crate::cache::{Cache, Entry};
use crate::course::Asked;
use crate::grading::{self, Detail};
use crate::own::{self, State};
use crate::progress::Progress;
use crate::registry::{self, Target};
use crate::screen::{Screen, progress};
use crate::workspace::Workspace;
use harness::report::reflow;

/// Prints the overview. Unsolved exercises are not a failure.
pub(crate) fn status(screen: &Screen, workspace: &Workspace) -> anyhow::Result<bool> {
    workspace.has_labs()?;
    let labs = registry::labs();
    let options = own::default_options();
    let cache = Cache::new(workspace);
    let targets: Vec<Target<'_>> = registry::every(&labs).collect();
    let bar = progress(targets.len());
    let mut states = Vec::with_capacity(targets.len());
    for target in &targets {
        bar.set_message(target.name());
        states.push(state(*target, workspace, &cache, &options)?);
        bar.inc(1);
    }
    bar.finish_and_clear();

    let done = Progress::of(workspace);
    let mut rows = targets.iter().zip(&states);
    for lab in &labs {
        let of_lab: Vec<_> = rows.by_ref().take(lab.exercises.len()).collect();
        let solved = of_lab.iter().filter(|(_, s)| s.is_solved()).count();
        let title = format!("Lab {}  {}", lab.number, lab.title);
        screen.line(format!("{}  ({solved} of {} solved)", screen.bold(&title), of_lab.len()))?;
        for (target, state) in of_lab {
            let hints = done.get(*target).hints;
            screen.line(state.row(*target, hints, screen))?;
        }
    }
    screen.line(format!("\n{}", summary(screen, &states, &done)))?;
    let next = targets.iter().zip(&states).find(|(_, s)| !s.is_solved());
    let next = next.map_or_else(
        || "All done. Compare what you wrote: `cargo lab compare 6`.".to_string(),
        |(target, state)| next_step(*target, state, workspace),
    );
    screen.line(reflow(&next, 0, screen.width).trim_end())?;
    Ok(true)
}

/// The progress bar, with one cell per exercise, and its numbers.
fn summary(screen: &Screen, states: &[State], done: &Progress) -> String {
    let solved = states.iter().filter(|s| s.is_solved()).count();
    let points: u32 = states.iter().map(points).sum();
    let (full, empty) = ("#".repeat(solved), ".".repeat(states.len() - solved));
    let hints = own::hints(done.hints());
    format!(
        "[{}{}]  {solved} of {} exercises solved, {points} of {} points{hints}.",
        screen.good(&full),
        screen.dim(&empty),
        states.len(),
        100 * states.len()
    )
}

fn points(state: &State) -> u32 {
    match state {
        State::Graded(entry) => entry.score,
        State::Untouched | State::Missing | State::Changed => 0,
    }
}

fn next_step(target: Target<'_>, state: &State, workspace: &Workspace) -> String {
    let (lab, name) = (target.lab.number, target.exercise.name());
    let path = workspace.shown(&workspace.kernel(target));
    match state {
        State::Missing => format!("Next: {path} is missing; `cargo lab reset {lab} {name}` restores it."),
        State::Untouched | State::Graded(_) | State::Changed => format!(
            "Next: edit {path}, then `cargo lab run {lab} {name}`.\n\n- `cargo lab watch` grades it on each save\n- `cargo lab hint {lab} {name}` \
             helps when you are stuck"
        ),
    }
}

/// The state of an exercise; grades it if the state is unknown.
fn state(
    target: Target<'_>,
    workspace: &Workspace,
    cache: &Cache,
    options: &RunOptions,
) -> anyhow::Result<State> {
    match own::state(target, workspace, cache, options) {
        State::Changed => {
            let how = grading::how(options, Detail::Verdict, Asked::default());
            let graded = own::grade(target, workspace, options, &how)?;
            Ok(State::Graded(Entry::of(&graded.report)))
        }
        known => Ok(known),
    }
}
