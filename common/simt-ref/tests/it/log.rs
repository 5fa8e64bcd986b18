//! What an observer is told.

use crate::build::{Build, i32};
use crate::{SCHEDULES, buffer};
use simt_ir::pointer::Space;
use simt_ir::{
    AccessOrder, AsyncOp, AtomicOp, CacheOp, CompareOp, ElementType, InstKind, MemoryOrder, MemoryScope,
    ObjectPart, ScopedOrder, Type, ValidModule,
};
use simt_ref::log::EventKind;
use simt_ref::{AccessKind, Bytes, Event, Host, Launch, Memory, Schedule, run};
use std::collections::HashMap;

/// All events of a launch of that kernel over a buffer of unwritten bytes, as `map` sees them.
fn log<T>(b: Build, launch: Launch, map: impl Fn(&Event) -> Option<T>) -> Vec<T> {
    let module = ValidModule::new(b.module()).unwrap();
    let mut memory = Memory::new(&module, [Bytes::unwritten(64, 0xff)]);
    let mut events = Vec::new();
    let launch = Launch { args: vec![buffer(0)], ..launch };
    let mut observer = |event: &Event| events.extend(map(event));
    let host = Host { observer: Some(&mut observer), ..Host::default() };
    run(&module, 0, &launch, &mut memory, host).unwrap();
    events
}

fn accesses(event: &Event) -> Option<(u32, AccessKind, u64, [u64; 2], u16)> {
    let EventKind::Access(access) = &event.kind else { return None };
    let what = (access.place.bytes.start, [access.old, access.new]);
    Some((event.who.thread, access.kind, what.0, what.1, access.unwritten))
}

#[test]
fn accesses_come_in_order_with_their_bytes_and_values() {
    let mut b = Build::new();
    let x = b.pointer("x");
    let t = b.tid();
    b.store(ElementType::U16, x, t, t);
    let old = b.load(ElementType::I32, x, i32(0));
    let (address, dst) = (b.at(x, i32(1), 4), Some(b.reg(Type::I32)));
    let (op, ty) = (AtomicOp::Exchange, ElementType::I32);
    b.emit(InstKind::Atomic {
        dst,
        op,
        ty,
        address,
        value: old,
        compare: None,
        order: ScopedOrder::RELAXED_DEVICE,
    });
    use AccessKind::*;
    let words = [0xffff_ffff_u64, 0x1_0000];
    assert_eq!(
        log(b, Launch::new(1, 2, &[]), accesses),
        [
            (0, Store, 0, [0xffff, 0], 3),
            (1, Store, 2, [0xffff, 1], 3),
            (0, Load, 0, [words[1]; 2], 0),
            (1, Load, 0, [words[1]; 2], 0),
            (0, Atomic, 4, words, 15),
            (1, Atomic, 4, [words[1]; 2], 0),
        ]
    );
}

#[test]
fn elements_of_a_vector_are_accesses_of_one_instruction() {
    let mut b = Build::new();
    let x = b.pointer("x");
    let address = b.at(x, i32(0), 4);
    let location = b.emit(InstKind::Store {
        src: vec![i32(1), i32(2)].into(),
        ty: ElementType::I32,
        address,
        order: AccessOrder::Volatile,
        part: ObjectPart::Whole,
    });
    let seen = log(b, Launch::new(1, 1, &[]), |event| {
        let EventKind::Access(access) = &event.kind else { return None };
        assert!(matches!(event.who.instruction.kind, InstKind::Store { order: AccessOrder::Volatile, .. }));
        assert_eq!((event.who.instruction.location, access.place.space), (location, Space::Global));
        Some((access.element, access.place.bytes.clone(), event.who.instance))
    });
    assert_eq!((seen[0].0, &seen[0].1), (0, &(0..4)));
    assert_eq!((seen[1].0, &seen[1].1), (1, &(4..8)));
    assert_eq!(seen[0].2, seen[1].2);
}

#[test]
fn an_instance_is_one_execution_by_one_warp_under_any_schedule() {
    // Two rounds of a store, by lanes of two sides, in three warps of two blocks: 24 executions.
    let kernel = || {
        let mut b = Build::new();
        let x = b.pointer("x");
        let t = b.tid();
        let bit = b.op(simt_ir::BinaryOp::And, t, i32(1));
        let odd = b.cmp(CompareOp::Ne, bit, i32(0));
        b.count(i32(0), i32(2), 1, |b, i, _| {
            let store = |b: &mut Build| {
                b.store(ElementType::I32, x, i, i);
            };
            b.branch_else(odd, store, store);
        });
        b
    };
    let seen = SCHEDULES.map(|schedule| {
        let launch = Launch { schedule, ..Launch::new(2, 96, &[]) };
        let mut lanes: HashMap<u64, Vec<(u32, u32)>> = HashMap::new();
        for (instance, who) in log(kernel(), launch, |e| Some((e.who.instance, (e.who.block, e.who.thread))))
        {
            lanes.entry(instance).or_default().push(who);
        }
        lanes.values_mut().for_each(|lanes| lanes.sort_unstable());
        lanes
    });
    assert_eq!(seen[0].len(), 24);
    assert!(seen[0].values().all(|lanes| lanes.len() == 16));
    assert!(seen[0] == seen[1] && seen[0] == seen[2]);
}

