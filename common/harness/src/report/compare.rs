//! Several exercises side by side.

use super::style::Style;
use super::table::Columns;
use super::text::word;
use crate::{ExerciseReport, Lab, Metrics, Published, Status, TimeKind};
use ::report::duration;
use std::fmt::Write;
use std::time::Duration;

/// What the columns of [`compare`] mean.
const LEGEND: [(&str, &str); 5] = [
    ("faster", "times as fast as the first kernel of the same work; below 1 is slower"),
    ("s/ld", "global sectors per load request"),
    ("s/st", "global sectors per store request"),
    ("ways", "wavefronts of the worst shared access"),
    ("loc", "source lines of code"),
];

/// A table with a line per exercise (verdict, points, time, first failed check); then how many exercises passed, and the next step of the
/// first that did not pass, or of the last one if all passed.
pub fn overview(reports: &[ExerciseReport], style: Style) -> String {
    let mut out = String::new();
    let mut columns = Columns::new(&["exercise", "", "points", "time", "fails"]);
    columns.flexible(4);
    columns.text(3);
    for report in reports {
        let time = report.metrics.time.as_ref();
        let first = report.checks.iter().find(|c| c.status == Status::Failed);
        columns.row(vec![
            format!("{} {}", report.lab, report.exercise),
            word(report.status).to_owned(),
            format!("{}/100", report.score),
            time.map_or("-".into(), |t| format!("{} {}", duration(t.seconds), t.basis())),
            first.map_or("-".into(), |check| check.name.clone()),
        ]);
    }
    columns.drop_empty();
    out.push_str(&columns.render(style.width));
    let passed = reports.iter().filter(|r| r.passed()).count();
    let status = if passed == reports.len() { Status::Passed } else { Status::Failed };
    let verdict = format!("{passed} of {} exercises passed", reports.len());
    let _ = writeln!(out, "{}", style.status(status, &verdict));
    let next =
        reports.iter().find(|r| !r.passed()).or(reports.last()).and_then(|r| Some((r, r.next.as_ref()?)));
    if let Some((report, next)) = next {
        let of =
            if report.passed() { String::new() } else { format!("{} {}: ", report.lab, report.exercise) };
        style.wrap(&mut out, "", &format!("Next: {of}{next}"));
    }
    out
}

/// All exercises side by side at the report size, the host's loop first, then published results.
///
/// `host` is the measured time of a plain single-threaded loop on the CPU, at the report case of the lab's first exercise that has one. A
/// speed-up is relative to the first report with the same work (flops and compulsory bytes) and a time; a measured time is never divided by
/// a modelled one.
pub fn compare(lab: &Lab, reports: &[ExerciseReport], host: Option<Duration>, style: Style) -> String {
    let mut out = String::new();
    let model = reports.iter().find_map(|r| r.metrics.time.as_ref()?.model.as_deref());
    let model = model.map(|model| format!(" (modelled times: {model})")).unwrap_or_default();
    style.heading(&mut out, &format!("{}: {}{model}", lab.package, lab.title));
    let header = ["kernel", "time", "faster", "GFLOPS", "GB/s", "s/ld", "s/st", "ways", "loc"];
    let mut columns = Columns::new(&header);
    columns.narrow();
    if let Some(host) = host {
        let first = ["host loop".to_owned(), format!("{} measured", duration(host.as_secs_f64()))];
        let none = std::iter::repeat_n("-".to_owned(), header.len() - first.len());
        columns.row(first.into_iter().chain(none).collect());
    }
    for report in reports {
        let m = &report.metrics;
        let show = |value: Option<f64>, places: usize| value.map_or("-".into(), |v| format!("{v:.places$}"));
        let rate = |value: Option<f64>| show(value, if value.is_some_and(|v| v >= 100.0) { 0 } else { 1 });
        let base = first_alike(reports, report, |m| m.time.as_ref());
        let same = m.time.as_ref().zip(base).filter(|(t, b)| t.kind == b.kind && t.seconds > 0.0);
        let speedup = same.map(|(t, b)| b.seconds / t.seconds);
        let time = m.time.as_ref();
        columns.row(vec![
            report.exercise.clone(),
            time.map_or(format!("- {}", word(report.status)), |t| {
                let kind = if t.kind == TimeKind::Measured { "measured" } else { "modelled" };
                format!("{} {kind}", duration(t.seconds))
            }),
            show(speedup, 2),
            rate(m.gflops),
            rate(m.gbps),
            show(m.load_sectors_per_request, 1),
            show(m.store_sectors_per_request, 1),
            m.conflict_degree.map_or("-".into(), |d| d.to_string()),
            m.source_lines.map_or("-".into(), |l| l.to_string()),
        ]);
    }
    columns.drop_empty();
    out.push_str(&columns.render(style.width));
    style.wrap(&mut out, "  ", &columns.legend(&LEGEND));
    if reports.iter().any(|r| r.metrics.time.is_none()) {
        let unsolved =
            "FAILED: a kernel with wrong results has no time; `--solution` compares the references";
        style.wrap(&mut out, "  ", unsolved);
    }
    full_device(&mut out, reports, style);
    lab.published.iter().for_each(|p| published(&mut out, p, reports, style));
    out
}

