//! A race as a fault: both accesses, with thread, block and place.

use crate::fault::{AccessKind, FaultKind, NoteReason, RacingAccess, Target};
use crate::machine::{InstSite, LaneFault, Machine};
use crate::observe::race::causality::Thread;
use crate::observe::race::kept::KeptAccess;
use crate::plan::Pc;
use simt_ir::Location;
use simt_ir::pointer::Space;

/// A cell of an allocation, as a lane reaches it now.
#[derive(Clone, Copy)]
pub(crate) struct CellAccess {
    pub(crate) space: Space,
    pub(crate) allocation: u32,
    /// The byte at which the cell begins, as pointers have it.
    pub(crate) byte: i64,
    pub(crate) lane: usize,
}

/// Two accesses to a cell that nothing orders.
#[derive(Clone)]
pub(crate) struct RacePair {
    target: Target,
    offset: i64,
    this: RacingAccess,
    previous: RacingAccess,
    same_warp: bool,
    is_shared: bool,
    lane: usize,
    /// Whether the program has the access at hand first.
    is_reversed: bool,
    /// Where the earlier access is.
    other: Option<Location>,
    pcs: (Pc, Pc),
}

impl RacePair {
    /// An access at hand and a kept one, of which `other` is a thread.
    pub(crate) fn new(
        machine: &Machine,
        at: &InstSite,
        access: CellAccess,
        (before, other, now): (&KeptAccess, Thread, &KeptAccess),
    ) -> RacePair {
        let blocks: u32 = machine.launch.grid.iter().product();
        let racing = |access: &KeptAccess, thread: u32, block: u32| RacingAccess {
            kind: access.kind,
            location: machine.plan.locations[access.pc],
            thread: machine.thread(thread),
            // Copies that a barrier awaits are those of a block beyond the last one.
            block: machine.block(block % blocks),
        };
        let mut this = racing(now, at.thread(access.lane), at.block);
        let mut previous = racing(before, other.index, other.block);
        let other_location = previous.location;
        let is_reversed = is_reversed(before, now);
        if is_reversed {
            std::mem::swap(&mut this, &mut previous);
        }
        let (target, offset) = machine.target_at(access.space, access.allocation, access.byte);
        RacePair {
            target,
            offset,
            this,
            previous,
            same_warp: (other.block, other.warp()) == (at.block, at.warp),
            is_shared: access.space == Space::Shared,
            lane: access.lane,
            is_reversed,
            other: other_location,
            pcs: (before.pc, now.pc),
        }
    }

    /// Whether the program has the access at hand first.
    pub(crate) fn is_reversed(&self) -> bool {
        self.is_reversed
    }

    /// What distinguishes a note from others.
    pub(crate) fn key(&self, reason: NoteReason) -> (Pc, Pc, NoteReason) {
        (self.pcs.0, self.pcs.1, reason)
    }

    fn lane_fault(&self, kind: FaultKind) -> Box<LaneFault> {
        let mut fault = LaneFault::of(kind, 1 << self.lane);
        fault.other = self.other;
        fault
    }

    /// The pair as a race.
    pub(crate) fn race(&self) -> Box<LaneFault> {
        let RacePair { target, offset, this, previous, same_warp, .. } = self.clone();
        self.lane_fault(match self.is_shared {
            true => FaultKind::SharedMemoryRace { target, offset, this, previous, same_warp },
            false => FaultKind::GlobalRace { target, offset, this, previous },
        })
    }

    /// A word that is read by the read-only path and written.
    pub(crate) fn incoherent(&self) -> Box<LaneFault> {
        let RacePair { target, offset, this, previous, .. } = self.clone();
        self.lane_fault(FaultKind::ReadOnlyWritten { target, offset, this, previous })
    }

    /// The pair as a warning.
    pub(crate) fn note(&self, reason: NoteReason) -> Box<LaneFault> {
        let RacePair { target, offset, this, previous, .. } = self.clone();
        self.lane_fault(FaultKind::RaceNote { reason, target, offset, this, previous })
    }
}

/// Whether the program has the later of two accesses first: warps of a block run one after the other here, from barrier to barrier, so what comes
/// early in one warp comes after what comes late in another.
fn is_reversed(before: &KeptAccess, now: &KeptAccess) -> bool {
    let is_read = |access: &KeptAccess| access.kind == AccessKind::Load;
    before.block == now.block
        && before.warp != now.warp
        && is_read(before) != is_read(now)
        && now.step < before.step
}
