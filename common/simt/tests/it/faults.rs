//! Each fault, with what its message needs: variable, offset, size, threads, places.

use crate::support::{self, *};
use simt::*;
use simt_ir::{
    AccessOrder, AtomicOp, BinaryOp, CacheOp, CompareOp, Constant, ElementType, GlobalIndex, InstKind, Node,
    ObjectPart, Operand, Reg, ScopedOrder, ShuffleMode, StringIndex, Type,
};

fn fault(build: Build, grid: u32, block: u32, buffers: &[u64]) -> Fault {
    let mut d = Device::new(build);
    d.options.instruction_budget = 3_000_000;
    let args: Vec<Constant> = buffers.iter().map(|words| ptr(d.words(&vec![0; *words as usize]))).collect();
    *d.run(grid, block, &args).unwrap_err()
}

#[test]
fn out_of_bounds_names_buffer_offset_and_threads() {
    let mut b = Build::new();
    let x = b.pointer("x");
    let i = b.global_id();
    let at = b.store(ElementType::F32, x, i, support::f32(1.0));
    let f = fault(b, 2, 64, &[100]);
    let FaultKind::OutOfBounds { target, offset, bytes, access, .. } = f.kind else { panic!("{f:?}") };
    assert_eq!((target.name.as_deref(), target.bytes), (Some("x"), 400));
    assert_eq!((offset, bytes, access), (400, 4, AccessKind::Store));
    assert_eq!((f.block, f.thread, f.further, f.location), ([1, 0, 0], [36, 0, 0], 27, Some(at)));
}

#[test]
fn an_access_below_a_shared_variable_does_not_reach_its_neighbour() {
    let mut b = Build::new();
    let _low = b.shared("low", 64);
    let high = b.shared("high", 64);
    let t = b.tid();
    let i = b.op(BinaryOp::Sub, t, i32(1));
    b.store(ElementType::I32, high, i, t);
    let f = fault(b, 1, 8, &[]);
    let FaultKind::OutOfBounds { target, offset, .. } = f.kind else { panic!("{f:?}") };
    assert_eq!((target.name.as_deref(), target.bytes, offset), (Some("high"), 64, -4));
    assert_eq!((f.thread, f.further), ([0, 0, 0], 0));
}

#[test]
fn null_freed_and_misaligned_pointers() {
    let kernel = |scale, ty| {
        let mut b = Build::new();
        let x = b.pointer("x");
        let t = b.tid();
        let address = b.at(x, t, scale);
        b.load_at(ty, address);
        b
    };
    let mut d = Device::new(kernel(4, ElementType::F32));
    let f = d.run(1, 32, &[Constant::Ptr(0)]).unwrap_err();
    assert_eq!(f.kind, FaultKind::NullPointer { offset: 0, access: AccessKind::Load });
    let id = d.words(&[0; 32]);
    d.simulator.memory.free(id).unwrap();
    let f = d.run(1, 32, &[ptr(id)]).unwrap_err();
    assert!(matches!(f.kind, FaultKind::InvalidPointer { .. }), "{f:?}");
    let f = fault(kernel(4, ElementType::F64), 1, 2, &[8]);
    assert!(matches!(f.kind, FaultKind::Misaligned { offset: 4, bytes: 8, .. }), "{f:?}");
    assert_eq!(f.thread, [1, 0, 0]);
}

#[test]
fn division_by_zero_in_active_lanes_only() {
    let kernel = |guarded: bool| {
        let mut b = Build::new();
        let t = b.tid();
        let d = b.op(BinaryOp::Sub, t, i32(5));
        let ok = b.cmp(CompareOp::Ne, d, i32(if guarded { 0 } else { 99 }));
        b.branch(ok, |b| {
            b.op(BinaryOp::DivS, t, d);
        });
        b
    };
    let f = fault(kernel(false), 1, 32, &[]);
    assert_eq!((f.kind, f.thread), (FaultKind::DivisionByZero, [5, 0, 0]));
    Device::new(kernel(true)).run(1, 32, &[]).unwrap();
}

