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
use crate::machine::warp::cost::effect_cost;
use crate::plan::{AnyOperand, Atomic, Op};
use simt_ir::pointer::Space;
use simt_ir::{AtomicOp, ElementType};
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

/// Executes an operation with one of some operations as a constant, so that each gets a loop of its own.
macro_rules! each_operation {
    ($op:expr, |$own:ident, $shared:ident| $body:expr) => {
        match $op {
            AtomicOp::Add => each_operation!(@ $own $shared, u32::wrapping_add, AtomicU32::fetch_add, $body),
            AtomicOp::MinS => each_operation!(@ $own $shared, min_signed, fetch_min_signed, $body),
            AtomicOp::MaxS => each_operation!(@ $own $shared, max_signed, fetch_max_signed, $body),
            AtomicOp::MinU => each_operation!(@ $own $shared, u32::min, AtomicU32::fetch_min, $body),
            AtomicOp::MaxU => each_operation!(@ $own $shared, u32::max, AtomicU32::fetch_max, $body),
            AtomicOp::And => each_operation!(@ $own $shared, and, AtomicU32::fetch_and, $body),
            AtomicOp::Or => each_operation!(@ $own $shared, or, AtomicU32::fetch_or, $body),
            AtomicOp::Xor => each_operation!(@ $own $shared, xor, AtomicU32::fetch_xor, $body),
            AtomicOp::AddF16
            | AtomicOp::AddBf16
            | AtomicOp::Exchange
            | AtomicOp::CompareSwap
            | AtomicOp::IncrementWrap
            | AtomicOp::DecrementWrap => {}
        }
    };
    (@ $own:ident $shared:ident, $plain:expr, $atomic:expr, $body:expr) => {{
        let ($own, $shared) = ($plain, $atomic);
        $body
    }};
}

fn min_signed(a: u32, b: u32) -> u32 {
    (a as i32).min(b as i32) as u32
}

fn max_signed(a: u32, b: u32) -> u32 {
    (a as i32).max(b as i32) as u32
}

fn and(a: u32, b: u32) -> u32 {
    a & b
}

fn or(a: u32, b: u32) -> u32 {
    a | b
}

fn xor(a: u32, b: u32) -> u32 {
    a ^ b
}

fn fetch_min_signed(word: &AtomicU32, value: u32, order: std::sync::atomic::Ordering) -> u32 {
    word.fetch_update(order, order, |old| Some(min_signed(old, value))).unwrap_or_else(|old| old)
}

fn fetch_max_signed(word: &AtomicU32, value: u32, order: std::sync::atomic::Ordering) -> u32 {
    word.fetch_update(order, order, |old| Some(max_signed(old, value))).unwrap_or_else(|old| old)
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
        let Some((space, allocation, range, index)) = self.indexed(&atomic.address, bytes) else {
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
        if find_offsets(machine.isa, self.regs, (index, &range), bytes, (&self.active, live), self.offsets)
            != live
        {
            return self.each_warp(op);
        }
        let class = AccessClass::atomic(atomic.order, false, atomic.op);
        let values = self.regs.rows32(value, 1);
        let shared = &mut self.block.shared;
        each_operation!(atomic.op, |plain, fetch| {
            for warp in LiveWarps(live) {
                let (values, offsets) = (&self.regs.l32[values.of(warp)].0, &self.offsets[warp].0);
                for lane in lanes(self.active.masks[warp]) {
                    let word = offsets[lane] as usize / 4;
                    if space == Space::Shared {
                        shared[word] = plain(shared[word], values[lane]);
                    } else {
                        fetch(&global[word], values[lane], Relaxed);
                    }
                }
            }
        });
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
