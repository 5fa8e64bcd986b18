//! Reports for people, in at most 100 columns.

use super::brief::{brief, nothing_again};
use super::table::Columns;
use super::thousands;
use crate::{Check, ExerciseReport, Extra, HotLine, Metrics, Status, Time, TimeKind};
use device::Counters;
use std::fmt::Write;
use std::io::IsTerminal;

/// Most columns of a line, except of source lines within diagnostics.
pub const WIDTH: usize = 100;

/// Whether to colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style {
    /// With ANSI escapes.
    pub color: bool,
}

impl Style {
    /// No colour.
    pub const PLAIN: Style = Style { color: false };

    /// Colour on a terminal, unless the environment has a `NO_COLOR` that is not empty (no-color.org) or `TERM=dumb`.
    pub fn for_stdout() -> Style {
        let no_color = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
        let dumb = std::env::var_os("TERM").is_some_and(|v| v == "dumb");
        Style { color: std::io::stdout().is_terminal() && !no_color && !dumb }
    }

    fn paint(self, code: &str, text: &str) -> String {
        if self.color { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }

    pub(super) fn bold(self, text: &str) -> String {
        self.paint("1", text)
    }

    pub(super) fn status(self, status: Status, text: &str) -> String {
        let code = match status {
            Status::Passed => "32",
            Status::Failed => "31",
            Status::Skipped => "33",
        };
        self.paint(code, text)
    }
}

/// One exercise in full: verdict, checks, messages, performance, extra rows and the lines that cost most.
pub fn text(report: &ExerciseReport, style: Style) -> String {
    let mut out = String::new();
    head(&mut out, report, style);
    checks(&mut out, report, style);
    diagnostics(&mut out, report, style);
    if let Some(case) = report.case.as_ref().filter(|_| report.metrics.launches > 0) {
        let _ = writeln!(out, "\n{}", style.bold(&format!("Performance at {}", case.label)));
        performance(&mut out, &report.metrics, report.counters.as_ref());
    }
    extras(&mut out, report, style);
    hot_lines(&mut out, &report.lines, style);
    if !report.printed.is_empty() {
        printed(&mut out, &report.printed, style);
    }
    out
}

/// Most lines of a kernel's own output that a report shows.
const PRINTED_LINES: usize = 40;

fn printed(out: &mut String, text: &str, style: Style) {
    let _ = writeln!(out, "\n{}", style.bold("The kernel printed"));
    text.lines().take(PRINTED_LINES).for_each(|line| {
        let _ = writeln!(out, "{line}");
    });
    if text.lines().count() > PRINTED_LINES {
        let advice = "… and more: let one thread print, as in `if (blockIdx.x == 0 && threadIdx.x == 0)`";
        let _ = writeln!(out, "{advice}");
    }
}

fn head(out: &mut String, report: &ExerciseReport, style: Style) {
    let title = format!("{} {}: {}", report.lab, report.exercise, report.title);
    let verdict = format!("{} {}/100", word(report.status), report.score);
    let gap = WIDTH.saturating_sub(title.chars().count() + verdict.chars().count()).max(1);
    let _ =
        writeln!(out, "{}{}{}", style.bold(&title), " ".repeat(gap), style.status(report.status, &verdict));
    wrap(out, "", &format!("{} on {}, seed {}", report.file, report.device.name, report.seed));
}

pub(super) fn word(status: Status) -> &'static str {
    match status {
        Status::Passed => "passed",
        Status::Failed => "FAILED",
        Status::Skipped => "skipped",
    }
}

fn checks(out: &mut String, report: &ExerciseReport, style: Style) {
    let mut skipped: Vec<&Check> = Vec::new();
    let mut again: Vec<&str> = Vec::new();
    for (i, check) in report.checks.iter().enumerate() {
        let mark = match check.status {
            Status::Passed => "ok    ",
            Status::Failed => "FAILED",
            Status::Skipped => {
                skipped.push(check);
                continue;
            }
        };
        if nothing_again(report, i) {
            again.push(&check.name);
            continue;
        }
        no_other_case(out, &mut again, style);
        let _ = writeln!(out, "  {} {}", style.status(check.status, mark), check.name);
        for line in brief(report, i).lines() {
            wrap(out, "         ", line);
        }
    }
    no_other_case(out, &mut again, style);
    // Checks that were skipped for one reason share a line.
    while let Some(first) = skipped.first().copied() {
        let (same, rest): (Vec<_>, Vec<_>) = skipped.into_iter().partition(|c| c.message == first.message);
        let names: Vec<&str> = same.iter().map(|c| c.name.as_str()).collect();
        let _ = writeln!(out, "  {} {}", style.status(Status::Skipped, "skip  "), first.message);
        wrap(out, "         ", &names.join(", "));
        skipped = rest;
    }
}

