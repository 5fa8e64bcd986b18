//! Races on shared memory, and reads of shared memory that no thread of the block has written.
//!
//! An access is ordered against another thread's by a block barrier between them, or, within a warp, by a warp-level
//! synchronization; anything else is a race, whether or not this schedule shows its effect. Exact for each cell (see
//! [`super::cells`]), but for one thing: of a cell's readers since the last barrier two are kept, of different warps, which is enough
//! to see a race but may name another reader than the first. A lock built of atomics is not understood as an order. A read of what no
//! thread has written is a race if another thread writes it before the next barrier: then that barrier is missing, and not the value.

use crate::fault::{AccessKind, FaultKind, RacingAccess};
use crate::machine::event::{AsyncCopier, WarpFault};
use crate::machine::observer::{GroupLoad, GroupStore};
use crate::machine::{InstSite, LaneFault, Machine, ResolvedAccess, WordWrite};
use crate::observe::race::cells::{AccessRecord, SharedCells, ThreadIndex};
use crate::observe::race::deferred::DeferredAccesses;
use crate::plan::Pc;
use simt_ir::pointer::Space;
use source::hash::Map;

/// The shadow of one block's shared memory.
#[derive(Default)]
pub(crate) struct SharedShadow {
    pub(crate) cells: SharedCells,
    /// The first read since the last barrier of a cell that no thread has written: a race if another thread writes it
    /// before the next barrier, else a fault of its own then.
    pending_uninit: Option<WarpFault>,
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

/// An access that was recorded before.
struct EarlierAccess {
    kind: AccessKind,
    record: AccessRecord,
}

/// A cell of an allocation, as a lane reaches it.
#[derive(Clone, Copy)]
struct CellAccess {
    allocation: u32,
    cell: usize,
    lane: usize,
    kind: AccessKind,
}

impl SharedShadow {
    /// A block begins.
    pub(crate) fn begin(&mut self, machine: &Machine) {
        self.cells.begin(machine);
        self.pending_uninit = None;
        self.copies.clear();
        self.deferred.begin(self.cells.cells.len());
    }

    /// A block stops at a barrier of the grid.
    pub(crate) fn suspend(&mut self) -> SuspendedShared {
        let written = std::mem::take(&mut self.cells.written);
        SuspendedShared { written, copies: std::mem::take(&mut self.copies) }
    }

    /// After [`SharedShadow::begin`]: a block goes on that had stopped there.
    pub(crate) fn resume(&mut self, suspended: SuspendedShared) {
        self.cells.restore_written(suspended.written);
        self.copies = suspended.copies;
        self.barrier();
    }

    /// All warps leave a barrier.
    pub(crate) fn barrier(&mut self) {
        self.cells.barrier();
        self.deferred.barrier();
    }

    /// No thread can write any more before the next barrier: a pending read of what no thread has written is a fault.
    pub(crate) fn end_interval(&mut self) -> Result<(), WarpFault> {
        self.pending_uninit.take().map_or(Ok(()), Err)
    }

    /// Whether cells are words, and no copy is under way.
    #[inline(always)]
    fn is_plain(&self) -> bool {
        self.cells.granule == 2 && self.copies.is_empty()
    }

    /// A group of loads of known shape; false if each must be told by [`SharedShadow::read`].
    #[inline(always)]
    pub(crate) fn group_load(&mut self, load: &GroupLoad) -> bool {
        self.is_plain() && self.deferred.loads(&self.cells, load)
    }

    /// A store of known shape; false if it must be told by [`SharedShadow::write`].
    #[inline(always)]
    pub(crate) fn group_store(&mut self, store: &GroupStore) -> bool {
        self.is_plain() && self.deferred.store(&mut self.cells, store)
    }

    /// Before an access that needs up-to-date cells.
    #[inline]
    fn flush_deferred(&mut self, machine: &Machine, at: &InstSite) {
        self.deferred.updated = true;
        if !self.deferred.is_empty() {
            self.deferred.flush(&mut self.cells, machine.plan, at);
        }
    }

    /// An asynchronous copy to a word begins: a write, whose word no thread may access until it ends.
    pub(crate) fn begin_copy(
        &mut self,
        machine: &Machine,
        at: &InstSite,
        write: &WordWrite,
    ) -> Result<(), Box<LaneFault>> {
        self.write(machine, at, write)?;
        for cell in self.cells.range(write.word * 4, 4) {
            self.copies.insert(cell, AsyncCopier { thread: at.thread(write.lane), pc: at.pc });
        }
        Ok(())
    }

