//! `cargo lab run LAB --best`: runs the best kernels with the constants chosen for this card.

use super::run;
use crate::args::RunArgs;
use crate::format::{self, Format};
use crate::grading;
use crate::registry::{self, Target};
use crate::screen::{Screen, progress};
use crate::selection::Selector;
use crate::tuned::{self, Choice, Store};
use crate::workspace::Workspace;
use crate::{devices, screen};
use harness::report::{self, Columns, Style};
use harness::{Best, KernelFile, Lab, Options, Setting};
use source::Failure;

/// Runs the best kernels of one or all labs. With a GPU, also at sizes that fill it.
pub(crate) fn best(screen: &Screen, workspace: &Workspace, args: &RunArgs) -> anyhow::Result<bool> {
    let format = args.format.format()?;
    let style = Style { verbose: args.verbose, ..screen.style() };
    let labs = registry::labs();
    let targets = kernels(&labs, workspace, &args.targets)?;
    let on = args.options.device();
    let bar = progress(targets.len());
    let mut passed = true;
    let mut findings = Vec::new();
    for (target, best) in targets {
        bar.set_message(target.name());
        let file = kernel_file(target, workspace)?;
        let defines = if on == "sim" { Setting::new() } else { chosen(target, &file)? };
        let options = Options {
            seed: args.options.seed,
            defines,
            instructions: Best::INSTRUCTIONS,
            ..Options::default()
        };
        let path = workspace.solution(target)?;
        let report = grading::grade_with(target, &path, workspace, &args.options, &options)?;
        bar.suspend(|| run::print(screen, &report, format, style, false))?;
        findings.extend(report::findings(&report));
        passed &= report.passed();
        if report.passed() && on != "sim" && matches!(format, Format::Full | Format::Json) {
            bar.suspend(|| large(screen, target, best, &file, &options, args))?;
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    if format == Format::Sarif {
        screen.json(format::sarif(&findings)?)?;
    }
    Ok(passed)
}

/// The best kernels of the named labs; for `all`, of the labs that have one.
///
/// # Errors
/// Says that a named lab has no best kernel.
pub(crate) fn kernels<'a>(
    labs: &'a [Lab],
    workspace: &Workspace,
    words: &[String],
) -> Result<Vec<(Target<'a>, &'a Best)>, Failure> {
    let named = Selector::new(labs, workspace).labs(words)?;
    if named.len() == labs.len() {
        return Ok(named.into_iter().filter_map(registry::best_if_any).collect());
    }
    named.into_iter().map(|lab| registry::best(labs, lab)).collect()
}

/// The kernel file of a lab's best kernel.
///
/// # Errors
/// Says that the file cannot be read.
pub(crate) fn kernel_file(target: Target<'_>, workspace: &Workspace) -> Result<KernelFile, Failure> {
    let path = workspace.solution(target)?;
    harness::read_kernel_file(&path, &workspace.shown(&path))
        .map_err(|e| Failure::new(e, "restore it from the project's repository"))
}

/// The stored constants for the installed card.
fn chosen(target: Target<'_>, file: &KernelFile) -> Result<Setting, Failure> {
    let Ok(card) = backend::probe() else { return Ok(Setting::new()) };
    let lab = target.lab.number;
    match Store::of_user()?.load(&card.name, target.lab, file) {
        Choice::None => Ok(Setting::new()),
        Choice::Stale => {
            screen::complain(&format!(
                "what {} chose was for another text of {}: its own constants are used",
                source::command(format!("tune {lab}")),
                file.name
            ));
            Ok(Setting::new())
        }
        Choice::Constants(setting) => {
            if !setting.is_empty() {
                screen::complain(&format!("tuned for {}: {}", card.name, tuned::shown(&setting)));
            }
            Ok(setting)
        }
    }
}

/// Prints measured times on the GPU at the sizes used for tuning.
fn large(
    screen: &Screen,
    target: Target<'_>,
    best: &Best,
    file: &KernelFile,
    options: &Options,
    args: &RunArgs,
) -> anyhow::Result<()> {
    let mut device = devices::device("gpu", &args.options.model)?;
    let runs = harness::large_runs(best, file, device.as_mut(), options).map_err(|e| {
        Failure::new(format!("{}: {e}", file.name), "report it with what `cargo lab doctor` says")
    })?;
    if args.format.format()? == Format::Json {
        let object = serde_json::json!({
            "schema": harness::SCHEMA,
            "lab": target.lab.package,
            "exercise": target.exercise.name(),
            "device": device.info(),
            "constants": options.defines,
            "large": runs,
        });
        return Ok(screen.json(object.to_string())?);
    }
    let mut table = Columns::new(&["size", "time, µs", "±", "GB/s", "GFLOPS"]);
    table.text(0);
    for run in runs {
        let rate = |value: f64| if value > 0.0 { format!("{value:.0}") } else { "-".to_owned() };
        table.row(vec![
            run.case.label,
            format!("{:.2}", run.seconds * 1e6),
            format!("{:.2}", run.spread * 1e6),
            rate(run.gbps),
            rate(run.gflops),
        ]);
    }
    screen.line(format!("At sizes that fill the card, measured on {}", device.info().name))?;
    Ok(screen.line(table.render(screen.width))?)
}
