//! Races between blocks on global memory: a shadow that is kept only when blocks run one after the other, so that the first conflict
//! in block order is found, which is the one to report.
//!
//! Which kinds of accesses race is as within a block ([`super::cell`]), with one difference: to other blocks a strong load at block scope
//! is a plain one, and an atomic operation at block scope a store that races with everything. What orders blocks here are barriers of
//! the grid; where fences may, what is found are suspects ([`super::causality`]).
//!
//! Of the accesses of each kind to a word two are kept, of different blocks. Both have to be ordered before an access for it to be. So
//! writes of one value, and atomics, do not hide one another.
//!
//! Shadow cells lie in pages that are made when first accessed: 100 bytes for each word of a page.

use crate::fault::AccessKind;
use crate::machine::{AccessClass, InstSite, LaneFault, Machine, ResolvedAccess, WordWrite};
use crate::observe::race::access::RaceDetector;
use crate::observe::race::causality::Causality;
use crate::observe::race::cell::{AccessRole, Before};
use crate::observe::race::granule::Granule;
use crate::observe::race::pages::Pages;
use crate::observe::race::report::{self, CellAccess};
use crate::plan::Pc;
use simt_ir::pointer::Space;
use source::hash::{Map, Set};

#[derive(Clone, Copy)]
struct BlockAccess {
    block: u32,
    pc: Pc,
    /// See [`Causality::now`].
    time: u32,
    thread: u16,
    kind: AccessKind,
}

/// The last access of a kind, and the last one before it of another block.
#[derive(Clone, Copy, Default)]
struct LastTwo {
    last: Option<BlockAccess>,
    other: Option<BlockAccess>,
    /// Whether one was forgotten that may not come before these.
    lost: bool,
}

impl LastTwo {
    /// `is_ordered` tells whether an earlier one comes before this one.
    fn add(&mut self, access: BlockAccess, is_ordered: impl Fn(&BlockAccess) -> bool) {
        let is_same = |last: &BlockAccess| last.block == access.block;
        let forgotten = if self.last.as_ref().is_some_and(is_same) { self.last } else { self.other };
        self.lost |= forgotten.is_some_and(|forgotten| {
            let is_own = is_same(&forgotten) && forgotten.thread == access.thread;
            !is_own && !is_ordered(&forgotten)
        });
        self.other = self.last.filter(|last| !is_same(last)).or(self.other);
        self.last = Some(access);
    }

    fn find(&self, is_foreign: impl Fn(&BlockAccess, bool) -> bool) -> Option<BlockAccess> {
        [self.last, self.other].into_iter().flatten().find(|access| is_foreign(access, self.lost))
    }
}

#[derive(Clone, Copy, Default)]
struct GridCell {
    /// Plain stores, and atomics at block scope.
    write: LastTwo,
    /// Plain loads.
    read: LastTwo,
    /// Strong accesses that write.
    strong: LastTwo,
    /// Whether the last block has written other values besides the last one.
    last_mixed: bool,
    /// Whether the other block has written another value than the last one.
    other_differs: bool,
    /// Whether volatile stores, which do not synchronize, are among the strong accesses.
    volatile: bool,
}

impl GridCell {
    /// A write that another value than the one that is written now came from. `changes`: that is another one than the last.
    fn differing_write(
        &self,
        changes: bool,
        is_foreign: impl Fn(&BlockAccess, bool) -> bool,
    ) -> Option<BlockAccess> {
        let last = self.write.last.filter(|_| changes || self.last_mixed);
        let other = self.write.other.filter(|_| changes || self.other_differs);
        [last, other].into_iter().flatten().find(|access| is_foreign(access, self.write.lost))
    }

    fn add_write(&mut self, access: BlockAccess, changes: bool, is_ordered: impl Fn(&BlockAccess) -> bool) {
        let is_same = self.write.last.is_some_and(|last| last.block == access.block);
        let last_mixed = std::mem::take(&mut self.last_mixed);
        self.other_differs = changes || if is_same { self.other_differs } else { last_mixed };
        // No value agrees with an atomic operation.
        self.last_mixed = access.kind == AccessKind::Atomic || is_same && (last_mixed || changes);
        self.write.add(access, is_ordered);
    }
}

