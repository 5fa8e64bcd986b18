//! The bank: wrong kernels, which no check may miss, and right ones in other styles, which none may refuse.
//!
//! A file for each exercise, `solutions/bank/LAB-EXERCISE.toml`. A kernel is the solution with edits, or a text of its own. A wrong one says
//! what kind of mistake it makes, on which line, and which check must catch it: one of the report's, or `correct` for any size. The
//! test prints which checks caught which kernel. Gates are judged at the size of the seed alone, which is a small part of the work;
//! `BANK_SIZES=all` adds the report's. `BANK=FOLDER cargo test -p solutions --test it bank:: -- --nocapture` takes other kernels.

use crate::edited::{self, edited};
use crate::small::Small;
use harness::{ExerciseReport, Lab, Options, Status};
use serde::Deserialize;
use solutions::paths;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Wrong kernels that an exercise must have, kinds of mistake among them, and right kernels.
const FEWEST: (usize, usize, usize) = (12, 8, 6);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Bank {
    wrong: Vec<Wrong>,
    right: Vec<Right>,
}

/// A kernel with a mistake.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wrong {
    name: String,
    kind: String,
    /// The check that must fail: its name, or `correct`.
    caught: String,
    /// A piece of the line that is at fault.
    line: String,
    /// What is wrong, in a sentence.
    why: String,
    #[serde(default)]
    edits: Vec<[String; 2]>,
    text: Option<String>,
}

/// A right kernel.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Right {
    name: String,
    /// How it differs from the solution.
    style: String,
    #[serde(default)]
    edits: Vec<[String; 2]>,
    text: Option<String>,
    /// Why it is right, where that is not plain.
    #[serde(default)]
    why: String,
}

fn folder() -> PathBuf {
    std::env::var_os("BANK").map_or_else(|| paths().root.join("solutions/bank"), PathBuf::from)
}

/// The text of a kernel of the bank.
fn text(name: &str, solution: &str, edits: &[[String; 2]], own: Option<&String>) -> String {
    if let Some(own) = own {
        assert!(edits.is_empty(), "{name}: either a text or edits");
        return own.clone();
    }
    assert!(!edits.is_empty(), "{name}: neither a text nor edits");
    edited(name, solution, edits.iter().map(|[from, to]| (from.as_str(), to.as_str())))
}

fn graded(lab: &Lab, exercise: &str, text: &str) -> ExerciseReport {
    let options = Options { extras: false, ..Options::default() };
    let exercise = lab.exercise(exercise).unwrap();
    let (small, all) = (
        Small { exercise, seed: options.seed },
        std::env::var("BANK_SIZES").is_ok_and(|sizes| sizes == "all"),
    );
    let exercise = if all { exercise } else { &small };
    edited::graded(lab, exercise, text, &options)
}

fn failed(report: &ExerciseReport) -> Vec<&str> {
    let failed = report.checks.iter().filter(|c| c.status == Status::Failed);
    failed.map(|c| c.name.as_str()).collect()
}

/// The failed checks in short: cases counted.
fn in_short(failed: &[&str]) -> String {
    let sizes = failed.iter().filter(|c| c.starts_with("correct_")).count();
    let sizes = (sizes > 0).then(|| format!("correct ({sizes} sizes)"));
    let others = failed.iter().filter(|c| !c.starts_with("correct_")).map(|c| (*c).to_owned());
    sizes.into_iter().chain(others).collect::<Vec<_>>().join(", ")
}

fn has_caught(check: &str, failed: &[&str]) -> bool {
    match check {
        "correct" => failed.iter().any(|c| c.starts_with("correct_")),
        check => failed.contains(&check),
    }
}

each_exercise! { [catches_the_wrong_and_passes_the_right] [] }

fn catches_the_wrong_and_passes_the_right(lab: Lab, name: &str) {
    let file = folder().join(format!("{}-{name}.toml", lab.package));
    let bank = edited::text(&file);
    let bank: Bank = toml::from_str(&bank).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    let solution = edited::text(&paths().solution(&lab, name));
    let kinds: BTreeSet<&str> = bank.wrong.iter().map(|w| w.kind.as_str()).collect();
    let have = (bank.wrong.len(), kinds.len(), bank.right.len());
    assert!(have.0 >= FEWEST.0 && have.1 >= FEWEST.1 && have.2 >= FEWEST.2, "{name}: only {have:?}");
    let mut missed = Vec::new();
    for wrong in &bank.wrong {
        let text = text(&wrong.name, &solution, &wrong.edits, wrong.text.as_ref());
        assert_eq!(text.matches(&wrong.line).count(), 1, "{}: `{}` is no one place", wrong.name, wrong.line);
        let report = graded(&lab, name, &text);
        let failed = failed(&report);
        println!("{:<28} {:<34} {:>3}  {}", wrong.kind, wrong.name, report.score, in_short(&failed));
        if !has_caught(&wrong.caught, &failed) || report.score == 100 {
            missed.push(format!("{} ({}): {} should catch it", wrong.name, wrong.why, wrong.caught));
        }
    }
    for right in &bank.right {
        let text = text(&right.name, &solution, &right.edits, right.text.as_ref());
        let report = graded(&lab, name, &text);
        println!("{:<28} {:<34} {:>3}  {}", "right", right.name, report.score, in_short(&failed(&report)));
        if report.score != 100 {
            let first = report.checks.iter().find(|c| c.status == Status::Failed).map(|c| &c.message);
            missed.push(format!("{} ({}; {}) is refused: {first:?}", right.name, right.style, right.why));
        }
    }
    assert!(missed.is_empty(), "{}/{name}\n{}", lab.package, missed.join("\n"));
}
