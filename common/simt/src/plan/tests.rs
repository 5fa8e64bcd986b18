//! What is found out before a launch: patterns, groups of loads, and which registers share a slot.

mod chains;
mod groups;
mod ways;

use crate::launch::{Ahead, Launch};
use crate::plan::select::slots;
use crate::plan::{NONE, Plan, Src, compile};
use crate::testing::*;
use simt_ir::{
    BinaryOp, CompareOp, Constant, ElementType, InstKind, Location, Node, Operand, Reg, Region, Type,
};

/// For what a builder gives and a test does not need.
fn ignore<T>(_: T) {}

/// A pointer to a buffer.
fn global_pointer(buffer: u32) -> u64 {
    simt_ir::pointer::pack(simt_ir::pointer::Space::Global, buffer, 0)
}

fn plan(build: Build, block: [u32; 3]) -> Plan {
    let module = build.module();
    let launch =
        Launch { grid: [4, 1, 1], block, dynamic_shared: 0, cooperative: None, args: vec![Constant::Ptr(0)] };
    compile(&module, &module.kernels[0], &launch, Ahead::Accesses, &|_| 0)
}

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
    let access = plan.loads.last().unwrap();
    let Some((Src::A(_, pattern), _)) = access.addr.index else { return None };
    let warps = (0..threads.div_ceil(32)).flat_map(|warp| plan.vectors.warp(u32::from(pattern), warp));
    let part = access.fixed.unwrap_or(0);
    Some((warps.take(threads as usize).map(|v| v.wrapping_add(part)).collect(), access.fixed.is_none()))
}

