//! Runs a kernel by the machine with its race engine, and by the IR's executable definition with the race oracle, and compares what they
//! say of races.

use super::program::Program;
use crate::support::{Device, ptr};
use simt::{Fault, FaultKind, NoteReason};
use simt_ir::{Constant, ValidModule};
use simt_ref::races::{Outcome, Races, Rule, Verdict};
use simt_ref::{End, Event, Host, Schedule};
use std::collections::BTreeSet;

/// What came of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Agreement {
    /// Both say that there is no race.
    Clean,
    /// Both say that there is one, and the engine's word is among the oracle's.
    Race,
    /// The engine is silent.
    Missed,
    /// Only the engine says so.
    Accused,
    /// Of another word than any of the oracle's.
    WrongWord,
    /// Neither says that there is one, but they warn for other reasons.
    OtherNotes,
    /// The engine reports a read of what nothing has written.
    Uninitialized,
    /// The kernel fails or does not end.
    Failed,
    /// The modes of the machine differ.
    ModesDiffer,
}

/// The same with what was said.
pub(crate) struct Comparison {
    pub(crate) agreement: Agreement,
    /// The races of the oracle, without its notes.
    pub(crate) races: Vec<Verdict>,
    pub(crate) fault: Option<Box<Fault>>,
    /// Why both warn, if neither finds a race: the oracle, and the engine.
    pub(crate) notes: [BTreeSet<NoteReason>; 2],
}

impl Comparison {
    /// The rules by which the oracle finds races.
    pub(crate) fn rules(&self) -> Vec<Rule> {
        let mut rules: Vec<Rule> = self.races.iter().map(|verdict| verdict.rule).collect();
        rules.sort();
        rules.dedup();
        rules
    }
}

/// Compiles a program; `None` if it is not valid.
pub(crate) fn module(program: &Program) -> Option<ValidModule> {
    cuda_front::compile("k.cu", &program.text(), &cuda_front::Options::default()).module
}

/// All that the oracle says in lockstep; `None` if the kernel does not run to its end.
fn oracle(program: &Program, module: &ValidModule) -> Option<Vec<Verdict>> {
    oracle_in(program, module, Schedule::Lockstep)
}

/// The same in any order.
pub(crate) fn oracle_in<'m>(
    program: &Program,
    module: &'m ValidModule,
    schedule: Schedule,
) -> Option<Vec<Verdict>> {
    let bytes = |words: &Vec<u32>| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    let buffers = program.parameters.iter().map(|parameter| bytes(&parameter.words).into());
    let mut memory = simt_ref::Memory::new(module, buffers);
    let args: Vec<Constant> =
        (0..program.parameters.len() as u32).map(|number| ptr(simt::BufferId(number))).collect();
    let launch = simt_ref::Launch {
        block: [program.block[0], program.block[1], 1],
        cooperative: program.cooperative,
        steps: 120_000,
        schedule,
        ..simt_ref::Launch::new(program.grid, 1, &args)
    };
    let mut races = Races::new(&launch, &module.kernels[0]);
    let mut observer = |event: &Event<'m>| races.observe(event);
    let report = {
        let host = Host { observer: Some(&mut observer), ..Host::default() };
        simt_ref::run(module, 0, &launch, &mut memory, host).ok()?
    };
    (report.end == End::Done).then(|| races.finish())
}

/// What the machine says: a fault, or what it warns of.
pub(crate) fn detect(
    program: &Program,
    module: &ValidModule,
    every_mode: bool,
) -> Result<Vec<Fault>, Box<Fault>> {
    let mut device = Device::of((**module).clone());
    device.options.every_mode = every_mode;
    let args = program.parameters.iter().map(|parameter| ptr(device.words(&parameter.words))).collect();
    let launch = simt::Launch {
        grid: [program.grid, 1, 1],
        block: [program.block[0], program.block[1], 1],
        dynamic_shared: 0,
        cooperative: program.cooperative.then_some(1 << 20),
        args,
    };
    let kernel = simt::KernelRef { module: &device.module, symbols: device.id, index: 0 };
    match device.simulator.run(kernel, &launch, &device.options) {
        Ok(outcome) => Ok(outcome.warnings),
        Err(failure) => Err(Box::new(failure.fault)),
    }
}

