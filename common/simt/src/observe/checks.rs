//! The checker of one worker: sends each access to the check that its memory asks for.

use crate::fault::{AccessKind, Fault};
use crate::machine::event::FenceEvent;
use crate::machine::observer::{GlobalAccess, GroupLoad, GroupStore};
use crate::machine::suspects::RaceSearch;
use crate::machine::warp::access::shape::CoalescingShape;
use crate::machine::{AccessClass, BufferView, InstSite, LaneFault, Machine, ResolvedAccess, WordWrite};
use crate::observe::init::{self, LocalInit};
use crate::observe::race::access::{BlockState, RaceDetector};
use crate::observe::race::block::BlockShadow;
use crate::observe::race::grid::GridShadow;
use crate::observe::race::screening::{Screening, SuspendedScreening};
use crate::observe::race::shared::{SharedShadow, SuspendedShared};
use simt_ir::AccessOrder;
use simt_ir::pointer::Space;
use std::ops::Range;

/// The checks of one worker.
#[derive(Default)]
pub(crate) struct Checks {
    races: RaceDetector,
    shared: SharedShadow,
    global: BlockShadow,
    grid: GridShadow,
    local: LocalInit,
    /// In place of these, but for `local`, in a launch that is screened.
    screening: Option<Box<Screening>>,
}

/// What must be known of a block that waits.
pub(crate) enum SuspendedChecks {
    /// At a barrier of the grid, which orders all accesses before it.
    Grid { shared: SuspendedShared, local: LocalInit },
    /// In a loop, where nothing is ordered.
    Loop { block: Box<BlockState>, shared: Box<SharedShadow>, local: LocalInit },
    /// In a launch that is screened.
    Screened { screening: Box<SuspendedScreening>, local: LocalInit },
}

impl Checks {
    pub(crate) fn begin(&mut self, machine: &Machine) {
        if self.begin_screening(machine) {
            return self.begin_local(machine);
        }
        // What no store of the block before has asked for is none of this one's.
        self.take_contested();
        let anew = self.races.begin(machine);
        self.shared.begin(machine, anew);
        self.global.begin(machine, anew);
        self.grid.begin(machine);
        self.begin_local(machine);
    }

    /// The same for what screening knows alone; whether the launch is screened.
    pub(crate) fn begin_screening(&mut self, machine: &Machine) -> bool {
        let RaceSearch::Screening(run) = &machine.races else { return false };
        self.screening.get_or_insert_with(|| Box::new(Screening::new(machine, run))).begin(machine);
        true
    }

    /// The same for local memory alone.
    pub(crate) fn begin_local(&mut self, machine: &Machine) {
        self.local.begin(machine);
    }

    fn suspend_screening(&mut self) -> Option<SuspendedChecks> {
        let screening = Box::new(self.screening.as_mut()?.suspend());
        Some(SuspendedChecks::Screened { screening, local: std::mem::take(&mut self.local) })
    }

    pub(crate) fn suspend(&mut self) -> SuspendedChecks {
        if let Some(screened) = self.suspend_screening() {
            return screened;
        }
        SuspendedChecks::Grid { shared: self.shared.suspend(), local: std::mem::take(&mut self.local) }
    }

    /// The block stops in a loop. Records of its accesses to global memory stay where they are.
    pub(crate) fn pause(&mut self) -> SuspendedChecks {
        if let Some(screened) = self.suspend_screening() {
            return screened;
        }
        self.global.keep_for_later(&self.races.block.clock);
        SuspendedChecks::Loop {
            block: Box::new(self.races.next_block()),
            shared: Box::new(std::mem::take(&mut self.shared)),
            local: std::mem::take(&mut self.local),
        }
    }