    pub(crate) fn end_copy(&mut self, write: &WordWrite) {
        for cell in self.cells.range(write.word * 4, 4) {
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
        let mut cells = self.cells.range(first, bytes);
        let Some((cell, copier)) = cells.find_map(|c| Some((c, *self.copies.get(&c)?))) else {
            return Ok(());
        };
        let target = machine.target(Space::Shared, access.allocation);
        let offset = machine.offset_in(Space::Shared, access.allocation, self.byte(cell));
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
        machine: &Machine,
        at: &InstSite,
        span: &ResolvedAccess,
    ) -> Result<(), Box<LaneFault>> {
        let access =
            |cell, lane| CellAccess { allocation: span.allocation, cell, lane, kind: AccessKind::Load };
        if !self.copies.is_empty() {
            for lane in (0..32).filter(|i| span.mask >> i & 1 == 1) {
                self.check_copies(machine, (span.offsets[lane], span.bytes), access(0, lane))?;
            }
        }
        self.flush_deferred(machine, at);
        for lane in span.representatives() {
            let now = self.cells.record(at, lane);
            for index in self.cells.range(span.offsets[lane], span.bytes) {
                let cell = self.cells.cells[index];
                if !self.cells.is_written(index) && self.pending_uninit.is_none() {
                    let raw = self.uninitialized(machine, span, index, lane);
                    self.pending_uninit = Some(WarpFault { warp: at.warp, pc: at.pc, fault: raw });
                }
                if self.cells.concurrent(&cell.write, now.thread) {
                    let kind = if cell.atomic { AccessKind::Atomic } else { AccessKind::Store };
                    let before = EarlierAccess { kind, record: cell.write };
                    return Err(self.race(machine, at, access(index, lane), before));
                }
                self.cells.note_read(index, now);
            }
        }
        Ok(())
    }

    pub(crate) fn write(
        &mut self,
        machine: &Machine,
        at: &InstSite,
        write: &WordWrite,
    ) -> Result<(), Box<LaneFault>> {
        let byte = write.word * 4 + write.first;
        if !self.copies.is_empty() {
            self.check_copies(machine, (byte, write.len), cell_access(write, 0))?;
        }
        self.flush_deferred(machine, at);
        for index in self.cells.range(byte, write.len) {
            // Most often no thread has accessed it since the last barrier.
            let second = if self.cells.touched_now(index) {
                self.write_again(machine, at, write, index)?
            } else {
                None
            };
            let record = AccessRecord { second, ..self.cells.record(at, write.lane) };
            let cell = &mut self.cells.cells[index];
            cell.write = record;
            cell.atomic = write.atomic;
            self.cells.set_written(index);
        }
        Ok(())
    }

    /// Refuses to write a cell that a thread has accessed since the last barrier, if that is a race; gives the other thread that
    /// wrote it in the same warp and warp interval and does no harm.
    fn write_again(
        &self,
        machine: &Machine,
        at: &InstSite,
        write: &WordWrite,
        index: usize,
    ) -> Result<Option<ThreadIndex>, Box<LaneFault>> {
        let now = self.cells.record(at, write.lane);
        let cell = &self.cells.cells[index];
        let access = cell_access(write, index);
        for record in [cell.read, cell.second_reader] {
            if self.cells.concurrent(&record, now.thread) {
                let before = EarlierAccess { kind: AccessKind::Load, record };
                let mut race = self.race(machine, at, access, before);
                // A read of what was never written means to read what is written now.
                if let FaultKind::SharedMemoryRace { this, previous, .. } = &mut race.kind
                    && !self.cells.is_written(index)
                {
                    std::mem::swap(this, previous);
                }
                return Err(race);
            }
        }
        let both_atomic = write.atomic && cell.atomic;
        // All threads that store one value with one instruction do no harm, and it is a common way to set a flag.
        let origin = |pc: Pc| machine.plan.origins[pc];
        let agree = write.old == write.new && origin(cell.write.pc) == origin(at.pc) && !cell.atomic;
        if !both_atomic && !agree && self.cells.concurrent(&cell.write, now.thread) {
            let kind = if cell.atomic { AccessKind::Atomic } else { AccessKind::Store };
            return Err(self.race(machine, at, access, EarlierAccess { kind, record: cell.write }));
        }
        let other = cell.write.interval == now.interval
            && cell.write.warp_interval == now.warp_interval
            && cell.write.thread != now.thread
            && cell.write.thread.warp() == at.warp
            && (both_atomic || agree);
        Ok(other.then_some(cell.write.thread))
    }

    /// The byte of the block's shared memory at which a cell begins.
    fn byte(&self, cell: usize) -> i64 {
        (cell as i64) << self.cells.granule
    }

    #[cold]
    fn uninitialized(
        &self,
        machine: &Machine,
        span: &ResolvedAccess,
        cell: usize,
        lane: usize,
    ) -> Box<LaneFault> {
        let target = machine.target(span.space, span.allocation);
        let offset = machine.offset_in(span.space, span.allocation, self.byte(cell));
        LaneFault::of(FaultKind::UninitialisedRead { target, offset }, 1 << lane)
    }

    #[cold]
    fn race(
        &self,
        machine: &Machine,
        at: &InstSite,
        now: CellAccess,
        before: EarlierAccess,
    ) -> Box<LaneFault> {
        let target = machine.target(Space::Shared, now.allocation);
        let thread = at.thread(now.lane);
        let other = match before.record.second {
            Some(second) if before.record.thread.linear() == thread => second,
            _ => before.record.thread,
        };
        let block = machine.block(at.block);
        let access = |kind, pc: Pc, thread: u32| RacingAccess {
            kind,
            location: machine.plan.locations[pc],
            thread: machine.thread(thread),
            block,
        };
        let previous = access(before.kind, before.record.pc, other.linear());
        let location = previous.location;
        let mut raw = LaneFault::of(
            FaultKind::SharedMemoryRace {
                target,
                offset: machine.offset_in(Space::Shared, now.allocation, self.byte(now.cell)),
                this: access(now.kind, at.pc, thread),
                previous,
                same_warp: other.warp() == at.warp,
            },
            1 << now.lane,
        );
        raw.other = location;
        raw
    }
}

/// What a write does to a cell.
fn cell_access(write: &WordWrite, cell: usize) -> CellAccess {
    let kind = if write.atomic { AccessKind::Atomic } else { AccessKind::Store };
    CellAccess { allocation: write.allocation, cell, lane: write.lane, kind }
}
