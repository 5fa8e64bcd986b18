//! `cargo lab tune`: chooses the constants of a best kernel for the card of this computer, by measuring.

use super::best::{kernel_file, kernels};
use crate::args::TuneArgs;
use crate::devices;
use crate::registry;
use crate::screen::{Screen, progress};
use crate::tuned::{Store, shown};
use crate::workspace::Workspace;
use harness::{Outcome, Trial};
use source::Failure;

/// Measures every combination of the candidate constants of a lab's best kernel, and stores the fastest.
///
/// # Errors
/// Says that there is no GPU, that the unchanged kernel is wrong, or that the data folder cannot be written.
pub(crate) fn tune(screen: &Screen, workspace: &Workspace, args: &TuneArgs) -> anyhow::Result<bool> {
    let labs = registry::labs();
    let targets = kernels(&labs, workspace, &args.targets)?;
    let mut device = devices::device("gpu", devices::DEFAULT_MODEL).map_err(no_card)?;
    let card = device.info().name.clone();
    let store = Store::of_user()?;
    for (target, best) in targets {
        let file = kernel_file(target, workspace)?;
        let bar = progress(best.tunings.iter().map(|t| t.combinations().len()).sum());
        let mut failed = None;
        let tried = |trial: &Trial| {
            bar.inc(1);
            failed = bar.suspend(|| screen.line(line(trial))).err().or(failed.take());
        };
        let tuned = harness::tune(best, &file, device.as_mut(), args.seed, tried);
        bar.finish_and_clear();
        if let Some(error) = failed {
            return Err(error.into());
        }
        let tuned = tuned.map_err(|e| {
            Failure::new(
                format!("{}: {e}", file.name),
                "`cargo lab run LAB --best` says more about the kernel",
            )
        })?;
        let path = store.keep(&card, target.lab, &file, &tuned)?;
        let chosen = match tuned.setting.as_slice() {
            [] => "the file's own constants are the fastest".to_owned(),
            _ => format!("chosen: {}", shown(&tuned.setting)),
        };
        screen.line(format!("{} on {card}: {chosen}; stored in {}", target.name(), path.display()))?;
    }
    Ok(true)
}

fn no_card(failure: Failure) -> Failure {
    Failure::new(
        format!("constants are chosen by measuring on a card: {}", failure.what),
        "without a card the constants in the file are used",
    )
}

fn line(trial: &Trial) -> String {
    let mark = if trial.is_default { " (as in the file)" } else { "" };
    let what = match &trial.outcome {
        Outcome::Measured { seconds, confidence } => {
            format!("{:.2} µs ± {:.2} measured", seconds * 1e6, confidence * 1e6)
        }
        Outcome::Refused(why) => format!("left out: {why}"),
        Outcome::Wrong(why) => format!("WRONG: {}", why.lines().next().unwrap_or_default()),
    };
    format!("{}  {}{mark}: {what}", trial.case, shown(&trial.setting))
}
