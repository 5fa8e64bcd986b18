//! Warp functions of a block as one: shuffles, votes and `__syncwarp`, each warp among its own lanes.
//!
//! Only where all threads of a warp are there and named, and with operands that the block shares; else a warp does it by itself, and finds out
//! who is missing.

use crate::isa::per_isa;
use crate::machine::blockwise::active::Active;
use crate::machine::blockwise::executor::BlockExecutor;
use crate::machine::blockwise::registers::{BlockRegs, BlockRows};
use crate::machine::blockwise::state::BlockWithdrawn;
use crate::machine::observer::Observer;
use crate::machine::trace::TraceEvent;
use crate::machine::warp::collective::source_lane;
use crate::machine::warp::lanes::vectors::Vectors;
use crate::machine::warp::registers::Lanes;
use crate::plan::{AnyOperand, MaskSlot, Op, Operand32, Operand64, Shuffle};

per_isa! {
    /// Gives each lane of each active warp the value of another.
    fn permute(simd; r: &mut BlockRegs, active: &Active, dst: usize, src: BlockRows, from: &Lanes<u32>) {
        for warp in active.live() {
            let values = r.l32[src.of(warp)];
            let row = simd.permute(&values, from);
            simd.put(&mut r.l32[dst + warp], row, active.masks[warp]);
        }
    }
}

impl<O: Observer> BlockExecutor<'_, '_, O> {
    /// Whether each active warp is complete, and all its lanes name all of them.
    fn all_meet(&self, members: Operand32) -> bool {
        let Operand32::Uniform(members) = members else { return false };
        let members = self.regs.u[members] as u32;
        let is_complete = |warp: usize| {
            let present = self.regs.present[warp];
            self.active.masks[warp] == present && present & !members == 0
        };
        self.active.live().all(is_complete)
    }

    pub(super) fn shuffle(&mut self, op: &Op, shuffle: &Shuffle) -> Result<(), BlockWithdrawn> {
        let (Operand32::Uniform(lane), Operand32::Uniform(width)) = (shuffle.lane, shuffle.width) else {
            return self.each_warp(op);
        };
        let (step, width) = (self.regs.u[lane] as u32, self.regs.u[width] as u32);
        let is_width = matches!(width, 2 | 4 | 8 | 16 | 32);
        let is_full = |warp: usize| self.regs.present[warp] == u32::MAX;
        if !is_width || !self.all_meet(shuffle.members) || !self.active.live().all(is_full) {
            return self.each_warp(op);
        }
        let mut from = Lanes([0; 32]);
        for own in 0..32 {
            from.0[own as usize] = source_lane(shuffle.mode, own, step, width);
        }
        match (shuffle.dst, shuffle.value) {
            (AnyOperand::Bits32(Operand32::Lanes(dst)), AnyOperand::Bits32(value)) => {
                let (dst, src) = (self.regs.first32(dst), self.regs.rows32(value, 0));
                permute(self.machine.isa, self.regs, &self.active, dst, src, &from);
            }
            (AnyOperand::Bits64(Operand64::Lanes(dst)), AnyOperand::Bits64(value)) => {
                let (dst, src) = (self.regs.first64(dst), self.regs.rows64(value, 0));
                for warp in self.active.live() {
                    let values = self.regs.l64[src.of(warp)];
                    let row = Lanes(from.0.map(|lane| values.0[lane as usize]));
                    self.regs.put_row64(dst + warp, &row, self.active.masks[warp]);
                }
            }
            _ => return self.each_warp(op),
        }
        Ok(())
    }

    pub(super) fn ballot(
        &mut self,
        op: &Op,
        (dst, predicate, members): (Operand32, MaskSlot, Operand32),
    ) -> Result<(), BlockWithdrawn> {
        let Operand32::Lanes(dst) = dst else { return self.each_warp(op) };
        if !self.all_meet(members) {
            return self.each_warp(op);
        }
        for warp in self.active.live() {
            let active = self.active.masks[warp];
            let bits = self.regs.masks(predicate)[warp] & active;
            let row = self.regs.first32(dst) + warp;
            self.regs.put_row32(row, &Lanes([bits; 32]), active);
        }
        Ok(())
    }

    pub(super) fn vote(
        &mut self,
        op: &Op,
        all: bool,
        (dst, predicate, members): (MaskSlot, MaskSlot, Operand32),
    ) -> Result<(), BlockWithdrawn> {
        if !self.all_meet(members) {
            return self.each_warp(op);
        }
        for warp in self.active.live() {
            let active = self.active.masks[warp];
            let bits = self.regs.masks(predicate)[warp] & active;
            let holds = if all { bits == active } else { bits != 0 };
            self.regs.put_mask(dst, warp, if holds { u32::MAX } else { 0 }, active);
        }
        Ok(())
    }

    pub(super) fn warp_barrier(&mut self, op: &Op, members: Operand32) -> Result<(), BlockWithdrawn> {
        if !self.all_meet(members) {
            return self.each_warp(op);
        }
        for warp in self.active.live() {
            let present = self.regs.present[warp];
            let event = TraceEvent::WarpSync { warp: warp as u32, members: present, present };
            self.observer.trace().push(self.pc, event);
        }
        Ok(())
    }
}
