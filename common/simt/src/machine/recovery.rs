//! Continuing after a fault: what a launch does wrong besides its first mistake.
//!
//! A launch that has failed is run once more, its blocks in order. Now an invalid access is suppressed, a load gives zero, and the
//! launch continues, as with `-fsanitize-recover` and with compute-sanitizer. What then follows from a suppressed access is not a
//! mistake of its own, so values are tainted (Newsome and Song, NDSS 2005): what a suppressed load gives, what is computed from it, and
//! the words that it is stored to. An access at a tainted address is suppressed and not reported; a thread that branches on a
//! tainted value is distrusted from then on, and observers see none of its accesses.
//!
//! It ends at a fault after which nothing sensible can follow, such as a barrier that not all threads reach, and at a limit of
//! findings. It may miss mistakes: of distrusted threads, and in blocks beyond its budget of instructions.

use crate::fault::{AccessKind, Fault, FaultKind};
use crate::machine::event::{AccessClass, InstSite, ResolvedAccess};
use crate::machine::mask::lanes;
use simt_ir::Location;
use simt_ir::pointer::Space;
use source::hash::Set;
use std::mem::{Discriminant, discriminant};
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, MutexGuard};

/// What is kept of a launch that continues after faults.
pub(crate) struct Recovery {
    limit: usize,
    findings: Mutex<Findings>,
    /// Words that hold tainted values.
    tainted: Mutex<Set<WordPlace>>,
    /// Lanes whose access at hand reads a word without a value, which is reported later.
    unwritten: AtomicU32,
}

/// What the launch was found to do wrong, in the order in which it did.
#[derive(Default)]
struct Findings {
    known: Set<FindingKey>,
    found: Vec<Fault>,
}

/// What distinguishes one mistake from another: an instruction that makes it in many threads is reported once.
#[derive(PartialEq, Eq, Hash)]
struct FindingKey {
    kind: Discriminant<FaultKind>,
    /// Where; of a race, where both accesses are, in the order of the code.
    locations: [Option<Location>; 2],
}

impl FindingKey {
    fn of(fault: &Fault) -> FindingKey {
        let mut locations = match &fault.kind {
            FaultKind::SharedMemoryRace { this, previous, .. }
            | FaultKind::GlobalRace { this, previous, .. } => [this.location, previous.location],
            _ => [fault.location, None],
        };
        locations.sort();
        FindingKey { kind: discriminant(&fault.kind), locations }
    }
}

/// Whether two faults are one mistake.
pub(crate) fn is_same_mistake(one: &Fault, other: &Fault) -> bool {
    FindingKey::of(one) == FindingKey::of(other)
}

/// A word, in memory of the launch, a block or a thread.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum WordPlace {
    Global { buffer: u32, word: u32 },
    Shared { block: u32, word: u32 },
    Local { block: u32, thread: u32, word: u32 },
}

/// What the values that an access moves are worth.
#[derive(Clone, Copy, Default)]
pub(crate) struct AccessTaint {
    /// Lanes whose accesses observers do not see.
    pub(crate) silent: u32,
    /// Lanes that store a tainted value.
    pub(crate) stored: u32,
    /// Lanes that load one: this is a result.
    pub(crate) loaded: u32,
}

impl Recovery {
    /// To find so many mistakes at most.
    pub(crate) fn new(limit: usize) -> Recovery {
        Recovery {
            limit,
            findings: Mutex::default(),
            tainted: Mutex::default(),
            unwritten: AtomicU32::new(0),
        }
    }

    /// What was found.
    pub(crate) fn into_findings(self) -> Vec<Fault> {
        self.findings.into_inner().unwrap_or_else(|e| e.into_inner()).found
    }

    /// Keeps a fault if it is new; whether the launch continues.
    pub(crate) fn add(&self, fault: Fault) -> bool {
        let mut findings = self.findings.lock().unwrap_or_else(|e| e.into_inner());
        if findings.known.insert(FindingKey::of(&fault)) {
            findings.found.push(fault);
        }
        findings.found.len() < self.limit
    }

    /// A lane's access at hand reads a word without a value, which is reported later.
    pub(crate) fn reads_unwritten(&self, lane: usize) {
        self.unwritten.fetch_or(1 << lane, Relaxed);
    }

    /// The lanes that do.
    pub(crate) fn take_unwritten(&self) -> u32 {
        self.unwritten.swap(0, Relaxed)
    }

    /// Whether a word of a block's shared memory holds a tainted value.
    pub(crate) fn is_tainted_in_shared(&self, block: u32, word: u32) -> bool {
        self.tainted().contains(&WordPlace::Shared { block, word })
    }

