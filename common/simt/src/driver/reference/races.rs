//! Races of a small launch, by the race oracle of [`simt_ref`]: exact, where the detectors of the machine are not.
//!
//! The detectors know barriers exactly, and what fences, flags, locks and strong accesses order roughly, for launches of any size. The
//! oracle knows these exactly, too, but remembers each access and compares it with all others of its bytes. So it is asked about a kernel
//! with such accesses, if the launch is small. It refuses the others: they are the detectors' alone.

use super::{Subject, memory, reads_clock, textures};
use crate::fault::{Fault, FaultKind, NoteReason, RacingAccess, Target};
use crate::launch::{Launch, Options, coordinates};
use crate::machine::memory::device::{DeviceMemory, Symbol};
use simt_ir::pointer::Space;
use simt_ir::{AccessOrder, AsyncOp, CacheOp, InstKind, Kernel, for_each_inst};
use simt_ref::races::{Outcome, Races, Rule, Side, Verdict};
use simt_ref::{End, Event, Host, Schedule};

/// Threads of a launch at most.
const MAX_THREADS: u64 = 4096;
/// The same of a kernel that has nothing but reads by the read-only path to ask about, which many right ones have.
const MAX_THREADS_READ_ONLY: u64 = 256;
/// Bytes of device memory at most.
const MAX_BYTES: u64 = 8 << 20;
/// Nodes that all threads may execute together.
const MAX_STEPS: u64 = 1 << 18;
/// Work of the oracle, see [`Races::with_work`].
const MAX_WORK: u64 = 1 << 21;

/// What the oracle says of a small launch.
#[derive(Default)]
pub(crate) struct RaceVerdicts {
    /// The first race.
    pub(crate) race: Option<Box<Fault>>,
    /// What is not an error, once for each reason and pair of places.
    pub(crate) notes: Vec<Fault>,
}

/// Whether the oracle can be asked of a launch, and has anything to say that the detectors do not.
pub(crate) fn may_be_judged(subject: Subject, memory: &DeviceMemory) -> bool {
    let kernel = subject.kernel();
    let Launch { grid, block, .. } = subject.launch;
    let threads = grid.iter().chain(block).map(|axis| u64::from(*axis)).product::<u64>();
    let limit = match doubts(kernel) {
        Doubts { order: true, .. } | Doubts { phases: true, .. } => MAX_THREADS,
        Doubts { read_only: true, .. } => MAX_THREADS_READ_ONLY,
        Doubts { .. } => return false,
    };
    threads <= limit && memory.used() <= MAX_BYTES && !reads_clock(kernel)
}

/// Whether all that the oracle has to say of a kernel is of accesses that screening finds in doubt: unless it reads by the read-only path, copies
/// asynchronously, has phases of barriers, or strong accesses of several sizes.
pub(crate) fn is_screened_for(subject: Subject) -> bool {
    let Doubts { read_only, asynchronous, sizes, order: _, phases: _ } = doubts(subject.kernel());
    !read_only && !asynchronous && sizes.count_ones() <= 1
}

/// Asks the oracle of a small launch ([`may_be_judged`]), with lanes in lockstep and then thread by thread in descending order, so that a
/// lucky order hides less.
pub(crate) fn judge(subject: Subject, memory: &DeviceMemory, options: &Options) -> RaceVerdicts {
    let mut told = RaceVerdicts::default();
    for schedule in [Schedule::Lockstep, Schedule::Threads { descending: true }] {
        let Some(verdicts) = verdicts(subject, memory, options, schedule) else { return told };
        // What is wrong with asynchronous copies the detectors know exactly, and can say more of it.
        let race = verdicts.iter().find(|v| v.outcome == Outcome::Race && v.rule != Rule::P11);
        for verdict in verdicts.iter().filter(|v| v.outcome == Outcome::Note) {
            let note = fault(subject, memory, verdict);
            let is_told = |known: &Fault| {
                (known.location, known.other) == (note.location, note.other)
                    && reason(&known.kind) == reason(&note.kind)
            };
            // Equal stores the detectors find themselves, in launches of any size.
            if reason(&note.kind).is_some_and(|reason| reason != NoteReason::SameValue)
                && !told.notes.iter().any(is_told)
            {
                told.notes.push(note);
            }
        }
        if let Some(race) = race {
            told.race = Some(Box::new(fault(subject, memory, race)));
            break;
        }
    }
    told
}

fn reason(kind: &FaultKind) -> Option<NoteReason> {
    match kind {
        FaultKind::RaceNote { reason, .. } => Some(*reason),
        _ => None,
    }
}

/// Why two accesses are not an error by a rule.
fn reason_of(verdict: &Verdict) -> Option<NoteReason> {
    match (verdict.outcome, verdict.rule) {
        (Outcome::Race, _) => None,
        (Outcome::Note, Rule::P3n) => Some(NoteReason::CasGuess),
        (Outcome::Note, Rule::P8) => Some(NoteReason::MixedSizes),
        (Outcome::Note, Rule::O9) => Some(NoteReason::MissingAcquire),
        (Outcome::Note, _) => Some(NoteReason::SameValue),
    }
}

