//! What follows undefined values: only where they matter, and never counted.

use super::plan;
use crate::plan::{Class, Op, Plan};
use crate::testing::*;
use simt_ir::{BinaryOp, CompareOp, ElementType, InstKind, Reg, ShuffleMode, Type};

/// The plan of a kernel in which `x` has a value in the first 8 threads only, and is used as `build` says.
fn plan_of(build: impl FnOnce(&mut Build, Reg)) -> Plan {
    let mut b = Build::new();
    b.pointer("out");
    let t = b.tid();
    let x = b.undefined(Type::I32, "x");
    let first = b.cmp(CompareOp::LtS, t, i32(8));
    b.branch(first, |b| b.copy(x, i32(1)));
    build(&mut b, x);
    plan(b, [64, 1, 1])
}

fn checks(plan: &Plan) -> usize {
    plan.code.iter().filter(|op| matches!(op, Op::CheckDefined { .. })).count()
}

/// Operations that count as instructions.
fn counted(plan: &Plan) -> usize {
    plan.classes.iter().filter(|class| !matches!(class, Class::None | Class::Added)).count()
}

#[test]
fn nothing_is_followed_where_no_use_depends_on_it() {
    let unused = plan_of(|b, x| {
        b.op(BinaryOp::Add, x, i32(1));
    });
    assert_eq!((checks(&unused), unused.undefined.len()), (0, 0));
    let set_again = plan_of(|b, x| {
        b.copy(x, i32(2));
        let out = ptr(simt_buffer());
        b.store(ElementType::I32, out.into(), i32(0), x.into());
    });
    assert_eq!((checks(&set_again), set_again.undefined.len()), (0, 0));
}

#[test]
fn what_follows_a_value_is_not_counted() {
    let store = |follows: bool| {
        plan_of(move |b, x| {
            let out = ptr(simt_buffer());
            let (dst, mode, members) = (b.reg(Type::I32), ShuffleMode::Xor, full());
            b.emit(InstKind::Shuffle { dst, mode, value: x.into(), lane: i32(1), width: i32(32), members });
            if !follows {
                b.copy(dst, i32(3));
            }
            let sum = b.op(BinaryOp::Add, dst, i32(1));
            b.store(ElementType::I32, out.into(), i32(0), sum);
        })
    };
    let (with, without) = (store(true), store(false));
    assert_eq!((checks(&with), checks(&without)), (1, 0));
    // The copy is the one instruction more.
    assert_eq!(counted(&with) + 1, counted(&without));
    assert!(with.code.iter().count() > without.code.iter().count());
}

/// The first buffer.
fn simt_buffer() -> crate::machine::memory::BufferId {
    crate::machine::memory::BufferId(0)
}