/// The cases of which there is nothing to say but that they fail as the first did.
fn no_other_case(out: &mut String, names: &mut Vec<&str>, style: Style) {
    if !names.is_empty() {
        let _ =
            writeln!(out, "  {} the other cases: nothing is stored", style.status(Status::Failed, "FAILED"));
        wrap(out, "         ", &names.join(", "));
        names.clear();
    }
}

fn diagnostics(out: &mut String, report: &ExerciseReport, style: Style) {
    for message in &report.diagnostics {
        let text = if style.color { &message.colored } else { &message.text };
        let _ = writeln!(out, "\n{}", text.trim_end());
    }
}

/// Seconds in a unit that suits them.
pub fn duration(seconds: f64) -> String {
    match seconds {
        s if s >= 1.0 => format!("{s:.3} s"),
        s if s >= 1e-3 => format!("{:.3} ms", s * 1e3),
        s => format!("{:.2} µs", s * 1e6),
    }
}

/// `modelled (h200)` or `measured`.
pub fn kind(time: &Time) -> String {
    match (time.kind, &time.model) {
        (TimeKind::Measured, _) => "measured".into(),
        (TimeKind::Modelled, Some(model)) => format!("modelled ({model})"),
        (TimeKind::Modelled, None) => "modelled".into(),
    }
}

fn performance(out: &mut String, m: &Metrics, counters: Option<&Counters>) {
    let mut row = |name: &str, value: String| {
        let _ = writeln!(out, "  {name:<30}{value}");
    };
    let basis = m.time.as_ref().map(kind).unwrap_or_default();
    let full = full_row(m, &basis);
    let idle = m.time.as_ref().zip(m.share_of_full).is_some_and(|(t, share)| share < IDLE * t.seconds);
    if let Some(value) = full.clone().filter(|_| idle) {
        row(FULL, value);
        row("", "compare kernels by this row: at the size below, launch and latency are".into());
        row("", "most of the time, because the grid does not fill the GPU".into());
    }
    if let Some(time) = &m.time {
        let limit = time.limit.as_ref().map(|l| format!(", limited by {l}")).unwrap_or_default();
        let spread = time.spread.map(|s| format!(" ± {}", duration(s))).unwrap_or_default();
        let launches = if m.launches > 1 { format!(", {} launches", m.launches) } else { String::new() };
        row("time", format!("{}{spread} {basis}{limit}{launches}", duration(time.seconds)));
    }
    if m.time.as_ref().is_some_and(|t| t.warm_cache == Some(true)) {
        row("", "the data may have come from the L2 cache: there is too little of it to fill".into());
        row("", "device memory's path".into());
    }
    if let Some(time) = &m.modelled {
        let limit = time.limit.as_ref().map(|l| format!(", limited by {l}")).unwrap_or_default();
        row("the model says", format!("{} {}{limit}", duration(time.seconds), kind(time)));
    }
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
        if percent > 100.0 && m.time.as_ref().is_some_and(|t| t.kind == TimeKind::Measured) {
            row(
                "",
                "above 100 %: a part of the data stayed in a cache, so fewer bytes moved than the".into(),
            );
            row("", "bound counts".into());
        }
    }
    let [one, two, four] = [1, 2, 4].map(|words| words * m.coalesced_sectors);
    let sectors = |value: f64| {
        format!("{value:.2} (coalesced: {one} of 32-bit, {two} of 64-bit, {four} of 128-bit elements)")
    };
    if let Some(value) = m.load_sectors_per_request {
        row("load sectors/request", sectors(value));
    }
    if let Some(value) = m.store_sectors_per_request {
        row("store sectors/request", sectors(value));
    }
    if let Some(degree) = m.conflict_degree {
        let note = if degree == 1 { "no conflicts" } else { "wavefronts of the worst access" };
        row("shared-memory conflict", format!("{degree}-way ({note})"));
    }
    if let Some(c) = counters.filter(|c| c.constant_requests > 0) {
        let passes = c.constant_passes as f64 / c.constant_requests as f64;
        row("constant passes/request", format!("{passes:.2} (1 is a broadcast)"));
    }
    if let Some(occupancy) = &m.occupancy {
        let percent = occupancy.fraction * 100.0;
        row(
            "occupancy",
            format!("{percent:.0} % ({} blocks an SM, by {})", occupancy.blocks, occupancy.limit),
        );
    }
    if let (Some(name), Some(speedup)) = (&m.baseline, m.speedup) {
        row("speed-up", format!("{speedup:.2} over `{name}` {basis}"));
    }
    if let Some(value) = full.filter(|_| !idle) {
        row(FULL, value);
    }
    if let (Some(name), Some(reduction)) = (&m.baseline, m.load_reduction) {
        row("global load requests", format!("{reduction:.2} times fewer than `{name}`"));
    }
    for note in &m.notes {
        wrap(out, "    ", note);
    }
    let mut row = |name: &str, value: String| {
        let _ = writeln!(out, "  {name:<30}{value}");
    };
    if let Some(lines) = m.source_lines {
        let each = m.speedup_per_line.map(|s| format!(", speed-up of {s:.3} a line")).unwrap_or_default();
        row("kernel", format!("{lines} source lines{each}"));
    }
}

