//! Lane loops of instructions that are rarer than those in the warp's loop: on 64 bits, conversions, divisions and the like.
//!
//! They are in functions of their own, each compiled once for each instruction set (see `isa`): the compiler takes the longer for
//! a loop the larger the function around it is, and with these hundreds of loops in the warp's, its copies took two thirds of the
//! time that the crate takes to compile. A call costs less than the loop that it is for.
//!
//! Loops are plain `for` loops: a closure is compiled for the instruction set of the function around it only where the compiler
//! happens to inline it.

use crate::isa::per_isa;
use crate::machine::operations::{conversions, each, each_alu, each_compare, each_una, math_row};
use crate::machine::warp::lanes::addresses::address_lanes_in;
use crate::machine::warp::lanes::divide::quotients_by_lane;
use crate::machine::warp::registers::{Lanes, Regs, WarpRegs, WarpRegsMut, blend};
use crate::plan::{Op, Operand32, Operand64, Plan, collective, control, dead, effect, memory};
use crate::value::*;
use simt_ir::math::{math32, math64};
use simt_ir::{BinaryOp, CompareOp, Conversion, MathFunction};

/// An operand where it is if it has lanes, otherwise made of what all share, in a variable for it.
macro_rules! operand {
    ($r:ident, l32, $src:expr, $made:ident) => {
        operand!($r, l32, Operand32, lanes32, $src, $made)
    };
    ($r:ident, l64, $src:expr, $made:ident) => {
        operand!($r, l64, Operand64, lanes64, $src, $made)
    };
    ($r:ident, $file:ident, $operand:ident, $lanes:ident, $src:expr, $made:ident) => {
        match $src {
            $operand::Lanes(slot) => &$r.$file[slot],
            src => {
                $made = $r.$lanes(src);
                &$made
            }
        }
    };
}

per_isa! {
    /// Executes an instruction that only computes; does nothing where it is none of those that are here. Divisors of active lanes
    /// are not zero.
    pub(crate) fn compute(_isa; r: &mut Regs, plan: &Plan, op: Op, mask: u32) {
        compute_in(r, plan, op, mask);
    }
}

