//! Loops whose trip count is known before the launch are unrolled, conditionals whose outcome is known are folded, and control where
//! threads may diverge is kept.

use crate::launch::{Launch, Specialization};
use crate::plan::UniformPart;
use crate::plan::tests::{compile, global_pointer, ignore};
use crate::plan::{Class, DeferredOp, GroupIndex, Op, Pc, Plan};
use crate::testing::*;
use simt_ir::{BinaryOp, CompareOp, Constant, ElementType, InstKind, Module, Node, Operand, Special, Type};

const N: i32 = 1000;

/// A kernel with two buffers and an argument `n`, in blocks of 32 x 4 threads.
struct Kit {
    b: Build,
    input: Operand,
    out: Operand,
    n: Operand,
    x: Operand,
    y: Operand,
    block: Operand,
}

fn module(build: impl FnOnce(&mut Kit)) -> Module {
    let mut b = Build::new();
    let (input, out, n) = (b.pointer("in"), b.pointer("out"), b.int("n"));
    let (x, y, block) = (b.tid(), b.tid_y(), b.block_x());
    let mut kit = Kit { b, input, out, n, x, y, block };
    build(&mut kit);
    kit.b.module()
}

fn plan_of(module: &Module, specialization: Specialization, blocks: u32) -> Plan {
    let pointers = [0, 1].map(|id| Constant::Ptr(global_pointer(id)));
    let args = vec![pointers[0], pointers[1], Constant::i32(N)];
    let launch =
        Launch { grid: [blocks, 1, 1], block: [32, 4, 1], dynamic_shared: 0, cooperative: None, args };
    compile(module, &module.kernels[0], &launch, specialization.into(), &|_| 0)
}

fn plan(build: impl FnOnce(&mut Kit)) -> Plan {
    plan_of(&module(build), Specialization::UnrollAlways, 4)
}

/// Control operations but for barriers and the end.
fn control(plan: &Plan) -> usize {
    plan.code.iter().filter(|op| op.is_control() && !matches!(op, Op::Barrier { .. } | Op::Exit)).count()
}

/// `for (i = y; i < to; i += 4) out[(block * 16 + i) * n + x] = in[i * n + x]`.
fn rows(k: &mut Kit, to: i32) {
    let Kit { input, out, n, x, y, block, .. } = *k;
    k.b.count(y, i32(to), 4, |b, i, _| {
        let start = b.mul(i, n);
        let at = b.add(start, x);
        let value = b.load(ElementType::F32, input, at);
        let first = b.mul(block, i32(16));
        let row = b.add(first, i);
        let start = b.mul(row, n);
        let at = b.add(start, x);
        b.store(ElementType::F32, out, at, value);
    });
}

#[test]
fn a_loop_with_one_trip_count_for_all_is_unrolled() {
    let plan = plan(|k| rows(k, 16));
    assert_eq!(control(&plan), 0);
    let groups: Vec<_> = plan.groups.iter().collect();
    let [from, to] = groups[..] else { panic!("{:?}", plan.groups) };
    let pitch = i64::from(N) * 16;
    assert_eq!(
        from.members.iter().map(|member| member.distance).collect::<Vec<_>>(),
        [0, pitch, pitch * 2, pitch * 3]
    );
    let Some(GroupIndex { part: UniformPart::Planned { axes, by_warp }, .. }) = &to.index else {
        panic!("{to:?}")
    };
    let n = N as u32;
    assert_eq!((*axes, &by_warp[..]), ([16 * n, 0, 0], &[0, n, 2 * n, 3 * n][..]));
}

#[test]
fn operations_are_those_that_a_warp_executes_in_order() {
    let module = module(|k| rows(k, 16));
    let (unrolled, plain) = (
        plan_of(&module, Specialization::UnrollAlways, 4),
        plan_of(&module, Specialization::AccessGroups, 4),
    );
    let count = |plan: &Plan, class: Class| plan.classes.iter().filter(|c| **c == class).count();
    // A test before each of four iterations, and one after the last.
    assert_eq!((count(&plain, Class::Branch), count(&unrolled, Class::Branch)), (1, 5));
    for (at, location) in unrolled.locations.enumerated() {
        let origin = unrolled.origins[at];
        let found = plain.origins.numbers().find(|pc| plain.origins[*pc] == origin).unwrap();
        assert_eq!(*location, plain.locations[found]);
        assert_eq!(unrolled.classes[at], plain.classes[found]);
    }
}

#[test]
fn a_large_launch_gains_and_a_small_one_does_not() {
    let module = module(|k| rows(k, 16));
    assert_ne!(control(&plan_of(&module, Specialization::Unroll, 4)), 0);
    assert_eq!(control(&plan_of(&module, Specialization::Unroll, 100)), 0);
    assert_ne!(control(&plan_of(&module, Specialization::AccessGroups, 100)), 0);
}

#[test]
fn where_threads_diverge_control_is_kept() {
    // Three iterations for the first row of threads, two for the others.
    let plan = plan(|k| rows(k, 9));
    let tests = plan.code.iter().filter(|op| matches!(op, Op::LoopTest { .. })).count();
    assert_eq!(tests, 4, "as many as iterations at most, and one");
    assert!(!plan.code.iter().any(|op| matches!(op, Op::LoopBack { .. })));
    // Each test leads to the end of the loop, which comes later.
    for (pc, op) in plan.code.enumerated() {
        if let Op::LoopTest { target, .. } | Op::LoopStep { target, .. } = op {
            assert!(*target > pc);
            assert!(matches!(plan.code[*target], Op::Leave { .. }));
        }
    }
}

