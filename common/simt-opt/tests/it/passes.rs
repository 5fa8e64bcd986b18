//! The textual IR of small kernels after all passes.

use crate::optimised;
use generate::ir::{AT, Builder, element, inst, int, store};
use simt_ir::*;

/// Compares without the kernel's first and last line and its indentation.
#[track_caller]
fn check(module: Module, expected: &str) {
    let text = optimised(module);
    let lines: Vec<&str> = text.lines().collect();
    let body: Vec<&str> =
        lines[1..lines.len() - 1].iter().map(|l| l.strip_prefix("  ").unwrap_or(l)).collect();
    let expected: Vec<&str> = expected.trim().lines().map(str::trim_end).collect();
    assert_eq!(body, expected, "\n{}\n", body.join("\n"));
}

fn copy(dst: Reg, src: Operand) -> Node {
    inst(InstKind::Copy { dst, src })
}

fn float(value: f32) -> Operand {
    Constant::f32(value).into()
}

#[test]
fn a_loop_over_a_local_array_ends_in_registers() {
    // int a[3]; for (i) a[i] = tid * i; for (i) out[i] = a[2 - i];
    let mut b = Builder::new();
    let array = b.local(12);
    let i = b.var(Type::I32, "i");
    let mut body = vec![];
    let thread = b.thread(&mut body);
    b.count(&mut body, i, (int(0), int(3), 1), None, |b, _| {
        let mut body = vec![];
        let base = b.address_of(&mut body, array);
        let value = b.binary(&mut body, BinaryOp::Mul, thread, i.into());
        store(&mut body, ElementType::I32, element(base, i.into()), value);
        body
    });
    b.count(&mut body, i, (int(0), int(3), 1), None, |b, _| {
        let mut body = vec![];
        let base = b.address_of(&mut body, array);
        let index = b.binary(&mut body, BinaryOp::Sub, int(2), i.into());
        let value = b.load(&mut body, ElementType::I32, element(base, index));
        let out = b.param(&mut body, 0);
        store(&mut body, ElementType::I32, element(out, i.into()), value);
        body
    });
    check(
        b.module(body),
        "
%0 = threadIdx.x
%1 = param 0 out
%2.a = mul.i32 %0, 2
store.i32 [%1], %2.a
store.i32 [%1 + 4], %0
store.i32 [%1 + 8], 0
",
    );
}

#[test]
fn an_array_with_a_variable_index_stays_in_memory() {
    let mut b = Builder::new();
    let (kept, promoted) = (b.local(16), b.local(8));
    let mut body = vec![];
    let thread = b.thread(&mut body);
    let base = b.address_of(&mut body, promoted);
    store(&mut body, ElementType::I32, element(base, int(1)), thread);
    let value = b.load(&mut body, ElementType::I32, element(base, int(1)));
    let base = b.address_of(&mut body, kept);
    store(&mut body, ElementType::I32, element(base, thread), value);
    check(
        b.module(body),
        "
local[0] a: 16 bytes at 0
%0 = threadIdx.x
%1 = &local[0] a
store.i32 [%1 + sx(%0)*4], %0
",
    );
}

#[test]
fn continue_and_break_survive_unrolling() {
    // for (i = 0; i < 2; i++) { if (tid == i) continue; if (tid == 7) break; out[i] = 1; }
    let mut b = Builder::new();
    let i = b.var(Type::I32, "i");
    let mut body = vec![];
    let thread = b.thread(&mut body);
    let out = b.param(&mut body, 0);
    b.count(&mut body, i, (int(0), int(2), 1), Some(UnrollHint::Full), |b, label| {
        let mut body = vec![];
        for (limit, jump) in [(Operand::from(i), Node::Continue(label)), (int(7), Node::Break(label))] {
            let condition = b.compare(&mut body, CompareOp::Eq, thread, limit);
            body.push(Node::If { condition, then: vec![jump], otherwise: vec![], location: AT });
        }
        store(&mut body, ElementType::I32, element(out, i.into()), int(1));
        body
    });
    check(
        b.module(body),
        "
%0 = threadIdx.x
%1 = param 0 out
scope L1 {
  %2 = eq.i32 %0, 0
  if %2 {
  } else {
    %3 = eq.i32 %0, 7
    if %3 {
      break L1
    }
    store.i32 [%1], 1
  }
  %4 = eq.i32 %0, 1
  if %4 {
  } else {
    %5 = eq.i32 %0, 7
    if %5 {
      break L1
    }
    store.i32 [%1 + 4], 1
  }
}
",
    );
}

