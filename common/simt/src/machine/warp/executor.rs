//! The executor of a warp: the warp with all that its instructions can reach.
//!
//! This is data, and what several kinds of instructions need. The instructions themselves are methods in the modules beside this one; the
//! loop over them is [`super::interpreter`].

use crate::fault::{AccessKind, FaultKind};
use crate::machine::context::{BufferView, Machine};
use crate::machine::event::{AccessClass, InstSite, LaneFault, ResolvedAccess};
use crate::machine::memory::owners::log::{AccessLog, BufferAccess};
use crate::machine::observer::Observer;
use crate::machine::warp::access::placement::ShapeCache;
use crate::machine::warp::async_state::AsyncState;
use crate::machine::warp::cost::access_cost;
use crate::machine::warp::spin::SpinProbe;
use crate::machine::warp::state::Warp;
use crate::plan::Pc;
use simt_ir::pointer::Space;
use source::hash::Mixer;
use std::hash::Hasher;

/// A warp for one time slice, with its block and its worker.
pub(crate) struct WarpExecutor<'a, 'm, O> {
    pub(crate) machine: &'a Machine<'m>,
    pub(crate) observer: &'a mut O,
    pub(crate) warp: &'a mut Warp,
    /// The block's shared memory.
    pub(crate) shared: &'a mut [u32],
    pub(crate) asyncs: &'a mut AsyncState,
    pub(crate) shapes: &'a mut ShapeCache,
    pub(crate) log: &'a mut AccessLog,
    pub(crate) printed: &'a mut String,
    /// Bytes that the block may print.
    pub(crate) room: usize,
    /// For byte offsets of texture elements.
    pub(crate) texels: &'a mut Vec<u64>,
    /// The registers of the warp at the end of an iteration of a loop that polls.
    pub(crate) probe: &'a mut SpinProbe,
    /// Whether it may have changed memory since the probe kept its registers.
    pub(crate) stored: bool,
    /// Linear index of the block.
    pub(crate) block: u32,
    /// Instructions that the block may still execute.
    pub(crate) budget: u64,
    /// Accesses on the slow path and other effects of this time slice, and how many the block may still have.
    pub(crate) effects: u64,
    pub(crate) max_effects: u64,
    /// What this time slice has cost of the budget beside its instructions.
    pub(crate) extra_cost: u64,
}

impl<O: Observer> WarpExecutor<'_, '_, O> {
    /// An instruction of this warp.
    #[inline(always)]
    pub(crate) fn at(&self, pc: Pc) -> InstSite {
        InstSite { pc, warp: self.warp.index, block: self.block }
    }

    /// An access of this warp's block to a buffer.
    #[inline(always)]
    pub(crate) fn buffer_access(&self, kind: AccessKind, buffer: u32) -> BufferAccess {
        BufferAccess { kind, buffer, block: self.block }
    }

    /// A hash of the memory that the warp can reach and change.
    #[cold]
    pub(crate) fn memory(&self) -> u64 {
        let mut hash = Mixer::default();
        self.shared.iter().for_each(|word| hash.mix(u64::from(*word)));
        self.warp.local.iter().for_each(|lanes| lanes.0.iter().for_each(|word| hash.mix(u64::from(*word))));
        self.machine.mix_buffers(&mut hash);
        hash.finish()
    }

    /// Tells the observer of an access.
    #[inline]
    pub(crate) fn observe(
        &mut self,
        at: &InstSite,
        access: &ResolvedAccess,
        class: AccessClass,
    ) -> Result<(), Box<LaneFault>> {
        let machine = self.machine;
        if machine.options.weighted {
            // A launch that continues after faults has a small budget of its own.
            let is_ordering = machine.ordered && self.observer.checks() && machine.recovery.is_none();
            self.extra_cost += access_cost(access, class.kind, is_ordering);
        }
        // Whether this launch has written a word that it reads, the owner table knows, so that has to be up to date. And if it has not,
        // another block that writes the word later makes the fault depend on which came first: the read has to be on record.
        let may_be_unwritten = match machine.buffers.get(access.allocation as usize) {
            Some(BufferView::Written(view)) if access.space == Space::Global && class.reads => {
                self.observer.checks() && view.unwritten.is_some()
            }
            _ => false,
        };
        if may_be_unwritten && !self.log.is_empty() {
            machine.flush(self.log);
        }
        if let Some(recovery) = machine.recovery {
            return self.observe_recovering(recovery, at, access, class);
        }
        let result = self.observer.access(machine, at, access, class);
        if may_be_unwritten && result.is_err() {
            let read = self.buffer_access(AccessKind::Load, access.allocation);
            self.log.words(read, access.words());
        }
        result.map_err(|fault| self.with_stack_array(access, fault))
    }

    /// Observers know nothing of frames: completes a fault in an array of one.
    #[cold]
    pub(crate) fn with_stack_array(
        &self,
        access: &ResolvedAccess,
        mut fault: Box<LaneFault>,
    ) -> Box<LaneFault> {
        let (machine, regs) = (self.machine, &self.warp.regs);
        if let FaultKind::UninitialisedRead { target, offset, .. } = &mut fault.kind
            && let Some(array) = machine.stack_array(regs, access.space, access.allocation)
        {
            *target = machine.stack_target(array, access.allocation);
            *offset -= i64::from(array.start);
        }
        fault
    }
}