/// Why the oracle warns.
fn reasons(notes: &[Verdict]) -> BTreeSet<NoteReason> {
    let reason = |verdict: &Verdict| match verdict.rule {
        Rule::P3n => NoteReason::CasGuess,
        Rule::P8 => NoteReason::MixedSizes,
        Rule::O9 => NoteReason::MissingAcquire,
        _ => NoteReason::SameValue,
    };
    notes.iter().map(reason).collect()
}

/// Whether a reported word is one of which the oracle says so, too.
fn is_known(module: &ValidModule, races: &[Verdict], fault: &FaultKind) -> bool {
    let (FaultKind::SharedMemoryRace { target, offset, .. } | FaultKind::GlobalRace { target, offset, .. }) =
        fault
    else {
        return false;
    };
    let (start, is_shared) = match fault {
        FaultKind::SharedMemoryRace { .. } => {
            (module.kernels[0].shared[target.allocation as usize].offset, true)
        }
        _ => (0, false),
    };
    let word = (i64::from(start) + offset) as u64 / 4;
    races.iter().any(|Verdict { word: place, .. }| {
        let same = (place.space == simt_ir::pointer::Space::Shared) == is_shared
            && (is_shared || place.allocation == target.allocation);
        same && (place.bytes.start / 4..place.bytes.end.div_ceil(4)).contains(&word)
    })
}

/// Compares the two; `None` for a program that is not valid. `every_mode`: the modes of the machine among themselves, too.
pub(crate) fn compare(program: &Program, every_mode: bool) -> Option<Comparison> {
    let module = module(program)?;
    let failed =
        Comparison { agreement: Agreement::Failed, races: vec![], fault: None, notes: Default::default() };
    let Some(verdicts) = oracle(program, &module) else { return Some(failed) };
    let split = |verdicts: Vec<Verdict>| -> (Vec<Verdict>, Vec<Verdict>) {
        verdicts.into_iter().partition(|verdict| verdict.outcome == Outcome::Race)
    };
    let (mut races, expected) = split(verdicts);
    let result = detect(program, &module, every_mode);
    if races.is_empty() && result.is_err() {
        // It may be of the run with the last threads first.
        let other = oracle_in(program, &module, Schedule::Threads { descending: true });
        races = split(other.unwrap_or_default()).0;
    }
    let reason = |warning: &Fault| match warning.kind {
        FaultKind::RaceNote { reason, .. } => Some(reason),
        _ => None,
    };
    let notes = [reasons(&expected), result.iter().flatten().filter_map(reason).collect()];
    let fault = result.err();
    let agreement = match fault.as_ref().map(|fault| &fault.kind) {
        // The log tells arrivals and waits, not accesses to the barrier itself.
        Some(FaultKind::SharedMemoryRace { target, .. }) if is_barrier(program, target) => Agreement::Failed,
        // Other threads may show more in another order.
        None if races.is_empty() && !notes[0].is_subset(&notes[1]) => Agreement::OtherNotes,
        None if races.is_empty() => Agreement::Clean,
        None => Agreement::Missed,
        Some(FaultKind::SharedMemoryRace { .. } | FaultKind::GlobalRace { .. }) if races.is_empty() => {
            Agreement::Accused
        }
        Some(kind @ (FaultKind::SharedMemoryRace { .. } | FaultKind::GlobalRace { .. })) => {
            if is_known(&module, &races, kind) { Agreement::Race } else { Agreement::WrongWord }
        }
        Some(FaultKind::AsyncNotAwaited { .. } | FaultKind::AsyncSourceWritten { .. }) => {
            if races.is_empty() { Agreement::Accused } else { Agreement::Race }
        }
        Some(FaultKind::UninitialisedRead { .. }) => Agreement::Uninitialized,
        Some(FaultKind::ModesDiffer { .. }) => Agreement::ModesDiffer,
        Some(_) => Agreement::Failed,
    };
    Some(Comparison { agreement, races, fault, notes })
}

/// Whether a shared variable is a barrier.
fn is_barrier(program: &Program, target: &simt::Target) -> bool {
    let declared =
        |name| program.text().contains(&format!("cuda::barrier<cuda::thread_scope_block> {name};"));
    target.name.as_ref().is_some_and(declared)
}
