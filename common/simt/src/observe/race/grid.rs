//! Races between blocks on global memory: a shadow that is kept only when blocks run one after the other, so that the first conflict
//! in block order is found, which is the one to report.
//!
//! Which kinds of accesses race is as within a block ([`super::cell`]), with one difference: to other blocks a strong load at block scope
//! is a plain one, and an atomic operation at block scope a store that races with everything. What orders blocks are barriers of the grid, and fences: what a block did
//! before a fence that one of its strong writes follows is ordered before what another block does after a strong read. So the
//! pattern "last block done" is no race (CUDA C++ Programming Guide, memory fence functions). Which word was written and read is
//! not looked at, nor by which threads: races are missed there rather than a correct program accused.
//!
//! Of the accesses of each kind to a word two are kept, of different blocks. Both have to be ordered before an access for it to be. So
//! writes of one value, and atomics, do not hide one another.
//!
//! Shadow cells lie in pages that are made when first accessed: 100 bytes for each word of a page.

use crate::fault::AccessKind;
use crate::machine::{AccessClass, InstSite, LaneFault, Machine, ResolvedAccess, WordWrite};
use crate::observe::race::cell::{AccessRole, Before};
use crate::observe::race::granule::Granule;
use crate::observe::race::guesses::OpenRead;
use crate::observe::race::pages::Pages;
use crate::observe::race::report::{self, CellAccess};
use crate::plan::Pc;
use simt_ir::pointer::Space;
use source::hash::Map;

#[derive(Clone, Copy)]
struct BlockAccess {
    block: u32,
    pc: Pc,
    /// The fences that all blocks together had executed.
    fences: u32,
    thread: u16,
    kind: AccessKind,
}

/// The last access of a kind, and the last one before it of another block.
#[derive(Clone, Copy, Default)]
struct LastTwo {
    last: Option<BlockAccess>,
    other: Option<BlockAccess>,
}

impl LastTwo {
    fn add(&mut self, access: BlockAccess) {
        self.other = self.last.filter(|last| last.block != access.block).or(self.other);
        self.last = Some(access);
    }

    fn find(&self, is_foreign: impl Fn(&BlockAccess) -> bool) -> Option<BlockAccess> {
        [self.last, self.other].into_iter().flatten().find(is_foreign)
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
        is_foreign: impl Fn(&BlockAccess) -> bool,
    ) -> Option<BlockAccess> {
        let last = self.write.last.filter(|_| changes || self.last_mixed);
        let other = self.write.other.filter(|_| changes || self.other_differs);
        [last, other].into_iter().flatten().find(is_foreign)
    }

    fn add_write(&mut self, access: BlockAccess, changes: bool) {
        let is_same = self.write.last.is_some_and(|last| last.block == access.block);
        let last_mixed = std::mem::take(&mut self.last_mixed);
        self.other_differs = changes || if is_same { self.other_differs } else { last_mixed };
        // No value agrees with an atomic operation.
        self.last_mixed = access.kind == AccessKind::Atomic || is_same && (last_mixed || changes);
        self.write.add(access);
    }
}

/// What a block's fences do, while it waits for other blocks.
#[derive(Clone, Copy, Default)]
pub(crate) struct BlockFences {
    /// How many fences of all blocks there were with its last one.
    fenced: Option<u32>,
    /// Whether it has read strongly.
    acquired: bool,
}

/// Accesses of all blocks to global memory.
pub(crate) struct GridShadow {
    cells: Pages<GridCell>,
    /// Strong loads, which are rare.
    strong_reads: Map<(u32, usize), LastTwo>,
    granule: Granule,
    /// Fences so far.
    fences: u32,
    /// By block, how many fences there had been when it last released: what it did before is ordered before an acquire.
    released: Map<u32, u32>,
    /// Those of the block at hand.
    own: BlockFences,
}

impl Default for GridShadow {
    fn default() -> GridShadow {
        GridShadow {
            cells: Pages::new(GridCell::default()),
            strong_reads: Map::default(),
            granule: Granule::default(),
            fences: 0,
            released: Map::default(),
            own: BlockFences::default(),
        }
    }
}

/// What other blocks did to a cell before.
struct BeforeInGrid<'a, F> {
    cell: &'a GridCell,
    strong_reads: Option<&'a LastTwo>,
    /// Whether an access is another block's, and not ordered before.
    is_foreign: F,
}