#[test]
fn a_pattern_has_the_values_of_each_thread() {
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
fn patterns_wrap_around() {
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
fn a_register_under_divergent_control_flow_has_no_pattern() {
    let found = indexed([32, 1, 1], |b| {
        let t = b.tid();
        let at = b.var(Type::I32, t);
        let low = b.cmp(CompareOp::LtS, t, i32(5));
        b.branch(low, |b| b.copy(at, t));
        at.into()
    });
    assert_eq!(values(&found, 32), None);
}

/// The groups of the loads of a kernel that loads `in[t]`, does something, and loads `in[t + 4]`.
fn groups(between: impl FnOnce(&mut Build, Operand, Operand)) -> Vec<(u32, bool, i64)> {
    let mut b = Build::new();
    let input = b.pointer("in");
    let t = b.tid();
    let later = b.add(t, i32(4));
    b.load(ElementType::I32, input, t);
    between(&mut b, input, t);
    b.load(ElementType::I32, input, later);
    let plan = plan(b, [32, 1, 1]);
    plan.loads.iter().map(|l| (l.group, l.leads, l.distance)).collect()
}

#[test]
fn loads_at_constant_distances_are_one_group() {
    assert_eq!(groups(|_, _, _| {}), [(0, true, 0), (0, false, 16)]);
    // Arithmetic and another load do not end it.
    let found = groups(|b, input, t| {
        let mirrored = b.op(BinaryOp::Sub, i32(31), t);
        b.load(ElementType::I32, input, mirrored);
    });
    assert_eq!(found, [(0, true, 0), (1, true, 124), (0, false, 16)]);
}

#[test]
fn what_may_change_memory_or_lanes_ends_a_group() {
    let two = [(0, true, 0), (1, true, 16)];
    let barrier = |b: &mut Build, _, _| {
        b.barrier();
    };
    assert_eq!(groups(barrier), two);
    let fence = |b: &mut Build, _, _| {
        b.emit(InstKind::Fence);
    };
    assert_eq!(groups(fence), two);
    let branch = |b: &mut Build, _, t| {
        let low = b.cmp(CompareOp::LtS, t, i32(7));
        b.branch(low, |_| {});
    };
    assert_eq!(groups(branch), two);
    let end_of_loop = |b: &mut Build, _, _| b.count(i32(0), i32(2), 1, |_, _, _| {});
    assert_eq!(groups(end_of_loop), two);
    // A store is a group of its own.
    let store = |b: &mut Build, input, t| {
        b.store(ElementType::I32, input, t, t);
    };
    assert_eq!(groups(store), [(0, true, 0), (2, true, 16)]);
}

#[test]
fn a_new_value_of_the_index_ends_a_group() {
    let mut b = Build::new();
    let input = b.pointer("in");
    let (t, block) = (b.tid(), b.block_x());
    let start = b.add(block, t);
    let at = b.var(Type::I32, start);
    for _ in 0..2 {
        b.load(ElementType::I32, input, at.into());
        b.emit(InstKind::Binary { dst: at, op: BinaryOp::Add, lhs: at.into(), rhs: block });
    }
    let plan = plan(b, [32, 1, 1]);
    assert!(matches!(plan.loads[0].addr.index, Some((Src::A(..), _))));
    assert_eq!([plan.loads[0].group, plan.loads[1].group], [0, 1]);
}

#[test]
fn what_has_no_known_layout_has_no_group() {
    let mut b = Build::new();
    let input = b.pointer("in");
    let t = b.tid();
    let loaded = b.load(ElementType::I32, input, t);
    b.load(ElementType::I32, input, loaded);
    b.load(ElementType::U8, input, t);
    let plan = plan(b, [32, 1, 1]);
    let found: Vec<u32> = plan.loads.iter().map(|l| l.group).collect();
    assert_eq!(found, [0, NONE, NONE]);
}

fn add(dst: Reg, lhs: impl Into<Operand>, rhs: impl Into<Operand>) -> Node {
    let kind = InstKind::Binary { dst, op: BinaryOp::Add, lhs: lhs.into(), rhs: rhs.into() };
    Node::Inst(simt_ir::Inst { kind, location: Location(0) })
}

fn repeat(header: Region, body: Region) -> Node {
    let (label, condition) = (simt_ir::Label(0), Some(Constant::Bool(false).into()));
    Node::Loop { label, header, condition, body, step: vec![], unroll: None, location: Location(0) }
}

fn owners(body: Region, registers: usize) -> Vec<u32> {
    slots::share(std::iter::once(&body), registers, &vec![false; registers], &|_| Some(0))
}

const fn r(n: u32) -> Reg {
    Reg(n)
}

#[test]
fn temporaries_one_after_the_other_share_a_slot() {
    // The result of an instruction does not take the place of its operand.
    let body = vec![
        add(r(0), i32(1), i32(2)),
        add(r(1), r(0), i32(1)),
        add(r(2), r(1), i32(1)),
        add(r(3), r(2), r(2)),
    ];
    assert_eq!(owners(body, 4), [0, 1, 0, 1]);
    // What is written twice keeps its own.
    let body = vec![
        add(r(0), i32(1), i32(2)),
        add(r(1), r(0), r(0)),
        add(r(2), i32(1), i32(1)),
        add(r(2), r(2), r(2)),
    ];
    assert_eq!(owners(body, 3)[2], 2);
}

#[test]
fn what_a_loop_reads_from_outside_keeps_its_slot_to_the_loops_end() {
    let inside = vec![
        add(r(1), r(0), i32(1)),
        add(r(2), r(1), i32(1)),
        add(r(3), r(2), i32(1)),
        add(r(4), r(3), i32(1)),
    ];
    let body = vec![add(r(0), i32(1), i32(2)), repeat(vec![], inside)];
    let owners = owners(body, 5);
    assert!(owners[1..].iter().all(|owner| *owner != 0), "{owners:?}");
}

#[test]
fn what_one_loops_header_makes_keeps_its_slot_to_the_end_of_the_loop_that_reads_it() {
    let inside = vec![
        add(r(1), r(0), i32(1)),
        add(r(2), r(1), i32(1)),
        add(r(3), r(2), i32(1)),
        add(r(4), r(3), i32(1)),
    ];
    let body = vec![repeat(vec![add(r(0), i32(1), i32(2))], vec![]), repeat(vec![], inside)];
    let owners = owners(body, 5);
    assert!(owners[1..].iter().all(|owner| *owner != 0), "{owners:?}");
}