/// The first value that `pick` returns for the reports with the same work (flops and compulsory bytes) as `report`, in order.
fn first_alike<'a, T>(
    reports: &'a [ExerciseReport],
    report: &ExerciseReport,
    pick: impl Fn(&'a Metrics) -> Option<T>,
) -> Option<T> {
    let work = |m: &Metrics| (m.flops, m.bytes);
    let alike = reports.iter().filter(|r| work(&r.metrics) == work(&report.metrics));
    alike.map(|r| &r.metrics).find_map(pick)
}

/// Writes how many times as fast each kernel is as the first one with the same work, modelled for a grid so large that only throughput
/// counts.
fn full_device(out: &mut String, reports: &[ExerciseReport], style: Style) {
    let share = |m: &Metrics| m.share_of_full.filter(|s| *s > 0.0);
    let Some(model) = reports.iter().find_map(|r| r.metrics.time.as_ref()?.model.clone()) else { return };
    let each = reports.iter().filter_map(|r| {
        let faster = first_alike(reports, r, share)? / share(&r.metrics)?;
        Some(format!("{} {faster:.2}", r.exercise))
    });
    let each = each.collect::<Vec<_>>().join(", ");
    style.wrap(out, "  ", &format!("times as fast in a grid that fills the GPU, modelled ({model}): {each}"));
}

/// The problem size of our results, in words.
fn sizes(reports: &[ExerciseReport]) -> String {
    let mut labels: Vec<&str> =
        reports.iter().filter_map(|r| Some(r.case.as_ref()?.label.as_str())).collect();
    labels.dedup();
    match labels.as_slice() {
        [one] => format!("at {one}"),
        _ => "each kernel at its report size".to_owned(),
    }
}

/// Writes a published table beside our results, which are in GFLOPS or GB/s if the table is, and otherwise times. Across devices and sizes
/// only the ratios to the first row can be compared.
fn published(out: &mut String, table: &Published, reports: &[ExerciseReport], style: Style) {
    out.push('\n');
    style.wrap(out, "", &format!("Published on {}: {}", table.device, table.title));
    let mut columns = Columns::new(&["", "published", "ratio", "here", "ratio"]);
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
            own.as_ref().map_or("-".into(), |(_, text, time)| format!("{text} {}", time.basis())),
            ratio.map_or("-".into(), |r| format!("{r:.2}")),
        ]);
    }
    out.push_str(&columns.render(style.width));
    style.wrap(out, "  ", &format!("ratio: to the first row; here: {}", sizes(reports)));
    if !table.note.is_empty() {
        style.wrap(out, "  ", table.note);
    }
}
