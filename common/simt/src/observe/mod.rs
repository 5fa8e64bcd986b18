//! The observers: the checker and the counters, behind the one [`Observer`] that the machine knows.
//!
//! [`race`] looks for races and for reads of what was never written; [`count`] turns accesses into requests, sectors, wavefronts and
//! cache hits; [`recorder`] keeps accesses for pictures. What is off costs one test an event.

mod checks;
mod count;
mod init;
mod race;
mod recorder;
mod traced;
mod watcher;

use crate::counters::Counters;
use crate::fault::{AccessKind, Fault};
use crate::machine::blockwise::active::Active;
use crate::machine::event::{FenceEvent, LaneSplit, LoadedWords, PhaseEvent, PhaseUse};
use crate::machine::observer::{AffineAccess, Shapes};
use crate::machine::trace::{BlockTrace, TraceEvent};
use crate::machine::{AccessClass, InstSite, LaneFault, Machine, Observer, ResolvedAccess, WordWrite};
use crate::plan::{Pc, Plan, Unit};
use crate::watch::WatchedPath;
use checks::{Checks, SuspendedChecks};
use count::{Counted, Counting};
pub(crate) use race::screening::can_screen;
use recorder::Recorder;
pub(crate) use recorder::recorded;
use std::ops::Range;
use traced::TracedBlocks;
use watcher::Watcher;

/// The checker and the counters of one worker, each if it is asked for.
pub(crate) struct Observers {
    checks: Option<Checks>,
    counting: Option<Counting>,
    /// Of a launch that records.
    recorder: Option<Box<Recorder>>,
    /// Of a launch whose elements are followed.
    watcher: Option<Box<Watcher>>,
    /// Of a launch whose blocks run as one.
    traced: TracedBlocks,
    is_traced: bool,
}

/// What the checker knows of one block alone, while that block waits and others run.
pub(crate) struct SuspendedObservers(Option<SuspendedChecks>);

