//! Control flow of a block as one: the same structured masks as of a warp ([`crate::machine::warp::interpreter`]), one for each warp.
//!
//! A branch goes both ways if any thread of the block does. Warps none of whose threads go that way have no part in it: their
//! operations are neither executed nor counted.

use crate::machine::blockwise::active::MaskChange;
use crate::machine::blockwise::executor::{BlockExecutor, BlockFlow, LastLook};
use crate::machine::blockwise::state::{BlockWithdrawn, EnteredWarps};
use crate::machine::observer::Observer;
use crate::machine::trace::TraceEvent;
use crate::machine::warp::registers::WarpRegsMut;
use crate::plan::{BarrierId, MaskSlot, Op, Operand32, Pc, collective, compute, dead, effect, memory};
use simt_ir::ReduceMode;
use source::hash::Mixer;
use std::hash::Hasher;

/// Warp instructions from one look at whether a loop changes anything to the next.
pub(super) const LOOK: u64 = 1 << 20;

/// A block that takes more than this part of the budget withdraws: where the budget ends is for the other machine to say, and the sooner it
/// begins, the less is done twice.
const MAX_SHARE: u64 = 8;

impl<O: Observer> BlockExecutor<'_, '_, O> {
    /// Continues at the next instruction; at `target` if no thread is active.
    #[inline(always)]
    fn go_on(&mut self, target: Pc) {
        self.pc = if self.active.is_none() { target } else { self.pc + 1 };
    }

    /// No thread continues here.
    fn leave_all(&mut self, target: Pc) {
        self.active.clear();
        self.pc = target;
    }

    /// The threads of a mask, which are elsewhere, continue here, too; or go there if those that are active come from there.
    #[inline(always)]
    fn change(&mut self, slot: MaskSlot, how: MaskChange) {
        if how == MaskChange::Swap || self.regs.known(slot) != Some(false) {
            let known = self.regs.known(slot).filter(|_| how == MaskChange::Join);
            let (present, others) = self.regs.present_and(slot);
            self.active.set(self.machine.isa, others, present, how);
            self.regs.restore_known(slot, known);
        }
    }

    /// Active threads for which a condition does not hold go to the mask `left`; those that it had stay there if `keeps`.
    #[inline(always)]
    fn split(&mut self, condition: MaskSlot, left: MaskSlot, keeps: bool) {
        let (present, holds, left) = self.regs.masks_and(condition, left);
        let split = self.active.split(self.machine.isa, holds, (left, keeps), present);
        if split != 0 {
            self.observer.diverged_as_one(self.pc, split);
        }
    }

    /// Executes an instruction of control flow.
    #[inline(always)]
    pub(super) fn control(&mut self, op: &Op) -> Result<BlockFlow, BlockWithdrawn> {
        match *op {
            Op::If { condition, other, target } => {
                match self.regs.known(condition) {
                    Some(true) => self.regs.put_all(other, false),
                    _ => self.split(condition, other, false),
                }
                self.go_on(target);
            }
            Op::Else { other, target } => {
                self.change(other, MaskChange::Swap);
                self.go_on(target);
            }
            Op::EndIf { other: slot, target } | Op::Leave { out: slot, target } => {
                self.change(slot, MaskChange::Join);
                self.go_on(target);
            }
            Op::LoopEnter { out, again } => {
                self.regs.put_all(out, false);
                self.regs.put_all(again, false);
                self.pc += 1;
            }
            Op::LoopTest { condition, out, target } => {
                if self.regs.known(condition) != Some(true) {
                    self.split(condition, out, true);
                }
                self.go_on(target);
            }
            Op::LoopStep { again, target } => {
                self.change(again, MaskChange::Join);
                if self.regs.known(again) != Some(false) {
                    self.regs.put_all(again, false);
                }
                self.go_on(target);
            }
            // Nothing waits in a loop of a kernel that uses no result of a strong access.
            Op::PollEnter { .. } => self.pc += 1,
            Op::LoopBack { .. } | Op::PollBack { .. } if self.active.is_none() => self.pc += 1,
            Op::LoopBack { target } | Op::PollBack { target, .. } => {
                self.check_budget()?;
                self.pc = target;
            }
            Op::ScopeEnter { out } => {
                self.regs.put_all(out, false);
                self.pc += 1;
            }
            Op::Break { out: slot, target } | Op::Continue { again: slot, target } => {
                let masks = &self.active.masks;
                let slots = self.regs.masks_mut(slot);
                slots.iter_mut().zip(masks).for_each(|(out, mask)| *out |= mask);
                self.leave_all(target);
            }
            Op::Return { target } => {
                self.leave_all(target);
            }
            Op::Exit => return Ok(BlockFlow::End),
            Op::Barrier { barrier } => self.barrier(barrier)?,
            Op::Call { .. }
            | Op::Back
            | Op::Await { .. }
            | compute!()
            | memory!()
            | effect!()
            | collective!()
            | dead!() => {
                return Err(BlockWithdrawn);
            }
        }
        Ok(BlockFlow::Continue)
    }

