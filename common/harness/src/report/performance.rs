//! The numbers of a report. Each time says whether it is modelled or measured.

use super::style::Style;
use super::table::Columns;
use super::thousands;
use crate::gate::number;
use crate::{Explained, HotLine, Metrics, Time};
use ::report::duration;
use device::Counters;

/// Name of the row with the modelled time in a large grid.
const FULL: &str = "in a grid that fills the GPU";

/// The GPU counts as mostly idle at the report size if the same work in a large grid (`share_of_full`) takes less than this share of the
/// time.
const IDLE: f64 = 0.5;

/// Writes the rows of a summary: time, rates, share of the roofline bound, sectors, bank conflicts, occupancy and speed-up.
pub(super) fn summary(out: &mut String, m: &Metrics, style: Style) {
    let basis = m.time.as_ref().map(Time::basis).unwrap_or_default();
    let mut row = |name: &str, value: String| style.row(out, name, &value);
    if let Some(value) = full_row(m, &basis).filter(|_| is_idle(m)) {
        row(
            "in a large grid",
            format!("{value}; compare kernels by this: the grid here does not fill the GPU"),
        );
    }
    if let Some(time) = &m.time {
        let cache =
            if time.warm_cache == Some(true) { "; the data may have come from the L2 cache" } else { "" };
        row("time", format!("{}{cache}", time_row(m, time, &basis)));
    }
    if let Some(time) = &m.modelled {
        row("the model says", model_row(time));
    }
    let rate = |value: Option<f64>, unit: &str| value.map(|v| format!("{v:.1} {unit}"));
    let rates: Vec<String> = [rate(m.gbps, "GB/s"), rate(m.gflops, "GFLOPS")].into_iter().flatten().collect();
    if !rates.is_empty() {
        row("rate", format!("{} {basis}", rates.join(", ")));
    }
    if let Some(percent) = m.roofline_percent {
        let cached = if m.is_above_bound() { ": a part of the data stayed in a cache" } else { "" };
        row("of the roofline bound", format!("{percent:.1} % {basis}{cached}"));
    }
    let [load, store] = sectors(m);
    // If the coalesced number is the same for loads and stores, show it once, after the stores.
    let is_one = coalesced(m.coalesced_load_sectors) == coalesced(m.coalesced_store_sectors);
    let load = match is_one && store.is_some() {
        true => m.load_sectors_per_request.map(|value| format!("{value:.2}")),
        false => load,
    };
    let named = [load.map(|value| format!("load {value}")), store.map(|value| format!("store {value}"))];
    let named: Vec<String> = named.into_iter().flatten().collect();
    if !named.is_empty() {
        row("sectors per request", named.join(", "));
    }
    if let Some(degree) = m.conflict_degree.filter(|degree| *degree > 1) {
        row("shared-memory conflict", format!("{degree}-way (wavefronts of the worst access)"));
    }
    if let Some(occupancy) = &m.occupancy {
        row("occupancy", occupancy.to_string());
    }
    if let (Some(name), Some(speedup)) = (&m.baseline, m.speedup) {
        row("speed-up", format!("{speedup:.2} over `{name}` {basis}"));
    }
}

/// Writes every number. The notes about the time and the speed-up stand below their rows.
pub(super) fn all(out: &mut String, m: &Metrics, counters: Option<&Counters>, style: Style) {
    let basis = m.time.as_ref().map(Time::basis).unwrap_or_default();
    let (full, idle) = (full_row(m, &basis), is_idle(m));
    if let Some(value) = full.clone().filter(|_| idle) {
        style.row(out, FULL, &value);
        style.row(out, "", "compare kernels by this row: at the size below, launch and latency are most of the time, because the grid does not fill the GPU");
    }
    times(&mut |name, value| style.row(out, name, &value), m, &basis);
    notes(out, m, Explained::Time, style);
    let mut row = |name: &str, value: String| style.row(out, name, &value);
    rates(&mut row, m, &basis);
    accesses(&mut row, m, counters);
    if let Some(occupancy) = &m.occupancy {
        row("occupancy", occupancy.to_string());
    }
    if let (Some(name), Some(speedup)) = (&m.baseline, m.speedup) {
        row("speed-up", format!("{speedup:.2} over `{name}` {basis}"));
    }
    notes(out, m, Explained::Speedup, style);
    if let Some(value) = full.filter(|_| !idle) {
        style.row(out, FULL, &value);
    }
    if let (Some(name), Some(reduction)) = (&m.baseline, m.load_reduction) {
        style.row(out, "global load requests", &fewer(reduction, name));
    }
    if let Some(lines) = m.source_lines {
        let each = m.speedup_per_line.map(|s| format!(", speed-up of {s:.3} per line")).unwrap_or_default();
        style.row(out, "kernel", &format!("{lines} source lines{each}"));
    }
}

fn times(row: &mut impl FnMut(&str, String), m: &Metrics, basis: &str) {
    if let Some(time) = &m.time {
        row("time", time_row(m, time, basis));
    }
    if m.time.as_ref().is_some_and(|t| t.warm_cache == Some(true)) {
        row("", "the data may have come from the L2 cache, because all of it fits there".into());
    }
    if let Some(time) = &m.modelled {
        row("the model says", model_row(time));
    }
    left_out(row, m);
}

