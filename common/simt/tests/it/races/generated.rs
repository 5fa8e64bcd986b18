//! Thousands of generated kernels on which the race oracle and the detectors must agree.
//!
//! `RACES` is how many kernels of each kind are made, `RACES_FROM` the seed of the first, and `RACES_SHOWN` of how many the smallest
//! kernel of the kind is looked for and shown if they disagree.

use super::compare::{Agreement, Comparison, compare};
use super::program::Program;
use super::{graphs, random};
use simt_ref::races::Rule;
use std::collections::BTreeMap;

pub(super) fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |value| value.parse().expect("a number"))
}

/// Why a race may be missed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Limit {
    /// Accesses of different sizes.
    MixedSizes,
    /// Where only some lanes of a warp synchronize, a later store hides the value of an earlier one, and whether it was volatile.
    Split,
    /// A phase of a barrier in shared memory counts as a barrier of the block, also for threads that do not wait for it.
    Phase,
}

/// The documented limit of the detectors that applies to a kernel with a race, if one does.
fn limit(program: &Program, found: &Comparison) -> Option<Limit> {
    let text = program.text();
    let has = |names: &[&str]| names.iter().any(|name| text.contains(name));
    if found.rules() == [Rule::P8] {
        return Some(Limit::MixedSizes);
    }
    if has(&["cuda::barrier"]) {
        return Some(Limit::Phase);
    }
    if matches!(found.rules()[..], [Rule::P1 | Rule::P5]) && has(&["__syncwarp(l", "tiled_partition<8>"]) {
        return Some(Limit::Split);
    }
    None
}

/// What is said of one kernel in a failure.
fn report(seed: u64, program: &Program, found: &Comparison) -> String {
    let fault = found.fault.as_ref().map(|fault| &fault.kind);
    format!("{:?}, seed {seed}: oracle {:?}\ndetector {fault:?}\n{program}", found.agreement, found.rules())
}

/// How many kernels there are of each kind.
pub(super) type Tally = BTreeMap<(Agreement, Option<Limit>), u64>;

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
        let limit_of_race = match found.agreement {
            Agreement::Missed | Agreement::Race => limit(&program, &found),
            _ => None,
        };
        *told.entry((found.agreement, limit_of_race)).or_default() += 1;
        let is_wrong = match found.agreement {
            Agreement::Clean | Agreement::Race | Agreement::Failed | Agreement::Uninitialized => false,
            Agreement::Missed => limit_of_race.is_none(),
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

/// Of the races to which a limit applies, few are missed: one in `part` at most.
fn assert_few_missed(tally: &Tally, part: u64) {
    let count = |agreement, limit| tally.get(&(agreement, limit)).copied().unwrap_or(0);
    let limits = [Limit::MixedSizes, Limit::Split, Limit::Phase];
    for limit in limits.map(Some) {
        let (missed, found) = (count(Agreement::Missed, limit), count(Agreement::Race, limit));
        // Of a handful nothing can be said.
        assert!(missed < 4 || missed * part <= missed + found, "{limit:?}: {tally:?}");
    }
}

/// Both kinds of kernels are there in number, with a race and without.
pub(super) fn assert_balanced(tally: &Tally) {
    let count = |wanted| {
        let of = tally.iter().filter(|((agreement, _), _)| *agreement == wanted);
        of.map(|(_, count)| count).sum::<u64>()
    };
    let all: u64 = tally.values().sum();
    assert!(count(Agreement::Clean) * 5 > all && count(Agreement::Race) * 10 > all, "{tally:?}");
    assert!(count(Agreement::Failed) * 5 < all, "{tally:?}");
}

#[test]
fn random_kernels_agree_with_the_oracle() {
    let tally = check_all(random::generate, 80);
    assert_few_missed(&tally, 10);
    assert_balanced(&tally);
}

#[test]
fn irregular_codes_agree_with_the_oracle() {
    let tally = check_all(graphs::generate, 150);
    assert_few_missed(&tally, 10);
    assert_balanced(&tally);
}
