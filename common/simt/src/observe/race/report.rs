//! A race as a fault: both accesses, with thread, block and place.

use crate::fault::{AccessKind, FaultKind, NoteReason, RacingAccess};
use crate::machine::event::CellKey;
use crate::machine::{AccessClass, BufferView, InstSite, LaneFault, Machine, WordWrite};
use crate::observe::race::cell::Earlier;
use crate::observe::race::granule::Granule;
use crate::plan::Pc;
use simt_ir::pointer::Space;
use std::sync::atomic::Ordering::Relaxed;

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

/// An access to a cell as the machine tells it.
pub(crate) struct CellEvent {
    pub(crate) key: CellKey,
    pub(crate) access: CellAccess,
    pub(crate) class: AccessClass,
    /// What a store puts there, and whether that is another value than is there.
    pub(crate) value: u32,
    pub(crate) changes: bool,
    /// What a compare-and-swap compares with.
    pub(crate) compare: u32,
    pub(crate) granule: Granule,
}

impl CellEvent {
    /// Of a load, or of what is written.
    pub(crate) fn of(
        key: CellKey,
        access: CellAccess,
        class: AccessClass,
        (granule, written): (Granule, Option<&WordWrite>),
    ) -> CellEvent {
        let part = |word| granule.value(word, access.byte as u32);
        let (value, compare) = written.map_or((0, 0), |write| (part(write.new), part(write.compare)));
        let changes = written.is_some_and(|write| write.old != write.new);
        CellEvent { key, access, class, value, changes, compare, granule }
    }

    /// What is in the cell now, if it is one of global memory.
    pub(crate) fn word_now(&self, machine: &Machine) -> Option<u32> {
        let (Space::Global, buffer, _) = self.key else { return None };
        let BufferView::Written(view) = machine.buffers.get(buffer as usize)? else { return None };
        let (word, byte) = (self.access.byte as usize / 4, self.access.byte as u32);
        Some(self.granule.value(view.words.get(word)?.load(Relaxed), byte))
    }
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

/// Two stores of one value.
#[cold]
pub(crate) fn note_same_value(
    machine: &Machine,
    at: &InstSite,
    now: CellAccess,
    (pc, thread, block): (Pc, u32, u32),
) {
    let this = racing(machine, now.kind, at.pc, at.thread(now.lane), at.block);
    let previous = racing(machine, AccessKind::Store, pc, thread, block);
    let target = machine.target(now.space, now.allocation);
    let offset = machine.offset_in(now.space, now.allocation, now.byte);
    let (reason, other) = (NoteReason::SameValue, previous.location);
    let mut note =
        LaneFault::of(FaultKind::RaceNote { reason, target, offset, this, previous }, 1 << now.lane);
    note.other = other;
    machine.warn(at, *note);
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