#[test]
fn a_factor_unrolls_with_the_remainder_first() {
    let mut b = Builder::new();
    let i = b.var(Type::I32, "i");
    let mut body = vec![];
    let out = b.param(&mut body, 0);
    b.count(&mut body, i, (int(0), int(101), 1), Some(UnrollHint::Factor(2)), |_, _| {
        let mut body = vec![];
        store(&mut body, ElementType::I32, element(out, i.into()), i.into());
        body
    });
    check(
        b.module(body),
        "
%1 = param 0 out
store.i32 [%1], 0
%0.i = 1
loop L0 unroll(1) {
  %2 = lt_s.i32 %0.i, 101
} while %2 {
  store.i32 [%1 + sx(%0.i)*4], %0.i
  %3.i = add.i32 %0.i, 1
  store.i32 [%1 + sx(%0.i)*4 + 4], %3.i
} step {
  %0.i = add.i32 %0.i, 2
}
",
    );
}

#[test]
fn a_trip_count_known_at_run_time_unrolls_with_the_remainder_last() {
    let mut b = Builder::new();
    let i = b.var(Type::I32, "i");
    let mut body = vec![];
    let out = b.param(&mut body, 0);
    let count = b.load(&mut body, ElementType::I32, element(out, int(0)));
    b.count(&mut body, i, (int(0), count, 1), None, |_, _| {
        let mut body = vec![];
        store(&mut body, ElementType::I32, element(out, i.into()), int(5));
        body
    });
    check(
        b.module(body),
        "
%1 = param 0 out
%2 = load.i32 [%1]
%0.i = 0
%4 = max_s.i32 %2, -2147483645
%5 = add.i32 %4, -3
loop L1 unroll(1) {
  %6 = lt_s.i32 %0.i, %5
} while %6 {
  store.i32 [%1 + sx(%0.i)*4], 5
  store.i32 [%1 + sx(%0.i)*4 + 4], 5
  store.i32 [%1 + sx(%0.i)*4 + 8], 5
  store.i32 [%1 + sx(%0.i)*4 + 12], 5
} step {
  %0.i = add.i32 %0.i, 4
}
loop L0 unroll(1) {
  %3 = lt_s.i32 %0.i, %2
} while %3 {
  store.i32 [%1 + sx(%0.i)*4], 5
} step {
  %0.i = add.i32 %0.i, 1
}
",
    );
}

#[test]
fn pragma_unroll_1_keeps_the_loop() {
    let mut b = Builder::new();
    let i = b.var(Type::I32, "i");
    let mut body = vec![];
    b.count(&mut body, i, (int(0), int(2), 1), Some(UnrollHint::Factor(1)), |b, _| {
        let mut body = vec![];
        let out = b.param(&mut body, 0);
        let thread = b.thread(&mut body);
        let value = b.binary(&mut body, BinaryOp::Mul, thread, int(12));
        store(&mut body, ElementType::I32, element(out, i.into()), value);
        body
    });
    // A loop invariant is computed before the loop.
    check(
        b.module(body),
        "
%2 = param 0 out
%3 = threadIdx.x
%0.i = 0
%4 = mul.i32 %3, 12
loop L0 unroll(1) {
  %1 = lt_s.i32 %0.i, 2
} while %1 {
  store.i32 [%2 + sx(%0.i)*4], %4
} step {
  %0.i = add.i32 %0.i, 1
}
",
    );
}

#[test]
fn constant_summands_of_indices_move_into_the_offset() {
    // tile[(tid + 1) * 18 + tid + 2]
    let mut b = Builder::new();
    let mut body = vec![];
    let thread = b.thread(&mut body);
    let out = b.param(&mut body, 0);
    let row = b.binary(&mut body, BinaryOp::Add, thread, int(1));
    let row = b.binary(&mut body, BinaryOp::Mul, row, int(18));
    let index = b.binary(&mut body, BinaryOp::Add, row, thread);
    let index = b.binary(&mut body, BinaryOp::Add, index, int(2));
    store(&mut body, ElementType::I32, element(out, index), int(5));
    check(
        b.module(body),
        "
%0 = threadIdx.x
%1 = param 0 out
%2 = mul.i32 %0, 18
%3 = add.i32 %2, %0
store.i32 [%1 + sx(%3)*4 + 80], 5
",
    );
}

