//! `cargo lab hint`: shows the hints of an exercise, one more with each call.

use crate::book;
use crate::offered;
use crate::own;
use crate::progress::Progress;
use crate::registry::{self, Target};
use crate::screen::Screen;
use crate::selection::Selector;
use crate::workspace::Workspace;
use clap::Args;
use harness::Hints;
use source::Failure;

/// Arguments of `hint`.
#[derive(Args, Debug)]
pub(crate) struct HintArgs {
    /// The exercise, or a lab for its first exercise that is not solved; left out, the first of all labs
    #[arg(value_name = "TARGET", add = offered::targets())]
    pub(crate) targets: Vec<String>,
    /// Show all hints at once
    #[arg(long)]
    pub(crate) all: bool,
    /// Show the hints seen so far, and no new one
    #[arg(long, conflicts_with = "all")]
    pub(crate) again: bool,
}

/// Shows the hints seen so far and the next one.
pub(crate) fn hint(screen: &Screen, workspace: &Workspace, args: &HintArgs) -> anyhow::Result<bool> {
    workspace.has_labs()?;
    let labs = registry::labs();
    let targets = Selector::new(&labs, workspace).targets_or_all(&args.targets)?;
    let target = targets[own::in_hand(&targets, workspace, &own::default_options())];
    let hints = Hints::of(target.exercise.hints());
    let seen = if args.again {
        Progress::of(workspace).get(target).hints_seen()
    } else {
        reveal(target, workspace, &hints, args.all)
    };
    if seen == 0 {
        let what = format!("no hint of {} was shown yet", target.name());
        return Err(Failure::new(what, "leave `--again` out to see the first").into());
    }
    screen.line(text(screen, target, &hints, seen).trim_end())?;
    let (lab, name) = (target.lab.number, target.exercise.name());
    if seen < hints.steps.len() {
        let next = source::command(format!("hint {lab} {name}"));
        screen.line(format!("\nThe next one: {next}. Hints cost no points."))?;
    } else {
        let page = book::page(&format!("lab-{lab}.md"));
        let page = page.map_or(String::new(), |page| format!(" {page} has a section on `{name}`."));
        screen.line(format!("\nThat was the last one.{page}"))?;
    }
    Ok(true)
}

/// Records one more hint, or all, as seen; returns the number seen.
pub(crate) fn reveal(target: Target<'_>, workspace: &Workspace, hints: &Hints, all: bool) -> usize {
    Progress::change(workspace, |progress| progress.reveal(target, hints.steps.len(), all))
}

/// The first `seen` hints, under the exercise's title.
pub(crate) fn text(screen: &Screen, target: Target<'_>, hints: &Hints, seen: usize) -> String {
    let title = format!("{} {}: {}", target.lab.package, target.exercise.name(), target.exercise.title());
    let mut text = format!("{}\n", screen.bold(&title));
    for step in 0..seen.min(hints.steps.len()) {
        text.push('\n');
        text.push_str(&hints.shown(step, screen.width, |number| screen.bold(number)));
    }
    text
}
