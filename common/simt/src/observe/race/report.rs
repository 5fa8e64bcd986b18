//! A race as a fault: both accesses, with thread, block and place.

use crate::fault::{AccessKind, FaultKind, RacingAccess};
use crate::machine::{InstSite, LaneFault, Machine};
use crate::observe::race::cell::Earlier;
use crate::plan::Pc;
use simt_ir::pointer::Space;

/// A cell of an allocation, as a lane reaches it now.
#[derive(Clone, Copy)]
pub(crate) struct CellAccess {
    pub(crate) space: Space,
    pub(crate) allocation: u32,
    /// The byte at which the cell begins, as pointers have it.
    pub(crate) byte: i64,
    pub(crate) lane: usize,
    pub(crate) kind: AccessKind,
}

/// A thread's access in terms of the launch.
pub(crate) fn racing(machine: &Machine, kind: AccessKind, pc: Pc, thread: u32, block: u32) -> RacingAccess {
    let (location, thread) = (machine.plan.locations[pc], machine.thread(thread));
    RacingAccess { kind, location, thread, block: machine.block(block) }
}

/// A race between two accesses.
pub(crate) fn fault(
    machine: &Machine,
    now: CellAccess,
    this: RacingAccess,
    previous: RacingAccess,
    same_warp: bool,
) -> Box<LaneFault> {
    let target = machine.target(now.space, now.allocation);
    let offset = machine.offset_in(now.space, now.allocation, now.byte);
    let location = previous.location;
    let kind = match now.space {
        Space::Shared => FaultKind::SharedMemoryRace { target, offset, this, previous, same_warp },
        _ => FaultKind::GlobalRace { target, offset, this, previous },
    };
    let mut raw = LaneFault::of(kind, 1 << now.lane);
    raw.other = location;
    raw
}

/// A race between two threads of one block.
#[cold]
pub(crate) fn in_block(
    machine: &Machine,
    at: &InstSite,
    now: CellAccess,
    earlier: Earlier,
) -> Box<LaneFault> {
    let this = racing(machine, now.kind, at.pc, at.thread(now.lane), at.block);
    let (other, accessor) = (earlier.accessor.thread, earlier.accessor);
    let previous = racing(machine, earlier.kind, accessor.pc, other.linear(), at.block);
    fault(machine, now, this, previous, other.warp() == at.warp)
}
