//! Operations whose result the threads of a block share, or share but for an affine vector: they are computed once.

use crate::machine::blockwise::executor::BlockExecutor;
use crate::machine::blockwise::state::BlockWithdrawn;
use crate::machine::observer::Observer;
use crate::machine::warp::lanes::addresses::{
    compare_parts, compare_parts32, extended_part, uniform_address,
};
use crate::machine::warp::registers::{WarpRegs, WarpRegsMut};
use crate::plan::{AddressOperand, IndexOperand, MaskOp, MaskSlot, Op, Operand32, Operand64};
use crate::value::*;
use simt_ir::math::{math32, math64};
use simt_ir::{Conversion, pointer};

/// What became of an operation: `None` if it has lanes.
type Done = Option<Result<(), BlockWithdrawn>>;

impl<O: Observer> BlockExecutor<'_, '_, O> {
    /// Executes an operation whose result has no lanes of its own, or is a truth value that is clear from what the operands share.
    #[inline(always)]
    pub(super) fn compute_shared(&mut self, op: &Op) -> Done {
        use Operand32::{Affine, Lanes, Uniform};
        use Operand64::{Affine as WideAffine, Pointer, Uniform as Wide};
        let plan = self.machine.plan;
        let r = &mut *self.regs;
        match *op {
            Op::Alu32 { dst: Lanes(_), .. }
            | Op::Una32 { dst: Lanes(_), .. }
            | Op::Fma32 { dst: Lanes(_), .. }
            | Op::Sel32 { dst: Lanes(_), .. }
            | Op::Mov32 { dst: Lanes(_), .. }
            | Op::MaskToI32 { dst: Lanes(_), .. }
            | Op::Conv32 { dst: Lanes(_), .. }
            | Op::Conv64To32 { dst: Lanes(_), .. }
            | Op::Math32 { dst: Lanes(_), .. }
            | Op::ActiveMask { dst: Lanes(_) }
            | Op::Alu64 { dst: Operand64::Lanes(_), .. }
            | Op::Una64 { dst: Operand64::Lanes(_), .. }
            | Op::Fma64 { dst: Operand64::Lanes(_), .. }
            | Op::Sel64 { dst: Operand64::Lanes(_), .. }
            | Op::Mov64 { dst: Operand64::Lanes(_), .. }
            | Op::Conv32To64 { dst: Operand64::Lanes(_), .. }
            | Op::Conv64 { dst: Operand64::Lanes(_), .. }
            | Op::Math64 { dst: Operand64::Lanes(_), .. }
            | Op::Offset { dst: Operand64::Lanes(_), .. } => return None,
            Op::Mask { op, dst, a, b, c } => {
                let holds = self.known_mask(op, [a, b, c])?;
                return Some(self.put_all_masks(dst, holds));
            }
            Op::Alu32 { op, dst: Uniform(dst), a: Uniform(a), b: Uniform(b) } if !op.divides() => {
                r.u[dst] = u64::from(alu32(op, r.u[a] as u32, r.u[b] as u32));
                return Some(Ok(()));
            }
            Op::Mov32 { dst: Uniform(dst), src: Uniform(src) } => {
                r.u[dst] = u64::from(r.u[src] as u32);
                return Some(Ok(()));
            }
            Op::Cmp32 { op, float, dst, a, b } => {
                let holds = match (a, b) {
                    (Uniform(a), Uniform(b)) => Some(cmp32(op, float, r.u[a] as u32, r.u[b] as u32)),
                    _ if !float => compare_parts32(&r.u, &plan.vectors, op, [a, b]),
                    _ => None,
                }?;
                return Some(self.put_all_masks(dst, holds));
            }
            Op::Cmp64 { op, float, dst, a, b } => {
                let holds = match (a, b) {
                    (Wide(a), Wide(b)) => Some(cmp64(op, float, r.u[a], r.u[b])),
                    _ if !float => compare_parts(&r.u, &plan.vectors, op, [a, b]),
                    _ => None,
                }?;
                return Some(self.put_all_masks(dst, holds));
            }
            Op::Conv32To64 {
                op: op @ (Conversion::SignExtend | Conversion::ZeroExtend),
                dst: dst @ (Wide(_) | WideAffine(..)),
                src: src @ (Uniform(_) | Affine(..)),
            } => {
                let part = extended_part(&r.u, &plan.vectors, src, op == Conversion::SignExtend);
                return Some(
                    dst.uniform().zip(part).map(|(slot, part)| r.u[slot] = part).ok_or(BlockWithdrawn),
                );
            }
            Op::Offset { dst: Wide(dst), address }
                if let Some(pointer) = uniform_address(&r.u, &plan.records[address]) =>
            {
                r.u[dst] = pointer;
                return Some(Ok(()));
            }
            Op::Offset { dst: dst @ (Wide(_) | Pointer(..)), address } => {
                let pointer = self.shared_pointer(&plan.records[address]);
                let slot = dst.uniform().zip(pointer);
                return Some(slot.map(|(slot, pointer)| self.regs.u[slot] = pointer).ok_or(BlockWithdrawn));
            }
            _ => {}
        }
        Some(self.compute_one(op))
    }

