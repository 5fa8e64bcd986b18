//! What the executor tells whoever looks on: the events of a launch, by warp.
//!
//! The executor knows neither checkers nor counters, only this trait; the driver chooses the one implementation
//! ([`crate::observe::Observers`]), so nothing is compiled twice. An event is told before it has its effect. Where an observer says no,
//! either with a fault that stops the launch or with `false`, the executor goes back to telling each access by itself.

use crate::counters::Counters;
use crate::fault::AccessKind;
use crate::machine::context::Machine;
use crate::machine::event::{InstSite, LaneFault, ResolvedAccess, WarpFault, WordWrite};
use crate::machine::warp::access::shape::CoalescingShape;
use crate::plan::{AccessGroup, GroupId, Pc, Plan};
use std::sync::Arc;

/// A group of loads from shared or constant memory whose layout over the lanes is known.
pub(crate) struct GroupLoad<'a> {
    /// The group and its number in the plan.
    pub(crate) group: (&'a AccessGroup, GroupId),
    /// The layout and its number in the worker.
    pub(crate) shape: (&'a Arc<CoalescingShape>, u32),
    /// The byte where the group begins.
    pub(crate) start: i64,
    /// Index of the warp in its block.
    pub(crate) warp: u32,
    /// Whether it is shared memory, and not constant memory.
    pub(crate) shared: bool,
}

/// A store to shared memory whose layout over the lanes is known.
pub(crate) struct GroupStore<'a> {
    pub(crate) pc: Pc,
    /// The layout and its number in the worker.
    pub(crate) shape: (&'a Arc<CoalescingShape>, u32),
    /// The byte where it begins.
    pub(crate) start: u32,
    /// Index of the warp in its block.
    pub(crate) warp: u32,
}

/// An access to global memory whose layout over the lanes is known.
pub(crate) struct GlobalAccess<'a> {
    pub(crate) at: InstSite,
    pub(crate) shape: &'a CoalescingShape,
    /// Number of the buffer.
    pub(crate) allocation: u32,
    /// The byte where it begins.
    pub(crate) start: u32,
}

/// One worker's observer.
pub(crate) trait Observer: Sized {
    /// What it knows of one block alone, while that block waits at a barrier of the grid.
    type Suspended;
    /// What was counted.
    type Counted;

    /// An observer for a worker of this launch.
    fn new(machine: &Machine) -> Self;

    /// Whether it checks accesses.
    fn checks(&self) -> bool;

    /// Whether it counts.
    fn counts(&self) -> bool;

    /// What was counted; nothing if it does not count.
    fn counted(self) -> Option<Self::Counted>;

    /// Counts from zero; gives what was counted until now.
    fn take_counted(&mut self, machine: &Machine) -> Option<Self::Counted>;

    /// Goes on counting from there; gives what was counted until now.
    fn restore_counted(&mut self, from: Option<Self::Counted>) -> Option<Self::Counted>;

    /// What was counted, by instruction of the plan.
    fn by_instruction(counted: Self::Counted, plan: &Plan) -> Vec<Counters>;

    /// A block begins.
    fn begin(&mut self, machine: &Machine);

    /// A block stops at a barrier of the grid.
    fn suspend(&mut self) -> Self::Suspended;

    /// A block goes on that had stopped there.
    fn resume(&mut self, machine: &Machine, suspended: Self::Suspended);

    /// All blocks leave a barrier of the grid.
    fn release_grid(&mut self);

    /// A warp executed the instructions from `from` to the next one of control flow.
    fn executed(&mut self, from: Pc, active: u32);

    /// A conditional branch on which lanes disagree.
    fn diverged(&mut self, pc: Pc);

    /// A memory access, before it happens.
    fn access(
        &mut self,
        machine: &Machine,
        at: &InstSite,
        span: &ResolvedAccess,
        kind: AccessKind,
    ) -> Result<(), Box<LaneFault>>;

    /// A group of loads from shared or constant memory, before the first of them; false if each must be told by [`Observer::access`].
    fn group_load(&mut self, plan: &Plan, load: &GroupLoad) -> bool;

    /// A store to shared memory; false, and nothing was noted, if it must be told by [`Observer::access`] and
    /// [`Observer::shared_write`].
    fn group_store(&mut self, store: &GroupStore) -> bool;

    /// A load from global memory of which only the counts are open.
    fn global_load(&mut self, load: &GlobalAccess);

    /// A store to global memory of which only the counts are open.
    fn global_store(&mut self, store: &GlobalAccess);

    /// A word of shared memory is about to change.
    fn shared_write(
        &mut self,
        machine: &Machine,
        at: &InstSite,
        write: &WordWrite,
    ) -> Result<(), Box<LaneFault>>;

    /// A word of global memory is about to change; told when blocks run in order.
    fn global_write(
        &mut self,
        machine: &Machine,
        at: &InstSite,
        write: &WordWrite,
    ) -> Result<(), Box<LaneFault>>;

    /// An asynchronous copy to a word of shared memory begins.
    fn async_begin(
        &mut self,
        machine: &Machine,
        at: &InstSite,
        write: &WordWrite,
    ) -> Result<(), Box<LaneFault>>;

    /// It ends: the word is about to change.
    fn async_end(&mut self, write: &WordWrite);

    /// A barrier in shared memory is arrived at or waited for.
    fn barrier_use(
        &mut self,
        machine: &Machine,
        at: &InstSite,
        span: &ResolvedAccess,
    ) -> Result<(), Box<LaneFault>>;

    /// A warp's call has given words `from` up to, without, `to` of its local memory to a new frame.
    fn frame(&mut self, warp: u32, from: u32, to: u32);

    /// Texture elements at those byte offsets were read by eight lanes.
    fn texture(&mut self, pc: Pc, texture: u32, offsets: &[u64]);

    /// A warp arrives at a block barrier.
    fn arrive(&mut self, pc: Pc);

    /// All warps of the block wait at a barrier or have ended. A fault that was held back until now.
    fn end_interval(&mut self) -> Result<(), WarpFault>;

    /// All warps of the block leave a barrier.
    fn release(&mut self);

    /// Lanes of a warp synchronise.
    fn warp_sync(&mut self, warp: u32);

    /// A memory fence.
    fn fence(&mut self);
}