#[test]
fn a_barrier_in_a_branch_names_both_parties() {
    let mut b = Build::new();
    let t = b.tid();
    let low = b.cmp(CompareOp::LtS, t, i32(20));
    let mut barrier = None;
    let branch = b.branch(low, |b| barrier = Some(b.barrier()));
    let f = fault(b, 1, 32, &[]);
    let expected =
        FaultKind::BarrierDivergence { missing: [20, 0, 0], exited: false, waiting: 20, absent: 12 };
    assert_eq!(f.kind, expected);
    assert_eq!((f.location, f.other, f.thread), (barrier, Some(branch), [0, 0, 0]));
}

/// How many threads wait is said of the block, whichever of its warps diverges.
#[test]
fn threads_at_a_barrier_are_those_of_the_block() {
    for (modulus, bound, waiting) in [(128, 20, 20), (2, 1, 64), (128, 70, 70)] {
        let mut b = Build::new();
        let t = b.tid();
        let rest = b.op(BinaryOp::And, t, i32(modulus - 1));
        let reaches = b.cmp(CompareOp::LtS, rest, i32(bound));
        b.branch(reaches, |b| {
            b.barrier();
        });
        let FaultKind::BarrierDivergence { waiting: found, absent, .. } = fault(b, 1, 128, &[]).kind else {
            panic!("no divergence")
        };
        assert_eq!((found, absent), (waiting, 128 - waiting), "{modulus} {bound}");
    }
}

#[test]
fn a_barrier_after_an_early_return() {
    for limit in [20, 32] {
        let mut b = Build::new();
        let t = b.tid();
        let gone = b.cmp(CompareOp::LeS, i32(limit), t);
        b.branch(gone, |b| b.node(Node::Return));
        let barrier = b.barrier();
        let f = fault(b, 1, 64, &[]);
        let FaultKind::BarrierDivergence { missing, exited, .. } = f.kind else { panic!("{f:?}") };
        assert_eq!((missing, exited, f.location), ([limit as u32, 0, 0], true, Some(barrier)));
    }
}

#[test]
fn warps_at_different_barriers() {
    let mut b = Build::new();
    let t = b.tid();
    let low = b.cmp(CompareOp::LtS, t, i32(32));
    let (mut first, mut second) = (None, None);
    b.branch_else(low, |b| first = Some(b.barrier()), |b| second = Some(b.barrier()));
    let f = fault(b, 1, 64, &[]);
    assert_eq!(f.kind, FaultKind::BarrierMismatch { thread: [32, 0, 0] });
    assert_eq!((f.location, f.other), (first, second));
}

/// Each thread writes its word and reads the next one's, with what `between` puts between.
fn neighbour(between: impl FnOnce(&mut Build)) -> Build {
    let mut b = Build::new();
    let s = b.shared("s", 4 * 64);
    let t = b.tid();
    b.store(ElementType::I32, s, t, t);
    between(&mut b);
    let n = b.add(t, i32(1));
    let n = b.op(BinaryOp::And, n, i32(63));
    b.load(ElementType::I32, s, n);
    b
}

#[test]
fn a_missing_barrier_is_a_race_with_both_accesses() {
    let f = fault(neighbour(|_| {}), 1, 64, &[]);
    let FaultKind::SharedMemoryRace { target, offset, this, previous, same_warp } = f.kind else {
        panic!("{f:?}")
    };
    assert_eq!((target.name.as_deref(), offset, same_warp), (Some("s"), 4, true));
    assert_eq!((this.kind, this.thread), (AccessKind::Load, [0, 0, 0]));
    assert_eq!((previous.kind, previous.thread), (AccessKind::Store, [1, 0, 0]));
    assert_eq!(f.other, previous.location);
    assert!(this.location != previous.location);
}

