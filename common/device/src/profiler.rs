//! Nsight Compute's names for counters, and counters in the layout of its tables.
//!
//! `lab profile`, `lab explain`, JSON and `--format ncu` read this one table. It names only counters for which the profiler has the same count:
//! not atomics (the hardware counts `atom` and `red` apart), passes of constant memory, or branches.

use crate::Counters;

/// A counter with its name in Nsight Compute.
pub struct ProfilerMetric {
    /// The field of [`Counters`].
    pub counter: &'static str,
    /// What it counts, for people.
    pub label: &'static str,
    /// The profiler's metric, as `smsp__inst_executed.sum`.
    pub name: &'static str,
    /// The unit in the second row of the profiler's table.
    pub unit: &'static str,
    /// Whether `lab profile` reads it from hardware. Bank conflicts differ there: the hardware's count has other stalls, too.
    pub is_read: bool,
    value: fn(&Counters) -> u64,
}

impl ProfilerMetric {
    /// The simulator's value.
    pub fn value(&self, counters: &Counters) -> u64 {
        (self.value)(counters)
    }
}

macro_rules! metrics {
    ($($counter:ident $label:literal $name:literal $unit:literal $is_read:literal)*) => {
        &[$(ProfilerMetric {
            counter: stringify!($counter),
            label: $label,
            name: $name,
            unit: $unit,
            is_read: $is_read,
            value: |counters| counters.$counter,
        }),*]
    };
}

/// All counters that have a name in the profiler.
#[rustfmt::skip]
pub const PROFILER_METRICS: &[ProfilerMetric] = metrics! {
    warp_instructions "warp instructions" "smsp__inst_executed.sum" "inst" true
    thread_instructions "thread instructions" "smsp__thread_inst_executed.sum" "inst" false
    global_load_requests "global load requests" "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum" "" true
    global_load_sectors "global load sectors" "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum" "sector" true
    global_store_requests "global store requests" "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum" "" true
    global_store_sectors "global store sectors" "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum" "sector" true
    l1_load_sector_hits "L1 load sector hits" "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum" "sector" true
    local_load_requests "local load requests" "l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum" "" false
    local_load_sectors "local load sectors" "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum" "sector" false
    local_store_requests "local store requests" "l1tex__t_requests_pipe_lsu_mem_local_op_st.sum" "" false
    local_store_sectors "local store sectors" "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum" "sector" false
    shared_load_requests "shared load requests" "smsp__inst_executed_op_shared_ld.sum" "inst" true
    shared_load_wavefronts "shared load wavefronts" "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum" "" true
    shared_load_bank_conflicts "shared load bank conflicts" "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum" "" false
    shared_store_requests "shared store requests" "smsp__inst_executed_op_shared_st.sum" "inst" false
    shared_store_wavefronts "shared store wavefronts" "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum" "" false
    shared_store_bank_conflicts "shared store bank conflicts" "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum" "" false
    texture_requests "texture requests" "l1tex__t_requests_pipe_tex.sum" "" true
    texture_sectors "texture sectors" "l1tex__t_sectors_pipe_tex.sum" "sector" true
    ffma "float multiply-adds" "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum" "inst" true
    fadd "float additions" "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum" "inst" true
    fmul "float multiplications" "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum" "inst" true
    dfma "double multiply-adds" "smsp__sass_thread_inst_executed_op_dfma_pred_on.sum" "inst" false
    dadd "double additions" "smsp__sass_thread_inst_executed_op_dadd_pred_on.sum" "inst" false
    dmul "double multiplications" "smsp__sass_thread_inst_executed_op_dmul_pred_on.sum" "inst" false
};

/// Each metric's name and the simulator's value.
pub fn profiler_values(counters: &Counters) -> impl Iterator<Item = (&'static str, u64)> {
    PROFILER_METRICS.iter().map(|metric| (metric.name, metric.value(counters)))
}

/// A row of the profiler's table.
pub struct ProfiledLaunch<'a> {
    /// The kernel's name.
    pub kernel: &'a str,
    /// `blockDim`, if it is one.
    pub block: Option<[u32; 3]>,
    /// `gridDim`, if it is one.
    pub grid: Option<[u32; 3]>,
    /// What it did.
    pub counters: &'a Counters,
}

/// The rows in the layout of `ncu --csv --page raw`: names, units, and a row for each launch, every field quoted. What only a process on a
/// GPU has is 0 or empty.
pub fn profiler_csv(launches: &[ProfiledLaunch<'_>]) -> String {
    const LAUNCH: [&str; 11] = [
        "ID",
        "Process ID",
        "Process Name",
        "Host Name",
        "Kernel Name",
        "Context",
        "Stream",
        "Block Size",
        "Grid Size",
        "Device",
        "CC",
    ];
    let line = |fields: Vec<String>| {
        let quoted = fields.iter().map(|field| format!("\"{}\"", field.replace('"', "\"\"")));
        quoted.collect::<Vec<_>>().join(",") + "\n"
    };
    let size = |size: Option<[u32; 3]>| size.map(|[x, y, z]| format!("({x}, {y}, {z})")).unwrap_or_default();
    let names = LAUNCH.iter().copied().chain(PROFILER_METRICS.iter().map(|m| m.name));
    let units = LAUNCH.iter().map(|_| "").chain(PROFILER_METRICS.iter().map(|m| m.unit));
    let rows = launches.iter().enumerate().map(|(id, launch)| {
        let (zero, kernel) = ("0".to_owned(), source::text::printable(launch.kernel).into_owned());
        let (process, host) = ("lab".to_owned(), "simulator".to_owned());
        let (block, grid) = (size(launch.block), size(launch.grid));
        let device = String::new();
        let own = [
            id.to_string(),
            zero.clone(),
            process,
            host,
            kernel,
            zero.clone(),
            zero.clone(),
            block,
            grid,
            zero,
            device,
        ];
        let values = PROFILER_METRICS.iter().map(|m| m.value(launch.counters).to_string());
        line(own.into_iter().chain(values).collect())
    });
    let head = [line(names.map(str::to_owned).collect()), line(units.map(str::to_owned).collect())];
    head.into_iter().chain(rows).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_names_units_and_a_row_per_launch() {
        let counters = Counters { warp_instructions: 7, dmul: 3, ..Counters::default() };
        let launch =
            ProfiledLaunch { kernel: "k<\"a\">", block: Some([32, 2, 1]), grid: None, counters: &counters };
        let text = profiler_csv(&[launch]);
        let lines: Vec<&str> = text.lines().collect();
        assert!(
            lines[0].starts_with("\"ID\",\"Process ID\",")
                && lines[0].contains(",\"smsp__inst_executed.sum\",")
        );
        assert!(lines[1].starts_with("\"\",\"\"") && lines[1].contains(",\"sector\","));
        assert!(
            lines[2].contains("\"k<\"\"a\"\">\",\"0\",\"0\",\"(32, 2, 1)\",\"\",")
                && lines[2].ends_with(",\"3\"")
        );
        assert!(profiler_values(&counters).any(|value| value == ("smsp__inst_executed.sum", 7)));
    }

    #[test]
    fn each_counter_and_each_name_is_there_once() {
        for part in [|m: &ProfilerMetric| m.counter, |m: &ProfilerMetric| m.name] {
            let mut names: Vec<_> = PROFILER_METRICS.iter().map(part).collect();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), PROFILER_METRICS.len());
        }
    }
}
