//! Every program of the corpus against the recorded truth about it, without CUDA.
//!
//! `tests/corpus/expected.txt` has a line for each program: `agree`, `unsupported`, or `disagree` and why. Any change in
//! either direction fails this test, so that an improvement is recorded as surely as a loss;
//! `UPDATE_CORPUS=1 cargo test -p cuda-front --test corpus` writes the file anew.

mod fixtures;
mod lazily;

use fixtures::{Outcome, Truth};
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;

/// What `expected.txt` says of a program: the word, and the reason after it.
type Expected = BTreeMap<String, (String, String)>;

fn read_expected() -> Expected {
    let text = fs::read_to_string(fixtures::folder().join("expected.txt")).unwrap_or_default();
    let mut expected = Expected::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let mut parts = line.splitn(3, ' ');
        let mut next = || parts.next().unwrap_or_default().to_owned();
        let (name, word, reason) = (next(), next(), next());
        assert!(expected.insert(name.clone(), (word, reason)).is_none(), "{name} is listed twice");
    }
    expected
}

fn write_expected(outcomes: &BTreeMap<String, Outcome>, before: &Expected) {
    let mut text = "# What the front-end says of each program of the corpus, compared with the truth.\n\
        # PROGRAM agree | unsupported FEATURE | disagree WHAT IS SAID INSTEAD\n\
        # Written by: UPDATE_CORPUS=1 cargo test -p cuda-front --test corpus\n"
        .to_owned();
    for (name, outcome) in outcomes {
        let kept = before.get(name).filter(|(word, reason)| word == outcome.word() && !reason.is_empty());
        let reason = kept.map_or(outcome.detail(), |(_, reason)| reason);
        text.push_str(format!("{name} {} {reason}", outcome.word()).trim_end());
        text.push('\n');
    }
    fs::write(fixtures::folder().join("expected.txt"), text).expect("expected.txt can be written");
}

/// Past the test harness's capture: the figures are shown whether or not the test passes.
fn show(text: &str) {
    writeln!(std::io::stdout().lock(), "{text}").expect("standard output");
}

#[test]
fn the_front_end_answers_as_recorded() {
    let programs = fixtures::all();
    let outcomes = fixtures::on_all_cores(&programs, fixtures::outcome);
    let count = |truth: fn(Truth) -> bool, word: &str| {
        programs.iter().zip(&outcomes).filter(|(p, o)| truth(p.truth) && o.word() == word).count()
    };
    for (title, truth) in [
        ("right programs", (|t| t == Truth::Accept) as fn(Truth) -> bool),
        ("wrong programs", |t| t != Truth::Accept),
    ] {
        let [agree, unsupported, disagree] =
            ["agree", "unsupported", "disagree"].map(|word| count(truth, word));
        show(&format!(
            "corpus, {title}: {} in all, {agree} agree, {unsupported} unsupported, {disagree} disagree",
            agree + unsupported + disagree
        ));
    }
    let outcomes: BTreeMap<String, Outcome> =
        programs.iter().map(|p| p.name.clone()).zip(outcomes.iter().cloned()).collect();
    let expected = read_expected();
    if std::env::var_os("UPDATE_CORPUS").is_some() {
        write_expected(&outcomes, &expected);
        return;
    }
    let mut changes = Vec::new();
    for (name, outcome) in &outcomes {
        let word = expected.get(name).map_or("nothing", |(word, _)| word.as_str());
        if word != outcome.word() {
            changes.push(format!("{name}: recorded {word}, now {} {}", outcome.word(), outcome.detail()));
        }
    }
    changes.extend(
        expected.keys().filter(|n| !outcomes.contains_key(*n)).map(|n| format!("{n}: no such program")),
    );
    assert!(
        changes.is_empty(),
        "{} programs have another outcome than expected.txt says; if that is right, run with UPDATE_CORPUS=1:\n{}",
        changes.len(),
        changes.join("\n")
    );
}

#[test]
fn a_disagreement_has_its_reason() {
    for (name, (word, reason)) in read_expected() {
        assert!(["agree", "unsupported", "disagree"].contains(&word.as_str()), "{name}: `{word}`");
        assert_eq!(reason.is_empty(), word == "agree", "{name}: a reason belongs to what does not agree");
    }
}
