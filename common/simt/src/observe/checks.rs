//! The checker of one worker: sends each access to the check that its memory asks for.

use crate::fault::AccessKind;
use crate::machine::event::WarpFault;
use crate::machine::observer::{GlobalAccess, GroupLoad, GroupStore};
use crate::machine::{AccessClass, BufferView, InstSite, LaneFault, Machine, ResolvedAccess, WordWrite};
use crate::observe::init::{self, LocalInit};
use crate::observe::race::access::BlockState;
use crate::observe::race::block::BlockShadow;
use crate::observe::race::grid::{BlockFences, GridShadow};
use crate::observe::race::guesses::{CellKey, OpenRead};
use crate::observe::race::shared::{SharedShadow, SuspendedShared};
use simt_ir::pointer::Space;
use simt_ir::{AccessOrder, MemoryScope};
use std::ops::Range;

/// The checks of one worker.
#[derive(Default)]
pub(crate) struct Checks {
    block: BlockState,
    shared: SharedShadow,
    global: BlockShadow,
    grid: GridShadow,
    local: LocalInit,
}

/// What must be known of a block that waits.
pub(crate) enum SuspendedChecks {
    /// At a barrier of the grid, which orders all accesses before it.
    Grid {
        shared: SuspendedShared,
        local: LocalInit,
        /// Its warps that have fenced.
        fenced: u32,
        fences: BlockFences,
    },
    /// In a loop, where nothing is ordered.
    Loop { block: Box<BlockState>, shared: Box<SharedShadow>, local: LocalInit, fences: BlockFences },
}

impl Checks {
    pub(crate) fn begin(&mut self, machine: &Machine) {
        let anew = self.block.begin(machine);
        self.shared.begin(machine, anew);
        self.global.begin(machine, anew);
        self.grid.begin(machine);
        self.local.begin(machine);
    }

    pub(crate) fn suspend(&mut self) -> SuspendedChecks {
        SuspendedChecks::Grid {
            shared: self.shared.suspend(),
            local: std::mem::take(&mut self.local),
            fenced: self.block.clock.fenced(),
            fences: self.grid.suspend(),
        }
    }

    /// The block stops in a loop. Records of its accesses to global memory stay where they are.
    pub(crate) fn pause(&mut self) -> SuspendedChecks {
        let next = self.block.next_block();
        self.global.keep_for_later();
        SuspendedChecks::Loop {
            block: Box::new(std::mem::replace(&mut self.block, next)),
            shared: Box::new(std::mem::take(&mut self.shared)),
            local: std::mem::take(&mut self.local),
            fences: self.grid.suspend(),
        }
    }

    pub(crate) fn resume(&mut self, machine: &Machine, suspended: SuspendedChecks) {
        match suspended {
            SuspendedChecks::Grid { shared, local, fenced, fences } => {
                let anew = self.block.begin(machine);
                self.shared.begin(machine, anew);
                self.shared.resume(shared);
                self.global.begin(machine, anew);
                self.grid.begin(machine);
                self.block.clock.resume(fenced);
                self.grid.resume(fences);
                self.local = local;
            }
            SuspendedChecks::Loop { mut block, shared, local, fences } => {
                block.clock.continue_after(&self.block.clock);
                self.grid.begin(machine);
                self.grid.resume(fences);
                (self.block, self.shared, self.local) = (*block, *shared, local);
            }
        }
    }

    /// All blocks leave a barrier of the grid.
    pub(crate) fn release_grid(&mut self) {
        self.grid.release_grid();
    }