#[test]
fn what_orders_accesses_is_told_with_who_takes_part() {
    let mut b = Build::new();
    let x = b.pointer("x");
    let t = b.tid();
    let (s, bar) = (b.shared("s", 4), b.shared("bar", 8));
    let low = b.cmp(CompareOp::LtS, t, i32(2));
    let members = b.reg(Type::I32);
    b.emit(InstKind::Select { dst: members, condition: low, on_true: i32(3), on_false: i32(12) });
    b.emit(InstKind::WarpBarrier { members: members.into() });
    b.fence();
    b.barrier();
    let first = b.cmp(CompareOp::Eq, t, i32(0));
    b.branch(first, |b| {
        let mut wait = |op, args: &[_]| {
            b.emit(InstKind::Async { dst: None, op, args: args.to_vec().into() });
        };
        wait(AsyncOp::Init, &[bar, i32(1)]);
        let (to, from) = (b.at(s, i32(0), 4), b.at(x, i32(2), 4));
        b.emit(InstKind::AsyncCopy { to, from, bytes: 4, used: i32(4) });
        let mut wait = |op, args: &[_]| {
            b.emit(InstKind::Async { dst: None, op, args: args.to_vec().into() });
        };
        wait(AsyncOp::Bind, &[bar]);
        wait(AsyncOp::Arrive, &[bar, i32(1)]);
        wait(AsyncOp::Await, &[bar, i32(0)]);
        wait(AsyncOp::Commit, &[]);
    });
    b.emit(InstKind::GridBarrier);
    let launch = Launch { cooperative: true, schedule: Schedule::Lockstep, ..Launch::new(1, 4, &[]) };
    let seen = log(b, launch, |event| Some(format!("{} {:?}", event.who.thread, event.kind)));
    let place = |space, allocation, bytes: &str| {
        format!("Place {{ space: {space}, allocation: {allocation}, bytes: {bytes} }}")
    };
    let (from, to) = (place("Global", 0, "8..12"), place("Shared", 0, "0..4"));
    let want = [
        "0 WarpBarrier { members: 3 }".to_owned(),
        "2 WarpBarrier { members: 12 }".to_owned(),
        "0 Fence { order: SequentiallyConsistent, scope: Device }".to_owned(),
        "1 Fence { order: SequentiallyConsistent, scope: Device }".to_owned(),
        "2 Fence { order: SequentiallyConsistent, scope: Device }".to_owned(),
        "3 Fence { order: SequentiallyConsistent, scope: Device }".to_owned(),
        "0 BlockBarrier".to_owned(),
        "0 PhaseInit { barrier: 16, expected: 1 }".to_owned(),
        format!("0 CopyBegin {{ copy: 1, from: {from}, unwritten: 15, to: {to} }}"),
        "0 CopyBind { copy: 1, barrier: 16 }".to_owned(),
        "0 PhaseArrive { barrier: 16, phase: 0, count: 1, ends: true }".to_owned(),
        "0 CopyEnd { copy: 1 }".to_owned(),
        "0 PhaseAwait { barrier: 16, phase: 1 }".to_owned(),
        "0 CopyCommit".to_owned(),
        "0 GridBarrier".to_owned(),
    ];
    assert_eq!(seen, want);
}

#[test]
fn accesses_are_told_with_order_path_and_use() {
    let mut b = Build::new();
    let x = b.pointer("x");
    let (ty, address) = (ElementType::I32, b.at(x, i32(0), 4));
    let strong = |order, scope| ScopedOrder { order, scope };
    let release = strong(MemoryOrder::Release, MemoryScope::Block);
    let acquire = strong(MemoryOrder::Acquire, MemoryScope::System);
    let (reg, value) = (b.reg(Type::I32), i32(1));
    let src = || vec![value].into();
    b.emit(InstKind::Store { src: src(), ty, address, order: AccessOrder::Weak, part: ObjectPart::Whole });
    b.emit(InstKind::Store {
        src: src(),
        ty,
        address,
        order: AccessOrder::Strong(release),
        part: ObjectPart::Whole,
    });
    for (order, cache) in [
        (AccessOrder::Weak, CacheOp::Default),
        (AccessOrder::Weak, CacheOp::ReadOnly),
        (AccessOrder::Weak, CacheOp::Surface),
        (AccessOrder::Volatile, CacheOp::Default),
        (AccessOrder::Strong(acquire), CacheOp::Default),
    ] {
        b.emit(InstKind::Load { dst: vec![reg].into(), ty, address, order, cache, part: ObjectPart::Whole });
    }
    for dst in [Some(reg), None] {
        let order = ScopedOrder::RELAXED_DEVICE;
        b.emit(InstKind::Atomic { dst, op: AtomicOp::Add, ty, value, compare: None, address, order });
    }
    let seen = log(b, Launch::new(1, 1, &[]), |event| {
        let EventKind::Access(access) = &event.kind else { return None };
        Some((access.kind, access.order, access.coherent, access.used))
    });
    use AccessKind::*;
    let device = AccessOrder::Strong(ScopedOrder::RELAXED_DEVICE);
    let want = [
        (Store, AccessOrder::Weak, true, false),
        (Store, AccessOrder::Strong(release), true, false),
        (Load, AccessOrder::Weak, true, true),
        (Load, AccessOrder::Weak, false, true),
        (Load, AccessOrder::Weak, false, true),
        (Load, AccessOrder::Volatile, true, true),
        (Load, AccessOrder::Strong(acquire), true, true),
        (Atomic, device, true, true),
        (Atomic, device, true, false),
    ];
    assert_eq!(seen, want);
}