/// The row of the modelled time in a large grid.
const FULL: &str = "in a grid that fills the GPU";

/// The share of the time that the work takes in a large grid, below which the GPU is mostly idle at the report size.
const IDLE: f64 = 0.5;

fn full_row(m: &Metrics, basis: &str) -> Option<String> {
    let seconds = m.share_of_full.filter(|_| m.time.as_ref().is_some_and(|t| t.model.is_some()))?;
    let faster = m.baseline.as_ref().zip(m.full_speedup);
    let faster = faster.map(|(name, s)| format!(", {s:.2} times as fast as `{name}`")).unwrap_or_default();
    Some(format!("{} {basis}{faster}", duration(seconds)))
}

fn extras(out: &mut String, report: &ExerciseReport, style: Style) {
    let is_fact = |e: &&Extra| matches!(e, Extra::Fact { .. });
    if report.extras.iter().any(|e| is_fact(&e)) {
        out.push('\n');
    }
    for extra in &report.extras {
        match extra {
            Extra::Fact { name, value } => {
                // A long name keeps its distance from the value.
                let name = format!("  {:<30}", format!("{name}  "));
                wrap_after(out, &name, value);
            }
            Extra::Table(table) => {
                let _ = writeln!(out, "\n{}", style.bold(&table.title));
                let mut columns = Columns::new(&table.header);
                table.rows.iter().for_each(|r| columns.row(r.clone()));
                out.push_str(&columns.render());
                table.notes.iter().for_each(|n| wrap(out, "  ", n));
            }
        }
    }
}

fn hot_lines(out: &mut String, lines: &[HotLine], style: Style) {
    if lines.is_empty() {
        return;
    }
    let _ = writeln!(out, "\n{}", style.bold("Lines with most memory work"));
    let header = ["line", "requests", "sectors", "shared", "conflicts", "const", "source"].map(str::to_owned);
    let mut columns = Columns::new(&header);
    columns.text(6);
    for line in lines {
        let c = &line.counters;
        let global =
            c.global_load_requests + c.global_store_requests + c.local_load_requests + c.local_store_requests;
        let sectors =
            c.global_load_sectors + c.global_store_sectors + c.local_load_sectors + c.local_store_sectors;
        let shared = c.shared_load_wavefronts + c.shared_store_wavefronts;
        let conflicts = c.shared_load_bank_conflicts + c.shared_store_bank_conflicts;
        let cell = |v: u64| if v == 0 { "-".to_owned() } else { thousands(v as f64) };
        let (requests, sectors) = (cell(global + c.texture_requests), cell(sectors + c.texture_sectors));
        let source = line.text.trim().to_owned();
        let numbers = [
            line.line.to_string(),
            requests,
            sectors,
            cell(shared),
            cell(conflicts),
            cell(c.constant_passes),
        ];
        columns.row(numbers.into_iter().chain([source]).collect());
    }
    out.push_str(&columns.render());
    wrap(out, "  ", "requests and sectors: global, local and texture; shared: wavefronts; const: passes");
}

/// Writes text in lines of at most [`WIDTH`] columns, each behind `indent`.
pub(super) fn wrap(out: &mut String, indent: &str, text: &str) {
    let own = &text[..text.len() - text.trim_start().len()];
    let first = format!("{indent}{own}");
    wrap_after(out, &first, text.trim_start());
}

/// The same with something before the first line; the other lines are indented as far.
fn wrap_after(out: &mut String, first: &str, text: &str) {
    let indent = " ".repeat(first.chars().count());
    let mut line = first.to_owned();
    let mut used = 0;
    for word in text.split(' ') {
        let room = WIDTH.saturating_sub(indent.len() + used);
        if used > 0 && word.chars().count() + 1 > room {
            let _ = writeln!(out, "{}", line.trim_end());
            line.clone_from(&indent);
            used = 0;
        }
        if used > 0 {
            line.push(' ');
            used += 1;
        }
        line.push_str(word);
        used += word.chars().count();
    }
    let _ = writeln!(out, "{}", line.trim_end());
}