/// What the detectors know roughly.
#[derive(Default)]
struct Doubts {
    /// Accesses or fences that order more than barriers do.
    order: bool,
    /// Reads of what must not change.
    read_only: bool,
    /// Asynchronous copies, or barriers in shared memory.
    asynchronous: bool,
    /// Barriers in shared memory.
    phases: bool,
    /// The sizes of strong accesses: a bit for each power of two.
    sizes: u32,
}

fn doubts(kernel: &Kernel) -> Doubts {
    let mut found = Doubts::default();
    for body in kernel.bodies() {
        for_each_inst(body, &mut |inst| {
            let strong = match &inst.kind {
                InstKind::Atomic { ty, .. } => Some(ty),
                InstKind::Load { order, ty, .. } | InstKind::Store { order, ty, .. } => {
                    (*order != AccessOrder::Weak).then_some(ty)
                }
                _ => None,
            };
            found.sizes |= strong.map_or(0, |ty| 1 << ty.bytes().ilog2());
            found.order |= strong.is_some() || matches!(inst.kind, InstKind::Fence { .. });
            found.asynchronous |= matches!(inst.kind, InstKind::Async { .. } | InstKind::AsyncCopy { .. });
            found.phases |= matches!(inst.kind, InstKind::Async { op: AsyncOp::Await, .. });
            found.read_only |= matches!(inst.kind, InstKind::Load { cache: CacheOp::ReadOnly, .. });
        });
    }
    found
}

/// All that the oracle says; nothing of a launch that does not run to its end, or is too large.
fn verdicts<'m>(
    subject: Subject<'m>,
    before: &DeviceMemory,
    options: &Options,
    schedule: Schedule,
) -> Option<Vec<Verdict>> {
    let launch = subject.launch_of(options, MAX_STEPS, schedule);
    let mut memory = memory::copy_of(before, subject.symbols);
    let mut races = Races::new(&launch, &subject.module.kernels[subject.index]).with_work(MAX_WORK);
    let mut observer = |event: &Event<'m>| races.observe(event);
    let report = {
        let host = Host { textures: Some(&textures::Textures(before)), observer: Some(&mut observer) };
        simt_ref::run(subject.module, subject.index, &launch, &mut memory, host).ok()?
    };
    (report.end == End::Done && !races.is_exhausted()).then(|| races.finish())
}

/// A race, or a note, as the machine tells it.
fn fault(subject: Subject, memory: &DeviceMemory, verdict: &Verdict) -> Fault {
    let racing = |side: &Side| RacingAccess {
        kind: side.kind.into(),
        location: Some(side.location),
        thread: coordinates(side.thread, subject.launch.block),
        block: coordinates(side.block, subject.launch.grid),
    };
    let (this, previous) = (racing(&verdict.second), racing(&verdict.first));
    let (start, allocation) = (verdict.word.bytes.start, verdict.word.allocation);
    let (location, other, thread, block) = (this.location, previous.location, this.thread, this.block);
    let one_block = verdict.first.block == verdict.second.block;
    let (target, offset) = match verdict.word.space {
        Space::Shared => {
            let (target, first) = shared_target(subject, start);
            (target, start as i64 - i64::from(first))
        }
        _ => (global_target(subject, memory, allocation), start as i64),
    };
    let kind = match (reason_of(verdict), verdict.word.space) {
        (Some(reason), _) => FaultKind::RaceNote { reason, target, offset, this, previous },
        (None, Space::Shared) => {
            let same_warp = one_block && verdict.first.thread / 32 == verdict.second.thread / 32;
            FaultKind::SharedMemoryRace { target, offset, this, previous, same_warp }
        }
        (None, _) if verdict.rule == Rule::P10 => {
            FaultKind::ReadOnlyWritten { target, offset, this, previous }
        }
        (None, _) => FaultKind::GlobalRace { target, offset, this, previous },
    };
    Fault { kind, location, other, thread, block, further: 0 }
}

/// The variable that has a byte of the shared segment, and its first byte.
fn shared_target(subject: Subject, byte: u64) -> (Target, u32) {
    let kernel = &subject.module.kernels[subject.index];
    let allocation = kernel.shared_at(byte);
    let (name, offset, bytes) = match kernel.shared.get(allocation as usize) {
        Some(variable) => {
            let bytes = if variable.dynamic { subject.launch.dynamic_shared } else { variable.bytes };
            (Some(variable.name.clone()), variable.offset, bytes)
        }
        None => (None, 0, 0),
    };
    (Target { space: Space::Shared, allocation, name, bytes: u64::from(bytes) }, offset)
}

/// A buffer, by the first parameter that points to it, or the variable that it is.
fn global_target(subject: Subject, memory: &DeviceMemory, allocation: u32) -> Target {
    let kernel = &subject.module.kernels[subject.index];
    let variable = || {
        let is_it = |symbol: &Symbol| matches!(symbol, Symbol::Device(id) if id.0 == allocation);
        let global = subject.symbols.globals.iter().position(is_it)?;
        Some(subject.module.globals[global].name.clone())
    };
    let name = subject.launch.buffer_parameter(kernel, allocation).or_else(variable);
    let buffer = memory.buffers.get(allocation as usize).and_then(Option::as_ref);
    let bytes = buffer.map_or(0, |buffer| buffer.bytes);
    Target { space: Space::Global, allocation, name, bytes }
}
