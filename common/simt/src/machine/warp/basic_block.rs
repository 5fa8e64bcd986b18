//! Basic blocks: the loop over operations that need nothing but registers, and accesses that the fast path can do.
//!
//! It is the hot loop of the simulator. It stops before whatever is rarer: control flow, effects, and accesses for the slow path.

use crate::machine::mask::{first, lanes_where, mask_op};
use crate::machine::observer::Observer;
use crate::machine::warp::cost::{RARE_COST, STORE_COST, compute_cost};
use crate::machine::warp::executor::WarpExecutor;
use crate::machine::warp::lanes::addresses::{compare_parts, put_extended, put_pointer, uniform_address};
use crate::machine::warp::lanes::compute::compute;
use crate::machine::warp::lanes::divide::Divisor;
use crate::machine::warp::lanes::vectors::Vectors;
use crate::machine::warp::registers::{Lanes, Regs, WarpRegs, WarpRegsMut, blend};
use crate::plan::Operand32::{Affine, Lanes as InLanes, Uniform};
use crate::plan::Operand64::{Affine as WideAffine, Pointer, Uniform as Wide};
use crate::plan::{Op, Operand32, Pc, collective, control, effect};
use crate::value::*;
use simt_ir::{CompareOp, Conversion};

/// Active lanes whose divisor is zero.
pub(crate) fn zero_divisors(r: &Regs, op: &Op, mask: u32) -> u32 {
    match *op {
        Op::Alu32 { b, .. } => lanes_where(mask, |i| r.at32(b, i) == 0),
        Op::Alu64 { b, .. } => lanes_where(mask, |i| r.at64(b, i) == 0),
        _ => 0,
    }
}

/// Why a basic block ended.
pub(crate) enum BasicBlockEnd {
    /// The operation here is of another kind, or its access has to take the slow path; or it computes what the plan takes for affine and is not.
    Other(Pc),
    /// The operation here divides by zero in an active lane.
    ZeroDivisor(Pc),
}