    pub(crate) fn resume(&mut self, machine: &Machine, suspended: SuspendedChecks) {
        match suspended {
            SuspendedChecks::Grid { shared, local } => {
                let anew = self.races.begin(machine);
                self.shared.begin(machine, anew);
                self.shared.resume(shared);
                self.global.begin(machine, anew);
                self.grid.begin(machine);
                self.local = local;
            }
            SuspendedChecks::Loop { mut block, shared, local } => {
                block.clock.continue_after(&self.races.block.clock);
                self.grid.begin(machine);
                (self.races.block, self.shared, self.local) = (*block, *shared, local);
                self.global.resume(&self.races.block.clock);
            }
            SuspendedChecks::Screened { screening, local } => {
                if let Some(own) = &mut self.screening {
                    own.resume(*screening);
                }
                self.local = local;
            }
        }
    }

    /// All blocks leave a barrier of the grid.
    pub(crate) fn release_grid(&mut self) {
        if let Some(screening) = &mut self.screening {
            return screening.release_grid();
        }
        self.grid.release_grid();
        if let Some(causality) = &mut self.races.causality {
            causality.grid_barrier();
        }
    }

    /// An access, before it happens. Writes to shared and global memory are reported word by word besides.
    #[inline]
    pub(crate) fn access(
        &mut self,
        machine: &Machine,
        at: &InstSite,
        span: &ResolvedAccess,
        class: AccessClass,
    ) -> Result<(), Box<LaneFault>> {
        if self.screening.is_some() {
            self.access_unordered(machine, at, (span, class))?;
            return self.screen(machine, at, span, class);
        }
        if let Some(causality) = &mut self.races.causality {
            causality.instruction(at, span.mask, class);
            if causality.is_rerun() {
                return self.access_again(machine, at, (span, class));
            }
        }
        if span.space == Space::Global {
            self.global.begin_access(span.bytes);
        }
        match (span.space, class.kind) {
            (Space::Global, AccessKind::Load) => self.global_read(machine, at, (span, class)),
            (Space::Shared, AccessKind::Load) => {
                self.shared.read(&mut self.races, machine, at, (span, class))
            }
            (Space::Global, AccessKind::Atomic) if class.reads => {
                init::check_global_read(machine, span, class)
            }
            (Space::Local, _) => self.local.access(machine, at.warp, (span, class)),
            (Space::Global | Space::Shared, _) | (Space::Constant | Space::None, _) => Ok(()),
        }
    }

    /// What is to be said of an access whatever comes before it in other threads: reads of what was never written in global or local memory.
    pub(crate) fn access_unordered(
        &mut self,
        machine: &Machine,
        at: &InstSite,
        (span, class): (&ResolvedAccess, AccessClass),
    ) -> Result<(), Box<LaneFault>> {
        match (span.space, class.kind) {
            (Space::Global, AccessKind::Load) => init::check_global_read(machine, span, class),
            (Space::Global, AccessKind::Atomic) if class.reads => {
                init::check_global_read(machine, span, class)
            }
            (Space::Local, _) => self.local.access(machine, at.warp, (span, class)),
            _ => Ok(()),
        }
    }

    /// An access, in a launch that is screened.
    ///
    /// # Errors
    /// A doubt.
    pub(crate) fn screen(
        &mut self,
        machine: &Machine,
        at: &InstSite,
        span: &ResolvedAccess,
        class: AccessClass,
    ) -> Result<(), Box<LaneFault>> {
        let Some(screening) = &mut self.screening else { return Ok(()) };
        screening.instruction(machine, at, span.mask, class);
        match span.space {
            Space::Global if is_for_atomics_only(machine, span.allocation) => {
                screening.note(machine, at, (span, class));
                Ok(())
            }
            Space::Global if is_written(machine, span.allocation) => {
                screening.global_access(machine, at, (span, class))
            }
            Space::Shared => screening.shared_access(machine, at, (span, class)),
            Space::Global | Space::Local | Space::Constant | Space::None => Ok(()),
        }
    }

