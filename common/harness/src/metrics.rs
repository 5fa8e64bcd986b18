//! Computes a report's counters, metrics and hot lines from the tally of a run.

use crate::explain;
use crate::grade::Ran;
use crate::{Case, Context, Exercise, ExerciseReport, HotLine, Metrics, Tally, Time, TimeKind};
use device::{Counters, DeviceInfo, KernelFile, LineCounters, Recording, TimeLimit};
use std::collections::BTreeMap;

/// Maximum number of lines that a report keeps.
const HOT_LINES: usize = 12;

/// Fills in counters, metrics and lines of the report case.
pub(crate) fn fill(
    report: &mut ExerciseReport,
    exercise: &dyn Exercise,
    case: &Case,
    tally: &Tally,
    cx: &Context<'_>,
    baseline: Option<(&str, &Ran)>,
    file: &KernelFile,
) {
    report.counters = tally.counters;
    report.profiler = tally.counters.as_ref().map(named);
    report.lines = hot_lines(tally, file);
    let Recording { accesses, branches } = tally.recording.clone().in_excess(&file.name);
    (report.accesses, report.branches) = (accesses, branches);
    let lines = tally.kernels.iter().filter_map(|k| cx.program().kernel(k)).map(|k| k.source_lines).sum();
    let baseline = baseline.filter(|(_, ran)| ran.case.sizes == case.sizes);
    report.metrics = metrics(
        tally,
        (exercise.flops(case), exercise.bytes(case)),
        &report.device,
        baseline.map(|(name, ran)| (name, &ran.tally)),
        Some(lines).filter(|l| *l > 0),
    );
    report.metrics.coalesced_sectors = if cx.counts_by_todays_rules() { 4 } else { 2 };
}

/// Counters under the profiler's names.
fn named(counters: &Counters) -> BTreeMap<String, u64> {
    device::profiler_values(counters).map(|(name, value)| (name.to_owned(), value)).collect()
}

/// `work`: the algorithm's flops and compulsory bytes.
pub(crate) fn metrics(
    tally: &Tally,
    (flops, bytes): (f64, f64),
    device: &DeviceInfo,
    baseline: Option<(&str, &Tally)>,
    source_lines: Option<u32>,
) -> Metrics {
    let seconds = tally.seconds().filter(|s| *s > 0.0);
    let counters = tally.counters.as_ref();
    let speedup = baseline.and_then(|(_, b)| same_kind(b, tally));
    let degree = |c: &Counters| match c.shared_load_max_degree.max(c.shared_store_max_degree) {
        0 => None,
        degree => Some(degree),
    };
    let loads = |t: &Tally| t.counters.as_ref().map(|c| c.global_load_requests as f64);
    let roofline = (bytes / device.memory_bandwidth).max(flops / device.f32_rate);
    Metrics {
        time: time(tally),
        modelled: tally.measured.and_then(|_| modelled(tally)),
        flops,
        bytes,
        gflops: seconds.filter(|_| flops > 0.0).map(|s| flops / s * 1e-9),
        gbps: seconds.map(|s| bytes / s * 1e-9),
        arithmetic_intensity: (flops > 0.0 && bytes > 0.0).then(|| flops / bytes),
        roofline_percent: seconds.map(|s| 100.0 * roofline / s).filter(|p| p.is_finite()),
        load_sectors_per_request: counters.and_then(Counters::load_sectors_per_request),
        coalesced_sectors: 0,
        coalesced_load_sectors: counters.and_then(Counters::coalesced_load_sectors),
        coalesced_store_sectors: counters.and_then(Counters::coalesced_store_sectors),
        store_sectors_per_request: counters.and_then(Counters::store_sectors_per_request),
        conflict_degree: counters.and_then(degree),
        occupancy: tally.occupancy.clone(),
        baseline: baseline.map(|(name, _)| name.to_owned()),
        speedup,
        share_of_full: tally.share_of_full,
        full_speedup: baseline
            .and_then(|(_, b)| Some(b.share_of_full? / tally.share_of_full?))
            .filter(|s| s.is_finite()),
        load_reduction: baseline
            .and_then(|(_, b)| Some(loads(b)? / loads(tally)?))
            .filter(|r| r.is_finite() && *r > 0.0),
        source_lines,
        speedup_per_line: speedup.zip(source_lines).map(|(s, l)| s / f64::from(l)),
        launches: tally.launches,
        not_modelled: tally
            .counters
            .as_ref()
            .filter(|_| tally.modelled.is_some())
            .into_iter()
            .flat_map(|counters| counters.not_modelled())
            .map(str::to_owned)
            .collect(),
        notes: explain::notes(tally, baseline, speedup),
    }
}

/// The baseline's time over this one's, both measured or both modelled.
fn same_kind(baseline: &Tally, own: &Tally) -> Option<f64> {
    let (base, own) = match (baseline.measured, own.measured) {
        (Some(base), Some(own)) => (base, own),
        _ => (baseline.modelled?, own.modelled?),
    };
    (own > 0.0).then(|| base / own)
}

fn time(tally: &Tally) -> Option<Time> {
    let Some(seconds) = tally.measured else { return modelled(tally) };
    Some(Time {
        seconds,
        kind: TimeKind::Measured,
        model: None,
        limit: None,
        spread: Some(tally.spread),
        confidence: Some(tally.confidence),
        warm_cache: Some(tally.warm_cache),
    })
}

fn modelled(tally: &Tally) -> Option<Time> {
    let limit = tally.limit.map(|l| limit_name(l).to_owned());
    let seconds = tally.modelled?;
    Some(Time {
        seconds,
        kind: TimeKind::Modelled,
        model: tally.model.clone(),
        limit,
        spread: None,
        confidence: None,
        warm_cache: None,
    })
}

fn limit_name(limit: TimeLimit) -> &'static str {
    match limit {
        TimeLimit::DeviceMemory => "device memory bandwidth",
        TimeLimit::L2 => "L2 cache bandwidth",
        TimeLimit::L1 => "L1 cache throughput",
        TimeLimit::SharedMemory => "shared memory wavefronts",
        TimeLimit::Issue => "instruction issue",
        TimeLimit::Arithmetic => "floating-point units",
        TimeLimit::Latency => "latency",
        TimeLimit::Launch => "the launch itself",
    }
}

/// Memory work of a line, used to rank lines: sectors of global, local and texture memory, plus 4 for each shared-memory wavefront and each
/// constant pass.
fn weight(c: &Counters) -> u64 {
    let global =
        c.global_load_sectors + c.global_store_sectors + c.local_load_sectors + c.local_store_sectors;
    let shared = c.shared_load_wavefronts + c.shared_store_wavefronts;
    global + 4 * shared + 4 * c.constant_passes + c.texture_sectors
}

fn hot_lines(tally: &Tally, file: &KernelFile) -> Vec<HotLine> {
    let texts: Vec<&str> = file.text.lines().collect();
    let text = |line: u32| texts.get((line as usize).wrapping_sub(1)).copied().unwrap_or("").to_owned();
    let ours = tally.lines.iter().filter(|l| l.file == file.name && weight(&l.counters) > 0);
    let hot = |l: &LineCounters| HotLine {
        line: l.line,
        text: text(l.line),
        work: weight(&l.counters),
        counters: l.counters,
    };
    let mut lines: Vec<HotLine> = ours.map(hot).collect();
    lines.sort_by_key(|l| (std::cmp::Reverse(l.work), l.line));
    lines.truncate(HOT_LINES);
    lines
}