#[test]
fn a_condition_on_what_only_the_block_knows_is_kept() {
    let plan = plan(|k| {
        let first = k.b.cmp(CompareOp::Eq, k.block, i32(0));
        let Kit { out, x, .. } = *k;
        k.b.branch(first, |b| ignore(b.store(ElementType::I32, out, x, x)));
    });
    assert!(plan.code.iter().any(|op| matches!(op, Op::If { .. })));
    let plan = self::plan(|k| {
        let few = k.b.cmp(CompareOp::LtS, k.n, i32(5));
        let Kit { out, x, y, .. } = *k;
        k.b.branch_else(
            few,
            |b| ignore(b.store(ElementType::I32, out, x, x)),
            |b| ignore(b.store(ElementType::I32, out, x, y)),
        );
    });
    assert_eq!(control(&plan), 0);
    let stores = plan.code.iter().filter(|op| matches!(op, Op::Store { .. })).count();
    assert_eq!(stores, 1);
}

#[test]
fn what_a_conditional_writes_is_unknown_after_it() {
    let plan = plan(|k| {
        let first = k.b.cmp(CompareOp::Eq, k.block, i32(0));
        let limit = k.b.var(Type::I32, i32(2));
        k.b.branch(first, |b| b.copy(limit, i32(3)));
        let Kit { out, x, .. } = *k;
        k.b.count(i32(0), limit.into(), 1, |b, i, _| ignore(b.store(ElementType::I32, out, x, i)));
    });
    // Two iterations for one block and three for the others: nothing bounds them.
    assert!(plan.code.iter().any(|op| matches!(op, Op::LoopBack { .. })));
}

/// Threads at `block * distance + x` return if that is `n` or more; the last one, of four blocks, is at `3 * distance + 31`.
fn guarded(distance: i32) -> Plan {
    plan(|k| {
        let Kit { x, n, block, .. } = *k;
        let start = k.b.mul(block, i32(distance));
        let at = k.b.add(start, x);
        let outside = k.b.cmp(CompareOp::LeS, n, at);
        k.b.branch(outside, |b| b.node(Node::Return));
        rows(k, 16);
    })
}

#[test]
fn a_guard_that_holds_for_the_whole_grid_is_resolved() {
    assert_eq!((3 * 322 + 31 < N, 3 * 323 + 31 < N), (true, false));
    let is_return = |op: &&Op| matches!(op, Op::Return { .. });
    let returns = [322, 323, i32::MAX / 3, i32::MIN / 3 - 10]
        .map(|distance| guarded(distance).code.iter().filter(is_return).count());
    // The last two wrap around.
    assert_eq!(returns, [0, 1, 1, 1]);
}

#[test]
fn a_return_of_some_threads_is_kept() {
    let plan = guarded(400);
    let returns = plan.code.iter().filter(|op| matches!(op, Op::Return { .. })).count();
    assert_eq!(returns, 1);
    // Where no thread is left, the kernel ends.
    let end = Pc(plan.code.len() as u32 - 1);
    assert!(plan.code.iter().any(|op| matches!(op, Op::EndIf { target, .. } if *target == end)));
}

#[test]
fn long_kernels_and_strange_ones_stay_as_they_are() {
    let many = plan(|k| rows(k, 4000));
    assert!(many.code.iter().any(|op| matches!(op, Op::LoopBack { .. })));
    let clock = plan(|k| {
        let dst = k.b.reg(Type::I64);
        k.b.emit(InstKind::Clock { dst });
        rows(k, 16);
    });
    assert!(clock.code.iter().any(|op| matches!(op, Op::LoopBack { .. })));
    let lanes = plan(|k| {
        let active = k.b.special(Special::ActiveMask);
        let Kit { out, x, .. } = *k;
        k.b.count(i32(0), i32(2), 1, |b, _, _| ignore(b.store(ElementType::I32, out, x, active)));
    });
    assert!(lanes.code.iter().any(|op| matches!(op, Op::LoopBack { .. })));
    let forever = plan(|k| {
        let Kit { x, y, .. } = *k;
        k.b.forever(|b, label| {
            let same = b.cmp(CompareOp::Eq, x, y);
            b.branch(same, |b| b.node(Node::Break(label)));
        });
    });
    assert!(forever.code.iter().any(|op| matches!(op, Op::LoopBack { .. })));
}

#[test]
fn indices_that_only_the_slow_path_needs_are_deferred() {
    let plan = plan(|k| rows(k, 16));
    assert!(!plan.deferred.is_empty());
    let skipped = |op: &Op| matches!(op, Op::Skip { .. });
    let load = plan.code.numbers().find(|pc| matches!(plan.code[*pc], Op::Load { .. })).unwrap();
    assert!(plan.code[Pc::ENTRY..load].iter().all(skipped), "{:?}", plan.code);
    // Not where something else reads one.
    let plan = self::plan(|k| {
        let Kit { out, x, block, .. } = *k;
        let start = k.b.mul(block, i32(32));
        let at = k.b.op(BinaryOp::Add, start, x);
        k.b.store(ElementType::I32, out, at, start);
    });
    let computes = |op: &Op| matches!(op, Op::Alu32 { op: crate::value::Alu::Mul, .. });
    assert!(plan.code.iter().any(computes));
    let deferred = |op: &DeferredOp| matches!(op, DeferredOp::Alu { op: crate::value::Alu::Mul, .. });
    assert!(!plan.deferred.iter().any(deferred));
}