#[test]
fn a_warp_barrier_orders_a_warp_and_not_the_block() {
    let sync = |b: &mut Build| {
        b.emit(InstKind::WarpBarrier { members: full() });
    };
    Device::new(neighbour(|b| {
        b.barrier();
    }))
    .run(1, 64, &[])
    .unwrap();
    // Thread 31 reads what thread 32, of the other warp, writes only afterwards: what is missing is the barrier.
    let f = fault(neighbour(sync), 1, 64, &[]);
    let FaultKind::SharedMemoryRace { offset: 128, this, previous, same_warp: false, .. } = f.kind else {
        panic!("{f:?}")
    };
    assert_eq!((this.kind, this.thread), (AccessKind::Load, [31, 0, 0]));
    assert_eq!((previous.kind, previous.thread), (AccessKind::Store, [32, 0, 0]));
    let mut b = Build::new();
    let s = b.shared("s", 128);
    let t = b.tid();
    b.store(ElementType::I32, s, t, t);
    sync(&mut b);
    let n = b.op(BinaryOp::Xor, t, i32(1));
    b.load(ElementType::I32, s, n);
    Device::new(b).run(1, 32, &[]).unwrap();
}

#[test]
fn reading_before_another_warp_overwrites_is_a_race_too() {
    let mut b = Build::new();
    let s = b.shared("s", 4 * 64);
    let t = b.tid();
    b.store(ElementType::I32, s, t, t);
    b.barrier();
    let low = b.cmp(CompareOp::LtS, t, i32(32));
    b.branch_else(
        low,
        |b| {
            let mirror = b.op(BinaryOp::Sub, i32(63), t);
            b.load(ElementType::I32, s, mirror);
        },
        |b| {
            b.store(ElementType::I32, s, t, i32(0));
        },
    );
    let f = fault(b, 1, 64, &[]);
    let FaultKind::SharedMemoryRace { this, previous, .. } = f.kind else { panic!("{f:?}") };
    assert_eq!((this.kind, previous.kind), (AccessKind::Store, AccessKind::Load));
}

#[test]
fn one_value_from_one_instruction_is_no_race_but_different_values_are() {
    let kernel = |same: bool| {
        let mut b = Build::new();
        let s = b.shared("flag", 4);
        let t = b.tid();
        b.store(ElementType::I32, s, i32(0), if same { i32(1) } else { t });
        b
    };
    Device::new(kernel(true)).run(1, 96, &[]).unwrap();
    let f = fault(kernel(false), 1, 32, &[]);
    assert!(matches!(f.kind, FaultKind::SharedMemoryRace { same_warp: true, .. }), "{f:?}");
}

#[test]
fn bytes_of_one_word_may_belong_to_different_threads() {
    let mut b = Build::new();
    let s = b.shared("bytes", 64);
    let t = b.tid();
    b.store(ElementType::U8, s, t, t);
    b.load(ElementType::U8, s, t);
    Device::new(b).run(1, 64, &[]).unwrap();
}

#[test]
fn shared_atomics_do_not_race_with_each_other_but_with_plain_reads() {
    let kernel = |read: bool| {
        let mut b = Build::new();
        let s = b.shared("n", 4);
        let t = b.tid();
        let first = b.cmp(CompareOp::Eq, t, i32(0));
        b.branch(first, |b| {
            b.store(ElementType::I32, s, i32(0), i32(0));
        });
        b.barrier();
        let address = b.at(s, i32(0), 4);
        b.emit(InstKind::Atomic {
            dst: None,
            op: AtomicOp::Add,
            ty: ElementType::I32,
            address,
            value: t,
            compare: None,
            order: ScopedOrder::RELAXED_DEVICE,
        });
        if read {
            b.load(ElementType::I32, s, i32(0));
        }
        b
    };
    let out = Device::new(kernel(false)).run(1, 64, &[]).unwrap();
    assert_eq!(out.counters.shared_atomics, 2);
    let f = fault(kernel(true), 1, 64, &[]);
    let FaultKind::SharedMemoryRace { this, previous, .. } = f.kind else { panic!("{f:?}") };
    assert_eq!((this.kind, previous.kind), (AccessKind::Load, AccessKind::Atomic));
}

