//! Tables of a run of the suite, in Markdown.

use super::record::{Mode, SuiteEntry, SuiteRecord, Timed, seconds};
use crate::record::Outcome;
use crate::tables::{markdown, mode_title, ratio};
use crate::worker::Share;

/// Where there is nothing to show.
const NONE: &str = "-";

/// Milliseconds, or what else came of it.
fn milliseconds(outcome: &Outcome<Timed>) -> String {
    match outcome {
        Outcome::Measured(timed) if timed.seconds.is_empty() => "correct".into(),
        Outcome::Measured(_) => seconds(outcome).map_or(NONE.into(), |seconds| ratio(seconds * 1e3)),
        Outcome::Missing(how) => how.clone(),
        // A message may have lines and bars; a cell may not.
        Outcome::Failed(why) => format!("FAILED: {}", why.replace('\n', " ").replace('|', "/")),
    }
}

fn shown(value: Option<f64>) -> String {
    value.filter(|value| value.is_finite()).map_or(NONE.into(), ratio)
}

/// Cells of an entry: PoCL's time, and of each mode the time and its ratio to PoCL's.
fn cells(entry: &SuiteEntry) -> Vec<String> {
    let mut cells = vec![milliseconds(&entry.pocl)];
    for mode in Mode::ALL {
        cells.extend([milliseconds(entry.ours(mode)), shown(entry.ratio(mode))]);
    }
    cells
}

/// A line about an entry for those who wait.
pub(crate) fn progress(entry: &SuiteEntry) -> String {
    format!("{} {}: {}", entry.kernel, entry.spelling, cells(entry).join(", "))
}

/// Every spelling of every kernel.
pub(crate) fn rows(record: &SuiteRecord) -> String {
    let mut table = Vec::new();
    let mut last = None;
    for entry in &record.suite {
        let first = last.replace(&entry.kernel) != Some(&entry.kernel);
        let mut row = vec![if first { entry.title.clone() } else { String::new() }, entry.spelling.clone()];
        row.extend(cells(entry));
        let memory = match &entry.full {
            Outcome::Measured(Timed { memory: Some(bytes), .. }) => ratio(*bytes as f64 / f64::from(1 << 20)),
            Outcome::Measured(_) | Outcome::Missing(_) | Outcome::Failed(_) => NONE.into(),
        };
        row.push(memory);
        table.push(row);
    }
    let header =
        ["kernel", "function", "PoCL, ms", "all checks, ms", "÷ PoCL", "no checks, ms", "÷ PoCL", "MiB"];
    markdown(&header, &table)
}

/// Of each mode, the geometric mean of its ratios to PoCL and the largest of them.
pub(crate) fn summary(record: &SuiteRecord) -> String {
    let mut table = Vec::new();
    for mode in Mode::ALL {
        let ratios: Vec<(f64, &SuiteEntry)> =
            (record.suite.iter()).filter_map(|entry| Some((entry.ratio(mode)?, entry))).collect();
        let Some((worst, entry)) = ratios.iter().max_by(|a, b| a.0.total_cmp(&b.0)) else { continue };
        let mean = ratios.iter().map(|(ratio, _)| ratio.ln()).sum::<f64>() / ratios.len() as f64;
        let slower = ratios.iter().filter(|(ratio, _)| *ratio > 1.0).count();
        table.push(vec![
            mode_title(mode.id()).into(),
            ratio(mean.exp()),
            format!("{} ({})", ratio(*worst), entry.spelling),
            format!("{slower} of {}", ratios.len()),
        ]);
    }
    if table.is_empty() {
        return "Nothing was measured on both.\n".into();
    }
    markdown(&["mode", "geometric mean ÷ PoCL", "largest ÷ PoCL", "slower than PoCL"], &table)
}

/// How much of all kernels' accesses the simulator has proved right before the launches began.
pub(crate) fn proved(record: &SuiteRecord) -> String {
    let shares = record.suite.iter().filter_map(|entry| match &entry.full {
        Outcome::Measured(Timed { proved, .. }) => *proved,
        Outcome::Missing(_) | Outcome::Failed(_) => None,
    });
    let all = shares.reduce(|a, b| Share {
        accesses: a.accesses + b.accesses,
        in_bounds: a.in_bounds + b.in_bounds,
        names: a.names + b.names,
        no_races: a.no_races + b.no_races,
    });
    all.map_or_else(String::new, |Share { accesses, in_bounds, names, no_races }| {
        format!(
            "Proved before the launches began: {in_bounds} of {accesses} accesses are in bounds, and there are no races on \
             {no_races} of {names} parameters and variables.\n"
        )
    })
}