    /// What an operation on masks gives for all threads, if that is known and the same.
    fn known_mask(&self, op: MaskOp, operands: [MaskSlot; 3]) -> Option<bool> {
        let [a, b, c] = operands.map(|slot| self.regs.known(slot));
        match op {
            MaskOp::Copy => a,
            MaskOp::Not => a.map(|a| !a),
            MaskOp::And if a == Some(false) || b == Some(false) => Some(false),
            MaskOp::Or if a == Some(true) || b == Some(true) => Some(true),
            MaskOp::And => Some(a? & b?),
            MaskOp::Or => Some(a? | b?),
            MaskOp::Xor => Some(a? ^ b?),
            MaskOp::Equal => Some(a? == b?),
            MaskOp::Select => {
                if a? {
                    b
                } else {
                    c
                }
            }
        }
    }

    /// The uniform part of a pointer whose lanes differ by an affine vector; `None` if an index wraps around in some lane.
    fn shared_pointer(&self, address: &AddressOperand) -> Option<u64> {
        let (u, vectors) = (&self.regs.u, &self.machine.plan.vectors);
        let index = match address.index {
            None => 0,
            Some(IndexOperand::Signed32(index)) => extended_part(u, vectors, index, true)?,
            Some(IndexOperand::Unsigned32(index)) => extended_part(u, vectors, index, false)?,
            Some(IndexOperand::Wide(index)) => u[index.uniform()?],
        };
        let bytes = index.wrapping_mul(address.scale).wrapping_add(address.offset);
        Some(pointer::add(u[address.base.uniform()?], bytes))
    }

    /// Writes one truth value for all active threads.
    #[inline(always)]
    fn put_all_masks(&mut self, dst: MaskSlot, holds: bool) -> Result<(), BlockWithdrawn> {
        if self.active.all {
            self.regs.put_all(dst, holds);
            return Ok(());
        }
        let new = if holds { u32::MAX } else { 0 };
        for (mask, active) in self.regs.masks_mut(dst).iter_mut().zip(&self.active.masks) {
            *mask = *mask & !active | new & active;
        }
        Ok(())
    }

