//! The checker of one worker: sends each access to the check that its memory asks for.

use crate::fault::AccessKind;
use crate::machine::event::WarpFault;
use crate::machine::observer::{GroupLoad, GroupStore};
use crate::machine::{BufferView, InstSite, LaneFault, Machine, ResolvedAccess, WordWrite};
use crate::observe::init::{self, LocalInit};
use crate::observe::race::global::GlobalShadow;
use crate::observe::race::shared::{SharedShadow, SuspendedShared};
use simt_ir::pointer::Space;
use std::ops::Range;

/// The checks of one worker.
#[derive(Default)]
pub(crate) struct Checks {
    shared: SharedShadow,
    global: GlobalShadow,
    local: LocalInit,
}

/// What must be known of a block that waits at a barrier of the grid. All else is ordered by that barrier.
pub(crate) struct SuspendedChecks {
    shared: SuspendedShared,
    local: LocalInit,
}

impl Checks {
    pub(crate) fn begin(&mut self, machine: &Machine) {
        self.shared.begin(machine);
        self.global.begin();
        self.local.begin(machine);
    }

    pub(crate) fn suspend(&mut self) -> SuspendedChecks {
        SuspendedChecks { shared: self.shared.suspend(), local: std::mem::take(&mut self.local) }
    }

    pub(crate) fn resume(&mut self, machine: &Machine, suspended: SuspendedChecks) {
        self.shared.begin(machine);
        self.shared.resume(suspended.shared);
        self.global.begin();
        self.local = suspended.local;
    }

    /// All blocks leave a barrier of the grid.
    pub(crate) fn release_grid(&mut self) {
        self.global.release_grid();
    }

    /// An access, before it happens. Writes to shared and global memory are told word by word besides.
    #[inline]
    pub(crate) fn access(
        &mut self,
        machine: &Machine,
        at: &InstSite,
        span: &ResolvedAccess,
        kind: AccessKind,
    ) -> Result<(), Box<LaneFault>> {
        match (span.space, kind) {
            (Space::Global, AccessKind::Load) => self.global_read(machine, at, span),
            (Space::Global, AccessKind::Atomic) => {
                self.global.acquire(at.block);
                Ok(())
            }
            (Space::Shared, AccessKind::Load) => self.shared.read(machine, at, span),
            (Space::Local, kind) => self.local.access(machine, at.warp, span, kind != AccessKind::Load),
            (Space::Global | Space::Shared, _) | (Space::Constant | Space::None, _) => Ok(()),
        }
    }

    fn global_read(
        &mut self,
        machine: &Machine,
        at: &InstSite,
        span: &ResolvedAccess,
    ) -> Result<(), Box<LaneFault>> {
        init::check_global_read(machine, span)?;
        let may_be_written =
            matches!(machine.buffers.get(span.allocation as usize), Some(BufferView::Written(_)));
        if machine.ordered && may_be_written { self.global.read(machine, at, span) } else { Ok(()) }
    }

    #[inline(always)]
    pub(crate) fn group_load(&mut self, load: &GroupLoad) -> bool {
        self.shared.group_load(load)
    }

    #[inline(always)]
    pub(crate) fn group_store(&mut self, store: &GroupStore) -> bool {
        self.shared.group_store(store)
    }

    #[inline]
    pub(crate) fn shared_write(
        &mut self,
        machine: &Machine,
        at: &InstSite,
        write: &WordWrite,
    ) -> Result<(), Box<LaneFault>> {
        self.shared.write(machine, at, write)
    }

    pub(crate) fn global_write(
        &mut self,
        machine: &Machine,
        at: &InstSite,
        write: &WordWrite,
    ) -> Result<(), Box<LaneFault>> {
        self.global.write(machine, at, write)
    }

    pub(crate) fn async_begin(
        &mut self,
        machine: &Machine,
        at: &InstSite,
        write: &WordWrite,
    ) -> Result<(), Box<LaneFault>> {
        self.shared.begin_copy(machine, at, write)
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
        self.shared.read(machine, at, span)
    }

    pub(crate) fn frame(&mut self, warp: u32, words: Range<u32>) {
        self.local.frame(warp, words);
    }

    /// No warp can go on before the next barrier. A fault that was held back until now.
    pub(crate) fn end_interval(&mut self) -> Result<(), WarpFault> {
        self.shared.end_interval()?;
        self.global.end_interval()
    }

    /// All warps of the block leave a barrier.
    pub(crate) fn release(&mut self) {
        self.shared.barrier();
    }

    pub(crate) fn warp_sync(&mut self, warp: u32) {
        self.shared.cells.warp_sync(warp);
    }

    pub(crate) fn fence(&mut self) {
        self.global.fence();
    }
}
