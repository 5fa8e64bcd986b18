//! `cargo lab compare`: compares all kernels of a lab in one table.

use crate::args::CompareArgs;
use crate::devices;
use crate::grading::{self, Detail};
use crate::own;
use crate::registry::{self, Target};
use crate::screen::{Screen, progress};
use crate::selection::Selector;
use crate::workspace::Workspace;
use harness::ExerciseReport;
use harness::report::Columns;
use source::Failure;

/// What the columns of [`bounds`] mean.
const LEGEND: [(&str, &str); 4] = [
    ("bound", "compulsory bytes over device bandwidth or flops over rate, whichever is longer"),
    ("reached", "the bound over the time above"),
    ("speed-up/line", "speed-up over the baseline per source line"),
    ("loads", "global load requests of the baseline over those of the kernel"),
];

pub(crate) fn compare(screen: &Screen, workspace: &Workspace, args: &CompareArgs) -> anyhow::Result<bool> {
    let labs = registry::labs();
    let mut passed = true;
    let chosen = Selector::new(&labs, workspace).labs(&args.targets)?;
    if !args.solution {
        workspace.has_labs()?;
    }
    devices::device(&args.options.device(), &args.options.model)?;
    for lab in chosen {
        passed &= compare_lab(screen, workspace, args, lab)?;
    }
    Ok(passed)
}

/// Grades every exercise of a lab and prints one table.
fn compare_lab(
    screen: &Screen,
    workspace: &Workspace,
    args: &CompareArgs,
    lab: &harness::Lab,
) -> anyhow::Result<bool> {
    let is_untouched = |target: &Target<'_>| {
        let text = (!args.solution).then(|| workspace.kernel_text(*target)).flatten();
        text.is_some_and(|text| own::is_starter(*target, workspace, &text))
    };
    let (untouched, targets): (Vec<_>, Vec<_>) = registry::exercises(lab).partition(is_untouched);
    if let Some(first) = untouched.first().filter(|_| targets.is_empty()) {
        let path = workspace.shown(&workspace.kernel(*first));
        let command = source::command(format!("run {}", first.words()));
        screen
            .line(format!("{}: no exercise is started.\nNext: edit {path}, then {command}.", lab.package))?;
        return Ok(false);
    }
    let bar = progress(targets.len());
    let mut reports = Vec::new();
    for target in &targets {
        bar.set_message(target.name());
        let file = if args.solution { workspace.solution(*target)? } else { workspace.kernel(*target) };
        if !file.is_file() {
            let what = format!("{} does not exist or is not a file", workspace.shown(&file));
            return Err(Failure::new(what, "`cargo lab reset LAB EXERCISE` restores a starter").into());
        }
        reports.push(grading::grade(*target, &file, workspace, &args.options, Detail::Verdict)?);
        bar.inc(1);
    }
    bar.finish_and_clear();
    screen.line(harness::report::compare(lab, &reports, host(lab, args.options.seed), screen.style()))?;
    let bounds = bounds(&reports);
    if !bounds.has_names_only() {
        screen.line("Against the bound and the baseline")?;
        screen.line(bounds.render(screen.width).trim_end())?;
        screen.line(format!("  {}", bounds.legend(&LEGEND)))?;
    }
    if !untouched.is_empty() {
        let names: Vec<&str> = untouched.iter().map(|target| target.exercise.name()).collect();
        screen.line(format!("Not started: {}", names.join(", ")))?;
    }
    Ok(untouched.is_empty() && reports.iter().all(ExerciseReport::passed))
}

/// Time of the host loop of the lab's first exercise that has one, at the report size.
fn host(lab: &harness::Lab, seed: u64) -> Option<std::time::Duration> {
    lab.exercises.iter().find_map(|exercise| {
        let case = exercise.cases().into_iter().find(|c| c.is_report)?;
        exercise.host_reference_timed(&case, seed)
    })
}

/// A table of the share of the bound that each kernel reaches, and its speed-up over the lab's baseline.
fn bounds(reports: &[ExerciseReport]) -> Columns {
    let mut table =
        Columns::new(&["kernel", "bound", "reached", "baseline", "speed-up", "speed-up/line", "loads"]);
    table.text(3);
    table.narrow();
    for report in reports {
        let m = &report.metrics;
        let seconds = m.time.as_ref().map(|t| t.seconds);
        let bound = seconds.zip(m.roofline_percent).map(|(s, percent)| s * percent / 100.0);
        let show =
            |value: Option<f64>, unit: &str| value.map_or("-".to_string(), |v| format!("{v:.2}{unit}"));
        table.row(vec![
            report.exercise.clone(),
            show(bound.map(|s| s * 1e6), " µs"),
            show(m.roofline_percent, " %"),
            m.baseline.clone().unwrap_or_else(|| "-".to_string()),
            show(m.speedup, ""),
            m.speedup_per_line.map_or("-".to_string(), |v| format!("{v:.3}")),
            show(m.load_reduction, ""),
        ]);
    }
    table.drop_empty();
    table
}
