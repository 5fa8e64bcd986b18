//! Undefined values: what the machine tells of them, on random kernels, against the IR's executable definition.
//!
//! The definition follows every value of every thread, in the code as lowering made it. The machine follows those that may be undefined,
//! after all passes. Where the machine tells of a use, the definition must tell of one; where the definition tells of one, the
//! machine must, too. `UNDEFINED` is how many kernels are made, `UNDEFINED_FROM` the seed of the
//! first.

mod generate;
mod memory;

use crate::races::program::Program;
use crate::support::{Device, number, ptr};
use simt::FaultKind;
use simt_ir::{Constant, ValidModule};
use simt_ref::{End, Host};
use std::collections::{BTreeMap, BTreeSet};

/// The names of the variables because of which undefined values are used.
type Names = BTreeSet<String>;

/// What the definition tells.
#[derive(Default)]
struct Expected {
    /// Of uses.
    used: Names,
    /// Whether values were stored in local arrays, which may be a use or a copy.
    keeps: bool,
}

/// What came of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Agreement {
    Clean,
    Told,
    /// The machine is silent.
    Missed,
    /// Only the machine tells of anything.
    Accused,
    /// The machine stops where an array in memory is read that was not written there; the definition waits for a use.
    Stopped,
    /// The kernel fails otherwise, or is too long.
    Failed,
    /// The modes of the machine differ, or it and the definition on the same code.
    ModesDiffer,
}

/// What the definition tells of the kernel as it was lowered; `None` if it does not end.
fn definition(program: &Program, module: &ValidModule) -> Option<Expected> {
    let bytes = |words: &Vec<u32>| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    let buffers = program.parameters.iter().map(|parameter| bytes(&parameter.words).into());
    let mut memory = simt_ref::Memory::new(module, buffers);
    let args: Vec<Constant> =
        (0..program.parameters.len() as u32).map(|number| ptr(simt::BufferId(number))).collect();
    let launch = simt_ref::Launch {
        block: [program.block[0], program.block[1], 1],
        steps: 2_000_000,
        ..simt_ref::Launch::new(program.grid, 1, &args)
    };
    let report = simt_ref::run(module, 0, &launch, &mut memory, Host::default()).ok()?;
    let keeps = report.no_value.iter().any(|told| told.kept);
    let used = report.no_value.iter().filter(|told| !told.kept);
    let mut used: Names = used.map(|told| told.variable.name.to_string()).collect();
    match report.end {
        End::Done => Some(Expected { used, keeps }),
        End::Fault(fault) => {
            for (_, kind) in fault.threads {
                let simt_ref::FaultKind::NoValue { variable } = kind else { return None };
                used.insert(variable.name.to_string());
            }
            Some(Expected { used, keeps })
        }
        End::OutOfSteps => None,
    }
}

/// What the machine tells of the kernel after all passes; an error is why there is nothing to compare.
fn machine(program: &Program, module: &ValidModule, every_mode: bool) -> Result<Names, Agreement> {
    let mut device = Device::of((**module).clone());
    device.options.every_mode = every_mode;
    let args = program.parameters.iter().map(|parameter| ptr(device.words(&parameter.words))).collect();
    let launch = simt::Launch {
        grid: [program.grid, 1, 1],
        block: [program.block[0], program.block[1], 1],
        dynamic_shared: 0,
        cooperative: None,
        args,
    };
    let kernel = simt::KernelRef { module: &device.module, symbols: device.id, index: 0 };
    let told = match device.simulator.run(kernel, &launch, &device.options) {
        Ok(outcome) => outcome.warnings,
        Err(failure) => {
            let failure = *failure;
            failure.warnings.into_iter().chain([failure.fault]).collect()
        }
    };
    let mut names = Names::new();
    for fault in told {
        match fault.kind {
            FaultKind::NoValue { variable } => drop(names.insert(variable.name.to_string())),
            FaultKind::ModesDiffer { .. } => return Err(Agreement::ModesDiffer),
            FaultKind::UninitialisedRead { .. } => return Err(Agreement::Stopped),
            _ => return Err(Agreement::Failed),
        }
    }
    Ok(names)
}

/// Compares the two; `None` for a program that is not valid.
fn compare(program: &Program, every_mode: bool) -> Option<(Agreement, [Names; 2])> {
    let text = program.text();
    let lowered = cuda_front::lower_only("k.cu", &text)?;
    let optimised = cuda_front::compile("k.cu", &text, &cuda_front::Options::default()).module?;
    let Some(expected) = definition(program, &lowered) else {
        return Some((Agreement::Failed, Default::default()));
    };
    let Expected { used: expected, keeps } = expected;
    let found = match machine(program, &optimised, every_mode) {
        Ok(found) => found,
        Err(agreement) => return Some((agreement, [expected, Names::new()])),
    };
    let agreement = match (expected.is_empty(), found.is_empty()) {
        (true, false) if keeps => Agreement::Told,
        (true, true) => Agreement::Clean,
        (true, false) => Agreement::Accused,
        (false, true) => Agreement::Missed,
        (false, false) => Agreement::Told,
    };
    Some((agreement, [expected, found]))
}

#[test]
fn random_kernels_agree_with_the_definition() {
    let (from, count) = (number("UNDEFINED_FROM", 0), number("UNDEFINED", 300));
    let mut tally: BTreeMap<Agreement, u64> = BTreeMap::new();
    let mut failures = Vec::new();
    for seed in from..from + count {
        let program = generate::generate(seed);
        let every_mode = seed % 16 == 0;
        let Some((agreement, _)) = compare(&program, every_mode) else {
            panic!("seed {seed} is not valid:\n{program}")
        };
        *tally.entry(agreement).or_default() += 1;
        let is_wrong = match agreement {
            Agreement::Clean | Agreement::Told | Agreement::Stopped | Agreement::Failed => false,
            Agreement::Missed | Agreement::Accused | Agreement::ModesDiffer => true,
        };
        if is_wrong && tally[&agreement] < 3 {
            let is_alike =
                |smaller: &Program| compare(smaller, every_mode).is_some_and(|(other, _)| other == agreement);
            let smallest = program.shrink(is_alike);
            let (_, [expected, found]) = compare(&smallest, every_mode).expect("it was valid");
            failures.push(format!("{agreement:?}, seed {seed}: {expected:?}, found {found:?}\n{smallest}"));
        }
    }
    println!("{tally:?}");
    assert!(failures.is_empty(), "{tally:?}\n{}", failures.join("\n"));
    let of = |agreement| tally.get(&agreement).copied().unwrap_or(0);
    assert!(of(Agreement::Clean) * 10 > count && of(Agreement::Told) * 10 > count, "{tally:?}");
    assert!(of(Agreement::Failed) * 5 < count, "{tally:?}");
}
