//! `cargo lab profile`: prints an exercise's counters at the report size: the simulator's beside those that Nsight
//! Compute reads from the hardware.
//!
//! Bank conflicts are computed as wavefronts minus requests, because no profiler metric for them exists on every
//! device. The hardware's counters are summed over all launches of the case, like the simulator's. Nsight Compute
//! leaves the clocks unchanged.

use super::once;
use crate::args::ProfileArgs;
use crate::devices;
use crate::registry::{self, Target};
use crate::screen::Screen;
use crate::workspace::Workspace;
use device::{Counters, PROFILER_METRICS};
use harness::report::Columns;
use source::Failure;
use source::text::wrap;
use std::collections::HashMap;
use std::path::Path;

/// Prints one table per exercise.
pub(crate) fn profile(screen: &Screen, workspace: &Workspace, args: &ProfileArgs) -> anyhow::Result<bool> {
    let labs = registry::labs();
    let on = args.on.as_deref().unwrap_or_else(|| backend::default_name(None));
    for (target, file) in once::targets(&labs, workspace, &args.target)? {
        let simulated = match on {
            "gpu" => None,
            _ => Some(simulated(target, &file, workspace, args.target.seed)?),
        };
        let hardware = match on {
            "sim" => None,
            _ => Some(hardware(target, &file, args.target.seed)?),
        };
        let case = target.exercise.cases().into_iter().find(|c| c.is_report);
        let at = case.map(|c| format!(" at {}", c.label)).unwrap_or_default();
        screen.line(screen.bold(&format!("{}{at}", target.name())))?;
        let table = table(simulated.as_ref(), hardware.as_ref()).render(screen.width);
        screen.line(table.trim_end())?;
        let absent = missing_side(hardware.is_none(), args.on.is_some()).filter(|_| on != "gpu");
        screen
            .line(absent.map_or_else(String::new, |why| {
                wrap("  ", &why, screen.width).trim_end().to_owned() + "\n"
            }))?;
    }
    Ok(true)
}

/// Why the table has no columns of the GPU.
fn missing_side(is_missing: bool, was_asked: bool) -> Option<String> {
    let why = match was_asked {
        true => "`--on sim` counts on the simulator alone".to_owned(),
        false => format!("no GPU can be used here; {} says what is missing", source::command("doctor")),
    };
    is_missing.then(|| format!("GPU not profiled: {why}"))
}

fn simulated(target: Target<'_>, file: &Path, workspace: &Workspace, seed: u64) -> Result<Counters, Failure> {
    let name = workspace.shown(file);
    let text = harness::read_kernel_file(file, &name).map_err(|e| Failure::new(e, "check the file"))?;
    let mut device = devices::device("sim", devices::DEFAULT_MODEL)?;
    let help = "`cargo lab run` says what is wrong; only a kernel with correct results is profiled";
    let (_, tally) = harness::run_report_case(target.exercise, text, device.as_mut(), seed, false)
        .map_err(|e| Failure::new(format!("{name}: {e}"), help))?;
    tally.counters.ok_or_else(|| Failure::new(format!("{name}: nothing was launched"), help))
}

/// Runs Nsight Compute; returns each metric's sum over all launches of the case.
fn hardware(target: Target<'_>, file: &Path, seed: u64) -> Result<HashMap<String, f64>, Failure> {
    let read = PROFILER_METRICS.iter().filter(|metric| metric.is_read);
    let metrics = read.map(|metric| metric.name).collect::<Vec<_>>().join(",");
    let options = ["--clock-control", "none", "--csv", "--page", "raw", "--metrics", &metrics];
    let output = once::watched("ncu", &options, target, file, seed)?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let fail = |what: &str| {
        let said: Vec<&str> =
            text.lines().filter(|l| l.starts_with("==") || l.starts_with("failed")).collect();
        let help = "reading counters needs permission: NVIDIA's page on ERR_NVGPUCTRPERM says how to give it";
        Failure::new(format!("{}: {what}: {}", target.name(), said.join("; ")), help)
    };
    let launches = once::launches(&output).ok_or_else(|| fail("the run under `ncu` did not finish"))?;
    let (profiled, sums) = sums(&text).ok_or_else(|| fail("`ncu` gave no table"))?;
    if launches == 0 || profiled != launches {
        return Err(fail(&format!("`ncu` profiled {profiled} of {launches} launches")));
    }
    Ok(sums)
}

/// Parses the table in `ncu`'s output: returns the number of rows and the sum of each numeric column. The first row
/// below the names holds the units.
fn sums(text: &str) -> Option<(u64, HashMap<String, f64>)> {
    let mut lines = text.lines().skip_while(|line| !line.starts_with("\"ID\""));
    let names = fields(lines.next()?);
    let rows: Vec<Vec<String>> = lines.skip(1).filter(|l| l.starts_with('"')).map(fields).collect();
    let column = |at: usize| -> f64 {
        let numbers = rows.iter().filter_map(|row| row.get(at)?.replace(',', "").parse::<f64>().ok());
        numbers.sum()
    };
    let sums = names.iter().enumerate().map(|(at, name)| (name.clone(), column(at))).collect();
    Some((rows.len() as u64, sums))
}

/// Splits a line of quoted values into fields.
fn fields(line: &str) -> Vec<String> {
    let inner = line.trim().trim_start_matches('"').trim_end_matches('"');
    inner.split("\",\"").map(|field| field.replace("\"\"", "\"")).collect()
}

fn table(simulated: Option<&Counters>, hardware: Option<&HashMap<String, f64>>) -> Columns {
    let mut table = Columns::new(&["counter", "simulator", "GPU (ncu)", "GPU/simulator"]);
    table.text(0);
    for metric in PROFILER_METRICS.iter().filter(|metric| metric.is_read || hardware.is_none()) {
        let own = simulated.map(|c| metric.value(c) as f64);
        let real = hardware.and_then(|h| h.get(metric.name)).copied();
        if own.unwrap_or(0.0) == 0.0 && real.unwrap_or(0.0) == 0.0 {
            continue;
        }
        let show = |value: Option<f64>| value.map_or("-".to_string(), |v| format!("{v:.0}"));
        let ratio =
            own.zip(real).filter(|(own, _)| *own > 0.0).map(|(own, real)| format!("{:.3}", real / own));
        table.row(vec![
            metric.label.to_string(),
            show(own),
            show(real),
            ratio.unwrap_or_else(|| "-".to_string()),
        ]);
    }
    table.drop_empty();
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_profilers_table_is_summed_over_launches() {
        let text = "==PROF== Connected\nlaunches: 2\n\"ID\",\"Kernel Name\",\"a.sum\"\n\"\",\"\",\"inst\"\n\
                    \"0\",\"k(float *, int)\",\"1,024\"\n\"1\",\"k(float *, int)\",\"6\"\n";
        let (rows, sums) = sums(text).unwrap();
        assert_eq!((rows, sums["a.sum"]), (2, 1030.0));
        assert!(super::sums("==ERROR== no permission\n").is_none());
    }

    #[test]
    fn a_counter_that_is_nothing_on_both_has_no_row() {
        let counters = Counters { ffma: 64, ..Counters::default() };
        let text = table(Some(&counters), None).render(80);
        assert!(text.contains("float multiply-adds") && !text.contains("texture"), "{text}");
        assert!(!text.contains("GPU"), "{text}");
    }
}
