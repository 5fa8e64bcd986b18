//! What checkers and counters are told: one place that knows which of them are on.

use super::{Machine, Raw, Site, Span, WordWrite};
use crate::check::{self, Checks};
use crate::count::{Counted, Counting};
use crate::fault::AccessKind;

/// The checker and the counters of one worker, each if it is asked for.
pub(crate) struct Observer {
    pub(crate) checks: Option<Checks>,
    pub(crate) counting: Option<Counting>,
}

/// What the checker knows of one block alone, while that block waits at a barrier of the grid.
pub(crate) struct Parked(Option<check::Parked>);

impl Observer {
    pub(crate) fn new(machine: &Machine) -> Observer {
        Observer {
            checks: machine.options.checks.then(Checks::default),
            counting: machine.options.counters.then(|| Counting::new(machine)),
        }
    }

    /// What was counted; nothing if nobody counts.
    pub(crate) fn counted(self) -> Option<Counted> {
        self.counting.map(Counting::counted)
    }

    /// Counts from zero; gives what was counted until now.
    pub(crate) fn start_over(&mut self, machine: &Machine) -> Option<Counted> {
        self.counting.as_mut().map(|counting| counting.start_over(machine))
    }

    /// Goes on counting from there; gives what was counted until now.
    pub(crate) fn go_on(&mut self, from: Option<Counted>) -> Option<Counted> {
        self.counting.as_mut().zip(from).map(|(counting, from)| counting.go_on(from))
    }

    /// A block stops at a barrier of the grid.
    pub(crate) fn park(&mut self) -> Parked {
        Parked(self.checks.as_mut().map(Checks::park))
    }

    /// A block goes on that had stopped there.
    pub(crate) fn resume(&mut self, machine: &Machine, block: u32, parked: Parked) {
        if let (Some(checks), Some(parked)) = (&mut self.checks, parked.0) {
            checks.resume(machine, block, parked);
        }
        if let Some(counting) = &mut self.counting {
            counting.begin();
        }
    }

    /// All blocks leave a barrier of the grid.
    pub(crate) fn release_grid(&mut self) {
        if let Some(checks) = &mut self.checks {
            checks.release_grid();
        }
    }

    /// A block begins.
    pub(crate) fn begin(&mut self, machine: &Machine, block: u32) {
        if let Some(checks) = &mut self.checks {
            checks.begin(machine, block);
        }
        if let Some(counting) = &mut self.counting {
            counting.begin();
        }
    }

    /// A warp executed the instructions from `from` to the next one of control flow.
    #[inline(always)]
    pub(crate) fn executed(&mut self, from: u32, active: u32) {
        if let Some(counting) = &mut self.counting {
            counting.executed(from, active);
        }
    }

    /// A conditional branch on which lanes disagree.
    #[inline(always)]
    pub(crate) fn diverged(&mut self, pc: u32) {
        if let Some(counting) = &mut self.counting {
            counting.diverged(pc);
        }
    }

    /// A memory access, before it happens.
    #[inline]
    pub(crate) fn access(
        &mut self,
        machine: &Machine,
        at: &Site,
        span: &Span,
        kind: AccessKind,
    ) -> Result<(), Box<Raw>> {
        if let Some(checks) = &mut self.checks {
            checks.access(machine, at, span, kind)?;
        }
        if let Some(counting) = &mut self.counting {
            counting.access(at, span, kind);
        }
        Ok(())
    }

    /// A word of shared memory is about to change.
    #[inline]
    pub(crate) fn shared_write(
        &mut self,
        machine: &Machine,
        at: &Site,
        write: &WordWrite,
    ) -> Result<(), Box<Raw>> {
        self.checks.as_mut().map_or(Ok(()), |c| c.shared_write(machine, at, write))
    }

    /// An asynchronous copy to a word of shared memory begins.
    pub(crate) fn async_begin(
        &mut self,
        machine: &Machine,
        at: &Site,
        write: &WordWrite,
    ) -> Result<(), Box<Raw>> {
        self.checks.as_mut().map_or(Ok(()), |c| c.async_begin(machine, at, write))
    }

    /// It ends: the word is about to change.
    pub(crate) fn async_end(&mut self, write: &WordWrite) {
        if let Some(checks) = &mut self.checks {
            checks.async_end(write);
        }
    }

    /// A barrier in shared memory is arrived at or waited for.
    pub(crate) fn barrier_use(&mut self, machine: &Machine, at: &Site, span: &Span) -> Result<(), Box<Raw>> {
        self.checks.as_mut().map_or(Ok(()), |c| c.barrier_use(machine, at, span))
    }

    /// A word of global memory is about to change; told when blocks run in order.
    pub(crate) fn global_write(
        &mut self,
        machine: &Machine,
        at: &Site,
        write: &WordWrite,
    ) -> Result<(), Box<Raw>> {
        self.checks.as_mut().map_or(Ok(()), |c| c.global_write(machine, at, write))
    }

    /// A warp's call has given words `from` up to, without, `to` of its local memory to a new frame.
    pub(crate) fn frame(&mut self, warp: u32, from: u32, to: u32) {
        if let Some(checks) = &mut self.checks {
            checks.frame(warp, from, to);
        }
    }

    /// Texture elements at those byte offsets were read by eight lanes.
    pub(crate) fn texture(&mut self, pc: u32, texture: u32, offsets: &[u64]) {
        if let Some(counting) = &mut self.counting {
            counting.texture(pc, texture, offsets);
        }
    }

    /// A warp arrives at a block barrier.
    pub(crate) fn arrive(&mut self, pc: u32) {
        if let Some(counting) = &mut self.counting {
            counting.arrive(pc);
        }
    }

    /// All warps of the block wait at a barrier or have ended. A fault that was held back until now: warp, instruction, what.
    pub(crate) fn settle(&mut self) -> Result<(), (u32, u32, Box<Raw>)> {
        self.checks.as_mut().map_or(Ok(()), Checks::settle)
    }

    /// All warps of the block leave a barrier.
    pub(crate) fn release(&mut self) {
        if let Some(checks) = &mut self.checks {
            checks.release();
        }
    }

    /// Lanes of a warp synchronise.
    pub(crate) fn warp_sync(&mut self, warp: u32) {
        if let Some(checks) = &mut self.checks {
            checks.warp_sync(warp);
        }
    }

    /// A memory fence.
    pub(crate) fn fence(&mut self, block: u32) {
        if let Some(checks) = &mut self.checks {
            checks.fence(block);
        }
    }
}
