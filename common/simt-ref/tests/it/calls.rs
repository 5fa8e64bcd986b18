//! Calls: frames, recursion, results, local arrays, and the lanes that wait in the frames around.

use crate::build::{Build, i32};
use crate::{SCHEDULES, each, fails, launch, words};
use simt_ir::{
    ArgumentIndex, ArrayShape, BinaryOp, CompareOp, ElementType, Function, FunctionIndex, InstKind,
    LocalArray, Location, Node, Operand, Reg, Special, Type, VariableRef,
};
use simt_ref::{End, FaultKind, Launch};

/// Adds a function `int f(int)` to the kernel, which `body` writes as if it were a kernel: it gets the argument.
fn function(b: &mut Build, locals: Vec<LocalArray>, body: impl FnOnce(&mut Build, Operand)) -> FunctionIndex {
    let mut inner = Build::new();
    let argument = inner.reg(Type::I32);
    inner.emit(InstKind::Argument { dst: argument, index: ArgumentIndex(0) });
    body(&mut inner, argument.into());
    let kernel = inner.module().kernels.remove(0);
    b.kernel.functions.push(Function {
        name: "f".into(),
        params: vec![Type::I32],
        results: vec![Type::I32],
        locals,
        registers: kernel.registers,
        body: kernel.body,
        location: Location(0),
    });
    // Its instructions have the places that the kernel's first ones get.
    while b.module.locations.len() < 100 {
        b.location();
    }
    FunctionIndex(b.kernel.functions.len() as u32 - 1)
}

fn call(b: &mut Build, function: FunctionIndex, argument: Operand) -> Operand {
    let dst = b.reg(Type::I32);
    b.emit(InstKind::Call { dst: vec![dst].into(), function, args: vec![argument].into() });
    dst.into()
}

fn give(b: &mut Build, value: impl Into<Operand>) {
    b.emit(InstKind::Result { values: vec![value.into()].into() });
}

#[test]
fn each_lane_goes_as_deep_as_it_must_and_they_come_back_together() {
    // f(n) = n == 0 ? 1 : n * f(n - 1); afterwards all lanes are there.
    let got = words(40, |b, t| {
        let f = function(b, vec![], |b, n| {
            give(b, i32(1));
            let more = b.cmp(CompareOp::Ne, n, i32(0));
            b.branch(more, |b| {
                let less = b.op(BinaryOp::Sub, n, i32(1));
                let rest = call(b, FunctionIndex(0), less);
                let product = b.mul(n, rest);
                give(b, product);
            });
        });
        let n = b.op(BinaryOp::And, t, i32(7));
        let product = call(b, f, n);
        let together = b.special(Special::ActiveMask);
        b.op(BinaryOp::Xor, product, together)
    });
    let mask = |t: u32| if t < 32 { u32::MAX } else { 0xff };
    assert_eq!(got, each(40, |t| (1..=t & 7).product::<u32>() ^ mask(t)));
}

#[test]
fn lanes_of_one_frame_share_their_callers() {
    // Odd lanes call from another place: each call's lanes are alone in it.
    let got = words(4, |b, t| {
        let f = function(b, vec![], |b, _| {
            let here = b.special(Special::ActiveMask);
            give(b, here);
        });
        let bit = b.op(BinaryOp::And, t, i32(1));
        let odd = b.cmp(CompareOp::Ne, bit, i32(0));
        let result = b.reg(Type::I32);
        let store = |b: &mut Build| {
            let value = call(b, f, t);
            b.copy(result, value);
        };
        b.branch_else(odd, store, store);
        result.into()
    });
    assert_eq!(got, [5, 10, 5, 10]);
}