    fn tainted(&self) -> MutexGuard<'_, Set<WordPlace>> {
        self.tainted.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// Follows tainted values through memory: gives the lanes that read one, and notes what the access writes.
    pub(crate) fn follow(
        &self,
        at: &InstSite,
        access: &ResolvedAccess,
        class: AccessClass,
        taint: AccessTaint,
    ) -> u32 {
        let mut tainted = self.tainted();
        if tainted.is_empty() && taint.stored | taint.silent == 0 {
            return 0;
        }
        let mut read = 0;
        for lane in lanes(access.mask) {
            for word in access.offsets[lane] / 4..(access.offsets[lane] + access.bytes).div_ceil(4) {
                let Some(place) = WordPlace::of(at, access, lane, word) else { continue };
                if class.kind != AccessKind::Store && tainted.contains(&place) {
                    read |= 1 << lane;
                }
                if class.kind == AccessKind::Load {
                    continue;
                }
                if (taint.stored | taint.silent | read) >> lane & 1 == 1 {
                    tainted.insert(place);
                } else if class.kind == AccessKind::Store && access.bytes >= 4 {
                    tainted.remove(&place);
                }
            }
        }
        read
    }
}

impl WordPlace {
    fn of(at: &InstSite, access: &ResolvedAccess, lane: usize, word: u32) -> Option<WordPlace> {
        match access.space {
            Space::Global => Some(WordPlace::Global { buffer: access.allocation, word }),
            Space::Shared => Some(WordPlace::Shared { block: at.block, word }),
            Space::Local => Some(WordPlace::Local { block: at.block, thread: at.thread(lane), word }),
            Space::Constant | Space::None => None,
        }
    }
}

impl FaultKind {
    /// Whether it is two accesses that race.
    pub(crate) fn is_race(&self) -> bool {
        matches!(
            self,
            FaultKind::SharedMemoryRace { .. }
                | FaultKind::GlobalRace { .. }
                | FaultKind::ReadOnlyWritten { .. }
                | FaultKind::AsyncNotAwaited { .. }
        )
    }

    /// Whether a launch can continue after it, without the access that made it.
    pub(crate) fn is_recoverable(&self) -> bool {
        match self {
            FaultKind::OutOfBounds { .. }
            | FaultKind::NullPointer { .. }
            | FaultKind::InvalidPointer { .. }
            | FaultKind::UseAfterFree { .. }
            | FaultKind::Misaligned { .. }
            | FaultKind::WriteToConstant { .. }
            | FaultKind::DivisionByZero
            | FaultKind::SharedMemoryRace { .. }
            | FaultKind::GlobalRace { .. }
            | FaultKind::ReadOnlyWritten { .. }
            | FaultKind::UninitialisedRead { .. }
            | FaultKind::AsyncNotAwaited { .. }
            | FaultKind::AsyncSourceWritten { .. }
            | FaultKind::InvalidTexture { .. }
            | FaultKind::InvalidSurface { .. }
            | FaultKind::SurfaceRange { .. } => true,
            FaultKind::BarrierDivergence { .. }
            | FaultKind::GridBarrierDivergence { .. }
            | FaultKind::NotCooperative
            | FaultKind::CooperativeTooLarge { .. }
            | FaultKind::CooperativeState { .. }
            | FaultKind::BarrierMismatch { .. }
            | FaultKind::SharedOverLimit { .. }
            | FaultKind::LocalOverLimit { .. }
            | FaultKind::ConstantOverLimit { .. }
            | FaultKind::BlockTooLarge { .. }
            | FaultKind::GridTooLarge { .. }
            | FaultKind::EmptyLaunch
            | FaultKind::LaunchArgument { .. }
            | FaultKind::InstructionBudget { .. }
            | FaultKind::BadCall { .. }
            | FaultKind::DoubleFree { .. }
            | FaultKind::InvalidFree { .. }
            | FaultKind::HeapSpent
            | FaultKind::StackOverflow { .. }
            | FaultKind::EffectBudget { .. }
            | FaultKind::EndlessLoop
            | FaultKind::Deadlock { .. }
            | FaultKind::LanesApart { .. }
            | FaultKind::InactiveShuffleLane { .. }
            | FaultKind::WarpMembers { .. }
            | FaultKind::ShuffleWidth { .. }
            | FaultKind::PartOfWarp { .. }
            | FaultKind::MatrixTile { .. }
            | FaultKind::NotShared { .. }
            | FaultKind::NotGlobal { .. }
            | FaultKind::AsyncCopySize { .. }
            | FaultKind::BarrierNotMade { .. }
            | FaultKind::BarrierCount { .. }
            | FaultKind::NamedBarrier { .. }
            | FaultKind::BarrierPhase { .. }
            | FaultKind::Assert { .. }
            | FaultKind::NoValue { .. }
            | FaultKind::RaceNote { .. }
            | FaultKind::RaceSearchLimit { .. }
            | FaultKind::Trap
            | FaultKind::ModesDiffer { .. }
            | FaultKind::InvalidModule { .. } => false,
        }
    }
}
