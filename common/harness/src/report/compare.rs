//! Several exercises side by side.

use super::table::Columns;
use super::text::{Style, duration, kind, word, wrap};
use crate::{ExerciseReport, Lab, Metrics, Published, Status};
use std::fmt::Write;
use std::time::Duration;

/// One line for each exercise: verdict, score and time.
pub fn overview(reports: &[ExerciseReport], style: Style) -> String {
    let width = reports.iter().map(|r| r.lab.len() + r.exercise.len() + 1).max().unwrap_or(0);
    let mut out = String::new();
    for report in reports {
        let name = format!("{} {}", report.lab, report.exercise);
        let count = |status| report.checks.iter().filter(|c| c.status == status).count();
        let time = report.metrics.time.as_ref();
        let time = time.map(|t| format!(", {} {}", duration(t.seconds), kind(t))).unwrap_or_default();
        let verdict = style.status(report.status, word(report.status));
        let (passed, failed, skipped) =
            (count(Status::Passed), count(Status::Failed), count(Status::Skipped));
        let _ = writeln!(
            out,
            "{name:<width$}  {verdict}  {:>3}/100  {passed} passed, {failed} failed, {skipped} skipped{time}",
            report.score
        );
    }
    out
}

/// All exercises side by side at the report size, the host's loop first, then published results.
///
/// `host` is the measured time of the plain single-threaded loop for the first report's case. Speed-up is over the
/// first report of the same work (flops and compulsory bytes), and only times of one kind are ever divided.
pub fn compare(lab: &Lab, reports: &[ExerciseReport], host: Option<Duration>, style: Style) -> String {
    let mut out = String::new();
    let title = format!("{}: {}", lab.package, lab.title);
    let _ = writeln!(out, "{}", style.bold(&title));
    let header = ["kernel", "time", "", "faster", "GFLOPS", "GB/s", "ld s/r", "st s/r", "ways", "lines"];
    let mut columns = Columns::new(&header.map(str::to_owned));
    columns.narrow();
    if let Some(host) = host {
        let first = ["host loop".to_owned(), duration(host.as_secs_f64()), "measured".to_owned()];
        let none = std::iter::repeat_n("-".to_owned(), header.len() - 3);
        columns.row(first.into_iter().chain(none).collect());
    }
    for report in reports {
        let m = &report.metrics;
        let show = |value: Option<f64>, places: usize| value.map_or("-".into(), |v| format!("{v:.places$}"));
        let base = first_alike(reports, report, |m| m.time.as_ref());
        let same = m.time.as_ref().zip(base).filter(|(t, b)| t.kind == b.kind && t.seconds > 0.0);
        let speedup = same.map(|(t, b)| b.seconds / t.seconds);
        columns.row(vec![
            report.exercise.clone(),
            m.time.as_ref().map_or("-".into(), |t| duration(t.seconds)),
            m.time.as_ref().map_or(word(report.status).into(), kind),
            show(speedup, 2),
            show(m.gflops, 1),
            show(m.gbps, 1),
            show(m.load_sectors_per_request, 1),
            show(m.store_sectors_per_request, 1),
            m.conflict_degree.map_or("-".into(), |d| d.to_string()),
            m.source_lines.map_or("-".into(), |l| l.to_string()),
        ]);
    }
    out.push_str(&columns.render());
    let key = "faster: than the first kernel of the same work; ld s/r and st s/r: global sectors per load and store request; ways: \
               wavefronts of the worst shared access; lines: of source";
    wrap(&mut out, "  ", key);
    if reports.iter().any(|r| r.metrics.time.is_none()) {
        let unsolved =
            "FAILED: a kernel with wrong results has no time; `--solution` compares the references";
        wrap(&mut out, "  ", unsolved);
    }
    full_device(&mut out, reports);
    lab.published.iter().for_each(|p| published(&mut out, p, reports));
    out
}

/// What `pick` gives of the first report that is of the same work as `report` and has it.
fn first_alike<'a, T>(
    reports: &'a [ExerciseReport],
    report: &ExerciseReport,
    pick: impl Fn(&'a Metrics) -> Option<T>,
) -> Option<T> {
    let work = |m: &Metrics| (m.flops, m.bytes);
    let alike = reports.iter().filter(|r| work(&r.metrics) == work(&report.metrics));
    alike.map(|r| &r.metrics).find_map(pick)
}

/// How the kernels compare where the grid is large enough that only throughput counts.
fn full_device(out: &mut String, reports: &[ExerciseReport]) {
    let share = |m: &Metrics| m.share_of_full.filter(|s| *s > 0.0);
    let Some(model) = reports.iter().find_map(|r| r.metrics.time.as_ref()?.model.clone()) else { return };
    let each = reports.iter().filter_map(|r| {
        let faster = first_alike(reports, r, share)? / share(&r.metrics)?;
        Some(format!("{} {faster:.2}", r.exercise))
    });
    let each = each.collect::<Vec<_>>().join(", ");
    wrap(out, "  ", &format!("times as fast in a grid that fills the GPU, modelled ({model}): {each}"));
}

/// The size that ours are of.
fn sizes(reports: &[ExerciseReport]) -> String {
    let mut labels: Vec<&str> =
        reports.iter().filter_map(|r| Some(r.case.as_ref()?.label.as_str())).collect();
    labels.dedup();
    match labels.as_slice() {
        [one] => format!("at {one}"),
        _ => "each kernel at its report size".to_owned(),
    }
}

/// A published table beside ours, in its unit where that is a rate. Ratios to the first row are what compares across
/// devices and sizes.
fn published(out: &mut String, table: &Published, reports: &[ExerciseReport]) {
    let _ = writeln!(out, "\nPublished on {}: {}", table.device, table.title);
    let header = ["", "published", "ratio", "here", "", "ratio"].map(str::to_owned);
    let mut columns = Columns::new(&header);
    columns.text(0);
    let ours = |name: &str| {
        let metrics = &reports.iter().find(|r| r.exercise == name)?.metrics;
        let time = metrics.time.as_ref()?;
        let (value, text) = match table.unit {
            "GFLOPS" => (metrics.gflops?, format!("{:.1} GFLOPS", metrics.gflops?)),
            "GB/s" => (metrics.gbps?, format!("{:.1} GB/s", metrics.gbps?)),
            _ => (time.seconds, duration(time.seconds)),
        };
        Some((value, text, time))
    };
    let first = table.rows.first().map(|(_, v)| *v);
    let first_ours = table.rows.iter().find_map(|(name, _)| ours(name));
    for (name, value) in &table.rows {
        let own = ours(name);
        let both = own.as_ref().zip(first_ours.as_ref());
        let ratio = both.filter(|(a, b)| a.2.kind == b.2.kind && b.0 > 0.0).map(|(a, b)| a.0 / b.0);
        columns.row(vec![
            (*name).to_owned(),
            format!("{value} {}", table.unit),
            first.map_or(String::new(), |f| format!("{:.2}", value / f)),
            own.as_ref().map_or("-".into(), |(_, text, _)| text.clone()),
            own.as_ref().map_or(String::new(), |(_, _, time)| kind(time)),
            ratio.map_or("-".into(), |r| format!("{r:.2}")),
        ]);
    }
    out.push_str(&columns.render());
    wrap(out, "  ", &format!("ratio: to the first row; here: {}", sizes(reports)));
    if !table.note.is_empty() {
        wrap(out, "  ", table.note);
    }
}
