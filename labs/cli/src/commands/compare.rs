//! `cargo lab compare`: all kernels of a lab side by side.

use crate::args::CompareArgs;
use crate::failure::Failure;
use crate::grading::{self, Detail};
use crate::registry;
use crate::screen::{Screen, progress};
use crate::workspace::Workspace;
use harness::ExerciseReport;

/// Grades every exercise of a lab and prints one table.
pub(crate) fn compare(screen: &Screen, workspace: &Workspace, args: &CompareArgs) -> anyhow::Result<bool> {
    let labs = registry::labs();
    let lab = registry::find_lab(&labs, &args.lab)?;
    let targets: Vec<_> = registry::exercises(lab).collect();
    let bar = progress(targets.len());
    let mut reports = Vec::new();
    for target in &targets {
        bar.set_message(target.name());
        let file = if args.solution { workspace.solution(*target) } else { workspace.kernel(*target) };
        if !file.is_file() {
            let what = format!("{} does not exist or is not a file", workspace.shown(&file));
            return Err(Failure::new(what, "`cargo lab reset LAB EXERCISE` brings a starter back").into());
        }
        reports.push(grading::grade(*target, &file, workspace, &args.options, Detail::Verdict)?);
        bar.inc(1);
    }
    bar.finish_and_clear();
    screen.line(harness::report::compare(lab, &reports, host(lab, args.options.seed), screen.style()))?;
    screen.line(bounds(&reports))?;
    if !args.solution && reports.iter().any(|r| !r.passed()) {
        screen.line("Kernels that are not solved have no figures; `--solution` compares the references.")?;
    }
    Ok(reports.iter().all(ExerciseReport::passed))
}

/// The host's own time for the lab's first exercise that has a host loop, at the report size.
fn host(lab: &harness::Lab, seed: u64) -> Option<std::time::Duration> {
    lab.exercises.iter().find_map(|exercise| {
        let case = exercise.cases().into_iter().find(|c| c.is_report)?;
        exercise.host_reference_timed(&case, seed)
    })
}

/// What the kernels reach of the bound, and what they gain over the lab's baseline.
fn bounds(reports: &[ExerciseReport]) -> String {
    let mut table = comfy_table::Table::new();
    table.load_preset(comfy_table::presets::NOTHING);
    table.set_header([
        "kernel",
        "bound",
        "reached",
        "baseline",
        "speed-up",
        "fewer loads",
        "speed-up a line",
    ]);
    for report in reports {
        let m = &report.metrics;
        let seconds = m.time.as_ref().map(|t| t.seconds);
        let bound = seconds.zip(m.roofline_percent).map(|(s, percent)| s * percent / 100.0);
        let show =
            |value: Option<f64>, unit: &str| value.map_or("-".to_string(), |v| format!("{v:.2}{unit}"));
        table.add_row([
            report.exercise.clone(),
            show(bound.map(|s| s * 1e6), " µs"),
            show(m.roofline_percent, " %"),
            m.baseline.clone().unwrap_or_else(|| "-".to_string()),
            show(m.speedup, ""),
            show(m.load_reduction, ""),
            m.speedup_per_line.map_or("-".to_string(), |v| format!("{v:.3}")),
        ]);
    }
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
    }
    let rows: String = table.lines().map(|line| format!("  {}\n", line.trim_end())).collect();
    format!(
        "Against the bound and the baseline\n{rows}  bound: compulsory bytes over device bandwidth or flops over rate, \
         whichever is longer\n  fewer loads: global load requests of the baseline over those of the kernel"
    )
}
