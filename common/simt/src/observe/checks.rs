//! The checker of one worker: sends each access to the check that its memory asks for.
//!
//! A launch whose blocks run at once is screened for races. In one whose blocks run in order, the exact engine watches global memory, and shared
//! memory is still screened, because most kernels with fences or locks order what they do there by barriers; only if that leaves a doubt, the
//! engine watches shared memory, too.

use crate::fault::{AccessKind, Fault};
use crate::machine::event::{FenceEvent, PhaseEvent, PhaseUse};
use crate::machine::observer::AffineAccess;
use crate::machine::{AccessClass, BufferView, InstSite, LaneFault, Machine, ResolvedAccess, WordWrite};
use crate::observe::init::{self, LocalInit, SharedInit};
use crate::observe::race::engine::{BlockRecord, RaceEngine};
use crate::observe::race::screening::Screening;
use simt_ir::AccessOrder;
use simt_ir::pointer::Space;
use std::ops::Range;

/// The checks of one worker.
pub(crate) struct Checks {
    /// Of shared memory, and of global memory without an engine.
    screening: Option<Box<Screening>>,
    /// Of global memory, and of shared memory that is not screened.
    engine: Option<Box<RaceEngine>>,
    /// Of shared memory that is not screened.
    shared: SharedInit,
    local: LocalInit,
}

/// What must be known of a block that waits.
pub(crate) struct SuspendedChecks {
    record: Box<BlockRecord>,
    screening: Option<Box<Screening>>,
    shared: SharedInit,
    local: LocalInit,
}

impl Checks {
    pub(crate) fn new(machine: &Machine) -> Checks {
        Checks {
            screening: machine.screens_shared.then(|| Box::new(Screening::new())),
            engine: machine.ordered.then(|| Box::new(RaceEngine::new(machine))),
            shared: SharedInit::default(),
            local: LocalInit::default(),
        }
    }

    pub(crate) fn begin(&mut self, machine: &Machine) {
        self.begin_races(machine);
        self.begin_local(machine);
    }

    /// The same for what is known of races alone.
    pub(crate) fn begin_races(&mut self, machine: &Machine) {
        if machine.screens_shared {
            self.screening.get_or_insert_with(|| Box::new(Screening::new())).begin(machine);
        } else {
            self.shared.begin(machine);
        }
        if let Some(engine) = &mut self.engine {
            engine.begin(machine);
        }
    }

    /// The same for local memory alone.
    pub(crate) fn begin_local(&mut self, machine: &Machine) {
        self.local.begin(machine);
    }

    /// A block stops, and others run. Only blocks in order do.
    pub(crate) fn suspend(&mut self) -> Option<SuspendedChecks> {
        Some(SuspendedChecks {
            record: Box::new(self.engine.as_mut()?.suspend()),
            screening: self.screening.take(),
            shared: std::mem::take(&mut self.shared),
            local: std::mem::take(&mut self.local),
        })
    }

    pub(crate) fn resume(&mut self, suspended: SuspendedChecks) {
        let SuspendedChecks { record, screening, shared, local } = suspended;
        if let Some(engine) = &mut self.engine {
            engine.resume(*record);
        }
        (self.screening, self.shared, self.local) = (screening, shared, local);
    }

    /// All blocks leave a barrier of the grid.
    pub(crate) fn release_grid(&mut self) {
        if let Some(engine) = &mut self.engine {
            engine.grid_barrier();
        }
    }