/// Accesses of all blocks to global memory.
pub(crate) struct GridShadow {
    cells: Pages<GridCell>,
    /// Strong loads, which are rare.
    strong_reads: Map<(u32, usize), LastTwo>,
    granule: Granule,
    /// Words that were stored where other blocks had stored the same value, one by one, since that was last asked.
    pub(crate) contested: u64,
    /// Pairs of stores of one value that were told.
    noted: Set<(Pc, Pc)>,
}

impl Default for GridShadow {
    fn default() -> GridShadow {
        GridShadow {
            cells: Pages::new(GridCell::default()),
            strong_reads: Map::default(),
            granule: Granule::default(),
            contested: 0,
            noted: Set::default(),
        }
    }
}

/// What other blocks did to a cell before.
struct BeforeInGrid<'a, F> {
    cell: &'a GridCell,
    strong_reads: Option<&'a LastTwo>,
    /// Whether an access is another block's and not ordered before, or, with `true`, another one may be that was forgotten.
    is_foreign: F,
}

impl<F: Fn(&BlockAccess, bool) -> bool> Before for BeforeInGrid<'_, F> {
    type Access = BlockAccess;

    fn read(&self) -> Option<BlockAccess> {
        self.cell.read.find(&self.is_foreign)
    }

    fn strong_read(&self) -> Option<BlockAccess> {
        self.strong_reads?.find(&self.is_foreign)
    }

    fn write(&self) -> Option<BlockAccess> {
        self.cell.write.find(&self.is_foreign)
    }

    fn differing_write(&self, changes: bool) -> Option<BlockAccess> {
        self.cell.differing_write(changes, &self.is_foreign)
    }

    fn strong(&self) -> Option<BlockAccess> {
        self.cell.strong.find(&self.is_foreign)
    }

    fn volatile(&self) -> Option<BlockAccess> {
        self.strong().filter(|_| self.cell.volatile)
    }
}

impl GridShadow {
    /// A block begins.
    pub(crate) fn begin(&mut self, machine: &Machine) {
        self.granule = Granule::of(machine.plan.narrow_global);
    }

    /// All accesses so far come before all that follow.
    pub(crate) fn release_grid(&mut self) {
        self.cells.clear();
        self.strong_reads.clear();
    }

    /// The role of an access to other blocks.
    fn role(class: AccessClass, in_block: AccessRole) -> AccessRole {
        match class.kind {
            AccessKind::Load if class.is_of_block() => AccessRole::Read,
            AccessKind::Store | AccessKind::Atomic if class.is_of_block() => {
                AccessRole::Write { changes: true }
            }
            _ => in_block,
        }
    }

    /// An access of another block before that races with one of this block.
    fn race(
        &mut self,
        key: (u32, usize),
        block: u32,
        role: AccessRole,
        is_ordered: impl Fn(&BlockAccess) -> bool,
    ) -> Option<BlockAccess> {
        let cell = *self.cells.at(key.0, key.1);
        let is_foreign =
            |access: &BlockAccess, lost: bool| access.block != block && (lost || !is_ordered(access));
        role.race(&BeforeInGrid { cell: &cell, strong_reads: self.strong_reads.get(&key), is_foreign })
    }

    fn add(
        &mut self,
        key: (u32, usize),
        access: BlockAccess,
        role: AccessRole,
        is_ordered: impl Fn(&BlockAccess) -> bool,
    ) {
        if role == AccessRole::StrongRead {
            return self.strong_reads.entry(key).or_default().add(access, is_ordered);
        }
        let cell = self.cells.at(key.0, key.1);
        match role {
            AccessRole::Read | AccessRole::StrongRead => cell.read.add(access, is_ordered),
            AccessRole::Write { changes } => cell.add_write(access, changes, is_ordered),
            AccessRole::VolatileWrite | AccessRole::FlagWrite | AccessRole::StrongWrite => {
                cell.volatile |= role == AccessRole::VolatileWrite;
                cell.strong.add(access, is_ordered);
            }
        }
    }