#[test]
fn an_unsigned_index_that_may_wrap_keeps_its_sum() {
    let mut b = Builder::new();
    let mut body = vec![];
    let out = b.param(&mut body, 0);
    let any = b.load(&mut body, ElementType::I32, element(out, int(0)));
    let thread = b.thread(&mut body);
    for value in [any, thread] {
        let index = b.binary(&mut body, BinaryOp::Add, value, int(1));
        let index = Some(Index { value: index, kind: IndexKind::Unsigned32, scale: 4 });
        store(&mut body, ElementType::I32, Address { base: out, index, offset: 0 }, int(5));
    }
    check(
        b.module(body),
        "
%0 = param 0 out
%2 = threadIdx.x
%1 = load.i32 [%0]
%3 = add.i32 %1, 1
store.i32 [%0 + zx(%3)*4], 5
store.i32 [%0 + zx(%2)*4 + 4], 5
",
    );
}

#[test]
fn products_and_sums_contract_unless_rounded_explicitly() {
    let mut b = Builder::new();
    let acc = b.var(Type::F32, "acc");
    let mut body = vec![];
    let out = b.param(&mut body, 0);
    let x = b.load(&mut body, ElementType::F32, element(out, int(0)));
    let y = b.load(&mut body, ElementType::F32, element(out, int(1)));
    body.push(copy(acc, x));
    let product = b.binary(&mut body, BinaryOp::Mul, x, y);
    let sum = b.binary(&mut body, BinaryOp::Add, acc.into(), product);
    body.push(copy(acc, sum));
    let product = b.binary(&mut body, BinaryOp::Mul, y, float(2.0));
    let difference = b.binary(&mut body, BinaryOp::Sub, acc.into(), product);
    body.push(copy(acc, difference));
    let product = b.binary(&mut body, BinaryOp::MulRn, y, float(3.0));
    let sum = b.binary(&mut body, BinaryOp::Add, acc.into(), product);
    store(&mut body, ElementType::F32, element(out, int(2)), sum);
    check(
        b.module(body),
        "
%1 = param 0 out
%2 = load.f32 [%1]
%3 = load.f32 [%1 + 4]
%0.acc = fma.f32 %2, %3, %2
%0.acc = fma.f32 %3, -2.0f, %0.acc
%4 = mul_rn.f32 %3, 3.0f
%5 = add.f32 %0.acc, %4
store.f32 [%1 + 8], %5
",
    );
}

#[test]
fn a_load_is_removed_only_if_nothing_can_have_changed_the_memory() {
    let mut b = Builder::new();
    let mut body = vec![];
    let out = b.param(&mut body, 0);
    let one = b.load(&mut body, ElementType::I32, element(out, int(0)));
    let other = b.load(&mut body, ElementType::I32, element(out, int(0)));
    body.push(inst(InstKind::Barrier { reduce: None }));
    let third = b.load(&mut body, ElementType::I32, element(out, int(0)));
    let sum = b.binary(&mut body, BinaryOp::Add, one, other);
    let sum = b.binary(&mut body, BinaryOp::Add, sum, third);
    // Nothing reads this result, but the load may be out of bounds.
    b.load(&mut body, ElementType::I32, element(out, int(1000)));
    let dst = b.temp(Type::I32);
    for _ in 0..2 {
        let address = element(out, int(4));
        body.push(inst(InstKind::Load {
            dst: vec![dst].into(),
            ty: ElementType::I32,
            address,
            order: AccessOrder::Volatile,
            cache: CacheOp::Default,
            part: ObjectPart::Whole,
        }));
    }
    store(&mut body, ElementType::I32, element(out, int(1)), sum);
    check(
        b.module(body),
        "
%0 = param 0 out
%1 = load.i32 [%0]
barrier
%2 = load.i32 [%0]
%3 = add.i32 %1, %1
%4 = add.i32 %3, %2
%5 = load.i32 [%0 + 4000]
%6 = load.i32.volatile [%0 + 16]
%6 = load.i32.volatile [%0 + 16]
store.i32 [%0 + 4], %4
",
    );
}

