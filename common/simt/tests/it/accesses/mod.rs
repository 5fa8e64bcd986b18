//! Random kernels whose loads and stores have indices of all kinds, run by the machine in every mode and by the IR's executable
//! definition a thread at a time: how an access lies in memory must not show in what it moves, finds and counts.
//!
//! A kernel is a few intervals with a barrier between. In an interval threads write words of their own, or read
//! any, or (sometimes) do what is a race or out of bounds: then only the modes are compared. Half of the kernels mix accesses
//! of all kinds and widths (`generate`), the others are sums of products (`sums`).
//!
//! `ACCESSES` is how many kernels of each kind are made, `ACCESSES_FROM` the seed of the first.

mod generate;
mod sources;
mod sums;

use crate::support::*;
use generate::{PART, Program};
use simt::{BufferId, Fault, FaultKind, Isa, LaunchOutcome, MemoryRules, Options, Specialization};
use simt_ir::Constant;
use std::collections::BTreeMap;

/// A device for a program, with its arguments and the buffers `out` and `work`.
fn device(seed: u64, program: &Program) -> (Device, Vec<Constant>, [Option<BufferId>; 2]) {
    let mut d = Device::of(program.module.clone());
    d.options.threads = 1 + seed as usize % 4;
    d.options.schedule_seed = if seed.is_multiple_of(3) { seed } else { 0 };
    if seed % 8 == 5 {
        d.options.limits.rules = MemoryRules::Compute1;
    }
    if seed % 8 == 6 {
        // Room for ten lines besides the tile.
        d.options.limits.l1_bytes = u64::from(generate::TILE) * 4 + 1280;
    }
    let (source, out) = (d.words(&program.input), d.empty(u64::from(PART * program.grid)));
    let [n, m] = program.arguments;
    let mut args = vec![ptr(source), ptr(out), Constant::i32(n), Constant::i32(m)];
    let work = program.work.as_ref().map(|words| d.words(words));
    if let Some(work) = work {
        args.extend([ptr(work), Constant::i32(sums::AROUND)]);
    }
    (d, args, [Some(out), work])
}

/// What buffers hold after the threads have run one by one: the input, `out`, and `work` or nothing.
fn threads_alone(seed: u64, program: &Program) -> Vec<Vec<u32>> {
    let out = vec![simt::POISON; (PART * program.grid) as usize];
    let buffers = [&program.input[..], &out, program.work.as_deref().unwrap_or_default()];
    let ([n, m], pointer) = (program.arguments, |number| ptr(BufferId(number)));
    let mut args = vec![pointer(0), pointer(1), Constant::i32(n), Constant::i32(m)];
    if program.work.is_some() {
        args.extend([pointer(2), Constant::i32(sums::AROUND)]);
    }
    let shape = ([program.grid, 1, 1], program.block);
    by_threads(&program.module, shape, &buffers, &args, seed % 2 == 1)
}

/// Runs a program in every mode, and compares with the threads one by one if it has no fault. What fault it has.
fn check(seed: u64, program: &Program) -> Option<String> {
    let (mut d, args, [out, work]) = device(seed, program);
    match d.run3([program.grid, 1, 1], program.block, &args) {
        Ok(_) => {
            let wanted = threads_alone(seed, program);
            for (name, buffer, wanted) in [("out", out, &wanted[1]), ("work", work, &wanted[2])] {
                let found = buffer.map_or(vec![], |buffer| d.read(buffer));
                let differs = found.iter().zip(wanted).position(|(a, b)| a != b);
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

/// What a program has written, and what it counts or is diagnosed for.
type Outcome = (Vec<Vec<u32>>, Result<LaunchOutcome, Box<Fault>>);

fn outcome(seed: u64, program: &Program, change: impl FnOnce(&mut Options)) -> Outcome {
    let (mut d, args, buffers) = device(seed, program);
    d.options.every_mode = false;
    change(&mut d.options);
    let result = d.run3([program.grid, 1, 1], program.block, &args);
    (buffers.into_iter().flatten().map(|buffer| d.read(buffer)).collect(), result)
}

/// Each combination of a number of threads, an instruction set, a level of specialization, checks and counters, where
/// `every_mode` takes each of them with one of the others.
#[test]
fn each_combination_of_modes_has_the_same_outcome() {
    let count: u64 = std::env::var("ACCESSES").map_or(300, |v| v.parse().unwrap());
    for seed in 0..count / 20 {
        for program in [generate::generate(seed), sums::generate(seed)] {
            let (memory, plain) = outcome(seed, &program, |o| {
                (o.threads, o.isa, o.specialization) = (1, Some(Isa::Baseline), Specialization::None);
            });
            let found_by_checks = plain.as_ref().is_err_and(|fault| {
                use FaultKind::*;
                matches!(fault.kind, SharedMemoryRace { .. } | GlobalRace { .. } | UninitialisedRead { .. })
            });
            let threads = [1, 2, 5].into_iter();
            let specialization = [Specialization::None, Specialization::Affine, Specialization::Blocks];
            let modes = threads.flat_map(|t| Isa::available().iter().map(move |isa| (t, *isa)));
            for (threads, isa) in modes {
                for (k, specialization) in (0..12).map(|k| (k, specialization[k / 4])) {
                    let (checks, counters) = (k % 2 == 0, k / 2 % 2 == 0);
                    if !checks && found_by_checks {
                        continue;
                    }
                    let (found, result) = outcome(seed, &program, |o| {
                        (o.threads, o.isa, o.specialization) = (threads, Some(isa), specialization);
                        (o.checks, o.counters) = (checks, counters);
                    });
                    let mode =
                        format!("{threads} {isa:?} {specialization:?} checks {checks} counters {counters}");
                    assert!(found == memory, "seed {seed}, {mode}: another memory");
                    match (&plain, result) {
                        (Err(one), Err(other)) => assert_eq!(*one, other, "seed {seed}, {mode}"),
                        (Ok(one), Ok(other)) if counters => {
                            assert_eq!(one.counters, other.counters, "seed {seed}, {mode}");
                            assert_eq!(one.lines, other.lines, "seed {seed}, {mode}");
                        }
                        (Ok(_), Ok(_)) => {}
                        (one, other) => panic!("seed {seed}, {mode}: {one:?} and {other:?}"),
                    }
                }
            }
        }
    }
}