#[test]
fn reads_of_what_nobody_wrote() {
    let mut b = Build::new();
    let s = b.shared("s", 256);
    let t = b.tid();
    b.load(ElementType::F32, s, t);
    let f = fault(b, 1, 32, &[]);
    let FaultKind::UninitialisedRead { target, offset: 0, .. } = f.kind else { panic!("{f:?}") };
    assert_eq!(target.name.as_deref(), Some("s"));

    let mut b = Build::new();
    let a = b.local("a", 16);
    b.load(ElementType::F32, a, i32(2));
    let f = fault(b, 1, 32, &[]);
    assert!(matches!(f.kind, FaultKind::UninitialisedRead { offset: 8, .. }), "{f:?}");

    let mut b = Build::new();
    let x = b.pointer("x");
    let t = b.tid();
    b.load(ElementType::F32, x, t);
    let mut d = Device::new(b);
    let x = d.empty(32);
    d.simulator.memory.write(x, 0, &[0; 40]).unwrap();
    let f = d.run(1, 32, &[ptr(x)]).unwrap_err();
    assert!(matches!(f.kind, FaultKind::UninitialisedRead { offset: 40, .. }), "{f:?}");
    assert_eq!(f.thread, [10, 0, 0]);
    d.options.checks = false;
    d.run(1, 32, &[ptr(x)]).unwrap();
}

#[test]
fn blocks_that_store_different_values_to_one_word_race() {
    for threads in [1, 4] {
        let mut b = Build::new();
        let x = b.pointer("x");
        let block = b.block_x();
        b.store(ElementType::I32, x, i32(0), block);
        let mut d = Device::new(b);
        d.options.threads = threads;
        let x = d.words(&[77]);
        let f = d.run(64, 32, &[ptr(x)]).unwrap_err();
        let FaultKind::GlobalRace { target, offset: 0, this, previous } = f.kind else { panic!("{f:?}") };
        assert_eq!((target.name.as_deref(), this.block, previous.block), (Some("x"), [1, 0, 0], [0, 0, 0]));
        assert_eq!(d.read(x), [77], "a launch that faults leaves memory as it was");
    }
}

#[test]
fn blocks_that_store_the_same_value_do_not() {
    let mut b = Build::new();
    let x = b.pointer("found");
    b.store(ElementType::I32, x, i32(0), i32(1));
    let mut d = Device::new(b);
    let x = d.words(&[0]);
    d.run(64, 32, &[ptr(x)]).unwrap();
    assert_eq!(d.read(x), [1]);
}

/// `t = x[i + 1]; x[i] = t`.
fn shift() -> Build {
    let mut b = Build::new();
    let x = b.pointer("x");
    let i = b.global_id();
    let next = b.add(i, i32(1));
    let v = b.load(ElementType::I32, x, next);
    b.store(ElementType::I32, x, i, v);
    b
}

#[test]
fn a_block_that_reads_what_another_writes_races() {
    let f = fault(shift(), 8, 1, &[9]);
    let FaultKind::GlobalRace { offset, this, previous, .. } = f.kind else { panic!("{f:?}") };
    assert_eq!((offset, this.kind, previous.kind), (4, AccessKind::Store, AccessKind::Load));
    assert_eq!((this.block, previous.block, previous.thread), ([1, 0, 0], [0, 0, 0], [0, 0, 0]));
}

#[test]
fn a_thread_that_reads_global_memory_that_another_of_its_block_writes_races() {
    // In one instruction of a warp the loads come first, in the next the stores.
    let f = fault(shift(), 1, 32, &[33]);
    let FaultKind::GlobalRace { offset, this, previous, .. } = f.kind else { panic!("{f:?}") };
    assert_eq!((offset, this.kind, previous.kind), (4, AccessKind::Store, AccessKind::Load));
    assert_eq!((this.block, previous.block), ([0, 0, 0], [0, 0, 0]));
    assert_eq!((this.thread, previous.thread), ([1, 0, 0], [0, 0, 0]));
}