    /// An access, before it happens. Writes to shared and global memory are told word by word besides.
    #[inline]
    pub(crate) fn access(
        &mut self,
        machine: &Machine,
        at: &InstSite,
        span: &ResolvedAccess,
        class: AccessClass,
    ) -> Result<(), Box<LaneFault>> {
        if class.order != AccessOrder::Weak {
            self.synchronize(at, span.space, class);
        }
        match (span.space, class.kind) {
            (Space::Global, AccessKind::Load) => self.global_read(machine, at, (span, class)),
            (Space::Shared, AccessKind::Load) => {
                self.shared.read(&mut self.block, machine, at, (span, class))
            }
            (Space::Global, AccessKind::Atomic) if class.reads => {
                init::check_global_read(machine, span, class)
            }
            (Space::Local, _) => self.local.access(machine, at.warp, (span, class)),
            (Space::Global | Space::Shared, _) | (Space::Constant | Space::None, _) => Ok(()),
        }
    }

    /// A strong access may be a part of what orders others.
    fn synchronize(&mut self, at: &InstSite, space: Space, class: AccessClass) {
        if class.kind == AccessKind::Load || class.result {
            self.block.clock.strong_read(at.warp);
        }
        if class.kind != AccessKind::Load {
            self.block.clock.strong_write(at.warp, class.releases());
        }
        if space == Space::Global {
            self.grid.synchronize(at.block, class);
        }
    }

    fn global_read(
        &mut self,
        machine: &Machine,
        at: &InstSite,
        (span, class): (&ResolvedAccess, AccessClass),
    ) -> Result<(), Box<LaneFault>> {
        init::check_global_read(machine, span, class)?;
        if !matches!(machine.buffers.get(span.allocation as usize), Some(BufferView::Written(_))) {
            return Ok(());
        }
        self.global.read(&mut self.block, machine, at, (span, class))?;
        self.check_committed(machine);
        // In a kernel that compares and swaps, plain reads count when it is known that they are no guesses.
        let is_open = self.block.guesses.are_made() && class.order == AccessOrder::Weak;
        if machine.ordered && !is_open { self.grid.read(machine, at, (span, class)) } else { Ok(()) }
    }

    /// Looks for races of reads that turned out to be no guesses with other blocks.
    #[inline]
    fn check_committed(&mut self, machine: &Machine) {
        if !self.block.guesses.are_made() {
            return;
        }
        for ((space, ..), read) in self.block.take_committed() {
            if machine.ordered
                && space == Space::Global
                && let Err(fault) = self.grid.commit(machine, &read)
            {
                self.block.guesses.found(&read.at, fault);
            }
        }
        for doubt in self.block.take_resolved() {
            if machine.ordered && doubt.read.access.space == Space::Global {
                self.grid.resolve(&doubt.read, doubt.fences);
            }
        }
    }

    #[inline(always)]
    pub(crate) fn group_load(&mut self, load: &GroupLoad) -> bool {
        self.shared.group_load(&self.block, load)
    }

    #[inline(always)]
    pub(crate) fn group_store(&mut self, store: &GroupStore) -> bool {
        self.shared.group_store(&self.block, store)
    }

    /// A load from a buffer that the launch may write, or with `changes` a store to one; `false` if it has to be told lane by lane.
    #[inline]
    pub(crate) fn simple(
        &mut self,
        machine: &Machine,
        access: &GlobalAccess,
        changes: Option<&dyn Fn(usize, usize) -> bool>,
    ) -> bool {
        !machine.ordered && self.global.simple(&self.block, access, changes)
    }

    #[inline]
    pub(crate) fn shared_write(
        &mut self,
        machine: &Machine,
        at: &InstSite,
        write: &WordWrite,
    ) -> Result<(), Box<LaneFault>> {
        self.shared.write(&mut self.block, machine, at, write)
    }

    #[inline]
    pub(crate) fn global_write(
        &mut self,
        machine: &Machine,
        at: &InstSite,
        write: &WordWrite,
    ) -> Result<(), Box<LaneFault>> {
        self.global.write(&mut self.block, machine, at, write)?;
        self.check_committed(machine);
        if machine.ordered { self.grid.write(machine, at, write) } else { Ok(()) }
    }