#[test]
fn return_ends_the_call_and_its_lanes_wait_at_the_end() {
    // f(t): give 7; if (t < 2) return; give the mask of those who are still there.
    let got = words(4, |b, t| {
        let f = function(b, vec![], |b, n| {
            give(b, i32(7));
            let low = b.cmp(CompareOp::LtS, n, i32(2));
            b.branch(low, |b| b.node(Node::Return));
            let here = b.special(Special::ActiveMask);
            give(b, here);
        });
        let given = call(b, f, t);
        let together = b.special(Special::ActiveMask);
        let tens = b.mul(together, i32(100));
        b.add(tens, given)
    });
    assert_eq!(got, [1507, 1507, 1512, 1512]);
}

#[test]
fn registers_of_a_frame_start_as_zero_and_results_as_well() {
    let got = words(2, |b, t| {
        // x = x + n + 1, which must not grow from call to call; given only if n != 0.
        let f = function(b, vec![], |b, n| {
            let x: Reg = b.reg(Type::I32);
            let sum = b.add(x.into(), n);
            b.emit(InstKind::Binary { dst: x, op: BinaryOp::Add, lhs: sum, rhs: i32(1) });
            let some = b.cmp(CompareOp::Ne, n, i32(0));
            b.branch(some, |b| give(b, x));
        });
        let [one, other, none] = [i32(4), t, i32(0)].map(|n| call(b, f, n));
        let sum = b.add(one, other);
        b.add(sum, none)
    });
    assert_eq!(got, [5, 7]);
}

fn array() -> LocalArray {
    let (elements, location) = (ArrayShape::default(), Location(0));
    LocalArray { name: "a".into(), offset: 0, bytes: 8, elements, location }
}

#[test]
fn each_frame_has_local_arrays_of_its_own_whose_pointers_callees_may_use() {
    // f(n): int a[2] = { n, 0 }; if (n > 0) a[1] = f(n - 1); give 10 * a[1] + a[0].
    let got = words(3, |b, t| {
        let f = function(b, vec![array()], |b, n| {
            let a = b.reg(Type::Ptr);
            b.emit(InstKind::AddressOf { dst: a, variable: VariableRef::Local(simt_ir::LocalIndex(0)) });
            b.kernel.locals.push(array());
            b.store(ElementType::I32, a.into(), i32(0), n);
            b.store(ElementType::I32, a.into(), i32(1), i32(0));
            let more = b.cmp(CompareOp::LtS, i32(0), n);
            b.branch(more, |b| {
                let less = b.op(BinaryOp::Sub, n, i32(1));
                let rest = call(b, FunctionIndex(0), less);
                b.store(ElementType::I32, a.into(), i32(1), rest);
            });
            let [low, high] = [0, 1].map(|n| b.load(ElementType::I32, a.into(), i32(n)));
            let tens = b.mul(high, i32(10));
            let sum = b.add(tens, low);
            give(b, sum);
        });
        let kept = b.local("kept", 4);
        b.store(ElementType::I32, kept, i32(0), i32(1000));
        let n = b.add(t, i32(2));
        let given = call(b, f, n);
        let thousand = b.load(ElementType::I32, kept, i32(0));
        b.add(given, thousand)
    });
    assert_eq!(got, [1012, 1123, 2234]);
}

#[test]
fn recursion_without_end_overflows_the_stack() {
    let mut b = Build::new();
    let t = b.tid();
    let f = function(&mut b, vec![array()], |b, n| {
        call(b, FunctionIndex(0), n);
    });
    call(&mut b, f, t);
    // 1024 bytes of stack, and 32 for a call with its array.
    assert_eq!(fails(b, 2), (0, FaultKind::StackOverflow { depth: 33 }));
    let mut b = Build::new();
    let f = function(&mut b, vec![], |b, n| {
        call(b, FunctionIndex(0), n);
    });
    call(&mut b, f, i32(0));
    let module = b.module();
    for schedule in SCHEDULES {
        let deep = Launch { schedule, steps: 1000, stack_bytes: 1 << 40, ..Launch::new(1, 1, &[]) };
        assert_eq!(launch(&module, &deep, &[]).0.end, End::OutOfSteps);
    }
}