impl<F: Fn(&BlockAccess) -> bool> Before for BeforeInGrid<'_, F> {
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
        self.own = BlockFences::default();
    }

    /// What is known of the block's fences while it waits for others.
    pub(crate) fn suspend(&self) -> BlockFences {
        self.own
    }

    /// After [`GridShadow::begin`]: a block goes on that had waited.
    pub(crate) fn resume(&mut self, own: BlockFences) {
        self.own = own;
    }

    /// All accesses so far come before all that follow.
    pub(crate) fn release_grid(&mut self) {
        self.cells.clear();
        self.strong_reads.clear();
        self.released.clear();
    }

    /// The block executes a fence.
    pub(crate) fn fence(&mut self) {
        self.own.fenced = Some(self.fences);
        self.fences += 1;
    }

    /// The block accesses global memory strongly.
    pub(crate) fn synchronize(&mut self, block: u32, class: AccessClass) {
        if class.is_of_block() {
            return;
        }
        if class.releases() {
            self.fence();
        }
        if class.kind != AccessKind::Load
            && let Some(fences) = self.own.fenced
        {
            self.released.insert(block, fences);
        }
        self.own.acquired |= class.kind == AccessKind::Load || class.result;
    }

    fn is_ordered(&self, access: &BlockAccess) -> bool {
        self.own.acquired && self.released.get(&access.block).is_some_and(|fences| access.fences <= *fences)
    }

    /// The role of an access to other blocks.
    fn role(&self, class: AccessClass, changes: bool) -> AccessRole {
        match class.kind {
            AccessKind::Load if class.is_of_block() => AccessRole::Read,
            AccessKind::Store | AccessKind::Atomic if class.is_of_block() => {
                AccessRole::Write { changes: true }
            }
            _ => AccessRole::of(class, changes, self.own.fenced.is_some()),
        }
    }

    /// An access of another block before that races with one of this block.
    fn race(&mut self, key: (u32, usize), block: u32, role: AccessRole) -> Option<BlockAccess> {
        let cell = *self.cells.at(key.0, key.1);
        let is_foreign = |access: &BlockAccess| access.block != block && !self.is_ordered(access);
        role.race(&BeforeInGrid { cell: &cell, strong_reads: self.strong_reads.get(&key), is_foreign })
    }

    fn add(&mut self, key: (u32, usize), access: BlockAccess, role: AccessRole) {
        let cell = *self.cells.at(key.0, key.1);
        let is_concurrent = |access: &BlockAccess| !self.is_ordered(access);
        let mut cell = GridCell {
            // Of those that are all ordered before this one none is left to race with.
            volatile: cell.volatile && cell.strong.find(is_concurrent).is_some(),
            ..cell
        };
        match role {
            AccessRole::Read => cell.read.add(access),
            AccessRole::StrongRead => self.strong_reads.entry(key).or_default().add(access),
            AccessRole::Write { changes } => cell.add_write(access, changes),
            AccessRole::VolatileWrite | AccessRole::StrongWrite => {
                cell.volatile |= role == AccessRole::VolatileWrite;
                cell.strong.add(access);
            }
        }
        *self.cells.at(key.0, key.1) = cell;
    }

    /// A lane's access to some bytes.
    fn access(
        &mut self,
        machine: &Machine,
        at: &InstSite,
        (buffer, byte, len): (u32, u32, u32),
        (lane, kind, role): (usize, AccessKind, AccessRole),
    ) -> Result<(), Box<LaneFault>> {
        let thread = at.thread(lane);
        for index in self.granule.cells(byte, len) {
            if let Some(before) = self.race((buffer, index), at.block, role) {
                let byte = self.granule.byte(index);
                let access = CellAccess { space: Space::Global, allocation: buffer, byte, lane, kind };
                machine.tolerate(at, Err(race(machine, at, access, before)))?;
            }
            let (block, pc, fences) = (at.block, at.pc, self.fences);
            self.add((buffer, index), BlockAccess { block, pc, fences, thread: thread as u16, kind }, role);
        }
        Ok(())
    }

    pub(crate) fn read(
        &mut self,
        machine: &Machine,
        at: &InstSite,
        (span, class): (&ResolvedAccess, AccessClass),
    ) -> Result<(), Box<LaneFault>> {
        let role = self.role(class, false);
        for lane in span.representatives(machine.plan.effects.tells_readers_apart()) {
            let bytes = (span.allocation, span.offsets[lane], span.bytes);
            self.access(machine, at, bytes, (lane, class.kind, role))?;
        }
        Ok(())
    }

    /// The fences of all blocks so far.
    pub(crate) fn fences(&self) -> u32 {
        self.fences
    }

    /// Whether a plain read that may be a guess races with another block: as a fault of the read, and with what.
    pub(crate) fn doubt(
        &mut self,
        machine: &Machine,
        read: &OpenRead,
    ) -> Option<(Box<LaneFault>, AccessKind)> {
        let CellAccess { allocation, byte, .. } = read.access;
        let before = self.race(
            (allocation, self.granule.cells(byte as u32, 1).start),
            read.at.block,
            AccessRole::Read,
        )?;
        Some((race(machine, &read.at, read.access, before), before.kind))
    }

    /// It was none. `fences`: of all blocks when it was made.
    pub(crate) fn resolve(&mut self, read: &OpenRead, fences: u32) {
        let CellAccess { allocation, byte, lane, kind, .. } = read.access;
        let (block, pc, thread) = (read.at.block, read.at.pc, read.at.thread(lane) as u16);
        let access = BlockAccess { block, pc, fences, thread, kind };
        self.add((allocation, self.granule.cells(byte as u32, 1).start), access, AccessRole::Read);
    }

    /// A plain read that turned out to be no guess of an atomic operation.
    ///
    /// # Errors
    /// A race with another block, as a fault of the read.
    pub(crate) fn commit(&mut self, machine: &Machine, read: &OpenRead) -> Result<(), Box<LaneFault>> {
        let CellAccess { allocation, byte, lane, kind, .. } = read.access;
        self.access(machine, &read.at, (allocation, byte as u32, 1), (lane, kind, AccessRole::Read))
    }

    pub(crate) fn write(
        &mut self,
        machine: &Machine,
        at: &InstSite,
        write: &WordWrite,
    ) -> Result<(), Box<LaneFault>> {
        let role = self.role(write.class, write.old != write.new);
        let bytes = (write.allocation, write.word * 4 + write.first, write.len);
        self.access(machine, at, bytes, (write.lane, write.class.kind, role))
    }
}

/// A race with an access of another block.
#[cold]
fn race(machine: &Machine, at: &InstSite, now: CellAccess, before: BlockAccess) -> Box<LaneFault> {
    let this = report::racing(machine, now.kind, at.pc, at.thread(now.lane), at.block);
    let previous = report::racing(machine, before.kind, before.pc, before.thread.into(), before.block);
    report::fault(machine, now, this, previous, false)
}
