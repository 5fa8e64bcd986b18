//! Affine values, by the indices of loads.

use crate::plan::analysis::def_use::launch_constants;
use crate::plan::tests::plan;
use crate::plan::{AddressOperand, IndexOperand, Operand32, Operand64, Plan};
use crate::testing::*;
use simt_ir::{Address, BinaryOp, CompareOp, ElementType, InstKind, Node, Operand, Type};

/// The plan of a kernel that loads `in[index]`.
fn indexed(block: [u32; 3], index: impl FnOnce(&mut Build) -> Operand) -> Plan {
    let mut b = Build::new();
    let input = b.pointer("in");
    let index = index(&mut b);
    b.load(ElementType::I32, input, index);
    plan(b, block)
}

/// The values of the last load's index in all threads, but for what a warp knows only at run time; and whether there is
/// such a part. `None` if it is kept lane by lane.
fn values(plan: &Plan, threads: u32) -> Option<(Vec<u32>, bool)> {
    let access = &plan.records.loads.iter().last().unwrap().access;
    let Some(IndexOperand::Signed32(Operand32::Affine(slot, vector))) = access.address.index else {
        return None;
    };
    let warps = (0..threads.div_ceil(32)).flat_map(|warp| plan.vectors.warp(vector, warp));
    let part = launch_constants(plan)[slot].map(|part| part as u32);
    let values = warps.take(threads as usize).map(|v| v.wrapping_add(part.unwrap_or(0)));
    Some((values.collect(), part.is_none()))
}

#[test]
fn an_affine_value_has_its_value_in_each_thread() {
    let found = indexed([40, 1, 1], |b| {
        let t = b.tid();
        let scaled = b.mul(t, i32(3));
        let more = b.add(scaled, i32(5));
        let rest = b.op(BinaryOp::RemU, more, i32(7));
        b.op(BinaryOp::Xor, rest, i32(1))
    });
    assert_eq!(values(&found, 40), Some(((0..40).map(|t| ((t * 3 + 5) % 7) ^ 1).collect(), false)));

    let found = indexed([8, 4, 3], |b| {
        let (x, y) = (b.tid(), b.tid_y());
        let row = b.mul(y, i32(100));
        b.op(BinaryOp::Sub, x, row)
    });
    let expected = (0..96u32).map(|t| (t % 8).wrapping_sub(t / 8 % 4 * 100));
    assert_eq!(values(&found, 96), Some((expected.collect(), false)));
}

#[test]
fn affine_values_wrap_around() {
    let found = indexed([64, 1, 1], |b| {
        let t = b.tid();
        let far = b.mul(t, i32(0x4000_0001));
        b.add(far, i32(-3))
    });
    let expected = (0..64u32).map(|t| t.wrapping_mul(0x4000_0001).wrapping_sub(3));
    assert_eq!(values(&found, 64), Some((expected.collect(), false)));
}

#[test]
fn a_warps_part_stays_apart_in_sums_and_products_alone() {
    let sum = |op: BinaryOp, c: i32| {
        indexed([64, 1, 1], |b| {
            let (t, block) = (b.tid(), b.block_x());
            let start = b.mul(block, i32(64));
            let at = b.add(start, t);
            b.op(op, at, i32(c))
        })
    };
    assert_eq!(values(&sum(BinaryOp::Mul, 5), 64), Some(((0..64).map(|t| t * 5).collect(), true)));
    assert_eq!(values(&sum(BinaryOp::Shl, 2), 64), Some(((0..64).map(|t| t * 4).collect(), true)));
    for op in [BinaryOp::RemU, BinaryOp::ShrU, BinaryOp::Xor, BinaryOp::MinU] {
        assert_eq!(values(&sum(op, 5), 64), None, "{op:?}");
    }
}

#[test]
fn a_division_by_zero_is_left_to_the_machine() {
    let divided = |first: i32| {
        indexed([32, 1, 1], |b| {
            let t = b.tid();
            let by = b.add(t, i32(first));
            b.op(BinaryOp::DivU, i32(100), by)
        })
    };
    assert_eq!(values(&divided(0), 32), None);
    assert_eq!(values(&divided(1), 32), Some(((1..33).map(|d| 100 / d).collect(), false)));
}

#[test]
fn a_register_under_divergent_control_flow_is_not_affine() {
    let found = indexed([32, 1, 1], |b| {
        let t = b.tid();
        let at = b.var(Type::I32, t);
        let low = b.cmp(CompareOp::LtS, t, i32(5));
        b.branch(low, |b| b.copy(at, t));
        at.into()
    });
    assert_eq!(values(&found, 32), None);
}

