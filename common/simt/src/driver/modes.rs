//! A launch in every mode: the numbers of threads, the instruction sets, the levels of specialization, the checks and the
//! counters must not show in what it writes, counts, prints and diagnoses, and what it writes, prints and diagnoses must be what
//! the IR's executable definition says. See [`Options::every_mode`].

use crate::driver::reference::{Comparisons, Reference};
use crate::fault::{Fault, FaultKind, LaunchFailure};
use crate::isa::Isa;
use crate::launch::{LaunchOutcome, Options, Specialization};
use crate::machine::memory::device::DeviceMemory;

type Outcome = Result<LaunchOutcome, Box<LaunchFailure>>;

/// Threads of the host that are tried, in turn with all else.
const THREADS: [usize; 3] = [1, 2, 5];
const SPECIALIZATIONS: [Specialization; 3] =
    [Specialization::Blocks, Specialization::Affine, Specialization::None];

/// The modes to compare with: each instruction set with each level of specialization, and without both checks and
/// counters; without proofs; and without either.
fn modes(options: &Options) -> Vec<Options> {
    let mut modes = Vec::new();
    for (i, isa) in Isa::available().iter().enumerate() {
        for (j, specialization) in SPECIALIZATIONS.iter().enumerate() {
            let (isa, specialization) = (Some(*isa), *specialization);
            modes.push(Options {
                threads: THREADS[(i + j) % 3],
                isa,
                specialization,
                every_mode: false,
                ..options.clone()
            });
        }
    }
    let fast = |mode: &Options| Options { checks: false, counters: false, ..mode.clone() };
    // In turn for whole blocks and for warps.
    let some = modes.chunks(SPECIALIZATIONS.len()).enumerate().map(|(i, of_isa)| &of_isa[i % 2]);
    let bare: Vec<_> = some.map(fast).collect();
    modes.push(Options { counters: false, proves: false, ..modes[0].clone() });
    modes.push(Options { checks: false, ..modes[SPECIALIZATIONS.len() % modes.len()].clone() });
    modes.extend(bare);
    modes
}

/// Runs a launch as asked, and then in each mode on a copy of the memory; `once` runs it, and says what that has cost. `may_wait`: whether
/// the kernel may have a loop that waits for other threads. How often such a loop goes round, and so where a budget ends in it, is open:
/// that is seen by registers, some of which are dead and not computed at each level of specialization.
pub(crate) fn run_in_all<'a>(
    memory: &mut DeviceMemory,
    options: &Options,
    reference: &mut dyn FnMut(&DeviceMemory, &Options) -> Result<Reference<'a>, &'static str>,
    comparisons: &mut Comparisons,
    may_wait: bool,
    once: &mut dyn FnMut(&mut DeviceMemory, &Options) -> (Outcome, u64),
) -> Outcome {
    let before = memory.copied();
    let (outcome, cost) = once(memory, options);
    let differ = |memory: &mut DeviceMemory, before, message| {
        *memory = before;
        Err(Fault::launch(FaultKind::ModesDiffer { message }, None).into())
    };
    // What only checks find stops the launch before the definition says what it does; without checks it goes on.
    let mut unchecked = None;
    for mode in modes(options) {
        let mut copy = before.copied();
        let (other, other_cost) = once(&mut copy, &mode);
        if options.checks && !mode.checks && is_found_by_checks(&outcome) {
            // Where warps race, their order is not defined, and that of a block as one is another than the definition's.
            let is_comparable = mode.specialization != Specialization::Blocks
                && !matches!(kind_of(&outcome), Some(FaultKind::NoValue { .. }));
            if is_comparable {
                unchecked = Some((other, copy, mode));
            }
            continue;
        }
        // Where a launch fails, its last basic block has cost nothing; and with checks it may run twice.
        let is_same_work = !mode.weighted && !may_wait && mode.checks == options.checks && outcome.is_ok();
        let cost_differs = || {
            (is_same_work && cost != other_cost)
                .then(|| format!("it costs {cost} and {other_cost} of the budget"))
        };
        if let Some(what) = outcomes_differ((&outcome, &other), &mode, may_wait)
            .or_else(|| memories_differ(memory, &copy))
            .or_else(cost_differs)
        {
            let Options { threads, isa, specialization, checks, counters, .. } = mode;
            let message = format!(
                "another outcome with {threads} threads, {isa:?}, {specialization:?}, checks {checks}, counters {counters}: {what}"
            );
            return differ(memory, before, message);
        }
    }
    let (comparable, after, mode) = match &unchecked {
        Some((other, copy, mode)) => (other, copy, mode),
        None => (&outcome, &*memory, options),
    };
    let reference = match kind_of(comparable) {
        Some(kind) if is_beyond_definition(kind) => {
            Err("a limit of the machine, or a race with an asynchronous copy")
        }
        _ => reference(&before, mode),
    };
    match reference {
        Ok(reference) => {
            comparisons.compared += 1;
            if let Some(what) = reference.differs(comparable, after, mode) {
                return differ(memory, before, format!("the IR's definition says otherwise: {what}"));
            }
        }
        Err(reason) => *comparisons.skipped.entry(reason).or_default() += 1,
    }
    outcome
}