/// Of each kernel, the time of its slowest spelling divided by that of its fastest: medians over the rounds, too.
pub(crate) fn spellings(record: &SuiteRecord) -> String {
    let mut table = Vec::new();
    for entries in record.suite.chunk_by(|a, b| a.kernel == b.kernel).filter(|entries| entries.len() > 1) {
        let spread = |outcome: fn(&SuiteEntry) -> &Outcome<Timed>| {
            let pairs = entries.iter().flat_map(|a| entries.iter().map(move |b| (outcome(a), outcome(b))));
            let ratios: Option<Vec<f64>> = pairs.map(|(a, b)| super::record::ratio(a, b)).collect();
            ratios?.into_iter().max_by(f64::total_cmp)
        };
        let spreads = [spread(|e| &e.full), spread(|e| &e.fast), spread(|e| &e.pocl)];
        table.push([vec![entries[0].title.clone()], spreads.map(shown).to_vec()].concat());
    }
    if table.is_empty() {
        return "No kernel has several spellings.\n".into();
    }
    markdown(&["slowest ÷ fastest spelling", "all checks", "no checks", "PoCL"], &table)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Machine, Setting};
    use std::collections::BTreeMap;

    fn measured(milliseconds: f64) -> Outcome<Timed> {
        let seconds = vec![milliseconds * 1e-3];
        Outcome::Measured(Timed { launches: 1, seconds, memory: Some(3 << 20), proved: None })
    }

    fn record(entries: [[Outcome<Timed>; 3]; 2]) -> SuiteRecord {
        let machine = Machine { cpu: "CPU".into(), cores: 2, isa: Vec::new(), load: [None, None] };
        let (date, commit) = ("2026-01-31T12:00:00Z".into(), "abc".into());
        let setting = Setting { date, commit, machine, threads: 2, versions: BTreeMap::new() };
        let entry = |(index, [full, fast, pocl]): (usize, [Outcome<Timed>; 3])| SuiteEntry {
            kernel: "k".into(),
            title: "a kernel".into(),
            spelling: format!("k_{index}"),
            full,
            fast,
            pocl,
        };
        SuiteRecord { setting, suite: entries.into_iter().enumerate().map(entry).collect() }
    }

    fn last_cells(text: &str) -> Vec<&str> {
        text.lines().last().unwrap().trim_matches('|').split('|').map(str::trim).collect()
    }

    #[test]
    fn ratios_are_of_times() {
        let record = record([[4.0, 1.0, 2.0].map(measured), [1.0, 1.0, 8.0].map(measured)]);
        assert_eq!(last_cells(&rows(&record)), ["", "k_1", "8.00", "1.00", "0.12", "1.00", "0.12", "3.00"]);
        let text = summary(&record);
        // The mean of 2 and 1/8, and of 1/2 and 1/8.
        assert!(text.contains("| 0.50 ") && text.contains("| 2.00 (k_0) "), "{text}");
        assert_eq!(last_cells(&text), ["no checks, no counters", "0.25", "0.50 (k_0)", "0 of 2"]);
        assert_eq!(last_cells(&spellings(&record)), ["a kernel", "4.00", "1.00", "4.00"]);
    }

    #[test]
    fn without_pocl_there_are_times_and_no_ratios() {
        let missing = || Outcome::Missing("not installed".into());
        let failed = Outcome::Failed("two\nlines | bar".into());
        let record = record([[measured(1.0), measured(1.0), missing()], [failed, measured(1.0), missing()]]);
        let expected = ["", "k_1", "not installed", "FAILED: two lines / bar", "-", "1.00", "-", "-"];
        assert_eq!(last_cells(&rows(&record)), expected);
        assert_eq!(summary(&record), "Nothing was measured on both.\n");
        assert_eq!(last_cells(&spellings(&record)), ["a kernel", "-", "1.00", "-"]);
        assert_eq!(record.failures(), 1);
    }
}