/// The plan of `for (i = t; i < 1000; i += 64) in[i]`, with `continue` before the load for some threads, and perhaps with `in[i]` after the loop.
fn strided(has_continue: bool, is_read_after: bool) -> Plan {
    let mut b = Build::new();
    let (input, t) = (b.pointer("in"), b.tid());
    let mut counter = None;
    b.count(t, i32(1000), 64, |b, i, label| {
        counter = Some(i);
        if has_continue {
            let low = b.cmp(CompareOp::LtS, i, i32(5));
            b.branch(low, |b| b.node(Node::Continue(label)));
        }
        b.load(ElementType::I32, input, i);
    });
    if is_read_after {
        b.load(ElementType::I32, input, counter.unwrap());
    }
    plan(b, [64, 1, 1])
}

#[test]
fn the_counter_of_a_loop_that_lanes_leave_is_affine_unless_it_is_read_after_it() {
    for has_continue in [false, true] {
        let steps = Some(((0..64).collect(), true));
        assert_eq!(values(&strided(has_continue, false), 64), steps);
        assert_eq!(values(&strided(has_continue, true), 64), None);
    }
}

#[test]
fn a_counter_that_an_outer_loop_keeps_is_not_affine() {
    let mut b = Build::new();
    let (input, t) = (b.pointer("in"), b.tid());
    let at = b.var(Type::I32, t);
    b.count(i32(0), i32(3), 1, |b, _, _| {
        b.count(t, i32(1000), 64, |b, _, _| {
            b.load(ElementType::I32, input, at.into());
            let next = b.add(at.into(), i32(64));
            b.copy(at, next);
        });
    });
    assert_eq!(values(&plan(b, [64, 1, 1]), 64), None);
}

#[test]
fn a_quotient_is_uniform_and_a_remainder_affine_where_no_warp_lies_across_a_multiple() {
    let of = |op: BinaryOp, block: u32, by: i32| {
        indexed([block, 1, 1], |b| {
            let (t, start) = (b.tid(), b.block_x());
            let start = b.mul(start, i32(block as i32));
            let at = b.add(start, t);
            b.op(op, at, i32(by))
        })
    };
    let lane = |threads: u32| (0..threads).map(|t| t % 32).collect();
    for op in [BinaryOp::RemU, BinaryOp::RemS] {
        assert_eq!(values(&of(op, 64, 160), 64), Some((lane(64), true)), "{op:?}");
        assert_eq!(values(&of(op, 64, 48), 64), None, "{op:?}");
        assert_eq!(values(&of(op, 40, 160), 40), None, "{op:?}");
    }
    let uniform = |plan: &Plan| {
        let index = plan.records.loads.iter().last().unwrap().access.address.index;
        matches!(index, Some(IndexOperand::Signed32(Operand32::Uniform(_))))
    };
    for op in [BinaryOp::DivU, BinaryOp::DivS] {
        assert!(uniform(&of(op, 64, 160)), "{op:?}");
        assert!(!uniform(&of(op, 64, 48)), "{op:?}");
    }
}

/// The plan of a kernel that computes a pointer to `in[threadIdx.x]`, and what `then` does with it; in blocks of 64 threads.
fn pointed(then: impl FnOnce(&mut Build, Operand)) -> Plan {
    let mut b = Build::new();
    let (input, t) = (b.pointer("in"), b.tid());
    let start = b.reg(Type::Ptr);
    let address = b.at(input, t, 4);
    b.emit(InstKind::Offset { dst: start, address });
    then(&mut b, start.into());
    plan(b, [64, 1, 1])
}

fn moved(base: impl Into<Operand>, offset: i64) -> Address {
    Address { base: base.into(), index: None, offset }
}

fn last_address(plan: &Plan) -> AddressOperand {
    plan.records.loads.iter().last().unwrap().access.address
}

#[test]
fn a_pointer_that_a_loop_moves_is_affine() {
    let found = pointed(|b, start| {
        let walking = b.var(Type::Ptr, start);
        b.count(i32(0), i32(10), 1, |b, _, _| {
            b.load_at(ElementType::I32, moved(walking, 0));
            b.emit(InstKind::Offset { dst: walking, address: moved(walking, 256) });
        });
    });
    let Operand64::Pointer(_, vector) = last_address(&found).base else {
        panic!("{:?}", last_address(&found))
    };
    assert_eq!(found.vectors.warp(vector, 1), std::array::from_fn(|lane| 4 * (32 + lane as u32)));
}

#[test]
fn a_pointer_that_some_lanes_move_is_not_affine() {
    let found = pointed(|b, start| {
        let walking = b.var(Type::Ptr, start);
        let t = b.tid();
        let low = b.cmp(CompareOp::LtS, t, i32(5));
        b.branch(low, |b| {
            b.emit(InstKind::Offset { dst: walking, address: moved(walking, 256) });
        });
        b.load_at(ElementType::I32, moved(walking, 0));
    });
    assert!(matches!(last_address(&found).base, Operand64::Lanes(_)));
}
