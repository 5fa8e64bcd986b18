//! Random kernels whose loads and stores have indices of all kinds, run by the machine in every mode and by a plain
//! interpreter a thread at a time: how an access lies in memory must not show in what it moves, finds and counts.
//!
//! A kernel is a few intervals with a barrier between. In an interval threads write shared words of their own, or read
//! any, or (sometimes) do what is a race or out of bounds: then only the modes are compared.

mod generate;
mod host;
#[path = "../support/mod.rs"]
mod support;

use generate::{PART, generate};
use host::{by_threads, input};
use simt::FaultKind;
use simt_ir::Constant;
use std::collections::BTreeMap;
use support::*;

/// Arguments `n` and `m`.
pub(crate) const ARGUMENTS: [i32; 2] = [7, 3];

/// Runs a program in every mode, and compares with the threads one by one if it has no fault. What fault it has.
fn check(seed: u64) -> Option<String> {
    let program = generate(seed);
    let mut d = Device::of(program.module.clone());
    let (source, out) = (d.words(&input()), d.empty(u64::from(PART * program.grid)));
    let args = [ptr(source), ptr(out), Constant::i32(ARGUMENTS[0]), Constant::i32(ARGUMENTS[1])];
    match d.run3([program.grid, 1, 1], program.block, &args) {
        Ok(_) => {
            let (found, wanted) = (d.read(out), by_threads(&program));
            let differs = found.iter().zip(&wanted).position(|(a, b)| a != b);
            let differs = differs.map(|at| (at, found[at], wanted[at]));
            assert_eq!(differs, None, "seed {seed}: word, found, wanted");
            None
        }
        Err(fault) => {
            assert!(
                !matches!(fault.kind, FaultKind::ModesDiffer { .. } | FaultKind::InvalidModule { .. }),
                "seed {seed}: {fault:?}"
            );
            let kind = format!("{:?}", fault.kind);
            Some(kind.split([' ', '{']).next().unwrap_or_default().to_owned())
        }
    }
}

#[test]
fn accesses_agree_with_threads_one_by_one_in_every_mode() {
    let from: u64 = std::env::var("ACCESSES_FROM").map_or(0, |v| v.parse().unwrap());
    let count: u64 = std::env::var("ACCESSES").map_or(300, |v| v.parse().unwrap());
    let mut kinds: BTreeMap<Option<String>, u64> = BTreeMap::new();
    for seed in from..from + count {
        *kinds.entry(check(seed)).or_default() += 1;
    }
    println!("{kinds:?}");
    // Most programs run well, and enough fail in some way.
    assert!(kinds.get(&None).is_some_and(|n| n * 2 > count), "{kinds:?}");
    assert!(count < 100 || kinds.len() > 2, "{kinds:?}");
}
