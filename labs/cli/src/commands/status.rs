//! `cargo lab`: the labs, what is solved, and what to do next.

use crate::args::RunOptions;
use crate::cache::{Cache, Entry};
use crate::devices;
use crate::failure::Failure;
use crate::grading::{self, Detail};
use crate::registry::{self, Target};
use crate::screen::{Screen, progress};
use crate::workspace::{Kind, Workspace};

/// How far an exercise is.
enum State {
    /// The file is the starter.
    Untouched,
    /// The file is not there.
    Missing,
    /// The file was graded.
    Graded(Entry),
}

/// Prints the overview. What is not solved yet is no failure.
pub(crate) fn status(screen: &Screen, workspace: &Workspace) -> anyhow::Result<bool> {
    if workspace.kind() == Kind::Elsewhere {
        return Err(Failure::new(
            "there are no labs in this folder, nor in one above it",
            "`lab init FOLDER` writes a folder with the starters of all labs; change into it and run `lab` again",
        )
        .into());
    }
    let labs = registry::labs();
    let options = RunOptions { seed: 1, model: devices::DEFAULT_MODEL.to_string(), on: None };
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

    let width = targets.iter().map(|t| t.exercise.title().chars().count()).max().unwrap_or(0);
    let mut rows = targets.iter().zip(&states);
    for lab in &labs {
        let of_lab: Vec<_> = rows.by_ref().take(lab.exercises.len()).collect();
        let solved = of_lab.iter().filter(|(_, s)| s.is_solved()).count();
        let title = format!("Lab {}  {}", lab.number, lab.title);
        screen.line(format!("{}  ({solved} of {} solved)", screen.bold(&title), of_lab.len()))?;
        for (target, state) in of_lab {
            let (mark, note) = state.shown(screen);
            let (name, title) = (target.exercise.name(), target.exercise.title());
            screen.line(format!("  {mark} {name:<20} {title:<width$} {note}"))?;
        }
    }
    let solved = states.iter().filter(|s| s.is_solved()).count();
    screen.line(format!("\n{solved} of {} exercises solved.", states.len()))?;
    let next = targets.iter().zip(&states).find(|(_, s)| !s.is_solved());
    screen.line(next.map_or_else(
        || "All done. Compare what you wrote: `cargo lab compare 6`.".to_string(),
        |(target, state)| next_step(*target, state, workspace),
    ))?;
    Ok(true)
}

fn next_step(target: Target<'_>, state: &State, workspace: &Workspace) -> String {
    let (lab, name) = (target.lab.number, target.exercise.name());
    let path = workspace.shown(&workspace.kernel(target));
    match state {
        State::Missing => format!("Next: {path} is missing; `cargo lab reset {lab} {name}` brings it back."),
        State::Untouched | State::Graded(_) => {
            format!("Next: edit {path}, then `cargo lab run {lab} {name}`.")
        }
    }
}

fn state(
    target: Target<'_>,
    workspace: &Workspace,
    cache: &Cache,
    options: &RunOptions,
) -> anyhow::Result<State> {
    let path = workspace.kernel(target);
    let Ok(bytes) = std::fs::read(&path) else {
        return Ok(State::Missing);
    };
    let text = String::from_utf8_lossy(&bytes);
    if workspace.starter(target).is_ok_and(|starter| starter == text) {
        return Ok(State::Untouched);
    }
    if let Some(entry) = cache.get(target, &text, options) {
        return Ok(State::Graded(entry));
    }
    let report = grading::grade(target, &path, workspace, options, Detail::Verdict)?;
    cache.put(target, &text, options, &report);
    Ok(State::Graded(Entry::of(&report)))
}

impl State {
    fn is_solved(&self) -> bool {
        matches!(self, State::Graded(entry) if entry.passed)
    }

    fn shown(&self, screen: &Screen) -> (String, String) {
        match self {
            State::Untouched => (screen.dim("-"), screen.dim("not started")),
            State::Missing => (screen.bad("?"), "the file is missing".to_string()),
            State::Graded(entry) if entry.passed => (screen.good("✓"), format!("{} points", entry.score)),
            State::Graded(entry) => {
                let failed = entry.failed_check.as_deref().unwrap_or("a check");
                (screen.bad("✗"), format!("{} points, fails `{failed}`", entry.score))
            }
        }
    }
}