    /// An access, before it happens. Writes to shared and global memory are reported word by word besides, if [`Checks::asks_for_words`].
    #[inline]
    pub(crate) fn access(
        &mut self,
        machine: &Machine,
        at: &InstSite,
        (span, class): (&ResolvedAccess, AccessClass),
    ) -> Result<(), Box<LaneFault>> {
        self.access_unordered(machine, at, (span, class))?;
        self.access_ordered(machine, at, (span, class))
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

    /// The rest: races, and reads of shared memory that was never written.
    ///
    /// # Errors
    /// A fault, or that the launch has to run in order.
    pub(crate) fn access_ordered(
        &mut self,
        machine: &Machine,
        at: &InstSite,
        (span, class): (&ResolvedAccess, AccessClass),
    ) -> Result<(), Box<LaneFault>> {
        if !machine.may_race(span.space, span.allocation) {
            return Ok(());
        }
        match (span.space, &mut self.screening, &mut self.engine) {
            (Space::Shared, Some(screening), engine) => {
                if let Some(engine) = engine.as_mut().filter(|_| class.order != AccessOrder::Weak) {
                    engine.instruction(at, span, class);
                    engine.note_all(at, span);
                }
                screening.shared_access(machine, at, (span, class))
            }
            (Space::Global, Some(_), None) if is_for_atomics_only(machine, span.allocation) => Ok(()),
            (Space::Global, Some(screening), None) => screening.global_access(machine, at, (span, class)),
            (Space::Global | Space::Shared, _, Some(engine)) => {
                engine.instruction(at, span, class);
                if class.kind == AccessKind::Store && span.space == Space::Global {
                    // Whether its words are told by row or not is known from now on.
                    engine.by_rows(machine, at, span);
                }
                if class.kind != AccessKind::Load {
                    return Ok(());
                }
                if span.space == Space::Shared {
                    self.shared.read(machine, at, (span, class))?;
                }
                engine.read(machine, at, span)
            }
            _ => Ok(()),
        }
    }

    /// A plain load or store of known shape; `false` if it has to be told lane by lane.
    #[inline(always)]
    pub(crate) fn affine(&mut self, machine: &Machine, access: &AffineAccess, kind: AccessKind) -> bool {
        if !machine.may_race(access.space, access.allocation) {
            return true;
        }
        match (access.space, &mut self.screening, &self.engine) {
            (Space::Shared, Some(screening), _) => screening.shared_shape(access, kind),
            (Space::Global, Some(screening), None) => screening.global_shape(access, kind),
            _ => false,
        }
    }

    /// Work beyond what each access takes, since the last call.
    pub(crate) fn take_work(&mut self) -> u64 {
        self.engine.as_mut().map_or(0, |engine| engine.take_work())
    }

    /// Whether stores have to be reported word by word.
    #[inline(always)]
    pub(crate) fn asks_for_words(&self) -> bool {
        self.engine.is_some()
    }

    #[inline]
    pub(crate) fn shared_write(
        &mut self,
        machine: &Machine,
        at: &InstSite,
        write: &WordWrite,
    ) -> Result<(), Box<LaneFault>> {
        if !machine.may_race(Space::Shared, write.allocation) {
            return Ok(());
        }
        match (&mut self.screening, &mut self.engine) {
            (Some(screening), _) => screening.shared_write(machine, at, write),
            (None, Some(engine)) => {
                self.shared.write(machine, at, write)?;
                engine.write(machine, at, Space::Shared, write)
            }
            (None, None) => Ok(()),
        }
    }

    #[inline]
    pub(crate) fn global_write(
        &mut self,
        machine: &Machine,
        at: &InstSite,
        write: &WordWrite,
    ) -> Result<(), Box<LaneFault>> {
        match self.engine.as_mut().filter(|_| machine.may_race(Space::Global, write.allocation)) {
            Some(engine) => engine.write(machine, at, Space::Global, write),
            None => Ok(()),
        }
    }

    /// An asynchronous copy to a word of shared memory begins.
    pub(crate) fn copy_begins(
        &mut self,
        machine: &Machine,
        at: &InstSite,
        write: &WordWrite,
    ) -> Result<(), Box<LaneFault>> {
        match (&mut self.screening, &mut self.engine) {
            (Some(screening), _) => screening.copy_begins(machine, at, write),
            (None, Some(engine)) => {
                self.shared.copy_begins(machine, at, write)?;
                engine.copy_begins(machine, at, write)
            }
            (None, None) => Ok(()),
        }
    }

    /// It ends: because its thread waits for it, or with a phase of a barrier in shared memory.
    pub(crate) fn copy_ends(
        &mut self,
        machine: &Machine,
        at: &InstSite,
        write: &WordWrite,
        phase: Option<PhaseUse>,
    ) -> Result<(), Box<LaneFault>> {
        match (&mut self.screening, &mut self.engine) {
            (Some(screening), _) => screening.copy_ends(machine, at, write, phase),
            (None, Some(engine)) => {
                self.shared.copy_ends(write);
                engine.copy_ends(machine, at, write, phase);
                Ok(())
            }
            (None, None) => Ok(()),
        }
    }

    /// Lanes use a barrier in shared memory that was made there.
    pub(crate) fn barrier_use(
        &mut self,
        machine: &Machine,
        at: &InstSite,
        span: &ResolvedAccess,
    ) -> Result<(), Box<LaneFault>> {
        self.access_ordered(machine, at, (span, AccessClass::LOAD))
    }

    pub(crate) fn phase(&mut self, at: &InstSite, lane: usize, event: PhaseEvent, of: PhaseUse) {
        if let Some(screening) = &mut self.screening {
            screening.phase(at, lane, event, of);
        }
        if let Some(engine) = &mut self.engine {
            engine.phase(at, lane, event, of);
        }
    }

    pub(crate) fn frame(&mut self, warp: u32, words: Range<u32>) {
        self.local.frame(warp, words);
    }

    /// No warp can continue before the next barrier. A fault that was held back until now.
    pub(crate) fn end_interval(&mut self, machine: &Machine) -> Result<(), Box<Fault>> {
        let Some(engine) = &mut self.engine else { return Ok(()) };
        engine.take_found()?;
        self.shared.end_interval(machine)
    }

    /// A block ends. The same.
    pub(crate) fn end(&mut self, machine: &Machine, block: u32) -> Result<(), Box<Fault>> {
        self.end_interval(machine)?;
        self.engine.as_mut().map_or(Ok(()), |engine| engine.end(machine, block))
    }

    /// All warps of a block leave a barrier.
    pub(crate) fn release(&mut self, block: u32) {
        if let Some(screening) = &mut self.screening {
            screening.barrier();
        }
        if let Some(engine) = &mut self.engine {
            engine.barrier(block);
        }
    }

    pub(crate) fn warp_sync(&mut self, at: &InstSite, members: u32, present: u32) {
        if let Some(screening) = &mut self.screening {
            screening.warp_sync(at, members, present);
        }
        if let Some(engine) = &mut self.engine {
            engine.warp_sync(at, members, present);
        }
    }

    pub(crate) fn fence(&mut self, at: &InstSite, fence: FenceEvent) {
        if let Some(engine) = &mut self.engine {
            engine.fence(at, fence);
        }
    }
}

/// Whether nothing but atomic operations reaches a buffer, which then do not race.
fn is_for_atomics_only(machine: &Machine, buffer: u32) -> bool {
    matches!(machine.buffers.get(buffer as usize), Some(BufferView::Written(view)) if view.atomics_only)
}