    pub(crate) fn async_begin(
        &mut self,
        machine: &Machine,
        at: &InstSite,
        write: &WordWrite,
    ) -> Result<(), Box<LaneFault>> {
        self.shared.write(&mut self.block, machine, at, write)?;
        self.shared.begin_copy(at, write);
        Ok(())
    }

    pub(crate) fn async_end(&mut self, write: &WordWrite) {
        self.shared.end_copy(write);
    }

    pub(crate) fn barrier_use(
        &mut self,
        machine: &Machine,
        at: &InstSite,
        span: &ResolvedAccess,
    ) -> Result<(), Box<LaneFault>> {
        self.shared.read(&mut self.block, machine, at, (span, AccessClass::LOAD))
    }

    pub(crate) fn frame(&mut self, warp: u32, words: Range<u32>) {
        self.local.frame(warp, words);
    }

    /// No warp can go on before the next barrier. A fault that was held back until now.
    pub(crate) fn end_interval(&mut self, machine: &Machine) -> Result<(), WarpFault> {
        self.shared.end_interval(machine)?;
        self.commit_open_reads(machine, None);
        self.block.guesses.take_race().map_or(Ok(()), Err)
    }

    /// The block ends, or waits at a barrier of the grid. The same, and no more accesses can tell what reads were for.
    pub(crate) fn end(&mut self, machine: &Machine) -> Result<(), WarpFault> {
        self.end_interval(machine)?;
        if !self.block.guesses.are_made() {
            return Ok(());
        }
        self.block.resolve_all();
        self.check_committed(machine);
        self.block.guesses.take_race().map_or(Ok(()), Err)
    }

    /// A lane has failed. A fault that was held back until now; what its block would have done next is not known, so reads that may
    /// be guesses count for nothing.
    pub(crate) fn stopped(&mut self, machine: &Machine) -> Result<(), WarpFault> {
        self.shared.end_interval(machine)?;
        self.block.guesses.take_race().map_or(Ok(()), Err)
    }

    /// Plain reads of a warp, or of all, that no access has followed have to count.
    fn commit_open_reads(&mut self, machine: &Machine, warp: Option<u32>) {
        if !self.block.guesses.are_made() {
            return;
        }
        for (key, read) in self.block.guesses.take(warp) {
            self.doubt(machine, key, read);
        }
        self.check_committed(machine);
    }

    fn doubt(&mut self, machine: &Machine, key: CellKey, read: OpenRead) {
        let cell = match key {
            (Space::Shared, _, index) => Some(&mut self.shared.cells.cells[index]),
            (_, buffer, index) => self.global.cell(buffer, index),
        };
        let Some(cell) = cell else { return };
        if self.block.doubt(machine, (key, cell), (read, self.grid.fences()))
            && machine.ordered
            && read.access.space == Space::Global
            && let Some((fault, with)) = self.grid.doubt(machine, &read)
        {
            if with == AccessKind::Atomic {
                self.block.guesses.suspect(key, read.now.thread, &read.at, || fault);
            } else {
                self.block.guesses.found(&read.at, fault);
            }
        }
    }

    /// All warps of the block leave a barrier.
    pub(crate) fn release(&mut self, machine: &Machine) {
        self.block.barrier(machine.ordered);
        self.shared.barrier();
    }

    pub(crate) fn warp_sync(&mut self, machine: &Machine, at: &InstSite, members: u32, present: u32) {
        self.commit_open_reads(machine, Some(at.warp));
        if members & present != present {
            // Deferred accesses have a time, but not the order among lanes that is valid then.
            self.shared.flush_deferred(&self.block.clock, machine, at);
        }
        self.block.clock.warp_sync(at.warp, members, present);
    }

    pub(crate) fn fence(&mut self, machine: &Machine, at: &InstSite, scope: MemoryScope) {
        self.commit_open_reads(machine, Some(at.warp));
        self.block.clock.fence(at.warp);
        if scope.covers_other_blocks() {
            self.grid.fence();
        }
    }
}
