//! Races on shared memory, and reads of shared memory that no thread of the block has written.
//!
//! Which accesses race is decided by [`super::cell`]; here are cells, asynchronous copies, and what was never written. A read of
//! what no thread has written is a race if another thread writes it before the next barrier: then that barrier is missing, and not
//! the value.

use crate::fault::{AccessKind, Fault, FaultKind};
use crate::machine::event::{AccessClass, AsyncCopier, WarpFault};
use crate::machine::observer::{GroupLoad, GroupStore};
use crate::machine::{InstSite, LaneFault, Machine, ResolvedAccess, WordWrite};
use crate::observe::init::first_unwritten;
use crate::observe::race::access::RaceDetector;
use crate::observe::race::cells::SharedCells;
use crate::observe::race::clock::BlockClock;
use crate::observe::race::deferred::{DeferredAccesses, set_all};
use crate::observe::race::granule::Granule;
use crate::observe::race::report::{CellAccess, CellEvent};
use simt_ir::pointer::Space;
use source::hash::Map;

/// A read of a cell that no thread had written.
struct PendingRead {
    block: u32,
    cell: usize,
    fault: WarpFault,
}

/// The shadow of one block's shared memory.
#[derive(Default)]
pub(crate) struct SharedShadow {
    pub(crate) cells: SharedCells,
    /// The first read since the last barrier of a cell that no thread has written, a race if another thread writes it
    /// before the next barrier, otherwise a fault of its own then. All such reads, if the launch continues after faults.
    pending_uninit: Vec<PendingRead>,
    /// The cells that asynchronous copies still fill.
    pub(crate) copies: Map<usize, AsyncCopier>,
    /// Accesses since the last barrier whose cells are not up to date.
    pub(crate) deferred: DeferredAccesses,
}

/// What must be known of a block that waits at a barrier of the grid; all else is ordered by that barrier.
pub(crate) struct SuspendedShared {
    /// A bit for each cell that the block has written.
    written: Vec<u64>,
    copies: Map<usize, AsyncCopier>,
}

impl SharedShadow {
    /// A block begins.
    pub(crate) fn begin(&mut self, machine: &Machine, anew: bool) {
        self.cells.begin(machine, anew);
        self.pending_uninit.clear();
        self.copies.clear();
        self.deferred.begin(self.cells.cells.len());
    }

    /// A block stops at a barrier of the grid.
    pub(crate) fn suspend(&mut self) -> SuspendedShared {
        let written = std::mem::take(&mut self.cells.written);
        SuspendedShared { written, copies: std::mem::take(&mut self.copies) }
    }

    /// After [`SharedShadow::begin`]: a block continues that had stopped there.
    pub(crate) fn resume(&mut self, suspended: SuspendedShared) {
        self.cells.written = suspended.written;
        self.copies = suspended.copies;
    }

    /// All warps leave a barrier.
    pub(crate) fn barrier(&mut self) {
        self.deferred.barrier();
    }

    /// No thread can write any more before the next barrier: a pending read of what no thread has written is a fault.
    pub(crate) fn end_interval(&mut self, machine: &Machine) -> Result<(), Box<Fault>> {
        while let Some(PendingRead { block, cell, fault }) = self.pending_uninit.pop() {
            // In a launch that goes on, a thread that observers do not see may have written it meanwhile.
            let word = self.cells.granule.byte(cell) as u32 / 4;
            if machine.recovery.is_none_or(|recovery| !recovery.is_tainted_in_shared(block, word)) {
                return Err(machine.warp_fault(block, fault));
            }
        }
        Ok(())
    }

    /// Whether cells are words, and no copy is in flight.
    #[inline(always)]
    fn is_plain(&self, state: &RaceDetector) -> bool {
        self.cells.granule == Granule::Word && self.copies.is_empty() && state.is_plain(Space::Shared)
    }

    /// A group of loads of known shape; false if each must be told by [`SharedShadow::read`].
    #[inline(always)]
    pub(crate) fn group_load(&mut self, state: &RaceDetector, load: &GroupLoad) -> bool {
        let tick = state.block.clock.tick(load.warp);
        self.is_plain(state) && self.deferred.loads(&self.cells.written, tick, load)
    }

    /// A store of known shape; false if it must be told by [`SharedShadow::write`].
    #[inline(always)]
    pub(crate) fn group_store(&mut self, state: &RaceDetector, store: &GroupStore) -> bool {
        if !self.is_plain(state) {
            return false;
        }
        let (clock, warp) = (&state.block.clock, store.warp);
        let (interval, tick) = (clock.interval(), clock.tick(warp));
        if !self.deferred.updated {
            return self.deferred.store(&mut self.cells.written, tick, store);
        }
        // Cells are up to date.
        let (shape, first) = (&**store.shape, store.start as usize / 4);
        if self.deferred.has_loads() || self.cells.is_touched(shape, first, interval) {
            return false;
        }
        self.cells.note_store(shape, first, (warp, interval, tick, store.pc));
        set_all(&mut self.cells.written, shape, first);
        true
    }

    /// Before an access that needs up-to-date cells.
    #[inline]
    pub(crate) fn flush_deferred(&mut self, clock: &BlockClock, machine: &Machine, at: &InstSite) {
        self.deferred.updated = true;
        if !self.deferred.is_empty() {
            self.deferred.flush(&mut self.cells, clock, machine.plan, at);
        }
    }

    /// An asynchronous copy to a word begins: a write, whose word no thread may access until it ends.
    pub(crate) fn begin_copy(&mut self, at: &InstSite, write: &WordWrite) {
        for cell in self.cells.granule.cells(write.word * 4, 4) {
            self.copies.insert(cell, AsyncCopier { thread: at.thread(write.lane), pc: at.pc });
        }
    }