    /// How many warps execute an instruction of control flow one by one, so that the block costs the same as one and warp by warp.
    #[inline(always)]
    pub(super) fn arrivals(&mut self, op: &Op) -> u64 {
        let active = self.active.count();
        match op {
            Op::If { .. } | Op::LoopEnter { .. } | Op::ScopeEnter { .. } => {
                self.entered.push(EnteredWarps { construct: active, iteration: active });
                active
            }
            Op::Else { .. } => self.entered.last().map_or(active, |entered| entered.construct),
            Op::LoopTest { .. } | Op::LoopStep { .. } | Op::LoopBack { .. } | Op::PollBack { .. } => {
                self.entered.last().map_or(active, |entered| entered.iteration)
            }
            Op::EndIf { .. } | Op::Leave { .. } => {
                self.entered.pop().map_or(active, |entered| entered.construct)
            }
            Op::Exit => self.regs.warps as u64,
            _ => active,
        }
    }

    /// After an instruction of control flow: how many warps continue with an iteration.
    #[inline(always)]
    pub(super) fn follow_iteration(&mut self, op: &Op) {
        if let Op::LoopTest { .. } | Op::LoopStep { .. } | Op::LoopBack { .. } | Op::PollBack { .. } = op
            && let Some(entered) = self.entered.last_mut()
        {
            entered.iteration = self.active.count();
        }
    }

    /// All threads of the block meet at a barrier, or the block withdraws.
    fn barrier(&mut self, barrier: BarrierId) -> Result<(), BlockWithdrawn> {
        if !self.active.all {
            return Err(BlockWithdrawn);
        }
        self.observer.arrived_as_one(self.pc, self.active.count());
        if let Some(reduction) = &self.machine.plan.records[barrier].reduction {
            let predicates = self.regs.masks(reduction.predicate).iter().zip(&self.regs.present);
            let holds = predicates.map(|(predicate, present)| (predicate & present, *present));
            let result = match reduction.mode {
                ReduceMode::Count => holds.map(|(m, _)| m.count_ones()).sum(),
                ReduceMode::And => holds.fold(1, |all, (m, p)| all & u32::from(m == p)),
                ReduceMode::Or => holds.fold(0, |any, (m, _)| any | u32::from(m != 0)),
            };
            self.put_all32(reduction.dst, result);
        }
        self.observer.trace().push(self.pc, TraceEvent::Barrier);
        self.pc += 1;
        Ok(())
    }

    /// Writes a value to all threads of the block.
    fn put_all32(&mut self, dst: Operand32, value: u32) {
        match dst {
            Operand32::Lanes(slot) => {
                for warp in 0..self.regs.warps {
                    self.regs.row32_mut(slot, warp).0 = [value; 32];
                }
            }
            Operand32::Uniform(_) | Operand32::Affine(..) => {
                let (warp, lane) = self.active.first();
                self.regs.warp_mut(warp).put_one32(dst, value, lane);
            }
        }
    }

    /// At the end of an iteration: withdraws where the block may use up the budget, or the loop has no end.
    #[inline(always)]
    fn check_budget(&mut self) -> Result<(), BlockWithdrawn> {
        if self.observer.trace().is_full() {
            self.flush_trace(false)?;
        }
        if self.work() > self.machine.options.instruction_budget / MAX_SHARE {
            return Err(BlockWithdrawn);
        }
        if self.clock < self.last_look.next { Ok(()) } else { self.look() }
    }

    #[cold]
    fn look(&mut self) -> Result<(), BlockWithdrawn> {
        let mut hash = Mixer::default();
        self.regs.mix(&mut hash);
        self.active.masks.iter().for_each(|mask| hash.mix(u64::from(*mask)));
        let registers = hash.finish();
        // Hashing memory takes its time, so that is done for a block whose registers repeat alone.
        let repeats = (self.last_look.pc, self.last_look.registers) == (self.pc, registers);
        let memory = (repeats && self.stores != self.last_look.stores).then(|| self.memory());
        if repeats && memory == self.last_look.memory {
            return Err(BlockWithdrawn);
        }
        self.last_look =
            LastLook { pc: self.pc, registers, stores: self.stores, memory, next: self.clock + LOOK };
        Ok(())
    }

    /// A hash of the memory that the block can reach and change.
    fn memory(&self) -> u64 {
        let mut hash = Mixer::default();
        self.block.shared.iter().for_each(|word| hash.mix(u64::from(*word)));
        let local = self.block.warps.iter().flat_map(|warp| &warp.local);
        local.for_each(|lanes| lanes.0.iter().for_each(|word| hash.mix(u64::from(*word))));
        self.machine.mix_buffers(&mut hash);
        hash.finish()
    }
}
