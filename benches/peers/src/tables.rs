//! Tables of a run, in Markdown, for the terminal and for the book.

use crate::contestants::{OCLGRIND_RACES, POCL};
use crate::measure::LONGEST;
use crate::ours::{FAST, FULL, MODES, PREFIX};
use crate::problem::Kernel;
use crate::record::{Entry, Measured, Outcome, Point, PointTime, Record, Setting, median};
use std::collections::BTreeSet;

/// What tables call a mode of the simulator; a mode of an old record that is gone goes by its own name.
pub(crate) fn mode_title(id: &str) -> &str {
    MODES.iter().find(|m| m.id == id).map_or(id, |m| m.title)
}

/// What tables call a contestant.
fn contestant_title(id: &str) -> String {
    id.strip_prefix(PREFIX).map_or_else(|| id.into(), |mode| format!("ours: {}", mode_title(mode)))
}

/// The rows with a header, columns as wide as their widest cell.
pub(crate) fn markdown(header: &[&str], rows: &[Vec<String>]) -> String {
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.chain([header[column].chars().count()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..header.len()).map(width).collect();
    let line = |cells: Vec<&str>| {
        let padded: Vec<String> = cells.iter().zip(&widths).map(|(c, w)| format!(" {c:<w$} ")).collect();
        format!("|{}|\n", padded.join("|"))
    };
    let rule: Vec<String> = widths.iter().map(|w| "-".repeat(w + 2)).collect();
    let mut text = line(header.to_vec()) + &format!("|{}|\n", rule.join("|"));
    for row in rows {
        text += &line(row.iter().map(String::as_str).collect());
    }
    text
}

/// A ratio with about three digits.
pub(crate) fn ratio(value: f64) -> String {
    match value {
        v if v >= 100.0 => format!("{v:.0}"),
        v if v >= 10.0 => format!("{v:.1}"),
        v if v >= 0.1 => format!("{v:.2}"),
        v if v >= 0.01 => format!("{v:.3}"),
        v => format!("{v:.4}"),
    }
}

/// Units of work a second.
fn rate(kernel: Kernel, n: usize, seconds: f64) -> f64 {
    kernel.work(n) / seconds
}

/// The rate of a contestant at a case.
fn rate_of(record: &Record, kernel: Kernel, case: usize, contestant: &str) -> Option<f64> {
    let same = |e: &&Entry| e.kernel == kernel && e.case == case && e.contestant == contestant;
    match &record.comparison.iter().find(same)?.outcome {
        Outcome::Measured(Measured { n, seconds, .. }) => Some(rate(kernel, *n, median(seconds))),
        Outcome::Missing(_) | Outcome::Failed(_) => None,
    }
}

/// Every contestant at every case, with the ratios of two of the simulator's modes to it.
pub(crate) fn comparison(record: &Record) -> String {
    let mut rows = Vec::new();
    let mut last = None;
    for entry in &record.comparison {
        let case = (entry.kernel, entry.case);
        let first = last.replace(case) != Some(case);
        let title = if first { format!("{}, {}/s", case.0.title(), case.0.unit()) } else { String::new() };
        let mut row = vec![title, contestant_title(&entry.contestant)];
        match &entry.outcome {
            Outcome::Measured(Measured { n, seconds, .. }) => {
                let of = |seconds: f64| rate(entry.kernel, *n, seconds);
                let slowest = seconds.iter().copied().fold(0.0, f64::max);
                let fastest = seconds.iter().copied().fold(f64::INFINITY, f64::min);
                row.push(n.to_string());
                row.push(format!("{:.2e}", of(median(seconds))));
                row.push(format!("{:.2e} to {:.2e}", of(slowest), of(fastest)));
                for mode in [FULL, FAST] {
                    let ours = rate_of(record, entry.kernel, entry.case, &format!("{PREFIX}{mode}"));
                    row.push(ours.map_or("-".into(), |ours| ratio(ours / of(median(seconds)))));
                }
            }
            Outcome::Missing(how) => row.extend(["-".into(), how.clone(), "".into(), "-".into(), "-".into()]),
            Outcome::Failed(why) => {
                // A message may have lines and bars; a cell may not.
                let why = why.replace('\n', " ").replace('|', "/");
                row.extend(["-".into(), format!("FAILED: {why}"), "".into(), "-".into(), "-".into()]);
            }
        }
        rows.push(row);
    }
    let header =
        ["kernel", "contestant", "n", "median", "slowest to fastest", "all checks ÷ it", "no checks ÷ it"];
    markdown(&header, &rows)
}

/// What the simulator should reach, and what it does.
pub(crate) fn targets(record: &Record) -> String {
    let asked =
        [(FULL, POCL, 1.0 / 3.0, "≥ 1/3"), (FULL, OCLGRIND_RACES, 500.0, "≥ 500"), (FAST, POCL, 1.0, "≥ 1")];
    let mut rows = Vec::new();
    let mut cases: Vec<_> = record.comparison.iter().map(|e| (e.kernel, e.case)).collect();
    cases.dedup();
    for (mode, peer, target, wanted) in asked {
        for (kernel, case) in &cases {
            let ours = rate_of(record, *kernel, *case, &format!("{PREFIX}{mode}"));
            let (Some(ours), Some(theirs)) = (ours, rate_of(record, *kernel, *case, peer)) else { continue };
            let reached = if ours / theirs >= target { "reached" } else { "missed" };
            rows.push(vec![
                mode_title(mode).into(),
                peer.into(),
                format!("{}, {case}", kernel.title()),
                wanted.into(),
                ratio(ours / theirs),
                reached.into(),
            ]);
        }
    }
    if rows.is_empty() {
        return "No other contestant ran.\n".into();
    }
    markdown(&["mode", "contestant", "kernel, n", "target", "measured", ""], &rows)
}

/// Seconds and rate of a point.
fn time(point: &Point) -> String {
    match &point.time {
        PointTime::Seconds(seconds) => {
            let seconds = median(seconds);
            let text =
                if seconds < 1.0 { format!("{:.2} ms", seconds * 1e3) } else { format!("{seconds:.2} s") };
            format!("{text} ({:.2e}/s)", rate(point.kernel, point.n, seconds))
        }
        PointTime::TooLong(seconds) => format!("left out: about {seconds:.0} s"),
    }
}

/// The time of a launch over the size.
pub(crate) fn sizes(points: &[Point]) -> String {
    let mut columns: Vec<_> = points.iter().map(|p| (p.kernel, p.mode.as_str())).collect();
    columns.sort_by_key(|(kernel, mode)| (*kernel, *mode != FULL));
    columns.dedup();
    let mut sizes: Vec<_> = points.iter().map(|p| p.n).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let titles: Vec<String> =
        columns.iter().map(|(kernel, mode)| format!("{}, {}", kernel.title(), mode_title(mode))).collect();
    let header: Vec<&str> = std::iter::once("n").chain(titles.iter().map(String::as_str)).collect();
    let row = |n: &usize| {
        let cell = |(kernel, mode): &(Kernel, &str)| {
            let found = points.iter().find(|p| (p.kernel, p.mode.as_str(), p.n) == (*kernel, mode, *n));
            found.map_or("-".into(), time)
        };
        std::iter::once(n.to_string()).chain(columns.iter().map(cell)).collect()
    };
    let rows: Vec<Vec<String>> = sizes.iter().map(row).collect();
    markdown(&header, &rows) + &format!("\nSizes whose launch would take over {LONGEST:.0} s are left out.\n")
}

/// The time of a launch over the threads, and how often faster the most are than one.
pub(crate) fn threads(points: &[Point]) -> String {
    let counts: BTreeSet<usize> = points.iter().map(|p| p.threads).collect();
    let most = counts.last().copied().unwrap_or(1);
    let mut header: Vec<String> = vec!["kernel, n".into(), "mode".into()];
    header.extend(counts.iter().map(|count| format!("{count} thread{}", if *count == 1 { "" } else { "s" })));
    header.push(format!("{most} against 1"));
    let mut rows = Vec::new();
    for run in points.chunk_by(|a, b| (a.kernel, a.n, &a.mode) == (b.kernel, b.n, &b.mode)) {
        let seconds = |p: &Point| match &p.time {
            PointTime::Seconds(seconds) => median(seconds),
            PointTime::TooLong(_) => f64::NAN,
        };
        let mut row =
            vec![format!("{}, {}", run[0].kernel.title(), run[0].n), mode_title(&run[0].mode).into()];
        row.extend(run.iter().map(time));
        row.push(ratio(seconds(&run[0]) / seconds(&run[run.len() - 1])));
        rows.push(row);
    }
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    markdown(&header, &rows)
}

/// When and where, and who took part.
pub(crate) fn machine(setting: &Setting) -> String {
    let m = &setting.machine;
    let load = match m.load {
        [Some(before), Some(after)] => format!("; load average {before:.2} before and {after:.2} after"),
        _ => String::new(),
    };
    let mut text = format!(
        "{} with {} cores ({}), {} worker threads each, {}, commit `{}`{load}.\n\n",
        m.cpu,
        m.cores,
        m.isa.join(", "),
        setting.threads,
        setting.date,
        setting.commit
    );
    for (tool, version) in &setting.versions {
        text += &format!("- {tool}: {version}\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Machine;
    use std::collections::BTreeMap;

    /// A record in which the simulator moves 1024 elements in a millisecond, and PoCL as it is given.
    fn record(pocl: Outcome) -> Record {
        let entry = |contestant: &str, outcome| {
            let contestant = contestant.to_owned();
            Entry { kernel: Kernel::Transpose, case: 32, contestant, outcome }
        };
        let measured =
            |seconds: &[f64]| Outcome::Measured(Measured { n: 32, launches: 1, seconds: seconds.to_vec() });
        let setting = Setting {
            date: "2026-01-31T12:00:00Z".into(),
            commit: "abc".into(),
            machine: Machine {
                cpu: "CPU".into(),
                cores: 2,
                isa: vec!["x86_64".into()],
                load: [Some(0.25), Some(1.5)],
            },
            threads: 2,
            versions: BTreeMap::new(),
        };
        Record {
            setting,
            comparison: vec![
                entry("ours:full", measured(&[1e-3, 0.5e-3, 2e-3])),
                entry("ours:fast", measured(&[0.5e-3])),
                entry(POCL, pocl),
            ],
            scaling: None,
        }
    }

    #[test]
    fn ratios_are_of_rates_and_of_medians() {
        // Four times the elements in the same time.
        let record = record(Outcome::Measured(Measured { n: 64, launches: 1, seconds: vec![1e-3] }));
        let text = comparison(&record);
        let cells: Vec<&str> = text.lines().last().unwrap().split('|').map(str::trim).collect();
        assert_eq!(cells[2..8], ["PoCL", "64", "4.10e6", "4.10e6 to 4.10e6", "0.25", "0.50"]);
        assert!(text.contains("| 5.12e5 to 2.05e6"), "{text}");
        assert!(targets(&record).contains("| ≥ 1/3  | 0.25     | missed |"), "{}", targets(&record));
    }

    #[test]
    fn what_is_missing_or_failed_is_a_row() {
        let text = comparison(&record(Outcome::Missing("not installed: apt-get install x".into())));
        assert!(text.contains("| PoCL ") && text.contains("not installed: apt-get install x"), "{text}");
        let text = comparison(&record(Outcome::Failed("two\nlines | bar".into())));
        assert!(text.contains("FAILED: two lines / bar"), "{text}");
        assert_eq!(targets(&record(Outcome::Failed(String::new()))), "No other contestant ran.\n");
    }

    #[test]
    fn times_over_threads_end_with_how_often_faster() {
        let point = |threads, seconds| Point {
            kernel: Kernel::Convolution,
            mode: FULL.into(),
            n: 64,
            threads,
            time: PointTime::Seconds(vec![seconds]),
        };
        let text = super::threads(&[point(1, 3.0), point(4, 2.0)]);
        assert!(text.contains("| 1 thread ") && text.contains("| 4 threads "), "{text}");
        assert!(text.contains("| 4 against 1 |"), "{text}");
        let cells: Vec<&str> = text.lines().last().unwrap().split('|').map(str::trim).collect();
        let expected = [
            "5x5 convolution, 64",
            "all checks and counters",
            "3.00 s (1.37e3/s)",
            "2.00 s (2.05e3/s)",
            "1.50",
        ];
        assert_eq!(cells[1..6], expected);
    }
}
