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
use device::Counters;
use harness::report::Columns;
use source::Failure;
use std::collections::HashMap;
use std::path::Path;

/// A counter: its name, the profiler's metric, and the simulator's value.
type Row = (&'static str, &'static str, fn(&Counters) -> u64);

const ROWS: &[Row] = &[
    ("warp instructions", "smsp__inst_executed.sum", |c| c.warp_instructions),
    ("global load requests", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", |c| c.global_load_requests),
    ("global load sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", |c| c.global_load_sectors),
    ("global store requests", "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", |c| c.global_store_requests),
    ("global store sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", |c| c.global_store_sectors),
    ("L1 load sector hits", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum", |c| {
        c.l1_load_sector_hits
    }),
    ("shared load requests", "smsp__inst_executed_op_shared_ld.sum", |c| c.shared_load_requests),
    ("shared load wavefronts", "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", |c| {
        c.shared_load_wavefronts
    }),
    ("texture requests", "l1tex__t_requests_pipe_tex.sum", |c| c.texture_requests),
    ("texture sectors", "l1tex__t_sectors_pipe_tex.sum", |c| c.texture_sectors),
    ("float multiply-adds", "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", |c| c.ffma),
    ("float additions", "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", |c| c.fadd),
    ("float multiplications", "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum", |c| c.fmul),
];

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
        screen.line(table(simulated.as_ref(), hardware.as_ref()).render(screen.width))?;
    }
    Ok(true)
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
    let metrics = ROWS.iter().map(|(_, metric, _)| *metric).collect::<Vec<_>>().join(",");
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
    for (name, metric, value) in ROWS {
        let own = simulated.map(|c| value(c) as f64);
        let real = hardware.and_then(|h| h.get(*metric)).copied();
        if own.unwrap_or(0.0) == 0.0 && real.unwrap_or(0.0) == 0.0 {
            continue;
        }
        let show = |value: Option<f64>| value.map_or("-".to_string(), |v| format!("{v:.0}"));
        let ratio =
            own.zip(real).filter(|(own, _)| *own > 0.0).map(|(own, real)| format!("{:.3}", real / own));
        table.row(vec![(*name).to_string(), show(own), show(real), ratio.unwrap_or_else(|| "-".to_string())]);
    }
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
    }
}
