//! A warp at work.

use crate::fault::{AccessKind, FaultKind};
use crate::machine::context::{BufferView, Machine};
use crate::machine::event::{InstSite, LaneFault, ResolvedAccess};
use crate::machine::memory::owners::log::AccessLog;
use crate::machine::observer::Observer;
use crate::machine::warp::access::placement::{ResolvedGroup, ShapeCache};
use crate::machine::warp::async_state::AsyncState;
use crate::machine::warp::state::Warp;
use crate::plan::GroupId;
use crate::table::Table;
use simt_ir::pointer::Space;

/// A warp at work, with what it touches.
pub(crate) struct WarpExecutor<'a, 'm, O> {
    pub(crate) machine: &'a Machine<'m>,
    pub(crate) observer: &'a mut O,
    pub(crate) warp: &'a mut Warp,
    pub(crate) shared: &'a mut [u32],
    pub(crate) asyncs: &'a mut AsyncState,
    pub(crate) shapes: &'a mut ShapeCache,
    /// By group: where it lies, in the basic block at hand.
    pub(crate) located: &'a mut Table<GroupId, ResolvedGroup>,
    /// Words of a buffer that other blocks may write, as this warp reads them.
    pub(crate) copied: &'a mut Vec<u32>,
    /// What blocks have touched.
    pub(crate) log: &'a mut AccessLog,
    pub(crate) printed: &'a mut String,
    /// Bytes that the block may print.
    pub(crate) room: usize,
    pub(crate) touched: &'a mut Vec<u64>,
    pub(crate) index: u32,
    pub(crate) block: u32,
    /// Instructions that the block may still execute.
    pub(crate) budget: u64,
}

impl<O: Observer> WarpExecutor<'_, '_, O> {
    /// Tells the observer of an access. What it says of a frame's array it says without the array's name and start.
    #[inline]
    pub(crate) fn observe(
        &mut self,
        at: &InstSite,
        span: &ResolvedAccess,
        kind: AccessKind,
    ) -> Result<(), Box<LaneFault>> {
        let machine = self.machine;
        // Whether the block has written what it reads is asked of the tables; and if nobody has, another block that writes it
        // later makes the fault depend on which came first.
        let fresh = match machine.buffers.get(span.allocation as usize) {
            Some(BufferView::Written(view)) if span.space == Space::Global && kind == AccessKind::Load => {
                self.observer.checks() && view.unwritten.is_some()
            }
            _ => false,
        };
        if fresh && !self.log.is_empty() {
            machine.flush(self.log);
        }
        let result = self.observer.access(machine, at, span, kind);
        if fresh && result.is_err() {
            self.log.words(AccessKind::Load, (span.allocation, at.block + 1), span.words());
        }
        result.map_err(|fault| self.named(span, fault))
    }

    #[cold]
    fn named(&self, span: &ResolvedAccess, mut fault: Box<LaneFault>) -> Box<LaneFault> {
        if let FaultKind::UninitialisedRead { target, offset } = &mut fault.kind
            && let Some((known, start)) =
                self.machine.stack_target(&self.warp.regs, span.space, span.allocation)
        {
            *target = known;
            *offset -= start as i64;
        }
        fault
    }
}