#[test]
fn the_last_block_may_read_what_the_others_released() {
    // partial[block] = block; fence; if (atomicAdd(count, 1) == blocks - 1) sum all.
    for fence in [true, false] {
        let mut b = Build::new();
        let (partial, count, out) = (b.pointer("partial"), b.pointer("count"), b.pointer("out"));
        let block = b.block_x();
        b.store(ElementType::I32, partial, block, block);
        if fence {
            b.fence();
        }
        let ticket = b.reg(Type::I32);
        let address = b.at(count, i32(0), 4);
        let (op, ty) = (AtomicOp::Add, ElementType::I32);
        b.emit(InstKind::Atomic {
            dst: Some(ticket),
            op,
            ty,
            address,
            value: i32(1),
            compare: None,
            order: ScopedOrder::RELAXED_DEVICE,
        });
        let last = b.cmp(CompareOp::Eq, ticket.into(), i32(9));
        b.branch(last, |b| {
            let sum = b.var(Type::I32, i32(0));
            b.count(i32(0), i32(10), 1, |b, i, _| {
                let dst = b.reg(Type::I32);
                let address = b.at(partial, i, 4);
                b.emit(InstKind::Load {
                    dst: vec![dst].into(),
                    ty,
                    address,
                    order: AccessOrder::Volatile,
                    cache: CacheOp::Default,
                    part: ObjectPart::Whole,
                });
                b.emit(InstKind::Binary { dst: sum, op: BinaryOp::Add, lhs: sum.into(), rhs: dst.into() });
            });
            b.store(ElementType::I32, out, i32(0), sum.into());
        });
        let mut d = Device::new(b);
        let (partial, count, out) = (d.empty(10), d.words(&[0]), d.empty(1));
        let result = d.run(10, 1, &[ptr(partial), ptr(count), ptr(out)]);
        if fence {
            result.unwrap();
            assert_eq!(d.read(out), [45]);
        } else {
            assert!(matches!(result.unwrap_err().kind, FaultKind::GlobalRace { .. }));
        }
    }
}

#[test]
fn a_plain_read_may_be_the_guess_of_an_atomic_and_of_nothing_else() {
    for swaps in [true, false] {
        let mut b = Build::new();
        let (x, out) = (b.pointer("x"), b.pointer("out"));
        let (block, op, ty) = (b.block_x(), AtomicOp::Add, ElementType::I32);
        let counts = b.cmp(CompareOp::LtS, block, i32(9));
        b.branch(counts, |b| {
            let address = b.at(x, i32(0), 4);
            b.emit(InstKind::Atomic {
                dst: None,
                op,
                ty,
                address,
                value: i32(1),
                compare: None,
                order: ScopedOrder::RELAXED_DEVICE,
            });
        });
        let last = b.cmp(CompareOp::Eq, block, i32(9));
        b.branch(last, |b| {
            let guess = b.load(ty, x, i32(0));
            b.store(ty, out, i32(0), guess);
            if swaps {
                let address = b.at(x, i32(0), 4);
                let (op, dst) = (AtomicOp::CompareSwap, Some(b.reg(Type::I32)));
                b.emit(InstKind::Atomic {
                    dst,
                    op,
                    ty,
                    address,
                    value: i32(100),
                    compare: Some(guess),
                    order: ScopedOrder::RELAXED_DEVICE,
                });
            }
        });
        let mut d = Device::new(b);
        let (x, out) = (d.words(&[0]), d.empty(1));
        let result = d.run(10, 1, &[ptr(x), ptr(out)]);
        if swaps {
            result.unwrap();
            assert_eq!((d.read(x), d.read(out)), (vec![100], vec![9]));
        } else {
            let f = result.unwrap_err();
            let FaultKind::GlobalRace { this, previous, .. } = f.kind else { panic!("{f:?}") };
            assert_eq!((this.kind, this.block), (AccessKind::Load, [9, 0, 0]));
            assert_eq!((previous.kind, previous.block), (AccessKind::Atomic, [8, 0, 0]));
        }
    }
}

#[test]
fn a_writer_that_reads_first_does_not_hide_the_readers_before_it() {
    let mut b = Build::new();
    let (x, out) = (b.pointer("x"), b.pointer("out"));
    let block = b.block_x();
    let v = b.load(ElementType::I32, x, i32(0));
    b.store(ElementType::I32, out, block, v);
    let last = b.cmp(CompareOp::Eq, block, i32(2));
    b.branch(last, |b| {
        b.store(ElementType::I32, x, i32(0), i32(5));
    });
    let f = fault(b, 3, 1, &[1, 3]);
    let FaultKind::GlobalRace { this, previous, .. } = f.kind else { panic!("{f:?}") };
    assert_eq!((this.kind, previous.kind), (AccessKind::Store, AccessKind::Load));
    assert_eq!((this.block, previous.block), ([2, 0, 0], [1, 0, 0]));
}