fn kind_of(outcome: &Outcome) -> Option<&FaultKind> {
    outcome.as_ref().err().map(|failure| &failure.fault.kind)
}

/// Whether the IR leaves open when a fault occurs: at what only the machine limits, and at a write that races with an asynchronous copy,
/// whose source the definition reads at once.
fn is_beyond_definition(kind: &FaultKind) -> bool {
    matches!(
        kind,
        FaultKind::InstructionBudget { .. }
            | FaultKind::EffectBudget { .. }
            | FaultKind::EndlessLoop
            | FaultKind::LanesApart { .. }
            | FaultKind::CooperativeState { .. }
            | FaultKind::StackOverflow { .. }
            | FaultKind::AsyncSourceWritten { .. }
    )
}

/// Whether a launch failed by something that only checks find, so that without them it has another outcome.
fn is_found_by_checks(outcome: &Outcome) -> bool {
    matches!(
        kind_of(outcome),
        Some(
            FaultKind::SharedMemoryRace { .. }
                | FaultKind::GlobalRace { .. }
                | FaultKind::ReadOnlyWritten { .. }
                | FaultKind::UninitialisedRead { .. }
                | FaultKind::NoValue { .. }
                | FaultKind::AsyncNotAwaited { .. }
        )
    )
}

fn is_same_fault(one: &Fault, other: &Fault, may_wait: bool) -> bool {
    let is_budget = matches!(one.kind, FaultKind::InstructionBudget { .. } | FaultKind::EffectBudget { .. });
    // How many threads reach a barrier may depend on a race that only checks stop at.
    let are_at_barrier = |fault: &Fault| matches!(fault.kind, FaultKind::BarrierDivergence { .. });
    let is_same_barrier = are_at_barrier(one)
        && are_at_barrier(other)
        && (one.location, one.block) == (other.location, other.block);
    one == other || is_same_barrier || may_wait && is_budget && one.kind == other.kind
}

fn outcomes_differ((one, other): (&Outcome, &Outcome), mode: &Options, may_wait: bool) -> Option<String> {
    let warns = |one: &[Fault], other: &[Fault]| {
        // Of which threads a note on races tells depends on how accesses are told.
        let told = |faults: &[Fault]| -> Vec<Fault> {
            faults
                .iter()
                .filter(|fault| {
                    !matches!(fault.kind, FaultKind::RaceNote { .. } | FaultKind::RaceSearchLimit { .. })
                })
                .cloned()
                .collect()
        };
        let differ = mode.checks && told(one) != told(other);
        differ.then(|| format!("it warns of something else: {one:?} and {other:?}"))
    };
    let (one, other) = match (one, other) {
        (Ok(one), Ok(other)) => (one, other),
        (Err(one), Err(other)) if is_same_fault(&one.fault, &other.fault, may_wait) => {
            let further = mode.checks && one.further != other.further;
            let further =
                further.then(|| format!("it finds {:?} and {:?} besides", one.further, other.further));
            return warns(&one.warnings, &other.warnings).or(further);
        }
        (Err(one), Err(other)) => return Some(format!("{:?} and {:?}", one.fault, other.fault)),
        (Err(one), Ok(_)) => return Some(format!("no fault, where there was {:?}", one.fault)),
        (Ok(_), Err(other)) => return Some(format!("{:?}", other.fault)),
    };
    if one.printed != other.printed {
        return Some("it prints something else".into());
    }
    if let Some(what) = warns(&one.warnings, &other.warnings) {
        return Some(what);
    }
    if !mode.counters {
        return None;
    }
    let line = one.lines.iter().zip(&other.lines).position(|(a, b)| a != b);
    if let Some(line) = line {
        return Some(format!("location {line} counts {:?} and {:?}", one.lines[line], other.lines[line]));
    }
    (one.counters != other.counters).then(|| format!("it counts {:?} and {:?}", one.counters, other.counters))
}

/// The first word of global memory that differs, or whether anybody has written it.
fn memories_differ(one: &DeviceMemory, other: &DeviceMemory) -> Option<String> {
    one.buffers.iter().zip(&other.buffers).enumerate().find_map(|(number, pair)| {
        let (Some(one), Some(other)) = pair else { return None };
        let word = one.words.iter().zip(&*other.words).position(|(a, b)| a != b);
        let word = word
            .map(|w| format!("word {w} of buffer {number} is {:#x} and {:#x}", one.words[w], other.words[w]));
        word.or_else(|| {
            (one.unwritten != other.unwritten).then(|| format!("other words of buffer {number} were written"))
        })
    })
}
