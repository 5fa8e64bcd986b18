//! The score: 0 to 100, from the checks alone, so the same on every computer.
//!
//! A file that does not compile, has another signature or stores nothing gets 0. Otherwise
//!
//! ```text
//! score = correctness · (correct + clean · c + contract · k + gates · g) / (correct + clean + contract + gates)
//! ```
//!
//! - `correctness`, 0 to 1, is the mean over the problem sizes: 1 for a correct result, and for a wrong one, or one whose launch a
//!   check stopped, half the share of its elements that are right;
//! - `c` and `k` are 1 if the checks `clean` and `contract` passed, otherwise 0;
//! - `g` is the mean over the gates: 1 for one that passed, otherwise how near it comes (the limit over the value, or the value over the
//!   limit where it is to be at least that). Gates are judged, and `g` is above 0, only when every result is right, those aside that were
//!   not computed because the budget was spent;
//! - `correct`, `clean`, `contract`, `gates` are weights: 40, 10, 10 and 40, or those of a course.
//!
//! Checks that the device cannot perform (a real GPU has no counters and checks no accesses) count on neither side,
//! and neither do gates if an exercise has none. So a mistake costs only what it affects: one wrong element does not
//! drop the score from nearly full to zero.

use crate::{Check, Status};
use serde::Deserialize;
use std::collections::BTreeMap;

/// Credit of a wrong result whose elements are nearly all correct.
pub const HALF_RIGHT: f64 = 0.5;

/// Weights of the parts of a score; any numbers that are not negative.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Weights {
    /// Correct results.
    #[serde(default = "most")]
    pub correct: f64,
    /// The check `clean`.
    #[serde(default = "least")]
    pub clean: f64,
    /// The check `contract`.
    #[serde(default = "least")]
    pub contract: f64,
    /// All gates together.
    #[serde(default = "most")]
    pub gates: f64,
    /// Relative weights of single gates, by `id` or `lab-6/tiled/id`; 1 for all others.
    #[serde(default)]
    pub gate: BTreeMap<String, f64>,
}

fn most() -> f64 {
    40.0
}

fn least() -> f64 {
    10.0
}

impl Default for Weights {
    fn default() -> Weights {
        Weights { correct: most(), clean: least(), contract: least(), gates: most(), gate: BTreeMap::new() }
    }
}

impl Eq for Weights {}

impl Weights {
    /// Checks that the weights are valid.
    ///
    /// # Errors
    /// Names the invalid weight.
    pub fn check(&self) -> Result<(), String> {
        let parts = [
            ("correct", self.correct),
            ("clean", self.clean),
            ("contract", self.contract),
            ("gates", self.gates),
        ];
        let gates = self.gate.iter().map(|(name, weight)| (name.as_str(), *weight));
        if let Some((name, weight)) = parts.into_iter().chain(gates).find(|(_, w)| !(0.0..=1e6).contains(w)) {
            return Err(format!("the weight of `{name}` is {weight}: it must be a number from 0 to 1000000"));
        }
        if self.correct <= 0.0 {
            return Err(
                "the weight of `correct` must be above 0: all points depend on correct results".into()
            );
        }
        Ok(())
    }

    /// The weight of a gate. `lab` is the lab's package, such as `lab-6`.
    fn of_gate(&self, lab: &str, exercise: &str, id: &str) -> f64 {
        let own = self.gate.get(&format!("{lab}/{exercise}/{id}"));
        own.or_else(|| self.gate.get(id)).copied().unwrap_or(1.0)
    }
}