#[test]
fn the_lowest_block_that_faults_is_reported_for_any_number_of_threads() {
    for threads in [1, 2, 8] {
        let mut b = Build::new();
        let block = b.block_x();
        let bad = b.cmp(CompareOp::LeS, i32(137), block);
        b.branch(bad, |b| {
            b.emit(InstKind::Trap);
        });
        let mut d = Device::new(b);
        d.options.threads = threads;
        let f = d.run(1000, 32, &[]).unwrap_err();
        assert_eq!((f.kind, f.block, f.further), (FaultKind::Trap, [137, 0, 0], 31));
    }
}

#[test]
fn an_endless_loop_is_found() {
    let mut b = Build::new();
    let mut at = None;
    b.scope(|b, _| at = Some(b.forever(|_, _| {})));
    let f = fault(b, 4, 32, &[]);
    assert_eq!((f.kind, f.location), (FaultKind::EndlessLoop, at));
}

#[test]
fn lanes_of_a_warp_take_a_lock_one_after_the_other_where_they_go_on_by_themselves() {
    // while (atomicCAS(lock, 0, 1) != 0) {}  lock = 0;
    let mut b = Build::new();
    let lock = b.pointer("lock");
    let old = b.reg(Type::I32);
    b.forever(|b, label| {
        let address = b.at(lock, i32(0), 4);
        let (op, compare) = (AtomicOp::CompareSwap, Some(i32(0)));
        b.emit(InstKind::Atomic {
            dst: Some(old),
            op,
            ty: ElementType::I32,
            address,
            value: i32(1),
            compare,
            order: ScopedOrder::RELAXED_DEVICE,
        });
        let got = b.cmp(CompareOp::Eq, old.into(), i32(0));
        b.branch(got, |b| b.node(Node::Break(label)));
    });
    let address = b.at(lock, i32(0), 4);
    let (op, ty) = (AtomicOp::Exchange, ElementType::I32);
    b.emit(InstKind::Atomic {
        dst: None,
        op,
        ty,
        address,
        value: i32(0),
        compare: None,
        order: ScopedOrder::RELAXED_DEVICE,
    });
    let mut d = Device::new(b);
    let lock = d.words(&[0]);
    d.run(1, 32, &[ptr(lock)]).unwrap();
    assert_eq!(d.read(lock), [0]);
    // Devices before Volta cannot.
    (d.options.limits.independent_lanes, d.options.every_mode) = (false, true);
    let f = d.run(1, 32, &[ptr(lock)]).unwrap_err();
    let FaultKind::Deadlock { spinning: 31, other: Some(other), .. } = f.kind else { panic!("{f:?}") };
    assert_eq!((other.thread, other.place), ([0, 0, 0], WaitPlace::Lanes));
}

#[test]
fn a_warp_may_wait_for_another_warps_store() {
    // Warp 0 polls a shared flag that warp 1 sets by an atomic.
    let mut b = Build::new();
    let flag = b.shared("flag", 4);
    let t = b.tid();
    let first = b.cmp(CompareOp::Eq, t, i32(0));
    b.branch(first, |b| {
        b.store(ElementType::I32, flag, i32(0), i32(0));
    });
    b.barrier();
    let update = |b: &mut Build, value: Operand| {
        let dst: Reg = b.reg(Type::I32);
        let address = b.at(flag, i32(0), 4);
        let (op, ty) = (AtomicOp::Or, ElementType::I32);
        b.emit(InstKind::Atomic {
            dst: Some(dst),
            op,
            ty,
            address,
            value,
            compare: None,
            order: ScopedOrder::RELAXED_DEVICE,
        });
        Operand::from(dst)
    };
    let low = b.cmp(CompareOp::LtS, t, i32(32));
    b.branch_else(
        low,
        |b| {
            b.forever(|b, label| {
                let seen = update(b, i32(0));
                let set = b.cmp(CompareOp::Ne, seen, i32(0));
                b.branch(set, |b| b.node(Node::Break(label)));
            });
        },
        |b| {
            update(b, i32(1));
        },
    );
    Device::new(b).run(1, 64, &[]).unwrap();
}

