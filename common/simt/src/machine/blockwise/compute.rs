//! Loops over the rows of a block's registers: operations that need nothing else.
//!
//! Each is compiled once for each instruction set ([`crate::isa`]) and is entered once for all warps, so what an operation costs is mostly
//! what its values cost. Loops are plain `for` loops, because a closure is compiled for the instruction set of the function around it
//! only where the compiler happens to inline it.

use crate::isa::per_isa;
use crate::machine::blockwise::active::Active;
use crate::machine::blockwise::registers::{BlockRegs, BlockRows};
use crate::machine::mask::mask_op;
use crate::machine::operations::{conversions, each, each_alu, each_compare, each_una, math_row};
use crate::machine::warp::lanes::addresses::address_lanes_in;
use crate::machine::warp::lanes::divide::{Divisor, quotients_by_lane};
use crate::machine::warp::lanes::vectors::Vectors;
use crate::machine::warp::registers::Lanes;
use crate::plan::{
    AddressOperand, Op, Operand32, Operand64, Plan, collective, control, dead, effect, memory,
};
use crate::value::*;
use simt_ir::math::{math32, math64};
use simt_ir::{BinaryOp, CompareOp, Conversion};

/// Computes a row for each warp that is active, and writes its active lanes.
macro_rules! rows {
    ($simd:ident, $r:ident.l32[$dst:expr], $active:ident, |$warp:ident| $row:expr) => {{
        let dst = $dst;
        for $warp in $active.live() {
            let row = $row;
            $simd.put(&mut $r.l32[dst + $warp], $simd.load(&row), $active.masks[$warp]);
        }
    }};
    ($simd:ident, $r:ident.l64[$dst:expr], $active:ident, |$warp:ident| $row:expr) => {{
        let dst = $dst;
        for $warp in $active.live() {
            let row = $row;
            $simd.put_wide(&mut $r.l64[dst + $warp], &row, $active.masks[$warp]);
        }
    }};
}

/// The same lane by lane, from rows of operands.
macro_rules! lanes {
    ($simd:ident, $r:ident.$file:ident[$dst:expr], $active:ident, [$($name:ident: $from:ident[$rows:expr]),*], |$i:ident| $value:expr) => {
        rows!($simd, $r.$file[$dst], $active, |warp| {
            $(let $name = $r.$from[$rows.of(warp)];)*
            let mut out = Lanes([0; 32]);
            for $i in 0..32 {
                out.0[$i] = $value;
            }
            out
        })
    };
}

per_isa! {
    /// Executes an operation that only computes, for all active threads. Divisors of active lanes are not zero. What is written has lanes.
    pub(crate) fn compute(simd; r: &mut BlockRegs, plan: &Plan, active: &Active, op: &Op) {
        compute_in(simd, r, plan, active, op);
    }
}

