//! Asynchronous copies, and barriers in shared memory.

use crate::build::{Build, i32};
use crate::{SCHEDULES, each, everywhere, fails, fault, launch, words};
use simt_ir::{Address, AsyncOp, CompareOp, Constant, ElementType, InstKind, Node, Operand, Type};
use simt_ref::{End, FaultKind, Launch};

fn at(base: Operand, offset: i64) -> Address {
    Address { base, index: None, offset }
}

fn asynchronous(b: &mut Build, op: AsyncOp, args: &[Operand]) {
    b.emit(InstKind::Async { dst: None, op, args: args.to_vec().into() });
}

fn copy(b: &mut Build, to: Address, from: Address, bytes: u32, used: i32) {
    b.emit(InstKind::AsyncCopy { to, from, bytes, used: i32(used) });
}

#[test]
fn a_copy_takes_its_source_when_it_begins_and_puts_it_there_when_it_is_awaited() {
    let mut b = Build::new();
    let (out, input) = (b.pointer("out"), b.pointer("in"));
    let s = b.shared("s", 16);
    b.store(ElementType::I32, s, i32(0), i32(9));
    copy(&mut b, at(s, 0), at(input, 0), 4, 4);
    b.store(ElementType::I32, input, i32(0), i32(5));
    let before = b.load(ElementType::I32, s, i32(0));
    b.store(ElementType::I32, out, i32(0), before);
    asynchronous(&mut b, AsyncOp::Commit, &[]);
    asynchronous(&mut b, AsyncOp::Wait, &[i32(0)]);
    let after = b.load(ElementType::I32, s, i32(0));
    b.store(ElementType::I32, out, i32(1), after);
    let got = everywhere(&b.module(), &Launch::new(1, 1, &[]), &[&[0, 0], &[7]]);
    assert_eq!(got[0], [9, 7]);
}

#[test]
fn a_wait_leaves_the_last_groups_under_way() {
    // Three groups of one copy, and one copy of no group; after waiting for all but n groups, what is there.
    for left in 0..5 {
        let mut b = Build::new();
        let (out, input) = (b.pointer("out"), b.pointer("in"));
        let s = b.shared("s", 16);
        for i in 0..4 {
            b.store(ElementType::I32, s, i32(i), i32(0));
            copy(&mut b, at(s, 4 * i64::from(i)), at(input, 4 * i64::from(i)), 4, 4);
            if i < 3 {
                asynchronous(&mut b, AsyncOp::Commit, &[]);
            }
        }
        asynchronous(&mut b, AsyncOp::Wait, &[i32(left)]);
        for i in 0..4 {
            let value = b.load(ElementType::I32, s, i32(i));
            b.store(ElementType::I32, out, i32(i), value);
        }
        let got = everywhere(&b.module(), &Launch::new(1, 1, &[]), &[&[0; 4], &[1, 2, 3, 4]]);
        assert_eq!(got[0], each(4, |i| if i + (left as u32) < 3 { i + 1 } else { 0 }), "{left}");
    }
}

#[test]
fn what_is_not_used_of_a_copy_is_zero() {
    for (bytes, used) in [(16, 12), (16, 5), (8, 8), (4, 0)] {
        let mut b = Build::new();
        let (out, input) = (b.pointer("out"), b.pointer("in"));
        let s = b.shared("s", 16);
        copy(&mut b, at(s, 0), at(input, 0), bytes, used);
        asynchronous(&mut b, AsyncOp::Commit, &[]);
        asynchronous(&mut b, AsyncOp::Wait, &[i32(0)]);
        for i in 0..4 {
            let value = b.load(ElementType::I32, s, i32(i));
            b.store(ElementType::I32, out, i32(i), value);
        }
        let got = everywhere(&b.module(), &Launch::new(1, 1, &[]), &[&[0; 4], &[0x0101_0101; 4]]);
        let byte = |i: u32| match i {
            _ if i >= bytes => 0xff,
            _ => u32::from(i < used as u32),
        };
        assert_eq!(
            got[0],
            each(4, |w| (0..4).map(|i| byte(4 * w + i) << (8 * i)).sum()),
            "{used} of {bytes}"
        );
    }
}