#[test]
fn shuffles_from_lanes_that_are_not_there() {
    let mut b = Build::new();
    let t = b.tid();
    let dst = b.reg(Type::I32);
    let (mode, lane, width) = (ShuffleMode::Index, i32(25), i32(32));
    b.emit(InstKind::Shuffle { dst, mode, value: t, lane, width, members: full() });
    let f = fault(b, 1, 20, &[]);
    assert_eq!(f.kind, FaultKind::InactiveShuffleLane { lane: 25 });

    let mut b = Build::new();
    let t = b.tid();
    let low = b.cmp(CompareOp::LtS, t, i32(8));
    b.branch(low, |b| {
        b.emit(InstKind::WarpBarrier { members: full() });
    });
    let f = fault(b, 1, 32, &[]);
    assert_eq!(f.kind, FaultKind::WarpMembers { members: u32::MAX, active: 0xff });
}

#[test]
fn launches_that_cannot_be() {
    let mut b = Build::new();
    b.int("n");
    b.shared("s", 40 << 10);
    let mut d = Device::new(b);
    let n = [Constant::I32(1)];
    let mut kind =
        |grid: [u32; 3], block: [u32; 3], args: &[Constant]| d.run3(grid, block, args).unwrap_err().kind;
    assert_eq!(kind([0, 1, 1], [1; 3], &n), FaultKind::EmptyLaunch);
    let large = FaultKind::BlockTooLarge { threads: 1056, limit: 1024, launch_bounds: false };
    assert_eq!(kind([1; 3], [33, 32, 1], &n), large);
    let large = FaultKind::GridTooLarge { axis: 1, blocks: 65536, limit: 65535 };
    assert_eq!(kind([1, 65536, 1], [1; 3], &n), large);
    assert!(matches!(kind([1; 3], [1; 3], &[]), FaultKind::LaunchArgument { index: 0, .. }));
    assert!(matches!(kind([1; 3], [1; 3], &[Constant::F32(0)]), FaultKind::LaunchArgument { index: 0, .. }));
    d.options.limits.static_shared_limit = 32 << 10;
    let over = FaultKind::SharedOverLimit { declared: 40 << 10, dynamic: 0, limit: 32 << 10 };
    assert_eq!(d.run(1, 1, &n).unwrap_err().kind, over);
}

#[test]
fn stores_to_constant_memory_and_failed_assertions() {
    let mut b = Build::new();
    let location = b.location();
    let global = simt_ir::Global {
        name: "taps".into(),
        space: simt_ir::GlobalSpace::Constant,
        bytes: 16,
        align: 4,
        initial: vec![],
        location,
    };
    b.module.globals.push(global);
    let p = b.reg(Type::Ptr);
    b.emit(InstKind::AddressOf { dst: p, variable: simt_ir::VariableRef::Global(GlobalIndex(0)) });
    b.store(ElementType::I32, p.into(), i32(0), i32(1));
    let f = fault(b, 1, 1, &[]);
    assert!(
        matches!(f.kind, FaultKind::WriteToConstant { target: Target { name: Some(n), .. } } if n == "taps")
    );

    let mut b = Build::new();
    b.module.strings.push("i < n".into());
    let t = b.tid();
    let condition = b.cmp(CompareOp::LtS, t, i32(10));
    b.emit(InstKind::Assert { condition, message: StringIndex(0) });
    let f = fault(b, 1, 32, &[]);
    assert_eq!(f.kind, FaultKind::Assert { message: "i < n".into() });
    assert_eq!((f.thread, f.further), ([10, 0, 0], 21));
}

#[test]
fn a_malformed_module_is_an_error() {
    let mut b = Build::new();
    b.emit(InstKind::Copy { dst: Reg(7), src: Operand::Const(Constant::I32(1)) });
    assert!(simt_ir::ValidModule::new(b.module()).is_err());
}

