//! Thousands of generated kernels on which the race oracle and the race engine must agree.
//!
//! `RACES` is how many kernels of each kind are made, `RACES_FROM` the seed of the first, and `RACES_SHOWN` of how many the smallest
//! kernel of the kind is looked for and shown if they disagree.

use super::compare::{Agreement, Comparison, compare};
use super::program::Program;
use super::{graphs, random};
use crate::support::number;
use std::collections::BTreeMap;

/// What is said of one kernel in a failure.
fn report(seed: u64, program: &Program, found: &Comparison) -> String {
    let fault = found.fault.as_ref().map(|fault| &fault.kind);
    format!(
        "{:?}, seed {seed}: oracle {:?}\nengine {fault:?} {:?}\n{program}",
        found.agreement,
        found.rules(),
        found.notes
    )
}

/// How many kernels there are of each kind.
pub(super) type Tally = BTreeMap<Agreement, u64>;

/// Compares `RACES` kernels, or a default number; shows the smallest that can be found of those on which the two disagree.
pub(super) fn check_all(generate: impl Fn(u64) -> Program, default: u64) -> Tally {
    let (from, count) = (number("RACES_FROM", 0), number("RACES", default));
    let mut told: BTreeMap<_, u64> = BTreeMap::new();
    let mut failures = Vec::new();
    for seed in from..from + count {
        let program = generate(seed);
        let modes = seed % 32 == 0;
        let found =
            compare(&program, modes).unwrap_or_else(|| panic!("seed {seed} is not valid:\n{program}"));
        *told.entry(found.agreement).or_default() += 1;
        let is_wrong = match found.agreement {
            Agreement::Clean | Agreement::Race | Agreement::Failed | Agreement::Uninitialized => false,
            Agreement::Missed
            | Agreement::Accused
            | Agreement::WrongWord
            | Agreement::OtherNotes
            | Agreement::ModesDiffer => true,
        };
        if is_wrong && failures.len() < number("RACES_SHOWN", 3) as usize {
            let is_alike = |smaller: &Program| {
                compare(smaller, modes).is_some_and(|other| other.agreement == found.agreement)
            };
            let smallest = program.shrink(is_alike);
            let found = compare(&smallest, modes).expect("it was valid");
            failures.push(report(seed, &smallest, &found));
        }
    }
    println!("{told:?}");
    assert!(failures.is_empty(), "{told:?}\n{}", failures.join("\n"));
    told
}

/// Both kinds of kernels are there in number, with a race and without.
pub(super) fn assert_balanced(tally: &Tally) {
    let count = |wanted| tally.get(&wanted).copied().unwrap_or(0);
    let all: u64 = tally.values().sum();
    assert!(count(Agreement::Clean) * 5 > all && count(Agreement::Race) * 10 > all, "{tally:?}");
    assert!(count(Agreement::Failed) * 5 < all, "{tally:?}");
}

#[test]
fn random_kernels_agree_with_the_oracle() {
    let tally = check_all(random::generate, 80);
    assert_balanced(&tally);
}

#[test]
fn irregular_codes_agree_with_the_oracle() {
    let tally = check_all(graphs::generate, 150);
    assert_balanced(&tally);
}
