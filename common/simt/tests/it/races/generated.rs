//! Thousands of generated kernels on which the race oracle and the detectors must agree.
//!
//! `RACES` is how many kernels of each kind are made, `RACES_FROM` the seed of the first.

use super::compare::{Agreement, Comparison, compare};
use super::program::Program;
use super::{graphs, random};
use simt_ref::races::Rule;
use std::collections::BTreeMap;

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |value| value.parse().expect("a number"))
}

/// Why a race may be missed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Limit {
    /// What fences order is not known exactly.
    Fence,
    /// Accesses of different sizes.
    MixedSizes,
    /// Whether a compare-and-swap compares with the value that was read is not looked at.
    Comparand,
}

/// The documented limit of the detectors that applies to a kernel, if one does.
fn limit(program: &Program, found: &Comparison) -> Option<Limit> {
    if found.rules() == [Rule::P8] {
        return Some(Limit::MixedSizes);
    }
    let text = program.text();
    if found.rules() == [Rule::P3] && text.contains("atomicCAS") {
        return Some(Limit::Comparand);
    }
    text.contains("fence").then_some(Limit::Fence)
}

/// What is said of one kernel in a failure.
fn report(seed: u64, program: &Program, found: &Comparison) -> String {
    let fault = found.fault.as_ref().map(|fault| &fault.kind);
    format!("{:?}, seed {seed}: oracle {:?}\ndetector {fault:?}\n{program}", found.agreement, found.rules())
}

fn check_all(generate: impl Fn(u64) -> Program, default: u64) -> BTreeMap<(Agreement, Option<Limit>), u64> {
    let (from, count) = (number("RACES_FROM", 0), number("RACES", default));
    let mut told: BTreeMap<_, u64> = BTreeMap::new();
    let mut failures = Vec::new();
    for seed in from..from + count {
        let program = generate(seed);
        let modes = seed % 32 == 0;
        let found =
            compare(&program, modes).unwrap_or_else(|| panic!("seed {seed} is not valid:\n{program}"));
        let missed_by = match found.agreement {
            Agreement::Missed => limit(&program, &found),
            _ => None,
        };
        *told.entry((found.agreement, missed_by)).or_default() += 1;
        let is_wrong = match found.agreement {
            Agreement::Clean | Agreement::Race | Agreement::Failed | Agreement::Uninitialized => false,
            Agreement::Missed => missed_by.is_none(),
            Agreement::Accused | Agreement::WrongWord | Agreement::ModesDiffer => true,
        };
        if is_wrong && failures.len() < number("RACES_SHOWN", 3) as usize {
            let is_alike = |smaller: &Program| {
                compare(smaller, modes).is_some_and(|other| {
                    other.agreement == found.agreement
                        && (found.agreement != Agreement::Missed || limit(smaller, &other).is_none())
                })
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

#[test]
fn random_kernels_agree_with_the_oracle() {
    check_all(random::generate, 1000);
}

#[test]
fn irregular_codes_agree_with_the_oracle() {
    check_all(graphs::generate, 400);
}