#[inline(always)]
fn compute_in(r: &mut Regs, plan: &Plan, op: Op, mask: u32) {
    match op {
        Op::Alu32 { op, dst, a, b } if op.divides() => {
            let (at_a, at_b);
            let (a, b) = (operand!(r, l32, a, at_a), operand!(r, l32, b, at_b));
            let out = quotients_by_lane(op, a, b);
            r.put32(dst, &out, mask);
        }
        Op::Alu32 { op, dst, a, b } => {
            let (at_a, at_b);
            let (a, b, mut out) = (operand!(r, l32, a, at_a), operand!(r, l32, b, at_b), Lanes([0; 32]));
            each_alu!(
                op,
                OP,
                for i in 0..32 {
                    out.0[i] = alu32(OP, a.0[i], b.0[i])
                }
            );
            r.put32(dst, &out, mask);
        }
        Op::Alu64 { op, dst, a, b } => {
            let (at_a, at_b);
            let (a, b, mut out) = (operand!(r, l64, a, at_a), operand!(r, l64, b, at_b), Lanes([0; 32]));
            each_alu!(
                op,
                OP,
                for i in 0..32 {
                    out.0[i] = alu64(OP, a.0[i], b.0[i])
                }
            );
            r.put64(dst, &out, mask);
        }
        Op::Una32 { op, dst, a } => {
            let at;
            let (a, mut out) = (operand!(r, l32, a, at), Lanes([0; 32]));
            each_una!(
                op,
                OP,
                for i in 0..32 {
                    out.0[i] = una32(OP, a.0[i])
                }
            );
            r.put32(dst, &out, mask);
        }
        Op::Una64 { op, dst, a } => {
            let at;
            let (a, mut out) = (operand!(r, l64, a, at), Lanes([0; 32]));
            each_una!(
                op,
                OP,
                for i in 0..32 {
                    out.0[i] = una64(OP, a.0[i])
                }
            );
            r.put64(dst, &out, mask);
        }
        Op::Fma64 { dst, a, b, c } => {
            let (at_a, at_b, at_c);
            let (a, b) = (operand!(r, l64, a, at_a), operand!(r, l64, b, at_b));
            let (c, mut out) = (operand!(r, l64, c, at_c), Lanes([0; 32]));
            for i in 0..32 {
                out.0[i] = fma64(a.0[i], b.0[i], c.0[i]);
            }
            r.put64(dst, &out, mask);
        }
        Op::Cmp64 { op, float, dst, a, b } => {
            let (at_a, at_b);
            let (a, b, mut bits) = (operand!(r, l64, a, at_a), operand!(r, l64, b, at_b), 0);
            each_compare!(
                op,
                OP,
                for i in 0..32 {
                    bits |= u32::from(cmp64(OP, float, a.0[i], b.0[i])) << i
                }
            );
            r.put_mask(dst, bits, mask);
        }
        Op::Sel64 { dst, cond, a, b } => {
            let (a, mut out) = (r.lanes64(a), r.lanes64(b));
            blend(&mut out, &a, r.m[cond]);
            r.put64(dst, &out, mask);
        }
        Op::Mov64 { dst, src } => r.put64(dst, &r.lanes64(src), mask),
        Op::Conv32 { op, dst, src } => {
            let at;
            let (a, mut out) = (operand!(r, l32, src, at), Lanes([0; 32]));
            conversions!(Conv32 op, OP, for i in 0..32 { out.0[i] = convert(OP, u64::from(a.0[i])) as u32 });
            r.put32(dst, &out, mask);
        }
        Op::Conv32To64 { op, dst, src } => {
            let at;
            let (a, mut out) = (operand!(r, l32, src, at), Lanes([0; 32]));
            conversions!(Conv32To64 op, OP, for i in 0..32 { out.0[i] = convert(OP, u64::from(a.0[i])) });
            r.put64(dst, &out, mask);
        }
        Op::Conv64To32 { op, dst, src } => {
            let at;
            let (a, mut out) = (operand!(r, l64, src, at), Lanes([0; 32]));
            conversions!(Conv64To32 op, OP, for i in 0..32 { out.0[i] = convert(OP, a.0[i]) as u32 });
            r.put32(dst, &out, mask);
        }
        Op::Conv64 { op, dst, src } => {
            let at;
            let (a, mut out) = (operand!(r, l64, src, at), Lanes([0; 32]));
            conversions!(Conv64 op, OP, for i in 0..32 { out.0[i] = convert(OP, a.0[i]) });
            r.put64(dst, &out, mask);
        }
        Op::Math32 { function, dst, a, b, c } => math_lanes32(r, function, dst, [a, b, c], mask),
        Op::Math64 { function, dst, a, b, c } => math_lanes64(r, function, dst, [a, b, c], mask),
        Op::Offset { dst, address } => {
            let out = address_lanes_in(r, &plan.records[address]);
            r.put64(dst, &out, mask);
        }
        Op::Fma32 { .. }
        | Op::Cmp32 { .. }
        | Op::Sel32 { .. }
        | Op::Mov32 { .. }
        | Op::Mask { .. }
        | Op::MaskToI32 { .. }
        | Op::ActiveMask { .. }
        | memory!()
        | effect!()
        | collective!()
        | control!()
        | dead!() => unreachable!("the warp's loop executes {op:?} itself"),
    }
}

/// Library functions are dear: only active lanes compute them.
fn math_lanes32(r: &mut Regs, function: MathFunction, dst: Operand32, [a, b, c]: [Operand32; 3], mask: u32) {
    use Operand32::Uniform;
    if let (Uniform(d), Uniform(a), Uniform(b), Uniform(c)) = (dst, a, b, c) {
        let [a, b, c] = [a, b, c].map(|s| r.u[s] as u32);
        r.u[d] = u64::from(math32(function, a, b, c));
        return;
    }
    let operands = [a, b, c].map(|s| r.lanes32(s));
    r.put32(dst, &math_row(&operands, mask, |a, b, c| math32(function, a, b, c)), mask);
}

fn math_lanes64(r: &mut Regs, function: MathFunction, dst: Operand64, [a, b, c]: [Operand64; 3], mask: u32) {
    let operands = [a, b, c].map(|s| r.lanes64(s));
    r.put64(dst, &math_row(&operands, mask, |a, b, c| math64(function, a, b, c)), mask);
}