    /// A plain load or store of known shape, in a launch that is screened; whether it is clear.
    pub(crate) fn screen_global(&mut self, machine: &Machine, access: &GlobalAccess, stores: bool) -> bool {
        let Some(screening) = &mut self.screening else { return true };
        !is_written(machine, access.allocation) || screening.global_shape(access, stores)
    }

    /// The same of shared memory.
    pub(crate) fn screen_shared(
        &mut self,
        at: &InstSite,
        shape: &CoalescingShape,
        start: u32,
        stores: bool,
    ) -> bool {
        self.screening.as_mut().is_none_or(|screening| screening.shared_shape(at, shape, start, stores))
    }

    /// The same if only races are looked for.
    fn access_again(
        &mut self,
        machine: &Machine,
        at: &InstSite,
        (span, class): (&ResolvedAccess, AccessClass),
    ) -> Result<(), Box<LaneFault>> {
        // All variables of shared memory are one memory here.
        let allocation = if span.space == Space::Shared { 0 } else { span.allocation };
        let is_ignored =
            class.order == AccessOrder::Weak && self.races.ignores(machine, (span.space, allocation), false);
        match (span.space, class.kind) {
            _ if is_ignored => Ok(()),
            (Space::Global, AccessKind::Load) if is_written(machine, span.allocation) => {
                self.global.read(&mut self.races, machine, at, (span, class))
            }
            (Space::Shared, AccessKind::Load) => {
                self.shared.read(&mut self.races, machine, at, (span, class))
            }
            _ => Ok(()),
        }
    }

    fn global_read(
        &mut self,
        machine: &Machine,
        at: &InstSite,
        (span, class): (&ResolvedAccess, AccessClass),
    ) -> Result<(), Box<LaneFault>> {
        init::check_global_read(machine, span, class)?;
        if !is_written(machine, span.allocation) {
            return Ok(());
        }
        self.global.read(&mut self.races, machine, at, (span, class))?;
        if self.looks_between_blocks(machine) {
            self.grid.read(machine, &self.races, at, (span, class))
        } else {
            Ok(())
        }
    }

    /// Words that were stored where other threads had stored the same value, since that was last asked. They make each launch that has them
    /// leave screening, so their number does not depend on chance.
    pub(crate) fn take_contested(&mut self) -> u64 {
        std::mem::take(&mut self.races.contested) + std::mem::take(&mut self.grid.contested)
    }

    /// Whether stores have to be reported word by word.
    #[inline(always)]
    pub(crate) fn asks_for_words(&self) -> bool {
        self.screening.is_none()
    }

    /// Whether races between blocks are looked for by what barriers order.
    fn looks_between_blocks(&self, machine: &Machine) -> bool {
        machine.ordered && !self.races.is_exact
    }

    #[inline(always)]
    pub(crate) fn group_load(&mut self, machine: &Machine, load: &GroupLoad) -> bool {
        if let Some(screening) = &mut self.screening {
            return screening.group_load(machine.plan, load);
        }
        self.races.ignores(machine, (Space::Shared, 0), false) || self.shared.group_load(&self.races, load)
    }

    #[inline(always)]
    pub(crate) fn group_store(&mut self, machine: &Machine, store: &GroupStore) -> bool {
        if let Some(screening) = &mut self.screening {
            return screening.group_store(machine.plan, store);
        }
        if self
            .races
            .causality
            .as_ref()
            .is_some_and(|causality| causality.has_strong_in((Space::Shared, 0, 0)))
        {
            return false;
        }
        self.races.ignores(machine, (Space::Shared, 0), true) || self.shared.group_store(&self.races, store)
    }

    /// A load from a buffer that the launch may write, or with `changes` a store to one; `false` if it has to be told lane by lane.
    #[inline]
    pub(crate) fn simple(
        &mut self,
        machine: &Machine,
        access: &GlobalAccess,
        changes: Option<&dyn Fn(usize, usize) -> bool>,
    ) -> bool {
        if let Some(screening) = &mut self.screening {
            return screening.global_shape(access, changes.is_some());
        }
        if self.races.ignores(machine, (Space::Global, access.allocation), changes.is_some()) {
            return true;
        }
        !machine.ordered && self.global.simple(&self.races, access, changes)
    }

