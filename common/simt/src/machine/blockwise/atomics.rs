//! Atomic operations of a block as one: those on 32-bit integers whose result is not used, and that may be made in any order.
//!
//! Others depend on which thread comes first; a warp makes them by itself.

use crate::fault::AccessKind;
use crate::machine::blockwise::active::LiveWarps;
use crate::machine::blockwise::executor::BlockExecutor;
use crate::machine::blockwise::indexed::find_offsets;
use crate::machine::blockwise::state::BlockWithdrawn;
use crate::machine::context::BufferView;
use crate::machine::event::AccessClass;
use crate::machine::mask::lanes;
use crate::machine::observer::Observer;
use crate::machine::operations::each;
use crate::machine::warp::cost::effect_cost;
use crate::plan::{AnyOperand, Atomic, Op};
use crate::value::atomic32;
use simt_ir::pointer::Space;
use simt_ir::{AtomicOp, ElementType};
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

/// The operation on a word that other threads of the host may use, too. Processors have some of them as one instruction.
#[inline(always)]
fn fetch(op: AtomicOp, word: &AtomicU32, value: u32) {
    match op {
        AtomicOp::Add => word.fetch_add(value, Relaxed),
        AtomicOp::And => word.fetch_and(value, Relaxed),
        AtomicOp::Or => word.fetch_or(value, Relaxed),
        AtomicOp::Xor => word.fetch_xor(value, Relaxed),
        _ => {
            let update = |old| Some(atomic32(op, old, value, 0));
            word.fetch_update(Relaxed, Relaxed, update).unwrap_or_else(|old| old)
        }
    };
}

/// Whether operations give the same in any order, if no thread reads the word in between.
fn is_unordered(atomic: &Atomic) -> bool {
    use AtomicOp::*;
    let commutes = matches!(atomic.op, Add | MinS | MaxS | MinU | MaxU | And | Or | Xor);
    atomic.dst.is_none() && commutes && atomic.ty == ElementType::I32
}

impl<O: Observer> BlockExecutor<'_, '_, O> {
    pub(super) fn atomic(&mut self, op: &Op, atomic: &Atomic) -> Result<(), BlockWithdrawn> {
        let bytes = atomic.ty.bytes();
        let AnyOperand::Bits32(value) = atomic.value else { return self.each_warp(op) };
        if !is_unordered(atomic) {
            return self.each_warp(op);
        }
        let Some(((space, allocation), at)) = self.indexed(&atomic.address, bytes) else {
            return self.each_warp(op);
        };
        let machine = self.machine;
        let global = match space {
            Space::Shared => &[],
            Space::Global => match &machine.buffers[allocation as usize] {
                BufferView::Written(view) if view.unwritten.is_none() || !self.observer.checks() => {
                    view.words
                }
                _ => return self.each_warp(op),
            },
            Space::Constant | Space::Local | Space::None => return self.each_warp(op),
        };
        let live = self.active.live;
        if find_offsets(machine.isa, self.regs, at, (&self.active, live), self.offsets) != live {
            return self.each_warp(op);
        }
        let class = AccessClass::atomic(atomic.order, false, atomic.op);
        let values = self.regs.rows32(value, 1);
        let shared = &mut self.block.shared;
        each!(atomic.op, AtomicOp, [Add MinS MaxS MinU MaxU And Or Xor], OP, {
            for warp in LiveWarps(live) {
                let (values, offsets) = (&self.regs.l32[values.of(warp)].0, &self.offsets[warp].0);
                for lane in lanes(self.active.masks[warp]) {
                    let word = offsets[lane] as usize / 4;
                    if space == Space::Shared {
                        shared[word] = atomic32(OP, shared[word], values[lane], 0);
                    } else {
                        fetch(OP, &global[word], values[lane]);
                    }
                }
            }
        }, _ => {});
        self.stores += 1;
        self.extra_cost += effect_cost(op) * self.active.count();
        if space == Space::Global {
            // To other blocks an atomic at block scope is a store like any other.
            let kind = if class.is_of_block() { AccessKind::Store } else { AccessKind::Atomic };
            self.log_offsets(kind, (allocation, bytes), live);
        }
        self.trace_offsets((space, allocation, bytes), class, live);
        Ok(())
    }
}