/// The score for an exercise's checks, by the rule on this module's page.
pub fn score(weights: &Weights, lab: &str, exercise: &str, checks: &[Check]) -> u32 {
    let of = |name: &'static str| checks.iter().filter(move |c| c.name.starts_with(name));
    let cases = of("correct_").count();
    if cases == 0 || !of("signature").any(|c| c.status == Status::Passed) {
        return 0;
    }
    let correctness = of("correct_").map(|c| c.credit).sum::<f64>() / cases as f64;
    let all_right = of("correct_").all(|c| c.status == Status::Passed);
    let (mut reached, mut possible) = (weights.correct, weights.correct);
    for (name, worth) in [("clean", weights.clean), ("contract", weights.contract)] {
        for check in of(name).filter(|c| c.status != Status::Skipped) {
            possible += worth;
            reached += worth * check.credit;
        }
    }
    // Gates that were skipped because of another failure count as missed; gates that the device cannot judge do not
    // count.
    let judged = |c: &&Check| !all_right || c.status != Status::Skipped;
    let gate = |c: &Check| weights.of_gate(lab, exercise, c.name.trim_start_matches("gate_"));
    let all: f64 = of("gate_").filter(judged).map(gate).sum();
    if all > 0.0 {
        possible += weights.gates;
        reached += weights.gates * of("gate_").filter(judged).map(|c| gate(c) * c.credit).sum::<f64>() / all;
    }
    let all_passed = all_right && checks.iter().all(|c| c.status != Status::Failed);
    let score = (100.0 * correctness * reached / possible).floor() as u32;
    if all_passed { 100 } else { score.min(99) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, status: Status, credit: f64) -> Check {
        Check { name: name.into(), status, message: String::new(), credit }
    }

    fn graded(credits: &[(&str, Option<f64>)]) -> u32 {
        weighed(&Weights::default(), credits)
    }

    fn weighed(weights: &Weights, credits: &[(&str, Option<f64>)]) -> u32 {
        let mut checks = vec![check("signature", Status::Passed, 1.0)];
        checks.extend(credits.iter().map(|(name, credit)| match credit {
            Some(1.0) => check(name, Status::Passed, 1.0),
            Some(credit) => check(name, Status::Failed, *credit),
            None => check(name, Status::Skipped, 0.0),
        }));
        score(weights, "lab-1", "naive", &checks)
    }

    #[test]
    fn points_are_lost_for_what_is_spoiled() {
        let rest =
            |gate| [("clean", Some(1.0)), ("contract", Some(1.0)), ("gate_a", gate), ("gate_b", Some(1.0))];
        let with = |cases: &[(&'static str, Option<f64>)], rest: [(&'static str, Option<f64>); 4]| {
            graded(&[cases, &rest].concat())
        };
        let right = [("correct_a", Some(1.0)), ("correct_b", Some(1.0))];
        assert_eq!(with(&right, rest(Some(1.0))), 100);
        assert_eq!(with(&right, rest(Some(0.5))), 90);
        assert_eq!(with(&right, rest(Some(0.9999))), 99);
        // Half of one size's elements are wrong: that size earns a quarter, and gates are not judged.
        let wrong = [("correct_a", Some(1.0)), ("correct_b", Some(0.25))];
        let mut skipped = rest(None);
        skipped[3].1 = None;
        assert_eq!(with(&wrong, skipped), 37);
        assert_eq!(with(&[("correct_a", Some(0.0)), ("correct_b", Some(0.0))], skipped), 0);
    }

    #[test]
    fn what_a_device_cannot_judge_is_left_out() {
        assert_eq!(
            graded(&[("correct_a", Some(1.0)), ("clean", None), ("contract", Some(1.0)), ("gate_a", None)]),
            100
        );
        assert_eq!(graded(&[("correct_a", Some(1.0)), ("clean", Some(0.0))]), 80);
        assert_eq!(graded(&[]), 0);
    }

    #[test]
    fn a_course_weighs_parts_and_gates() {
        let gate = |name: &str, weight| (name.to_owned(), weight);
        let weights = Weights {
            gates: 100.0,
            clean: 0.0,
            contract: 0.0,
            correct: 100.0,
            gate: [gate("lab-1/naive/a", 3.0), gate("lab-1/other/b", 9.0)].into(),
        };
        let checks = [("correct_a", Some(1.0)), ("gate_a", Some(0.0)), ("gate_b", Some(1.0))];
        assert_eq!(weighed(&weights, &checks), 62);
        assert!(weights.check().is_ok());
        assert!(Weights { clean: -1.0, ..Weights::default() }.check().is_err());
        assert!(Weights { correct: 0.0, ..Weights::default() }.check().is_err());
        assert!(Weights { gates: f64::NAN, ..Weights::default() }.check().is_err());
    }
}
