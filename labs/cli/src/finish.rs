//! Builds the message for the first time that an exercise is solved: what the exercise demonstrated, and what comes
//! next. The last exercise of a lab and of the course have their own lines.

use crate::book;
use crate::progress::Progress;
use crate::registry::{self, Target};
use crate::screen::Screen;
use crate::workspace::Workspace;
use harness::report::reflow;
use harness::{Hints, Lab};

/// The message, without a final line end. `progress` already includes this pass.
pub(crate) fn lines(
    screen: &Screen,
    labs: &[Lab],
    target: Target<'_>,
    workspace: &Workspace,
    progress: &Progress,
) -> String {
    let width = screen.width;
    let mut text = format!("{}\n", screen.good(&headline(target, progress)));
    text.push_str(&reflow(Hints::of(target.exercise.hints()).learned, 0, width));
    if registry::exercises(target.lab).all(|other| progress.is_solved(other)) {
        let number = target.lab.number;
        let compare = format!("`cargo lab compare {number}` puts its kernels side by side");
        let done = match book::page(&format!("lab-{number}.md")) {
            Some(page) => format!("Lab {number} is done. {compare}, and {page} ends with questions."),
            None => format!("Lab {number} is done. {compare}."),
        };
        text.push_str(&reflow(&done, 0, width));
    }
    let last = match next(labs, target, progress) {
        Some(next) => {
            let path = workspace.shown(&workspace.kernel(next));
            format!("Next: edit {path}, then `cargo lab run {} {}`.", next.lab.number, next.exercise.name())
        }
        None => format!(
            "All {} exercises are solved. `cargo lab run 6 --best` is a kernel at the card's limit: how near does yours come?",
            registry::every(labs).count()
        ),
    };
    text.push_str(&reflow(&last, 0, width));
    text.truncate(text.trim_end().len());
    text
}

/// The headline, such as `Solved lab-1/naive with 100 points, at try 3 and with 2 hints.`
fn headline(target: Target<'_>, progress: &Progress) -> String {
    let record = progress.get(target);
    let tries = match record.tries {
        0 | 1 => "at the first try".to_owned(),
        tries => format!("at try {tries}"),
    };
    let hints = match record.hints {
        0 => "without a hint".to_owned(),
        1 => "with 1 hint".to_owned(),
        hints => format!("with {hints} hints"),
    };
    format!("Solved {} with {} points, {tries} and {hints}.", target.name(), record.best_score)
}

/// The next exercise in order that was never solved; after the last exercise the search continues with the first.
pub(crate) fn next<'a>(labs: &'a [Lab], after: Target<'_>, progress: &Progress) -> Option<Target<'a>> {
    let targets: Vec<Target<'a>> = registry::every(labs).collect();
    let at = targets.iter().position(|target| target.name() == after.name()).unwrap_or(0);
    let (before, rest) = targets.split_at(at);
    rest.iter().chain(before).find(|target| !progress.is_solved(**target)).copied()
}