/// Executes operations from `pc` on, as many as can be done here.
#[inline(always)]
pub(crate) fn run_basic_block<V: Vectors, O: Observer>(
    simd: V,
    executor: &mut WarpExecutor<O>,
    mut pc: Pc,
    mask: u32,
) -> BasicBlockEnd {
    let plan = executor.machine.plan;
    let code = &plan.code;
    loop {
        let r = &mut executor.warp.regs;
        match code[pc] {
            Op::Skip { to } => {
                pc = to;
                continue;
            }
            Op::Load { load } => {
                if !executor.load_fast(simd, pc, load, mask) {
                    return BasicBlockEnd::Other(pc);
                }
            }
            Op::Store { store } => {
                executor.stored = true;
                executor.extra_cost += STORE_COST;
                if !executor.store_fast(simd, pc, store, mask) {
                    return BasicBlockEnd::Other(pc);
                }
            }
            Op::Alu32 { op, dst, a: a @ (InLanes(_) | Affine(..)), b: Uniform(b) }
                if op.divides()
                    && let Some(divisor) = Divisor::of(op, r.u[b] as u32) =>
            {
                let out = divisor.divide(&r.lanes32(a));
                r.put32(dst, &out, mask);
            }
            Op::Alu32 { op, b, .. }
                if op.divides()
                    && simd.compare(CompareOp::Eq, false, vector(simd, r, b), simd.splat(0)) & mask != 0 =>
            {
                return BasicBlockEnd::ZeroDivisor(pc);
            }
            op @ Op::Alu64 { op: alu, .. } if alu.divides() && zero_divisors(r, &op, mask) != 0 => {
                return BasicBlockEnd::ZeroDivisor(pc);
            }
            Op::Alu32 { op, dst: InLanes(dst), a, b }
                if let Some(out) = simd.alu(op, vector(simd, r, a), vector(simd, r, b)) =>
            {
                simd.put(&mut r.l32[dst], out, mask);
            }
            Op::Alu32 { op, dst: dst @ (Uniform(_) | Affine(..)), a, b } => {
                let lane = first(mask);
                r.put_one32(dst, alu32(op, r.at32(a, lane), r.at32(b, lane)), lane);
            }
            Op::Conv32To64 {
                op: op @ (Conversion::SignExtend | Conversion::ZeroExtend),
                dst: dst @ (Wide(_) | WideAffine(..)),
                src: src @ (Uniform(_) | Affine(..)),
            } => {
                let signed = op == Conversion::SignExtend;
                if !put_extended(r, &plan.vectors, dst, (src, signed), mask) {
                    return BasicBlockEnd::Other(pc);
                }
            }
            Op::Alu64 { op, dst: Wide(dst), a: Wide(a), b: Wide(b) } => {
                r.u[dst] = alu64(op, r.u[a], r.u[b]);
            }
            Op::Fma32 { dst: InLanes(dst), a, b, c } => {
                let sum = simd.fma(vector(simd, r, a), vector(simd, r, b), vector(simd, r, c));
                simd.put(&mut r.l32[dst], simd.canonical(sum), mask);
            }
            Op::Fma32 { dst, a, b, c } => {
                let lane = first(mask);
                r.put_one32(dst, fma32(r.at32(a, lane), r.at32(b, lane), r.at32(c, lane)), lane);
            }
            Op::Cmp32 { op, float, dst, a: Uniform(a), b: Uniform(b) } => {
                let holds = cmp32(op, float, r.u[a] as u32, r.u[b] as u32);
                r.put_mask(dst, if holds { u32::MAX } else { 0 }, mask);
            }
            Op::Cmp32 { op, float, dst, a, b } => {
                let new = simd.compare(op, float, vector(simd, r, a), vector(simd, r, b));
                r.put_mask(dst, new, mask);
            }
            Op::Cmp64 { op, float, dst, a: Wide(a), b: Wide(b) } => {
                let holds = cmp64(op, float, r.u[a], r.u[b]);
                r.put_mask(dst, if holds { u32::MAX } else { 0 }, mask);
            }
            Op::Cmp64 { op, float: false, dst, a, b }
                if let Some(holds) = compare_parts(&r.u, &plan.vectors, op, [a, b]) =>
            {
                r.put_mask(dst, if holds { u32::MAX } else { 0 }, mask);
            }
            Op::Sel32 { dst, cond, a, b } => {
                let (a, mut out) = (r.lanes32(a), r.lanes32(b));
                blend(&mut out, &a, r.m[cond]);
                r.put32(dst, &out, mask);
            }
            Op::Mov32 { dst: InLanes(dst), src } => {
                let new = vector(simd, r, src);
                simd.put(&mut r.l32[dst], new, mask);
            }
            Op::Mov32 { dst, src } => {
                let lane = first(mask);
                r.put_one32(dst, r.at32(src, lane), lane);
            }
            Op::Mov64 { dst: Wide(dst), src: Wide(src) } => r.u[dst] = r.u[src],
            Op::Mask { op, dst, a, b, c } => {
                let new = mask_op(op, r.m[a], r.m[b], r.m[c]);
                r.put_mask(dst, new, mask);
            }
            Op::MaskToI32 { dst, src } => {
                let bits = r.m[src];
                let mut out = Lanes([0; 32]);
                for (i, out) in out.0.iter_mut().enumerate() {
                    *out = bits >> i & 1;
                }
                r.put32(dst, &out, mask);
            }
            Op::Offset { dst: Wide(dst), address }
                if let Some(pointer) = uniform_address(&r.u, &plan.records[address]) =>
            {
                r.u[dst] = pointer;
            }
            Op::Offset { dst: dst @ (Wide(_) | Pointer(..)), address } => {
                if !put_pointer(r, &plan.vectors, dst, &plan.records[address], mask) {
                    return BasicBlockEnd::Other(pc);
                }
            }
            op @ (Op::Alu32 { .. }
            | Op::Alu64 { .. }
            | Op::Una32 { .. }
            | Op::Una64 { .. }
            | Op::Fma64 { .. }
            | Op::Cmp64 { .. }
            | Op::Sel64 { .. }
            | Op::Mov64 { .. }
            | Op::Conv32 { .. }
            | Op::Conv32To64 { .. }
            | Op::Conv64To32 { .. }
            | Op::Conv64 { .. }
            | Op::Offset { .. }) => {
                compute(executor.machine.isa, r, plan, op, mask);
                executor.extra_cost += RARE_COST + compute_cost(&op, 1, || 0);
            }
            op @ (Op::Math32 { .. } | Op::Math64 { .. }) => {
                compute(executor.machine.isa, r, plan, op, mask);
                executor.extra_cost += compute_cost(&op, 1, || u64::from(mask.count_ones()));
            }
            Op::ActiveMask { dst } => r.put32(dst, &Lanes([mask; 32]), mask),
            effect!() | collective!() | control!() => return BasicBlockEnd::Other(pc),
        }
        pc += 1;
    }
}

/// A 32-bit operand.
#[inline(always)]
fn vector<V: Vectors>(simd: V, r: &Regs, src: Operand32) -> V::Vector {
    match src {
        InLanes(slot) => simd.load(&r.l32[slot]),
        Uniform(slot) => simd.splat(r.u[slot] as u32),
        Affine(..) => simd.load(&r.lanes32(src)),
    }
}