#[test]
fn the_budget_ends_a_launch_at_the_same_block_for_any_number_of_threads() {
    // Each block executes the same; block 700 faults, which a launch with less budget does not reach.
    let kernel = || {
        let mut b = Build::new();
        let block = b.block_x();
        b.count(i32(0), i32(100), 1, |_, _, _| {});
        let bad = b.cmp(CompareOp::Eq, block, i32(700));
        b.branch(bad, |b| {
            b.emit(InstKind::Trap);
        });
        b.module()
    };
    let run = |budget, threads| {
        let mut d = Device::of(kernel());
        (d.options.instruction_budget, d.options.threads) = (budget, threads);
        d.run(1000, 32, &[]).unwrap_err().kind
    };
    for threads in [1, 2, 3, 8] {
        assert_eq!(run(10_000_000, threads), FaultKind::Trap);
        assert_eq!(run(200_000, threads), FaultKind::InstructionBudget { limit: 200_000 });
    }
}

#[test]
fn whole_warps_may_be_past_the_end_of_what_a_block_stores_to() {
    for is_shared in [true, false] {
        let mut b = Build::new();
        let mut target = b.pointer("out");
        if is_shared {
            target = b.shared("tile", 256);
        }
        let t = b.tid();
        b.store(ElementType::I32, target, t, t);
        let mut d = Device::new(b);
        let out = d.empty(64);
        let fault = d.run(1, 1024, &[ptr(out)]).unwrap_err();
        assert!(matches!(fault.kind, FaultKind::OutOfBounds { offset: 256, .. }), "{fault:?}");
        assert_eq!(fault.thread, [64, 0, 0]);
    }
}

#[test]
fn the_budget_ends_at_the_same_thread_in_every_mode() {
    let mut b = Build::new();
    b.count(i32(0), i32(100), 1, |_, _, _| {});
    let mut d = Device::new(b);
    d.options.instruction_budget = 5_000;
    // Run in every mode.
    let fault = d.run(8, 1024, &[]).unwrap_err();
    assert_eq!(fault.kind, FaultKind::InstructionBudget { limit: 5_000 });
}

/// A read of `tile[t]` and one of `tile[t + 32]` are one group; between them the same word is read by an index that is loaded.
fn reads_around_another(other_known: bool) -> (Build, [simt_ir::Location; 3]) {
    let mut b = Build::new();
    let places = b.pointer("places");
    let tile = b.shared("tile", 256);
    let t = b.tid();
    let next = b.add(t, i32(32));
    let loaded = b.load(ElementType::I32, places, t);
    b.store(ElementType::I32, tile, t, t);
    b.barrier();
    let low = b.cmp(CompareOp::LtS, t, i32(32));
    let read = |b: &mut Build, index| {
        let (dst, address) = (b.reg(Type::I32), b.at(tile, index, 4));
        b.emit(InstKind::Load {
            dst: vec![dst].into(),
            ty: ElementType::I32,
            address,
            order: AccessOrder::Weak,
            cache: CacheOp::Default,
            part: ObjectPart::Whole,
        })
    };
    let mut at = vec![];
    b.branch_else(
        low,
        |b| {
            at.push(read(b, t));
            // Another pattern with the same words, or no pattern.
            let mirrored = b.op(BinaryOp::Sub, i32(63), t);
            at.push(read(b, if other_known { mirrored } else { loaded }));
            at.push(read(b, next));
        },
        |b| {
            b.store(ElementType::I32, tile, t, i32(1));
        },
    );
    (b, [at[0], at[1], at[2]])
}

#[test]
fn a_race_names_the_last_of_a_threads_reads_in_every_mode() {
    for other_known in [false, true] {
        let (b, [_, between, after]) = reads_around_another(other_known);
        let mut d = Device::new(b);
        // Thread t reads word t + 32 before `after` does, or (mirrored) thread 31 - t does.
        let places = d.words(&(32..96).collect::<Vec<_>>());
        let f = d.run(1, 64, &[ptr(places)]).unwrap_err();
        let FaultKind::SharedMemoryRace { previous, this, .. } = f.kind else { panic!("{f:?}") };
        let (read, write) = if this.kind == AccessKind::Load { (this, previous) } else { (previous, this) };
        assert_eq!((write.thread, read.thread[0] < 32), ([32, 0, 0], true), "{read:?}");
        assert!([between, after].contains(&read.location.unwrap()));
        assert_eq!(read.location, Some(after), "the last of them");
    }
}
