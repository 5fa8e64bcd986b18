//! A warp at work.

use crate::fault::{AccessKind, FaultKind};
use crate::machine::context::{Machine, View};
use crate::machine::event::{Raw, Site, Span};
use crate::machine::memory::owners::log::{Log, Touch};
use crate::machine::observer::Observer;
use crate::machine::warp::access::placement::{Layouts, Located};
use crate::machine::warp::async_state::Asyncs;
use crate::machine::warp::state::Warp;
use simt_ir::pointer::Space;

/// A warp at work, with what it touches.
pub(crate) struct Cpu<'a, 'm, O> {
    pub(crate) machine: &'a Machine<'m>,
    pub(crate) observer: &'a mut O,
    pub(crate) warp: &'a mut Warp,
    pub(crate) shared: &'a mut [u32],
    pub(crate) asyncs: &'a mut Asyncs,
    pub(crate) layouts: &'a mut Layouts,
    /// By group: where it lies, in the stretch of code at hand.
    pub(crate) located: &'a mut [Located],
    /// Words of a buffer that other blocks may write, as this warp reads them.
    pub(crate) copied: &'a mut Vec<u32>,
    /// What blocks have touched.
    pub(crate) log: &'a mut Log,
    pub(crate) printed: &'a mut String,
    /// Bytes that the block may print.
    pub(crate) room: usize,
    pub(crate) touched: &'a mut Vec<u64>,
    pub(crate) index: u32,
    pub(crate) block: u32,
    /// Instructions that the block may still execute.
    pub(crate) budget: u64,
}

impl<O: Observer> Cpu<'_, '_, O> {
    /// Tells the observer of an access. What it says of a frame's array it says without the array's name and start.
    #[inline]
    pub(crate) fn observe(&mut self, at: &Site, span: &Span, kind: AccessKind) -> Result<(), Box<Raw>> {
        let machine = self.machine;
        // Whether the block has written what it reads is asked of the tables; and if nobody has, another block that writes it
        // later makes the fault depend on which came first.
        let fresh = match machine.buffers.get(span.allocation as usize) {
            Some(View::Written(view)) if span.space == Space::Global && kind == AccessKind::Load => {
                self.observer.checks() && view.unwritten.is_some()
            }
            _ => false,
        };
        if fresh && !self.log.is_empty() {
            machine.empty(self.log);
        }
        let result = self.observer.access(machine, at, span, kind);
        if fresh && result.is_err() {
            self.log.words(Touch::Read, (span.allocation, at.block + 1), span.words());
        }
        result.map_err(|raw| self.named(span, raw))
    }

    #[cold]
    fn named(&self, span: &Span, mut raw: Box<Raw>) -> Box<Raw> {
        if let FaultKind::UninitialisedRead { target, offset } = &mut raw.kind
            && let Some((known, start)) =
                self.machine.stack_target(&self.warp.regs, span.space, span.allocation)
        {
            *target = known;
            *offset -= start as i64;
        }
        raw
    }
}
