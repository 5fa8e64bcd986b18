//! Which operations need not be executed.

use crate::launch::{Launch, Specialization};
use crate::plan::code::numbers::Pc;
use crate::plan::tests::{compile, global_pointer, ignore};
use crate::plan::{Op, Plan};
use crate::testing::*;
use simt_ir::{BinaryOp, Constant, ElementType, Operand};

/// A kernel with a buffer, an argument `n`, and a block's index as `y` and a thread's as `x`.
struct Kit {
    b: Build,
    out: Operand,
    n: Operand,
    x: Operand,
    y: Operand,
}

fn plan(build: impl FnOnce(&mut Kit)) -> Plan {
    let mut b = Build::new();
    let (out, n) = (b.pointer("out"), b.int("n"));
    let (x, y) = (b.tid(), b.block_x());
    let mut kit = Kit { b, out, n, x, y };
    build(&mut kit);
    let module = kit.b.module();
    let args = vec![Constant::Ptr(global_pointer(0)), Constant::i32(100)];
    let launch = Launch { grid: [4, 1, 1], block: [64, 1, 1], dynamic_shared: 0, cooperative: None, args };
    compile(&module, &module.kernels[0], &launch, Specialization::Affine.into(), &|_| 0)
}

/// Operations that the warp skips.
fn skipped(plan: &Plan) -> u32 {
    let skip = |(pc, op): (Pc, &Op)| if let Op::Skip { to } = op { to.since(pc) } else { 0 };
    plan.code.enumerated().map(skip).sum()
}

#[test]
fn what_is_read_or_may_fail_is_not_dead() {
    let with = |end: fn(&mut Kit, Operand)| {
        skipped(&plan(|k| {
            k.b.store(ElementType::I32, k.out, k.x, k.y);
            let value = k.b.mul(k.y, i32(7));
            end(k, value);
        }))
    };
    let unread = with(|_, _| {});
    assert_eq!(unread, with(|k, v| ignore(k.b.add(v, i32(1)))) - 1, "nor what only it reads");
    assert_eq!(with(|k, v| ignore(k.b.store(ElementType::I32, k.out, k.x, v))), unread - 1);
    assert_eq!(with(|k, v| ignore(k.b.op(BinaryOp::DivS, i32(100), v))), unread - 1, "it may divide by zero");
    // A constant of the launch is set once, whatever reads it.
    let constant = |k: &mut Kit, _| ignore(k.b.store(ElementType::I32, k.out, k.x, k.n));
    assert_eq!(with(constant), unread);
}