#[test]
fn short_conditionals_become_selects_minima_and_maxima() {
    let mut b = Builder::new();
    let (m, c) = (b.var(Type::I32, "m"), b.var(Type::I32, "c"));
    let mut body = vec![];
    let out = b.param(&mut body, 0);
    let thread = b.thread(&mut body);
    let x = b.load(&mut body, ElementType::I32, element(out, thread));
    body.push(copy(m, x));
    let condition = b.compare(&mut body, CompareOp::LtS, m.into(), thread);
    let then = vec![copy(m, thread)];
    body.push(Node::If { condition, then, otherwise: vec![], location: AT });
    let condition = b.compare(&mut body, CompareOp::Eq, x, int(9));
    let (mut then, mut otherwise) = (vec![], vec![]);
    let sum = b.binary(&mut then, BinaryOp::Add, x, m.into());
    then.push(copy(c, sum));
    otherwise.push(copy(c, int(-1)));
    body.push(Node::If { condition, then, otherwise, location: AT });
    store(&mut body, ElementType::I32, element(out, thread), c.into());
    check(
        b.module(body),
        "
%2 = param 0 out
%3 = threadIdx.x
%4 = load.i32 [%2 + sx(%3)*4]
%0.m = max_s.i32 %3, %4
%5 = eq.i32 %4, 9
%6 = add.i32 %4, %0.m
%1.c = select.i32 %5, %6, -1
store.i32 [%2 + sx(%3)*4], %1.c
",
    );
}

#[test]
fn a_division_that_may_be_by_zero_is_neither_removed_nor_moved() {
    let mut b = Builder::new();
    let i = b.var(Type::I32, "i");
    let mut body = vec![];
    let thread = b.thread(&mut body);
    b.count(&mut body, i, (int(0), thread, 1), Some(UnrollHint::Factor(1)), |b, _| {
        let mut body = vec![];
        b.binary(&mut body, BinaryOp::DivS, int(8), thread);
        body
    });
    check(
        b.module(body),
        "
%1 = threadIdx.x
%0.i = 0
loop L0 unroll(1) {
  %2 = lt_s.i32 %0.i, %1
} while %2 {
  %3 = div_s.i32 8, %1
} step {
  %0.i = add.i32 %0.i, 1
}
",
    );
}

#[test]
fn instructions_that_depend_on_other_lanes_are_not_moved() {
    let mut b = Builder::new();
    let mut body = vec![];
    let thread = b.thread(&mut body);
    let condition = b.compare(&mut body, CompareOp::LtS, thread, int(3));
    let mask = |b: &mut Builder, out: &mut Region| {
        let dst = b.temp(Type::I32);
        out.push(inst(InstKind::Special { dst, value: Special::ActiveMask }));
        Operand::from(dst)
    };
    let before = mask(&mut b, &mut body);
    let mut then = vec![];
    let inside = mask(&mut b, &mut then);
    let lanes = b.binary(&mut then, BinaryOp::Xor, before, inside);
    let dst = b.temp(Type::I32);
    let members = inside;
    then.push(inst(InstKind::Vote { dst, mode: VoteMode::Ballot, predicate: condition, members }));
    let sum = b.binary(&mut then, BinaryOp::Add, lanes, dst.into());
    let out = b.param(&mut then, 0);
    store(&mut then, ElementType::I32, element(out, thread), sum);
    body.push(Node::If { condition, then, otherwise: vec![], location: AT });
    check(
        b.module(body),
        "
%0 = threadIdx.x
%7 = param 0 out
%1 = lt_s.i32 %0, 3
%2 = activeMask
if %1 {
  %3 = activeMask
  %4 = xor.i32 %2, %3
  %5 = vote.ballot true members %3
  %6 = add.i32 %4, %5
  store.i32 [%7 + sx(%0)*4], %6
}
",
    );
}

#[test]
fn unrolling_stops_at_its_limits() {
    // 64^6 iterations, all with `#pragma unroll`.
    let mut b = Builder::new();
    let counters: Vec<Reg> = (0..6).map(|_| b.var(Type::I32, "i")).collect();
    let mut body = vec![];
    let out = b.param(&mut body, 0);
    store(&mut body, ElementType::I32, element(out, counters[5].into()), int(1));
    for counter in counters.into_iter().rev() {
        let inner = std::mem::take(&mut body);
        b.count(&mut body, counter, (int(0), int(64), 1), Some(UnrollHint::Full), |_, _| inner);
    }
    // The pointer is read at the entry.
    let param = b.param(&mut vec![], 0);
    body.insert(0, inst(InstKind::Param { dst: reg(param), index: ParamIndex(0) }));
    let mut module = b.module(body);
    simt_opt::optimise(&mut module);
    assert_eq!(validate(&module), Ok(()));
    assert!(module.to_string().lines().count() < 10_000);
}

fn reg(operand: Operand) -> Reg {
    match operand {
        Operand::Reg(reg) => reg,
        Operand::Const(_) => panic!("a constant"),
    }
}