    pub(crate) fn end_copy(&mut self, write: &WordWrite) {
        for cell in self.cells.granule.cells(write.word * 4, 4) {
            self.copies.remove(&cell);
        }
    }

    /// Refuses an access to a cell that a copy still fills.
    fn check_copies(
        &self,
        machine: &Machine,
        (first, bytes): (u32, u32),
        access: CellAccess,
    ) -> Result<(), Box<LaneFault>> {
        let mut cells = self.cells.granule.cells(first, bytes);
        let Some((cell, copier)) = cells.find_map(|c| Some((c, *self.copies.get(&c)?))) else {
            return Ok(());
        };
        let target = machine.target(Space::Shared, access.allocation);
        let offset = machine.offset_in(Space::Shared, access.allocation, self.cells.granule.byte(cell));
        let thread = machine.thread(copier.thread);
        let kind =
            FaultKind::AsyncNotAwaited { target, offset, access: access.kind, thread, committed: true };
        let mut raw = LaneFault::of(kind, 1 << access.lane);
        raw.other = machine.plan.locations[copier.pc];
        raw.copier = Some(copier);
        Err(raw)
    }

    pub(crate) fn read(
        &mut self,
        state: &mut RaceDetector,
        machine: &Machine,
        at: &InstSite,
        (span, class): (&ResolvedAccess, AccessClass),
    ) -> Result<(), Box<LaneFault>> {
        let is_rerun = state.is_rerun();
        if !self.copies.is_empty() && !is_rerun {
            for lane in (0..32).filter(|i| span.mask >> i & 1 == 1) {
                let access = self.cell_access(span.allocation, 0, lane, AccessKind::Load);
                self.check_copies(machine, (span.offsets[lane], span.bytes), access)?;
            }
        }
        self.flush_deferred(&state.block.clock, machine, at);
        let of_each = state.tells_readers_apart(machine) || machine.recovery.is_some();
        for lane in span.representatives(of_each) {
            let granule = self.cells.granule;
            let is_written = |cell| self.cells.is_written(cell);
            if !is_rerun && let Some(byte) = first_unwritten(granule, span, class, lane, is_written) {
                self.note_unwritten(machine, at, (span.allocation, byte), (lane, class.kind));
            }
            for index in granule.cells(span.offsets[lane], span.bytes) {
                let access = self.cell_access(span.allocation, index, lane, AccessKind::Load);
                let event = CellEvent::of((Space::Shared, 0, index), access, class, (granule, None));
                machine.tolerate(at, state.access(machine, at, &mut self.cells.cells[index], &event))?;
            }
        }
        Ok(())
    }

    pub(crate) fn write(
        &mut self,
        state: &mut RaceDetector,
        machine: &Machine,
        at: &InstSite,
        write: &WordWrite,
    ) -> Result<(), Box<LaneFault>> {
        let byte = write.word * 4 + write.first;
        let is_rerun = state.is_rerun();
        if !self.copies.is_empty() && !is_rerun {
            let access = self.cell_access(write.allocation, 0, write.lane, write.class.kind);
            self.check_copies(machine, (byte, write.len), access)?;
        }
        self.flush_deferred(&state.block.clock, machine, at);
        let cells = || self.cells.granule.cells(byte, write.len);
        if !is_rerun && write.class.reads && !cells().any(|cell| self.cells.is_written(cell)) {
            self.note_unwritten(machine, at, (write.allocation, byte), (write.lane, write.class.kind));
        }
        for index in self.cells.granule.cells(byte, write.len) {
            let access = self.cell_access(write.allocation, index, write.lane, write.class.kind);
            let written = (self.cells.granule, Some(write));
            let event = CellEvent::of((Space::Shared, 0, index), access, write.class, written);
            let result = state.access(machine, at, &mut self.cells.cells[index], &event);
            let result = result.map_err(|mut race| {
                // A read of what was never written means to read what is written now.
                if let FaultKind::SharedMemoryRace { this, previous, .. } = &mut race.kind
                    && previous.kind == AccessKind::Load
                    && !self.cells.is_written(index)
                {
                    self.pending_uninit.retain(|read| read.cell != index);
                    std::mem::swap(this, previous);
                }
                race
            });
            machine.tolerate(at, result)?;
            self.cells.set_written(index);
        }
        Ok(())
    }

    /// A cell as a lane reaches it.
    fn cell_access(&self, allocation: u32, cell: usize, lane: usize, kind: AccessKind) -> CellAccess {
        CellAccess { space: Space::Shared, allocation, byte: self.cells.granule.byte(cell), lane, kind }
    }

    /// A lane depends on what no thread has written, from that byte on.
    #[cold]
    fn note_unwritten(
        &mut self,
        machine: &Machine,
        at: &InstSite,
        (allocation, byte): (u32, u32),
        (lane, access): (usize, AccessKind),
    ) {
        if let Some(recovery) = machine.recovery {
            recovery.reads_unwritten(lane);
        }
        if self.pending_uninit.is_empty() || machine.recovery.is_some() {
            let target = machine.target(Space::Shared, allocation);
            let offset = machine.offset_in(Space::Shared, allocation, byte.into());
            let fault = LaneFault::of(FaultKind::UninitialisedRead { target, offset, access }, 1 << lane);
            let fault = WarpFault { warp: at.warp, pc: at.pc, fault };
            let cell = self.cells.granule.cells(byte, 1).start;
            self.pending_uninit.push(PendingRead { block: at.block, cell, fault });
        }
    }
}
