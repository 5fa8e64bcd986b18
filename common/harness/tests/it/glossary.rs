//! The glossary knows every name that a report can print: labels and columns of its text, and the fields of its JSON.

use crate::{fake, grading::graded};
use device::{Counters, Occupancy};
use harness::glossary::Glossary;
use harness::report::{self, Style};
use harness::{ExerciseReport, HotLine, Metrics, Time, TimeKind};

fn time(kind: TimeKind) -> Time {
    Time {
        seconds: 1e-5,
        kind,
        model: Some("h200".into()),
        limit: Some("latency".into()),
        spread: Some(1e-7),
        confidence: Some(1e-7),
        warm_cache: Some(true),
    }
}

/// Everything that a report can say of performance.
fn metrics() -> Metrics {
    Metrics {
        time: Some(time(TimeKind::Measured)),
        modelled: Some(time(TimeKind::Modelled)),
        flops: 1e6,
        bytes: 1e6,
        gflops: Some(1.0),
        gbps: Some(1.0),
        arithmetic_intensity: Some(1.0),
        roofline_percent: Some(101.0),
        load_sectors_per_request: Some(4.0),
        coalesced_sectors: 4,
        coalesced_load_sectors: Some(4.0),
        coalesced_store_sectors: Some(4.0),
        store_sectors_per_request: Some(4.0),
        conflict_degree: Some(16),
        occupancy: Some(Occupancy { fraction: 1.0, blocks: 8, limit: "threads".into() }),
        baseline: Some("naive".into()),
        speedup: Some(2.0),
        share_of_full: Some(1e-5),
        full_speedup: Some(2.0),
        load_reduction: Some(2.0),
        source_lines: Some(7),
        speedup_per_line: Some(0.3),
        launches: 2,
        not_modelled: Vec::new(),
        notes: vec![harness::Note { about: Some(harness::Explained::Time), text: "a note".into() }],
    }
}

fn full() -> ExerciseReport {
    let counters = Counters {
        global_load_requests: 1,
        global_load_sectors: 4,
        shared_load_wavefronts: 2,
        shared_load_bank_conflicts: 1,
        constant_requests: 1,
        constant_passes: 1,
        ..Counters::default()
    };
    let line = HotLine { line: 2, text: "x".into(), counters, work: 1 };
    ExerciseReport {
        metrics: metrics(),
        counters: Some(counters),
        lines: vec![line],
        extras: Vec::new(),
        ..graded(b"kernel twice\n  out[i] = 2 * in[i];\n")
    }
}

/// The words between runs of two blanks or more.
fn columns(line: &str) -> impl Iterator<Item = &str> {
    line.split("  ").map(str::trim).filter(|word| !word.is_empty())
}

/// The first column of each row below a heading, and of no note below a row.
fn labels<'t>(text: &'t str, heading: &str) -> Vec<&'t str> {
    let rows = text.lines().skip_while(|line| !line.starts_with(heading)).skip(1);
    let rows = rows.take_while(|line| !line.is_empty());
    let is_row = |line: &&str| line.strip_prefix("  ").is_some_and(|rest| !rest.starts_with(' '));
    rows.filter(is_row).filter_map(|line| columns(line).next()).collect()
}

/// The line below a heading, which names the columns of a table.
fn header<'t>(text: &'t str, heading: &str) -> Vec<&'t str> {
    let line = text.lines().skip_while(|line| !line.starts_with(heading)).nth(1);
    line.unwrap_or_else(|| panic!("no table {heading} in\n{text}")).split_whitespace().collect()
}

fn have_entries<S: AsRef<str>>(names: impl IntoIterator<Item = S>, at_least: usize) {
    let glossary = Glossary::new();
    let names: Vec<S> = names.into_iter().collect();
    assert!(names.len() >= at_least, "only {:?}", names.iter().map(AsRef::as_ref).collect::<Vec<_>>());
    let missing: Vec<&str> = names.iter().map(AsRef::as_ref).filter(|n| glossary.find(n).is_none()).collect();
    assert!(missing.is_empty(), "docs/src/glossary.md has no entry for {missing:?}");
}

fn fields(value: &impl serde::Serialize) -> Vec<String> {
    serde_json::to_value(value).unwrap().as_object().unwrap().keys().cloned().collect()
}

/// All that a report can print.
const VERBOSE: Style = Style { verbose: true, width: 100, ..Style::PLAIN };

#[test]
fn labels_of_performance_have_entries() {
    have_entries(labels(&report::text(&full(), VERBOSE), "Performance"), 14);
    have_entries(labels(&report::text(&full(), Style::PLAIN), "Performance"), 8);
}

#[test]
fn columns_of_tables_have_entries() {
    let text = report::text(&full(), Style { width: 100, ..Style::PLAIN });
    have_entries(header(&text, "Lines with most memory work"), 7);
    have_entries(header(&text, "Correct at"), 5);
    let lab = fake::lab();
    have_entries(header(&report::compare(&lab, &[full()], None, VERBOSE), lab.package), 9);
}

#[test]
fn counters_and_metrics_of_the_json_have_entries() {
    have_entries(fields(&Counters::default()), 40);
    have_entries(fields(&metrics()), 20);
    have_entries(fields(&metrics().time), 7);
    have_entries(fields(&metrics().occupancy), 3);
}

#[test]
fn verdicts_of_checks_have_entries() {
    have_entries(["passed", "FAILED", "skipped", "ok", "skip"], 5);
}

#[test]
fn a_report_points_to_the_explanation_of_its_codes_once() {
    let text = report::text(&graded(b"kernel crash\n"), Style::PLAIN);
    assert_eq!(text.matches("`cargo lab explain out-of-bounds`").count(), 1, "{text}");
    let several = ["a-a", "b-b", "a-a", "c-c", "d-d"];
    let line = report::more_information(several);
    let expected = "For more information: `cargo lab explain a-a b-b c-c`, and 1 more code above";
    assert_eq!(line.as_deref(), Some(expected));
    assert_eq!(report::more_information([]), None);
}