#[test]
fn copies_go_from_global_to_shared_memory_aligned_to_their_size() {
    let kernel = |build: fn(&mut Build, Operand, Operand)| {
        let mut b = Build::new();
        let input = b.pointer("in");
        let s = b.shared("s", 32);
        build(&mut b, s, input);
        let mut fault = fault(&b.module(), &Launch::new(1, 1, &[]), &[&[0; 8]]);
        fault.threads.swap_remove(0).1
    };
    assert_eq!(kernel(|b, s, _| copy(b, at(s, 0), at(s, 16), 16, 16)), FaultKind::NotGlobal);
    assert_eq!(kernel(|b, _, g| copy(b, at(g, 0), at(g, 16), 16, 16)), FaultKind::NotShared);
    let size = FaultKind::AsyncCopySize { used: 9, bytes: 8 };
    assert_eq!(kernel(|b, s, g| copy(b, at(s, 0), at(g, 0), 8, 9)), size);
    for (to, from, used) in [(4, 0, 8), (0, 4, 8), (0, 4, 4)] {
        let mut b = Build::new();
        let input = b.pointer("in");
        let s = b.shared("s", 32);
        copy(&mut b, at(s, to), at(input, from), 8, used);
        let fault = fault(&b.module(), &Launch::new(1, 1, &[]), &[&[0; 8]]);
        assert!(matches!(fault.threads[0].1, FaultKind::Misaligned { bytes: 8, .. }), "{fault:?}");
    }
    assert!(matches!(kernel(|b, s, g| copy(b, at(s, 0), at(g, 32), 8, 4)), FaultKind::OutOfBounds { .. }));
    assert!(matches!(kernel(|b, s, g| copy(b, at(s, 32), at(g, 0), 8, 8)), FaultKind::OutOfBounds { .. }));
}

/// A barrier in shared memory for so many threads, made by thread 0.
fn barrier(b: &mut Build, t: Operand, expected: i32) -> Operand {
    let bar = b.shared("bar", 8);
    let first = b.cmp(CompareOp::Eq, t, i32(0));
    b.branch(first, |b| asynchronous(b, AsyncOp::Init, &[bar, i32(expected)]));
    b.barrier();
    bar
}

fn arrive(b: &mut Build, op: AsyncOp, bar: Operand, count: i32) -> Operand {
    let dst = b.reg(Type::I32);
    b.emit(InstKind::Async { dst: Some(dst), op, args: vec![bar, i32(count)].into() });
    dst.into()
}

#[test]
fn a_phase_ends_with_the_last_arrival_and_takes_copies_along() {
    // Each of 64 threads copies a word, binds the copy, arrives and waits, twice; then reads its mirror's.
    let mut b = Build::new();
    let (out, input) = (b.pointer("out"), b.pointer("in"));
    let t = b.tid();
    let bar = barrier(&mut b, t, 64);
    let s = b.shared("s", 256);
    let sum = b.var(Type::I32, i32(0));
    b.count(i32(0), i32(2), 1, |b, i, _| {
        let row = b.mul(i, i32(64));
        let from = b.add(row, t);
        let (to, from) = (b.at(s, t, 4), b.at(input, from, 4));
        copy(b, to, from, 4, 4);
        asynchronous(b, AsyncOp::Bind, &[bar]);
        let phase = arrive(b, AsyncOp::Arrive, bar, 1);
        asynchronous(b, AsyncOp::Await, &[bar, phase]);
        let mirror = b.op(simt_ir::BinaryOp::Sub, i32(63), t);
        let value = b.load(ElementType::I32, s, mirror);
        let hundreds = b.mul(phase, i32(1000));
        let value = b.add(value, hundreds);
        b.emit(InstKind::Binary { dst: sum, op: simt_ir::BinaryOp::Add, lhs: sum.into(), rhs: value });
        b.barrier();
    });
    b.store(ElementType::I32, out, t, sum.into());
    let got = everywhere(&b.module(), &Launch::new(1, 64, &[]), &[&[0; 64], &each(128, |i| i * i)]);
    assert_eq!(got[0], each(64, |t| (63 - t).pow(2) + (127 - t).pow(2) + 1000));
}