    #[inline]
    pub(crate) fn shared_write(
        &mut self,
        machine: &Machine,
        at: &InstSite,
        write: &WordWrite,
    ) -> Result<(), Box<LaneFault>> {
        if let Some(screening) = &mut self.screening {
            return screening.shared_write(machine, at, write);
        }
        self.shared.write(&mut self.races, machine, at, write)
    }

    #[inline]
    pub(crate) fn global_write(
        &mut self,
        machine: &Machine,
        at: &InstSite,
        write: &WordWrite,
    ) -> Result<(), Box<LaneFault>> {
        if self.races.causality.is_none() && is_for_atomics_only(machine, write.allocation) {
            return Ok(());
        }
        self.global.write(&mut self.races, machine, at, write)?;
        if self.looks_between_blocks(machine) {
            self.grid.write(machine, &self.races, at, write)
        } else {
            Ok(())
        }
    }

    pub(crate) fn async_begin(
        &mut self,
        machine: &Machine,
        at: &InstSite,
        write: &WordWrite,
    ) -> Result<(), Box<LaneFault>> {
        if let Some(screening) = &mut self.screening {
            return Err(screening.doubt(machine));
        }
        self.shared.write(&mut self.races, machine, at, write)?;
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
        if let Some(screening) = &mut self.screening {
            return screening.shared_access(machine, at, (span, AccessClass::LOAD));
        }
        self.shared.read(&mut self.races, machine, at, (span, AccessClass::LOAD))
    }

    pub(crate) fn frame(&mut self, warp: u32, words: Range<u32>) {
        self.local.frame(warp, words);
    }

    /// No warp can continue before the next barrier. A fault that was held back until now.
    pub(crate) fn end_interval(&mut self, machine: &Machine) -> Result<(), Box<Fault>> {
        self.shared.end_interval(machine)?;
        self.races.take_found()
    }

    /// A block ends. The same.
    pub(crate) fn end(&mut self, machine: &Machine, block: u32) -> Result<(), Box<Fault>> {
        if let Some(screening) = &mut self.screening {
            screening.end(block);
        }
        self.end_interval(machine)?;
        self.races.end(machine, block)
    }

    /// All warps of a block leave a barrier.
    pub(crate) fn release(&mut self, block: u32) {
        if let Some(screening) = &mut self.screening {
            return screening.barrier(block);
        }
        self.races.barrier(block);
        self.shared.barrier();
    }

    pub(crate) fn warp_sync(&mut self, machine: &Machine, at: &InstSite, members: u32, present: u32) {
        if let Some(screening) = &mut self.screening {
            return screening.warp_sync(at, members, present);
        }
        if members & present != present {
            // Deferred accesses have a time, but not the order among lanes that is valid then.
            self.shared.flush_deferred(&self.races.block.clock, machine, at);
        }
        self.races.block.clock.warp_sync(at.warp, members, present);
        if let Some(causality) = &mut self.races.causality {
            causality.warp_sync(at, members, present);
        }
    }

    pub(crate) fn fence(&mut self, at: &InstSite, fence: FenceEvent) {
        if let Some(screening) = &mut self.screening {
            return screening.fence(at, fence);
        }
        if let Some(causality) = &mut self.races.causality {
            causality.fence(at, fence);
        }
    }
}

/// Whether the launch may write a buffer.
fn is_written(machine: &Machine, buffer: u32) -> bool {
    matches!(machine.buffers.get(buffer as usize), Some(BufferView::Written(_)))
}

/// Whether nothing but atomic operations reaches a buffer.
fn is_for_atomics_only(machine: &Machine, buffer: u32) -> bool {
    matches!(machine.buffers.get(buffer as usize), Some(BufferView::Written(view)) if view.atomics_only)
}