#[test]
fn deeply_nested_loops_are_optimised() {
    let mut b = Builder::new();
    let mut body = vec![];
    let out = b.param(&mut vec![], 0);
    store(&mut body, ElementType::I32, element(out, int(0)), int(1));
    for _ in 0..256 {
        let i = b.var(Type::I32, "i");
        let mut outer = vec![];
        let limit = b.thread(&mut outer);
        b.count(&mut outer, i, (int(0), limit, 1), Some(UnrollHint::Factor(1)), |_, _| body);
        body = outer;
    }
    body.insert(0, inst(InstKind::Param { dst: reg(out), index: ParamIndex(0) }));
    let text = optimised(b.module(body));
    assert_eq!(text.matches("loop").count(), 256);
}

/// `T x;` in a kernel whose other instructions are those of `then`, if the thread's index is below 8, `otherwise`, and `out[0] = x`.
fn declared(then: fn(Reg) -> Region, otherwise: fn(Reg) -> Region) -> Module {
    let mut b = Builder::new();
    let x = b.var(Type::I32, "x");
    let mut body = vec![];
    let variable = SourceVariable { name: "x".into(), declared: AT }.into();
    body.push(inst(InstKind::Undefined { dst: x, variable }));
    let thread = b.thread(&mut body);
    let condition = b.compare(&mut body, CompareOp::LtS, thread, int(8));
    body.push(Node::If { condition, then: then(x), otherwise: otherwise(x), location: AT });
    let out = b.param(&mut body, 0);
    store(&mut body, ElementType::I32, element(out, int(0)), x.into());
    b.module(body)
}

#[test]
fn what_is_set_on_each_path_was_never_undefined() {
    check(
        declared(|x| vec![copy(x, int(1))], |x| vec![copy(x, int(2))]),
        "
%1 = threadIdx.x
%3 = param 0 out
%2 = lt_s.i32 %1, 8
%0.x = select.i32 %2, 1, 2
store.i32 [%3], %0.x
",
    );
}

#[test]
fn what_is_set_on_one_path_only_stays_undefined_on_the_other() {
    let text = optimised(declared(|x| vec![copy(x, int(1))], |_| vec![]));
    assert!(text.contains("undefined.i32 `x`"), "{text}");
}

#[test]
fn elements_that_nothing_sets_are_undefined_in_registers() {
    // int a[3]; if (tid < 8) a[1] = 4; a[2] = 5; out[0] = a[1]; out[1] = a[2];
    let mut b = Builder::new();
    let array = b.local(12);
    b.kernel.locals[0].elements = ArrayShape { bytes: 4, dimensions: vec![3], members: vec![] };
    let mut body = vec![];
    let base = b.address_of(&mut body, array);
    let thread = b.thread(&mut body);
    let condition = b.compare(&mut body, CompareOp::LtS, thread, int(8));
    let mut then = vec![];
    store(&mut then, ElementType::I32, element(base, int(1)), int(4));
    body.push(Node::If { condition, then, otherwise: vec![], location: AT });
    store(&mut body, ElementType::I32, element(base, int(2)), int(5));
    let out = b.param(&mut body, 0);
    for number in 0..2 {
        let value = b.load(&mut body, ElementType::I32, element(base, int(number + 1)));
        store(&mut body, ElementType::I32, element(out, int(number)), value);
    }
    let text = optimised(b.module(body));
    let undefined: Vec<&str> = text.lines().filter(|line| line.contains("undefined")).collect();
    assert!(undefined.len() == 1 && undefined[0].contains("`a[1]`"), "{text}");
}

#[test]
fn a_variable_of_a_loop_that_each_round_sets_first_was_never_undefined() {
    // for (i) { int x; if (tid < 8) x = i; else x = 0; out[i] = x; }
    let mut b = Builder::new();
    let (i, x) = (b.var(Type::I32, "i"), b.var(Type::I32, "x"));
    let mut body = vec![];
    let thread = b.thread(&mut body);
    let condition = b.compare(&mut body, CompareOp::LtS, thread, int(8));
    let out = b.param(&mut body, 0);
    b.count(&mut body, i, (int(0), thread, 1), None, |_, _| {
        let variable = SourceVariable { name: "x".into(), declared: AT }.into();
        let mut body = vec![inst(InstKind::Undefined { dst: x, variable })];
        let (then, otherwise) = (vec![copy(x, i.into())], vec![copy(x, int(0))]);
        body.push(Node::If { condition, then, otherwise, location: AT });
        store(&mut body, ElementType::I32, element(out, i.into()), x.into());
        body
    });
    let text = optimised(b.module(body));
    assert!(!text.contains("undefined"), "{text}");
}