    /// A lane's access to some bytes.
    fn access(
        &mut self,
        (machine, causality): (&Machine, Option<&Causality>),
        at: &InstSite,
        (buffer, byte, len): (u32, u32, u32),
        (lane, kind, role): (usize, AccessKind, AccessRole),
    ) -> Result<(), Box<LaneFault>> {
        let (thread, block, pc) = (at.thread(lane), at.block, at.pc);
        let time = causality.map_or(0, Causality::now);
        let is_ordered = |access: &BlockAccess| {
            let other = ((access.block, access.thread.into()), access.time);
            causality.is_some_and(|causality| causality.is_before(other, (block, thread)))
        };
        for index in self.granule.cells(byte, len) {
            let byte = self.granule.byte(index);
            let access = CellAccess { space: Space::Global, allocation: buffer, byte, lane, kind };
            if let Some(before) = self.race((buffer, index), at.block, role, is_ordered) {
                let excusable = role.is_excusable(machine, Space::Global, before.kind);
                if machine.races.decides((Space::Global, buffer, index), excusable) {
                    machine.tolerate(at, Err(race(machine, at, access, before)))?;
                }
            }
            if role == (AccessRole::Write { changes: false }) {
                self.note_same_value(machine, at, index, access, is_ordered);
            }
            let access = BlockAccess { block, pc, time, thread: thread as u16, kind };
            self.add((buffer, index), access, role, is_ordered);
        }
        Ok(())
    }

    /// A thread stores what is there already: one of another block may have stored it.
    fn note_same_value(
        &mut self,
        machine: &Machine,
        at: &InstSite,
        cell: usize,
        access: CellAccess,
        is_ordered: impl Fn(&BlockAccess) -> bool,
    ) {
        let write = self.cells.at(access.allocation, cell).write;
        let is_foreign = |other: &BlockAccess, _| other.block != at.block && !is_ordered(other);
        if let Some(other) = write.find(is_foreign)
            && other.kind == AccessKind::Store
        {
            self.contested += 1;
            if self.noted.insert((other.pc, at.pc)) {
                report::note_same_value(machine, at, access, (other.pc, other.thread.into(), other.block));
            }
        }
    }

    pub(crate) fn read(
        &mut self,
        machine: &Machine,
        races: &RaceDetector,
        at: &InstSite,
        (span, class): (&ResolvedAccess, AccessClass),
    ) -> Result<(), Box<LaneFault>> {
        for lane in span.representatives(machine.plan.effects.splits_warps) {
            let role = GridShadow::role(class, races.role(machine, at, lane, (class, false)));
            let bytes = (span.allocation, span.offsets[lane], span.bytes);
            self.access((machine, races.causality.as_deref()), at, bytes, (lane, class.kind, role))?;
        }
        Ok(())
    }

    pub(crate) fn write(
        &mut self,
        machine: &Machine,
        races: &RaceDetector,
        at: &InstSite,
        write: &WordWrite,
    ) -> Result<(), Box<LaneFault>> {
        let changes = write.old != write.new;
        let role = GridShadow::role(write.class, races.role(machine, at, write.lane, (write.class, changes)));
        let bytes = (write.allocation, write.word * 4 + write.first, write.len);
        self.access((machine, races.causality.as_deref()), at, bytes, (write.lane, write.class.kind, role))
    }
}

/// A race with an access of another block.
#[cold]
fn race(machine: &Machine, at: &InstSite, now: CellAccess, before: BlockAccess) -> Box<LaneFault> {
    let this = report::racing(machine, now.kind, at.pc, at.thread(now.lane), at.block);
    let previous = report::racing(machine, before.kind, before.pc, before.thread.into(), before.block);
    report::fault(machine, now, this, previous, false)
}
