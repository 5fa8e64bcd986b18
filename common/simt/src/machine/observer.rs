//! The events of a launch as the executor tells them, warp by warp, to whatever checks or counts.
//!
//! The executor knows neither checkers nor counters, only this trait. The driver chooses the one implementation
//! ([`crate::observe::Observers`]), so the machine is compiled once per instruction set and not once per mode; an observer that is off
//! costs one test per event.
//!
//! An event is reported before it takes effect. An observer can refuse it with a fault, which stops the launch.

use crate::counters::Counters;
use crate::fault::{AccessKind, Fault};
use crate::machine::blockwise::active::Active;
use crate::machine::blockwise::shapes::BlockShapes;
use crate::machine::context::Machine;
use crate::machine::event::{
    AccessClass, FenceEvent, InstSite, LaneFault, LaneSplit, LoadedWords, PhaseEvent, PhaseUse,
    ResolvedAccess, WordWrite,
};
use crate::machine::trace::BlockTrace;
use crate::machine::warp::access::placement::ShapeCache;
use crate::machine::warp::access::shape::CoalescingShape;
use crate::plan::{Pc, Plan};
use crate::watch::WatchedPath;
use simt_ir::pointer::Space;
use std::ops::Range;
use std::sync::Arc;

/// A load from shared, constant or global memory, or a store to shared or global memory, whose coalescing shape is known.
pub(crate) struct AffineAccess<'a> {
    pub(crate) at: InstSite,
    pub(crate) shape: &'a Arc<CoalescingShape>,
    pub(crate) space: Space,
    pub(crate) allocation: u32,
    /// The byte where it begins.
    pub(crate) start: u32,
}

/// The shapes of a worker by their numbers: of warps, and of blocks.
pub(crate) type Shapes<'a> = (&'a ShapeCache, &'a BlockShapes);

/// What checks and counts the blocks of one worker.
pub(crate) trait Observer: Sized {
    /// What it knows of one block alone, while that block waits and others run.
    type Suspended;
    /// What was counted.
    type Counted;

    /// An observer for one worker of a launch.
    fn new(machine: &Machine) -> Self;

    /// Whether it checks accesses.
    fn checks(&self) -> bool;

    /// Work that checks have done beyond what each access takes, since that was last asked.
    fn take_work(&mut self) -> u64;

    /// Whether each word that a store or an atomic operation writes has to be reported ([`Observer::shared_write`], [`Observer::global_write`]).
    fn asks_for_words(&self) -> bool;

    /// What was counted; `None` if it does not count.
    fn counted(self) -> Option<Self::Counted>;

    /// What is known of blocks that count the same, which is not in what was counted, by instruction of the plan; nothing if there are none.
    fn counted_of_classes(&mut self, plan: &Plan) -> Vec<Counters>;

    /// What was counted, by instruction of the plan.
    fn by_instruction(counted: Self::Counted, plan: &Plan) -> Vec<Counters>;

    /// A block begins.
    fn begin(&mut self, machine: &Machine);

    /// A block stops, at a barrier of the grid or where it waits for other blocks in a loop.
    fn suspend(&mut self) -> Self::Suspended;

    /// A block that stopped continues.
    fn resume(&mut self, suspended: Self::Suspended);

    /// All blocks leave a barrier of the grid.
    fn release_grid(&mut self);

    /// A block begins that runs as one.
    fn begin_traced(&mut self, machine: &Machine, block: u32);

    /// Where accesses of a block that runs as one are kept.
    fn trace(&mut self) -> &mut BlockTrace;

    /// Whether accesses that have no known shape are looked at: something is checked or counted.
    fn asks_for_lanes(&self) -> bool;

    /// Takes in what is in the trace, with which the block ends if `ends`, and notes what it has accessed that blocks may write; `false` if it cannot be
    /// said that there is no race, or what it counts.
    fn flush_traced(&mut self, machine: &Machine, block: (u32, bool), shapes: Shapes) -> bool;

    /// The active threads of a block executed the instructions from `from` up to and including the next one of control flow.
    fn executed_as_one(&mut self, from: Pc, active: &Active);