/// A number of requests, relative to the baseline `name`: `2.00 times fewer than`, `as many as` or `2.00 times as many as`.
fn fewer(reduction: f64, name: &str) -> String {
    match format!("{reduction:.2}").as_str() {
        "1.00" => format!("as many as `{name}`"),
        rounded if reduction > 1.0 => format!("{rounded} times fewer than `{name}`"),
        _ => format!("{:.2} times as many as `{name}`", 1.0 / reduction),
    }
}

/// What a modelled time leaves out.
fn left_out(row: &mut impl FnMut(&str, String), m: &Metrics) {
    if !m.not_modelled.is_empty() {
        row("", format!("not modelled: {}", m.not_modelled.join(", ")));
    }
}

fn rates(row: &mut impl FnMut(&str, String), m: &Metrics, basis: &str) {
    let rates = [("GFLOPS", m.gflops, m.flops, "flops"), ("GB/s", m.gbps, m.bytes, "compulsory bytes")];
    for (name, value, amount, of) in rates {
        if let Some(value) = value {
            row(name, format!("{value:.1} {basis} ({} {of})", thousands(amount)));
        }
    }
    if let Some(intensity) = m.arithmetic_intensity {
        row("arithmetic intensity", format!("{intensity:.3} flops/byte"));
    }
    if let Some(percent) = m.roofline_percent {
        row("of the roofline bound", format!("{percent:.1} % {basis}"));
        if m.is_above_bound() {
            row("", "above 100 %: a part of the data stayed in a cache, so fewer bytes moved than the bound counts".into());
        }
    }
}

fn accesses(row: &mut impl FnMut(&str, String), m: &Metrics, counters: Option<&Counters>) {
    let names = ["load sectors/request", "store sectors/request"];
    for (name, value) in names.into_iter().zip(sectors(m)) {
        value.into_iter().for_each(|value| row(name, value));
    }
    if let Some(degree) = m.conflict_degree {
        let note = if degree == 1 { "no conflicts" } else { "wavefronts of the worst access" };
        row("shared-memory conflict", format!("{degree}-way ({note})"));
    }
    if let Some(c) = counters.filter(|c| c.constant_requests > 0) {
        let passes = c.constant_passes as f64 / c.constant_requests as f64;
        row("constant passes/request", format!("{passes:.2} (1 is a broadcast)"));
    }
}

/// Sectors per request of loads and of stores as text, each with the number for consecutive addresses: `8.00 (coalesced: 4)`.
fn sectors(m: &Metrics) -> [Option<String>; 2] {
    let loads = (m.load_sectors_per_request, m.coalesced_load_sectors);
    let stores = (m.store_sectors_per_request, m.coalesced_store_sectors);
    [loads, stores].map(|(value, ideal)| Some(format!("{:.2}{}", value?, coalesced(ideal))))
}

fn coalesced(ideal: Option<f64>) -> String {
    ideal.map(|sectors| format!(" (coalesced: {})", number(sectors))).unwrap_or_default()
}

/// Writes the notes that explain the number `about`; they stand below its row.
pub(super) fn notes(out: &mut String, m: &Metrics, about: Explained, style: Style) {
    m.notes
        .iter()
        .filter(|note| note.about == Some(about))
        .for_each(|note| style.wrap(out, "    ", &note.text));
}

fn time_row(m: &Metrics, time: &Time, basis: &str) -> String {
    format!("{} {basis}{}{}", time.spent(), time.limited(), m.launched())
}

fn model_row(time: &Time) -> String {
    format!("{} {}{}", duration(time.seconds), time.basis(), time.limited())
}

/// The time in a grid that fills the GPU.
fn full_row(m: &Metrics, basis: &str) -> Option<String> {
    let seconds = m.share_of_full.filter(|_| m.time.as_ref().is_some_and(|t| t.model.is_some()))?;
    Some(format!("{} {basis}{}", duration(seconds), m.faster()))
}

/// Whether the GPU is mostly idle at the report size.
fn is_idle(m: &Metrics) -> bool {
    m.time.as_ref().zip(m.share_of_full).is_some_and(|(time, share)| share < IDLE * time.seconds)
}

/// The lines with most memory work, most first.
pub(super) fn hot_lines(out: &mut String, lines: &[HotLine], style: Style) {
    style.heading(out, "Lines with most memory work");
    let mut columns =
        Columns::new(&["line", "requests", "sectors", "shared", "conflicts", "const", "source"]);
    columns.flexible(6);
    for line in lines {
        let c = &line.counters;
        let global =
            c.global_load_requests + c.global_store_requests + c.local_load_requests + c.local_store_requests;
        let sectors =
            c.global_load_sectors + c.global_store_sectors + c.local_load_sectors + c.local_store_sectors;
        let shared = c.shared_load_wavefronts + c.shared_store_wavefronts;
        let conflicts = c.shared_load_bank_conflicts + c.shared_store_bank_conflicts;
        let cell = |v: u64| if v == 0 { "-".to_owned() } else { thousands(v as f64) };
        columns.row(vec![
            line.line.to_string(),
            cell(global + c.texture_requests),
            cell(sectors + c.texture_sectors),
            cell(shared),
            cell(conflicts),
            cell(c.constant_passes),
            line.text.trim().to_owned(),
        ]);
    }
    columns.drop_empty();
    out.push_str(&columns.render(style.width));
}

/// What the columns of [`hot_lines`] count.
pub(super) const HOT_LINES_KEY: &str =
    "requests and sectors: global, local and texture memory; shared: wavefronts; const: passes";
