//! Operations that the warps of a block execute by themselves, each as a warp of the other machine does: what is rare, or unusual.
//!
//! A warp's operands are copied to the registers of a [`Warp`] and its results from there, by the roles of the operation's fields.

use crate::machine::blockwise::executor::BlockExecutor;
use crate::machine::blockwise::state::BlockWithdrawn;
use crate::machine::observer::Observer;
use crate::machine::warp::executor::WarpExecutor;
use crate::machine::warp::registers::{WarpRegs, WarpRegsMut};
use crate::plan::{Op, Role, Slot};
use std::sync::atomic::Ordering::Relaxed;

/// Copies a slot from the block's registers to the warp's, or back.
fn copy(from: &impl WarpRegs, to: &mut impl WarpRegsMut, slot: Slot) {
    match slot {
        Slot::Lane32(slot) => *to.row32_mut(slot) = *from.row32(slot),
        Slot::Lane64(slot) => *to.row64_mut(slot) = *from.row64(slot),
        Slot::Mask(slot) => to.put_mask(slot, from.mask(slot), u32::MAX),
        Slot::Uniform(slot) => *to.shared_mut(slot) = from.shared(slot),
    }
}

impl<O: Observer> BlockExecutor<'_, '_, O> {
    /// Executes an operation, which is no control flow, in one warp.
    #[cold]
    pub(super) fn in_warp(&mut self, op: &Op, warp: usize) -> Result<(), BlockWithdrawn> {
        let (machine, active) = (self.machine, self.active.masks[warp]);
        let records = &machine.plan.records;
        let of = &mut self.block.warps[warp];
        // What is written in part has to be there, too.
        op.visit(records, &mut |_, slot| copy(&self.regs.warp(warp), &mut of.regs, slot));
        let mut executor = WarpExecutor {
            machine,
            observer: &mut *self.observer,
            warp: of,
            shared: &mut self.block.shared,
            asyncs: &mut self.block.asyncs,
            shapes: self.shapes,
            log: self.log,
            printed: &mut self.block.printed,
            room: self.block.room,
            texels: self.of_warps.texels,
            probe: self.of_warps.probe,
            stored: false,
            block: self.index,
            budget: u64::MAX,
            effects: 0,
            extra_cost: 0,
            max_effects: u64::MAX,
        };
        let result = executor.effect(*op, self.pc, active, 0);
        (self.extra_cost, self.stores) = (self.extra_cost + executor.extra_cost, self.stores + 1);
        if result.is_err() || machine.misfit.load(Relaxed) {
            return Err(BlockWithdrawn);
        }
        let of = &self.block.warps[warp];
        op.visit(records, &mut |role, slot| {
            if role == Role::Writes {
                copy(&of.regs, &mut self.regs.warp_mut(warp), slot);
            }
        });
        Ok(())
    }
}