    /// The active lanes of so many warps take both ways of a branch.
    fn diverged_as_one(&mut self, pc: Pc, warps: u64);

    /// So many warps arrive at a block barrier.
    fn arrived_as_one(&mut self, pc: Pc, warps: u64);

    /// A warp executed the instructions from `from` up to and including the next one of control flow.
    fn executed(&mut self, from: Pc, active: u32);

    /// A warp executed the instructions from `from` up to, without, `to`, and continues there later.
    fn executed_up_to(&mut self, from: Pc, to: Pc, active: u32);

    /// The active lanes take both ways of a branch.
    fn diverged(&mut self, at: &InstSite, split: LaneSplit);

    /// A memory access.
    fn access(
        &mut self,
        machine: &Machine,
        at: &InstSite,
        access: &ResolvedAccess,
        class: AccessClass,
    ) -> Result<(), Box<LaneFault>>;

    /// A plain access of known shape; `false`, and nothing was noted, if it has to be told by [`Observer::access`], and a store's words by
    /// [`Observer::shared_write`] or [`Observer::global_write`].
    fn affine(&mut self, machine: &Machine, access: &AffineAccess, kind: AccessKind) -> bool;

    /// Whether words that lanes get on this path go through [`Observer::give`].
    fn watches(&self, path: WatchedPath) -> bool;

    /// Turns such words into what their lanes get.
    fn give(&mut self, machine: &Machine, at: &InstSite, words: &mut LoadedWords);

    /// A word of shared memory is written.
    fn shared_write(
        &mut self,
        machine: &Machine,
        at: &InstSite,
        write: &WordWrite,
    ) -> Result<(), Box<LaneFault>>;

    /// A word of global memory is written.
    fn global_write(
        &mut self,
        machine: &Machine,
        at: &InstSite,
        write: &WordWrite,
    ) -> Result<(), Box<LaneFault>>;

    /// An asynchronous copy to a word of shared memory begins.
    fn copy_begins(
        &mut self,
        machine: &Machine,
        at: &InstSite,
        write: &WordWrite,
    ) -> Result<(), Box<LaneFault>>;

    /// It ends, and its word is written next: its thread has waited for it, or a phase of a barrier does.
    fn copy_ends(
        &mut self,
        machine: &Machine,
        at: &InstSite,
        write: &WordWrite,
        phase: Option<PhaseUse>,
    ) -> Result<(), Box<LaneFault>>;

    /// A lane's thread uses a barrier in shared memory.
    fn phase(&mut self, at: &InstSite, lane: usize, event: PhaseEvent, of: PhaseUse);

    /// Lanes arrive at a barrier in shared memory, or wait for it.
    fn barrier_use(
        &mut self,
        machine: &Machine,
        at: &InstSite,
        access: &ResolvedAccess,
    ) -> Result<(), Box<LaneFault>>;

    /// A call gives these words of a warp's local memory to a new frame.
    fn frame(&mut self, warp: u32, words: Range<u32>);

    /// Eight lanes read texture elements at these byte offsets.
    fn texture(&mut self, pc: Pc, texture: u32, offsets: &[u64]);

    /// A warp arrives at a block barrier.
    fn arrive(&mut self, pc: Pc);

    /// A warp arrives at a barrier in shared memory.
    fn arrive_at_phase(&mut self, pc: Pc);

    /// Each warp of the block waits at a barrier or has ended: a fault that was deferred until now.
    fn end_interval(&mut self, machine: &Machine) -> Result<(), Box<Fault>>;

    /// The same where a block ends.
    fn end(&mut self, machine: &Machine, block: u32) -> Result<(), Box<Fault>>;

    /// A lane has failed: a fault that was deferred until now, and may be the cause.
    fn stopped(&mut self, machine: &Machine) -> Result<(), Box<Fault>>;

    /// All warps of a block leave a barrier.
    fn release(&mut self, block: u32);

    /// Lanes of a warp synchronize: `members`, all of which are there, of the threads `present`.
    fn warp_sync(&mut self, at: &InstSite, members: u32, present: u32);

    /// Threads of a warp execute a memory fence.
    fn fence(&mut self, at: &InstSite, fence: FenceEvent);
}
