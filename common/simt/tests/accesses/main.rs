//! Random kernels whose loads and stores have indices of all kinds, run by the machine in every mode and by a plain
//! interpreter a thread at a time: how an access lies in memory must not show in what it moves, finds and counts.
//!
//! A kernel is a few intervals with a barrier between. In an interval threads write words of their own, or read
//! any, or (sometimes) do what is a race or out of bounds: then only the modes are compared. Half of the kernels mix accesses
//! of all kinds and widths (`generate`), the others are sums of products (`sums`).
//!
//! `ACCESSES` is how many kernels of each kind are made, `ACCESSES_FROM` the seed of the first.

mod generate;
mod host;
mod sums;
#[path = "../support/mod.rs"]
mod support;

use generate::{PART, Program};
use host::by_threads;
use simt::FaultKind;
use simt_ir::Constant;
use std::collections::BTreeMap;
use support::*;

/// Runs a program in every mode, and compares with the threads one by one if it has no fault. What fault it has.
fn check(seed: u64, program: &Program) -> Option<String> {
    let mut d = Device::of(program.module.clone());
    let (source, out) = (d.words(&program.input), d.empty(u64::from(PART * program.grid)));
    let [n, m] = program.arguments;
    let mut args = vec![ptr(source), ptr(out), Constant::i32(n), Constant::i32(m)];
    let work = program.work.as_ref().map(|words| d.words(words));
    args.extend(work.map(ptr));
    match d.run3([program.grid, 1, 1], program.block, &args) {
        Ok(_) => {
            let [wanted_out, wanted_work] = by_threads(program);
            let buffers = [("out", Some(out), wanted_out), ("work", work, wanted_work)];
            for (name, buffer, wanted) in buffers {
                let found = buffer.map_or(vec![], |buffer| d.read(buffer));
                let differs = found.iter().zip(&wanted).position(|(a, b)| a != b);
                let differs = differs.map(|at| (at, found[at], wanted[at]));
                assert_eq!(differs, None, "seed {seed}, {name}: word, found, wanted");
            }
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

/// Checks the programs that `generate` makes of seeds.
fn check_all(generate: impl Fn(u64) -> Program) {
    let from: u64 = std::env::var("ACCESSES_FROM").map_or(0, |v| v.parse().unwrap());
    let count: u64 = std::env::var("ACCESSES").map_or(300, |v| v.parse().unwrap());
    let mut kinds: BTreeMap<Option<String>, u64> = BTreeMap::new();
    for seed in from..from + count {
        *kinds.entry(check(seed, &generate(seed))).or_default() += 1;
    }
    println!("{kinds:?}");
    // Most programs run well, and enough fail in some way.
    assert!(count < 100 || kinds.get(&None).is_some_and(|n| n * 2 > count), "{kinds:?}");
    assert!(count < 100 || kinds.len() > 2, "{kinds:?}");
}

#[test]
fn accesses_agree_with_threads_one_by_one_in_every_mode() {
    check_all(generate::generate);
}

#[test]
fn sums_of_products_agree_with_threads_one_by_one_in_every_mode() {
    check_all(sums::generate);
}