/// Passes events on to one of the observers, if it is there.
macro_rules! pass_on {
    ($to:ident else $nothing:expr;
        $($(#[$how:meta])? fn $event:ident($($of:ident: $ty:ty),*) $(-> $result:ty)?;)*) => {$(
        $(#[$how])?
        fn $event(&mut self, $($of: $ty),*) $(-> $result)? {
            match &mut self.$to {
                Some(observer) => observer.$event($($of),*),
                None => $nothing,
            }
        }
    )*};
}

impl Observer for Observers {
    type Suspended = SuspendedObservers;
    type Counted = Counted;

    fn new(machine: &Machine) -> Observers {
        Observers {
            traced: TracedBlocks::default(),
            is_traced: machine.plan.unit == Unit::Block,
            checks: machine.options.checks.then(|| Checks::new(machine)),
            counting: machine.options.counters.then(|| Counting::new(machine)),
            recorder: Recorder::of(machine).map(Box::new),
            watcher: Watcher::of(machine).map(Box::new),
        }
    }

    #[inline(always)]
    fn checks(&self) -> bool {
        self.checks.is_some()
    }

    fn take_work(&mut self) -> u64 {
        self.checks.as_mut().map_or(0, Checks::take_work)
    }

    #[inline(always)]
    fn asks_for_words(&self) -> bool {
        !self.is_traced
            && (self.checks.as_ref().is_some_and(Checks::asks_for_words) || self.watcher.is_some())
    }

    #[inline(always)]
    fn affine(&mut self, machine: &Machine, access: &AffineAccess, kind: AccessKind) -> bool {
        // What records or follows has to see each lane.
        if self.recorder.is_some() || self.watcher.is_some() {
            return false;
        }
        if let Some(checks) = &mut self.checks
            && !checks.affine(machine, access, kind)
        {
            return false;
        }
        if let Some(counting) = &mut self.counting {
            counting.affine(access, kind);
        }
        true
    }

    fn by_instruction(counted: Counted, plan: &Plan) -> Vec<Counters> {
        counted.by_instruction(plan)
    }

    fn counted(self) -> Option<Counted> {
        self.counting.map(Counting::counted)
    }

    fn counted_of_classes(&mut self, plan: &Plan) -> Vec<Counters> {
        std::mem::take(&mut self.traced).counted(plan)
    }

    fn suspend(&mut self) -> SuspendedObservers {
        SuspendedObservers(self.checks.as_mut().and_then(Checks::suspend))
    }

    fn resume(&mut self, suspended: SuspendedObservers) {
        if let (Some(checks), Some(suspended)) = (&mut self.checks, suspended.0) {
            checks.resume(suspended);
        }
        if let Some(counting) = &mut self.counting {
            counting.begin();
        }
    }

    fn begin(&mut self, machine: &Machine) {
        if let Some(checks) = &mut self.checks {
            checks.begin(machine);
        }
        if let Some(counting) = &mut self.counting {
            counting.begin();
        }
    }

    #[inline(always)]
    fn diverged(&mut self, at: &InstSite, split: LaneSplit) {
        if let Some(counting) = &mut self.counting {
            counting.diverged(at.pc, 1);
        }
        if let Some(recorder) = &mut self.recorder {
            recorder.diverged(at, split);
        }
    }

    #[inline]
    fn access(
        &mut self,
        machine: &Machine,
        at: &InstSite,
        span: &ResolvedAccess,
        class: AccessClass,
    ) -> Result<(), Box<LaneFault>> {
        if self.is_traced {
            if let Some(checks) = &mut self.checks {
                checks.access_unordered(machine, at, (span, class))?;
            }
            if self.traced.trace.is_kept && self.asks_for_lanes() {
                *self.traced.trace.push_span(at.pc, at.warp) = (span.clone(), class);
            }
            return Ok(());
        }
        if let Some(checks) = &mut self.checks {
            checks.access(machine, at, (span, class))?;
        }
        if let Some(counting) = &mut self.counting {
            counting.access(at, span, class.kind);
        }
        if let Some(recorder) = &mut self.recorder {
            recorder.access(at, span, class.kind);
        }
        Ok(())
    }

    #[inline]
    fn shared_write(
        &mut self,
        machine: &Machine,
        at: &InstSite,
        write: &WordWrite,
    ) -> Result<(), Box<LaneFault>> {
        if let Some(watcher) = &mut self.watcher {
            watcher.shared_write(machine, at, write);
        }
        self.checks.as_mut().map_or(Ok(()), |c| c.shared_write(machine, at, write))
    }

    #[inline(always)]
    fn watches(&self, path: WatchedPath) -> bool {
        self.watcher.as_ref().is_some_and(|watcher| watcher.watches(path))
    }

    fn copy_ends(
        &mut self,
        machine: &Machine,
        at: &InstSite,
        write: &WordWrite,
        phase: Option<PhaseUse>,
    ) -> Result<(), Box<LaneFault>> {
        if let Some(watcher) = &mut self.watcher {
            watcher.shared_write(machine, at, write);
        }
        self.checks.as_mut().map_or(Ok(()), |checks| checks.copy_ends(machine, at, write, phase))
    }

    fn arrive(&mut self, pc: Pc) {
        if let Some(counting) = &mut self.counting {
            counting.arrive(pc, 1);
        }
    }

    #[inline(always)]
    fn trace(&mut self) -> &mut BlockTrace {
        &mut self.traced.trace
    }

    #[inline(always)]
    fn asks_for_lanes(&self) -> bool {
        self.checks.is_some() || self.counting.is_some()
    }

    fn begin_traced(&mut self, machine: &Machine, block: u32) {
        self.traced.begin(machine, block);
        if let Some(checks) = &mut self.checks {
            checks.begin_local(machine);
        }
    }

    #[inline(always)]
    fn executed_as_one(&mut self, from: Pc, active: &Active) {
        if let Some(counting) = &mut self.counting {
            counting.executed_as_one(from, active.count(), active.threads());
        }
    }

    #[inline(always)]
    fn diverged_as_one(&mut self, pc: Pc, warps: u64) {
        if let Some(counting) = &mut self.counting {
            counting.diverged(pc, warps);
        }
    }

    fn arrived_as_one(&mut self, pc: Pc, warps: u64) {
        if let Some(counting) = &mut self.counting {
            counting.arrive(pc, warps);
        }
    }

    fn flush_traced(&mut self, machine: &Machine, block: (u32, bool), shapes: Shapes) -> bool {
        self.traced.flush(machine, block, shapes, (&mut self.checks, &mut self.counting))
    }

    fn end_interval(&mut self, machine: &Machine) -> Result<(), Box<Fault>> {
        self.checks.as_mut().map_or(Ok(()), |checks| checks.end_interval(machine))
    }

    fn end(&mut self, machine: &Machine, block: u32) -> Result<(), Box<Fault>> {
        if let Some(recorder) = &mut self.recorder {
            recorder.flush(machine);
        }
        if let Some(watcher) = &mut self.watcher {
            watcher.flush(machine, block);
        }
        self.checks.as_mut().map_or(Ok(()), |checks| checks.end(machine, block))
    }

    fn stopped(&mut self, machine: &Machine) -> Result<(), Box<Fault>> {
        self.end_interval(machine)
    }

    fn warp_sync(&mut self, at: &InstSite, members: u32, present: u32) {
        if self.is_traced {
            let event = TraceEvent::WarpSync { warp: at.warp, members, present };
            return self.traced.trace.push(at.pc, event);
        }
        if let Some(checks) = &mut self.checks {
            checks.warp_sync(at, members, present);
        }
    }

    pass_on! { checks else ();
        fn release_grid();
        fn phase(at: &InstSite, lane: usize, event: PhaseEvent, of: PhaseUse);
        fn frame(warp: u32, words: Range<u32>);
        fn release(block: u32);
        fn fence(at: &InstSite, fence: FenceEvent);
    }

    pass_on! { checks else Ok(());
        fn copy_begins(machine: &Machine, at: &InstSite, write: &WordWrite) -> Result<(), Box<LaneFault>>;
        fn barrier_use(machine: &Machine, at: &InstSite, span: &ResolvedAccess) -> Result<(), Box<LaneFault>>;
        fn global_write(machine: &Machine, at: &InstSite, write: &WordWrite) -> Result<(), Box<LaneFault>>;
    }

    pass_on! { counting else ();
        #[inline(always)]
        fn executed(from: Pc, active: u32);
        fn executed_up_to(from: Pc, to: Pc, active: u32);
        fn texture(pc: Pc, texture: u32, offsets: &[u64]);
        fn arrive_at_phase(pc: Pc);
    }

    pass_on! { watcher else ();
        fn give(machine: &Machine, at: &InstSite, words: &mut LoadedWords);
    }
}