    /// Computes what the first active thread has.
    fn compute_one(&mut self, op: &Op) -> Result<(), BlockWithdrawn> {
        let (warp, lane) = self.active.first();
        let mut r = self.regs.warp_mut(warp);
        match *op {
            Op::Alu32 { op, dst, a, b } => {
                let (a, b) = (r.at32(a, lane), r.at32(b, lane));
                if op.divides() && b == 0 {
                    return Err(BlockWithdrawn);
                }
                r.put_one32(dst, alu32(op, a, b), lane);
            }
            Op::Alu64 { op, dst, a, b } => {
                let (a, b) = (r.at64(a, lane), r.at64(b, lane));
                if op.divides() && b == 0 {
                    return Err(BlockWithdrawn);
                }
                r.put_one64(dst, alu64(op, a, b), lane);
            }
            Op::Una32 { op, dst, a } => r.put_one32(dst, una32(op, r.at32(a, lane)), lane),
            Op::Una64 { op, dst, a } => r.put_one64(dst, una64(op, r.at64(a, lane)), lane),
            Op::Fma32 { dst, a, b, c } => {
                r.put_one32(dst, fma32(r.at32(a, lane), r.at32(b, lane), r.at32(c, lane)), lane);
            }
            Op::Fma64 { dst, a, b, c } => {
                r.put_one64(dst, fma64(r.at64(a, lane), r.at64(b, lane), r.at64(c, lane)), lane);
            }
            Op::Sel32 { dst, cond, a, b } => {
                let holds = r.mask(cond) >> lane & 1 == 1;
                r.put_one32(dst, r.at32(if holds { a } else { b }, lane), lane);
            }
            Op::Sel64 { dst, cond, a, b } => {
                let holds = r.mask(cond) >> lane & 1 == 1;
                r.put_one64(dst, r.at64(if holds { a } else { b }, lane), lane);
            }
            Op::Mov32 { dst, src } => r.put_one32(dst, r.at32(src, lane), lane),
            Op::Mov64 { dst, src } => r.put_one64(dst, r.at64(src, lane), lane),
            Op::MaskToI32 { dst, src } => r.put_one32(dst, r.mask(src) >> lane & 1, lane),
            Op::Conv32 { op, dst, src } => {
                r.put_one32(dst, convert(op, u64::from(r.at32(src, lane))) as u32, lane);
            }
            Op::Conv32To64 { op, dst, src } => {
                r.put_one64(dst, convert(op, u64::from(r.at32(src, lane))), lane)
            }
            Op::Conv64To32 { op, dst, src } => r.put_one32(dst, convert(op, r.at64(src, lane)) as u32, lane),
            Op::Conv64 { op, dst, src } => r.put_one64(dst, convert(op, r.at64(src, lane)), lane),
            Op::Math32 { function, dst, a, b, c } => {
                r.put_one32(dst, math32(function, r.at32(a, lane), r.at32(b, lane), r.at32(c, lane)), lane);
            }
            Op::Math64 { function, dst, a, b, c } => {
                r.put_one64(dst, math64(function, r.at64(a, lane), r.at64(b, lane), r.at64(c, lane)), lane);
            }
            _ => return Err(BlockWithdrawn),
        }
        Ok(())
    }

    /// Withdraws if an active thread divides by zero.
    pub(super) fn check_divisors32(&mut self, divisor: Operand32) -> Result<(), BlockWithdrawn> {
        let rows = self.regs.rows32(divisor, 1);
        let is_zero = |warp: usize| {
            let row = &self.regs.l32[rows.of(warp)].0;
            let zeros = row.iter().enumerate().fold(0, |zeros, (i, v)| zeros | u32::from(*v == 0) << i);
            zeros & self.active.masks[warp] != 0
        };
        if self.active.live().any(is_zero) { Err(BlockWithdrawn) } else { Ok(()) }
    }

    pub(super) fn check_divisors64(&mut self, divisor: Operand64) -> Result<(), BlockWithdrawn> {
        let rows = self.regs.rows64(divisor, 1);
        let is_zero = |warp: usize| {
            let row = &self.regs.l64[rows.of(warp)].0;
            let zeros = row.iter().enumerate().fold(0, |zeros, (i, v)| zeros | u32::from(*v == 0) << i);
            zeros & self.active.masks[warp] != 0
        };
        if self.active.live().any(is_zero) { Err(BlockWithdrawn) } else { Ok(()) }
    }
}
