//! Tests how constants are chosen from a device's measured times, and times at sizes that fill it.

use crate::fake::{self, FakeDevice};
use harness::{Best, Case, Failure, KernelFile, Options, Outcome, Tuning, large_runs, tune};

fn best(tunings: Vec<Tuning>) -> Best {
    Best { exercise: fake::lab().exercises.swap_remove(0), tunings }
}

fn at(n: usize, tiles: &[i64]) -> Tuning {
    Tuning::new(Case::new(n.to_string(), &[("n", n)]), &[("TILE", tiles)])
}

fn file(word: &str) -> KernelFile {
    KernelFile { name: "best.cu".into(), text: format!("kernel {word}") }
}

/// A device on which a launch takes `clock(TILE)` seconds.
fn with_clock(clock: fn(i64) -> f64) -> FakeDevice {
    let mut device = FakeDevice::new();
    device.clock = Some(clock);
    device
}

/// A device on which a launch takes `TILE` microseconds.
fn device() -> FakeDevice {
    with_clock(|tile| tile as f64 * 1e-6)
}

#[test]
fn the_fastest_of_the_right_ones_is_chosen() {
    let mut heard = 0;
    let best = best(vec![at(5000, &[32, 16, 8, 6, 5])]);
    let tuned = tune(&best, &file("even"), &mut device(), 1, |_| heard += 1).unwrap();
    assert_eq!(tuned.setting, [("TILE".to_owned(), 6)]);
    assert_eq!(heard, 5);
    assert!(tuned.trials[0].is_default, "the file's own constants come first: {:?}", tuned.trials[0]);
    for trial in &tuned.trials {
        match (trial.setting[0].1, &trial.outcome) {
            (5, Outcome::Wrong(why)) => assert!(why.starts_with("3: "), "{why}"),
            (tile, Outcome::Measured { seconds, .. }) => assert_eq!(*seconds, tile as f64 * 1e-6),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn what_is_faster_by_less_than_the_measurements_are_unsure_is_not_chosen() {
    let mut device = with_clock(|tile| 1e-3 + tile as f64 * 1e-6);
    let tuned = tune(&best(vec![at(5000, &[8, 16])]), &file("twice"), &mut device, 1, |_| ()).unwrap();
    assert_eq!(tuned.setting, []);
}

#[test]
fn later_constants_are_measured_with_the_earlier_choice() {
    let best = best(vec![at(5000, &[8, 16]), at(6000, &[4, 8])]);
    let tuned = tune(&best, &file("twice"), &mut device(), 1, |_| ()).unwrap();
    let defaults: Vec<_> = tuned.trials.iter().filter(|t| t.is_default).map(|t| t.setting[0].1).collect();
    assert_eq!(defaults, [16, 8]);
    assert_eq!(tuned.setting.last(), Some(&("TILE".to_owned(), 4)));
}

#[test]
fn a_file_that_is_wrong_as_it_is_ends_it() {
    let mut heard = 0;
    let tuned = tune(&best(vec![at(5000, &[8, 16])]), &file("nothing"), &mut device(), 1, |_| heard += 1);
    let Err(Failure::Other(why)) = tuned else { panic!("{tuned:?}") };
    assert!(why.starts_with("best.cu is not correct as it is: 3: "), "{why}");
    assert_eq!(heard, 0);
}

#[test]
fn a_device_that_does_not_measure_is_refused() {
    let best = best(vec![at(5000, &[8, 16])]);
    let tuned = tune(&best, &file("twice"), &mut FakeDevice::new(), 1, |_| ());
    let Err(Failure::Other(why)) = tuned else { panic!("{tuned:?}") };
    assert!(why.contains("does not measure times"), "{why}");
}

#[test]
fn every_large_case_is_timed_once() {
    let best = best(vec![at(5000, &[8]), at(5000, &[32]), at(6000, &[8])]);
    let runs = large_runs(&best, &file("twice"), &mut device(), &Options::default()).unwrap();
    let labels: Vec<_> = runs.iter().map(|run| run.case.label.as_str()).collect();
    assert_eq!(labels, ["5000", "6000"]);
    assert_eq!(runs[0].seconds, 16e-6);
    assert!((runs[0].gbps - 8.0 * 5000.0 / 16e-6 * 1e-9).abs() < 1e-9, "{:?}", runs[0]);
}