#[inline(always)]
fn compute_in<V: Vectors>(simd: V, r: &mut BlockRegs, plan: &Plan, active: &Active, op: &Op) {
    match *op {
        Op::Alu32 { op, dst, a, b } if op.divides() => {
            let shared = match b {
                Operand32::Uniform(b) => Divisor::of(op, r.u[b] as u32),
                Operand32::Lanes(_) | Operand32::Affine(..) => None,
            };
            let (a, b, to) = (r.rows32(a, 0), r.rows32(b, 1), lanes32(r, dst));
            match shared {
                Some(divisor) => rows!(simd, r.l32[to], active, |warp| divisor.divide(&r.l32[a.of(warp)])),
                None => rows!(simd, r.l32[to], active, |warp| {
                    quotients_by_lane(op, &r.l32[a.of(warp)], &r.l32[b.of(warp)])
                }),
            }
        }
        Op::Alu32 { op, dst, a, b } => {
            let (a, b, to) = (r.rows32(a, 0), r.rows32(b, 1), lanes32(r, dst));
            each_alu!(
                op,
                OP,
                lanes!(simd, r.l32[to], active, [x: l32[a], y: l32[b]], |i| alu32(OP, x.0[i], y.0[i]))
            );
        }
        Op::Alu64 { op, dst, a, b } => {
            let (a, b, to) = (r.rows64(a, 0), r.rows64(b, 1), lanes64(r, dst));
            each_alu!(
                op,
                OP,
                lanes!(simd, r.l64[to], active, [x: l64[a], y: l64[b]], |i| alu64(OP, x.0[i], y.0[i]))
            );
        }
        Op::Una32 { op, dst, a } => {
            let (a, to) = (r.rows32(a, 0), lanes32(r, dst));
            each_una!(op, OP, lanes!(simd, r.l32[to], active, [x: l32[a]], |i| una32(OP, x.0[i])));
        }
        Op::Una64 { op, dst, a } => {
            let (a, to) = (r.rows64(a, 0), lanes64(r, dst));
            each_una!(op, OP, lanes!(simd, r.l64[to], active, [x: l64[a]], |i| una64(OP, x.0[i])));
        }
        Op::Fma32 { dst, a, b, c } => {
            let (a, b, c, to) = (r.rows32(a, 0), r.rows32(b, 1), r.rows32(c, 2), lanes32(r, dst));
            for warp in active.live() {
                let (a, b) = (simd.load(&r.l32[a.of(warp)]), simd.load(&r.l32[b.of(warp)]));
                let sum = simd.canonical(simd.fma(a, b, simd.load(&r.l32[c.of(warp)])));
                simd.put(&mut r.l32[to + warp], sum, active.masks[warp]);
            }
        }
        Op::Fma64 { dst, a, b, c } => {
            let (a, b, c, to) = (r.rows64(a, 0), r.rows64(b, 1), r.rows64(c, 2), lanes64(r, dst));
            lanes!(simd, r.l64[to], active, [x: l64[a], y: l64[b], z: l64[c]], |i| fma64(x.0[i], y.0[i], z.0[i]));
        }
        Op::Cmp32 { op, float, dst, a, b } => {
            let (a, b) = (r.rows32(a, 0), r.rows32(b, 1));
            each_compare!(op, OP, {
                for warp in active.live() {
                    let (a, b) = (simd.load(&r.l32[a.of(warp)]), simd.load(&r.l32[b.of(warp)]));
                    r.put_mask(dst, warp, simd.compare(OP, float, a, b), active.masks[warp]);
                }
            });
        }
        Op::Cmp64 { op, float, dst, a, b } => {
            let (a, b) = (r.rows64(a, 0), r.rows64(b, 1));
            each_compare!(op, OP, {
                for warp in active.live() {
                    let (x, y, mut holds) = (r.l64[a.of(warp)], r.l64[b.of(warp)], [0u32; 32]);
                    for i in 0..32 {
                        holds[i] = u32::from(cmp64(OP, float, x.0[i], y.0[i])) << i;
                    }
                    let bits = holds.iter().fold(0, |bits, bit| bits | bit);
                    r.put_mask(dst, warp, bits, active.masks[warp]);
                }
            });
        }
        Op::Sel32 { dst, cond, a, b } => {
            let (a, b, to) = (r.rows32(a, 0), r.rows32(b, 1), lanes32(r, dst));
            for warp in active.live() {
                let mut row = r.l32[b.of(warp)];
                let condition = r.masks(cond)[warp];
                simd.put(&mut row, simd.load(&r.l32[a.of(warp)]), condition);
                simd.put(&mut r.l32[to + warp], simd.load(&row), active.masks[warp]);
            }
        }
        Op::Sel64 { dst, cond, a, b } => {
            let (a, b, to) = (r.rows64(a, 0), r.rows64(b, 1), lanes64(r, dst));
            rows!(simd, r.l64[to], active, |warp| {
                let mut row = r.l64[b.of(warp)];
                simd.put_wide(&mut row, &r.l64[a.of(warp)], r.masks(cond)[warp]);
                row
            });
        }
        Op::Mov32 { dst, src } => {
            let (src, to) = (r.rows32(src, 0), lanes32(r, dst));
            for warp in active.live() {
                let row = simd.load(&r.l32[src.of(warp)]);
                simd.put(&mut r.l32[to + warp], row, active.masks[warp]);
            }
        }
        Op::Mov64 { dst, src } => {
            let (src, to) = (r.rows64(src, 0), lanes64(r, dst));
            rows!(simd, r.l64[to], active, |warp| r.l64[src.of(warp)]);
        }
        Op::Mask { op, dst, a, b, c } => {
            for warp in active.live() {
                let new = mask_op(op, r.masks(a)[warp], r.masks(b)[warp], r.masks(c)[warp]);
                r.put_mask(dst, warp, new, active.masks[warp]);
            }
        }
        Op::MaskToI32 { dst, src } => {
            let to = lanes32(r, dst);
            rows!(simd, r.l32[to], active, |warp| {
                let bits = r.masks(src)[warp];
                let mut row = Lanes([0; 32]);
                for i in 0..32 {
                    row.0[i] = bits >> i & 1;
                }
                row
            });
        }
        Op::Conv32 { op, dst, src } => {
            let (a, to) = (r.rows32(src, 0), lanes32(r, dst));
            conversions!(Conv32 op, OP, lanes!(simd, r.l32[to], active, [x: l32[a]], |i| convert(OP, u64::from(x.0[i])) as u32));
        }
        Op::Conv32To64 { op, dst, src } => {
            let (a, to) = (r.rows32(src, 0), lanes64(r, dst));
            conversions!(Conv32To64 op, OP, lanes!(simd, r.l64[to], active, [x: l32[a]], |i| convert(OP, u64::from(x.0[i]))));
        }
        Op::Conv64To32 { op, dst, src } => {
            let (a, to) = (r.rows64(src, 0), lanes32(r, dst));
            conversions!(Conv64To32 op, OP, lanes!(simd, r.l32[to], active, [x: l64[a]], |i| convert(OP, x.0[i]) as u32));
        }
        Op::Conv64 { op, dst, src } => {
            let (a, to) = (r.rows64(src, 0), lanes64(r, dst));
            conversions!(Conv64 op, OP, lanes!(simd, r.l64[to], active, [x: l64[a]], |i| convert(OP, x.0[i])));
        }
        Op::Math32 { function, dst, a, b, c } => {
            let (a, b, c, to) = (r.rows32(a, 0), r.rows32(b, 1), r.rows32(c, 2), lanes32(r, dst));
            for warp in active.live() {
                let operands = [a, b, c].map(|rows| r.l32[rows.of(warp)]);
                let row = math_row(&operands, active.masks[warp], |a, b, c| math32(function, a, b, c));
                r.put_row32(to + warp, &row, active.masks[warp]);
            }
        }
        Op::Math64 { function, dst, a, b, c } => {
            let (a, b, c, to) = (r.rows64(a, 0), r.rows64(b, 1), r.rows64(c, 2), lanes64(r, dst));
            for warp in active.live() {
                let operands = [a, b, c].map(|rows| r.l64[rows.of(warp)]);
                let row = math_row(&operands, active.masks[warp], |a, b, c| math64(function, a, b, c));
                r.put_row64(to + warp, &row, active.masks[warp]);
            }
        }
        Op::Offset { dst, address } => {
            let (address, to) = (&plan.records[address], lanes64(r, dst));
            for warp in active.live() {
                let row = address_lanes_in(&r.warp(warp), address);
                r.put_row64(to + warp, &row, active.masks[warp]);
            }
        }
        Op::ActiveMask { dst } => {
            let to = lanes32(r, dst);
            rows!(simd, r.l32[to], active, |warp| Lanes([active.masks[warp]; 32]));
        }
        memory!() | effect!() | collective!() | control!() | dead!() => {
            unreachable!("{op:?} does not only compute, or is of a warp's plan")
        }
    }
}

/// The first row of a destination that has lanes.
#[inline(always)]
fn lanes32(r: &BlockRegs, dst: Operand32) -> usize {
    match dst {
        Operand32::Lanes(slot) => r.first32(slot),
        Operand32::Uniform(_) | Operand32::Affine(..) => unreachable!("the block shares {dst:?}"),
    }
}

#[inline(always)]
fn lanes64(r: &BlockRegs, dst: Operand64) -> usize {
    match dst {
        Operand64::Lanes(slot) => r.first64(slot),
        Operand64::Uniform(_) | Operand64::Affine(..) | Operand64::Pointer(..) => {
            unreachable!("the block shares {dst:?}")
        }
    }
}

per_isa! {
    /// Makes the pointers of an address rows of a scratch register.
    pub(crate) fn pointer_rows(_isa; r: &mut BlockRegs, address: &AddressOperand, active: &Active) -> BlockRows {
        let rows = r.scratch_rows64(0);
        for warp in active.live() {
            let row = address_lanes_in(&r.warp(warp), address);
            r.l64[rows.of(warp)] = row;
        }
        rows
    }
}