#[test]
fn a_phase_that_is_not_under_way_has_ended_and_dropped_threads_are_not_expected() {
    // Two arrivals at once; then 1 of 2 drops, so that phase 1 needs one more arrival, and phase 2 one in all.
    let got = words(1, |b, t| {
        let bar = barrier(b, t, 2);
        asynchronous(b, AsyncOp::Await, &[bar, i32(1)]);
        let zero = arrive(b, AsyncOp::Arrive, bar, 2);
        asynchronous(b, AsyncOp::Await, &[bar, zero]);
        let one = arrive(b, AsyncOp::Drop, bar, 1);
        let still_one = arrive(b, AsyncOp::Arrive, bar, 1);
        let two = arrive(b, AsyncOp::Arrive, bar, 1);
        asynchronous(b, AsyncOp::Await, &[bar, two]);
        let phases = [zero, one, still_one, two];
        phases.into_iter().fold(i32(0), |all, phase| {
            let tens = b.mul(all, i32(10));
            b.add(tens, phase)
        })
    });
    assert_eq!(got, [110]);
}

#[test]
fn barriers_must_be_made_for_threads_that_arrive() {
    let kernel = |build: fn(&mut Build, Operand)| {
        let mut b = Build::new();
        let bar = b.shared("bar", 8);
        build(&mut b, bar);
        fails(b, 1).1
    };
    assert_eq!(
        kernel(|b, bar| {
            arrive(b, AsyncOp::Arrive, bar, 1);
        }),
        FaultKind::BarrierNotMade
    );
    assert_eq!(kernel(|b, bar| asynchronous(b, AsyncOp::Bind, &[bar])), FaultKind::BarrierNotMade);
    assert_eq!(kernel(|b, bar| asynchronous(b, AsyncOp::Await, &[bar, i32(0)])), FaultKind::BarrierNotMade);
    for count in [0, 1 << 20] {
        let mut b = Build::new();
        let bar = b.shared("bar", 8);
        asynchronous(&mut b, AsyncOp::Init, &[bar, i32(count)]);
        assert_eq!(fails(b, 1).1, FaultKind::BarrierCount { count: count as u32 });
    }
    let twice = kernel(|b, bar| {
        asynchronous(b, AsyncOp::Init, &[bar, i32(2)]);
        arrive(b, AsyncOp::Arrive, bar, 3);
    });
    assert_eq!(twice, FaultKind::BarrierCount { count: 3 });
    let pointer: Operand = Constant::Ptr(0).into();
    let mut b = Build::new();
    asynchronous(&mut b, AsyncOp::Init, &[pointer, i32(1)]);
    assert!(matches!(fails(b, 1).1, FaultKind::NullPointer { .. }));
}

#[test]
fn a_phase_that_nobody_can_end_is_an_error() {
    let mut b = Build::new();
    let t = b.tid();
    let bar = barrier(&mut b, t, 2);
    let low = b.cmp(CompareOp::LtS, t, i32(32));
    b.branch_else(low, |b| asynchronous(b, AsyncOp::Await, &[bar, i32(0)]), |b| b.node(Node::Return));
    assert_eq!(fails(b, 64), (0, FaultKind::BarrierPhase));
}

#[test]
fn lanes_that_wait_hold_up_the_rest_of_their_warp_in_lockstep_only() {
    // if (t == 0) await; else arrive: lane 0 waits for lane 1, which comes later.
    let mut b = Build::new();
    let t = b.tid();
    let bar = barrier(&mut b, t, 1);
    let first = b.cmp(CompareOp::Eq, t, i32(0));
    b.branch_else(
        first,
        |b| asynchronous(b, AsyncOp::Await, &[bar, i32(0)]),
        |b| {
            arrive(b, AsyncOp::Arrive, bar, 1);
        },
    );
    let module = b.module();
    let ends =
        SCHEDULES.map(|schedule| launch(&module, &Launch { schedule, ..Launch::new(1, 2, &[]) }, &[]).0.end);
    assert!(matches!(&ends[0], End::Fault(f) if f.threads[0].1 == FaultKind::BarrierPhase), "{ends:?}");
    assert_eq!(&ends[1..], [End::Done, End::Done]);
}
