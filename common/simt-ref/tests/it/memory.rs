//! Loads, stores and atomics: element types, addresses, alignment, order.

use crate::build::{Build, i32};
use crate::{bytes, each, everywhere, launch, read, words};
use simt_ir::pointer::{self, Space};
use simt_ir::{
    AccessOrder, Address, ArrayShape, AtomicOp, BinaryOp, CacheOp, CompareOp, Constant, Conversion,
    ElementType, Global, GlobalSpace, Index, IndexKind, InstKind, ObjectPart, Operand, ScopedOrder,
    SharedVariable, Type, VariableRef,
};
use simt_ref::{End, Host, Launch, Memory, run};

#[test]
fn narrow_elements_are_extended_by_their_type_and_cut_when_stored() {
    use ElementType::*;
    for (ty, stored, loaded) in [
        (S8, 0x1280, 0xffff_ff80_u32),
        (U8, 0x1280, 0x80),
        (S16, 0x1_8001, 0xffff_8001),
        (U16, 0x1_8001, 0x8001),
        (I32, 0x8000_0001, 0x8000_0001),
    ] {
        // The neighbours of the element stay.
        let mut b = Build::new();
        let out = b.pointer("out");
        b.store(ty, out, i32(1), Constant::I32(stored).into());
        let value = b.load(ty, out, i32(1));
        b.store(I32, out, i32(2), value);
        let got = everywhere(&b.module(), &Launch::new(1, 1, &[]), &[&[u32::MAX; 3]]);
        let (mut memory, size) = (vec![0xff; 12], ty.bytes() as usize);
        memory[size..2 * size].copy_from_slice(&stored.to_le_bytes()[..size]);
        memory[8..].copy_from_slice(&loaded.to_le_bytes());
        let want: Vec<u32> = memory.chunks(4).map(|c| u32::from_le_bytes(c.try_into().unwrap())).collect();
        assert_eq!(got[0], want, "{ty:?}");
    }
}

#[test]
fn any_byte_but_zero_loads_as_true_and_true_is_stored_as_one() {
    let mut b = Build::new();
    let out = b.pointer("out");
    let t = b.tid();
    let flag = b.load(ElementType::Bool, out, t);
    b.store(ElementType::Bool, out, t, flag);
    let got = everywhere(&b.module(), &Launch::new(1, 4, &[]), &[&[0x02ff_0001]]);
    assert_eq!(got[0], [0x0101_0001]);
}

#[test]
fn wide_elements_and_vectors_move_as_one() {
    let mut b = Build::new();
    let out = b.pointer("out");
    let dst: Vec<_> = (0..2).map(|_| b.reg(Type::I64)).collect();
    let (ty, cache) = (ElementType::I64, CacheOp::ReadOnly);
    let from = Address { base: out, index: None, offset: 16 };
    b.emit(InstKind::Load {
        dst: dst.clone().into(),
        ty,
        address: from,
        order: AccessOrder::Weak,
        cache,
        part: ObjectPart::Whole,
    });
    let src: Vec<Operand> = dst.into_iter().rev().map(Operand::from).collect();
    let to = Address { base: out, index: None, offset: 0 };
    b.emit(InstKind::Store {
        src: src.into(),
        ty,
        address: to,
        order: AccessOrder::Volatile,
        part: ObjectPart::Whole,
    });
    let got = everywhere(&b.module(), &Launch::new(1, 1, &[]), &[&[0, 1, 2, 3, 4, 5, 6, 7]]);
    assert_eq!(got[0], [6, 7, 4, 5, 4, 5, 6, 7]);
}

/// Loads a word at 64 bytes past the pointer and an index of those bits.
fn indexed(kind: IndexKind, value: Constant, scale: u32) -> u32 {
    let mut b = Build::new();
    let (out, input) = (b.pointer("out"), b.pointer("in"));
    let index = Some(Index { value: value.into(), kind, scale });
    let loaded = b.load_at(ElementType::I32, Address { base: input, index, offset: 64 });
    b.store(ElementType::I32, out, i32(0), loaded);
    let got = everywhere(&b.module(), &Launch::new(1, 1, &[]), &[&[0], &each(32, |i| i)]);
    got[0][0]
}

#[test]
fn indices_are_widened_by_their_kind_and_offsets_wrap_in_40_bits() {
    assert_eq!(indexed(IndexKind::Signed32, Constant::i32(-3), 4), 13);
    assert_eq!(indexed(IndexKind::Unsigned32, Constant::I32(3), 4), 19);
    assert_eq!(indexed(IndexKind::Wide, Constant::I64(-16i64 as u64), 1), 12);
    // 2^39 elements of 4 bytes are 2^41 bytes: twice around.
    assert_eq!(indexed(IndexKind::Wide, Constant::I64((1 << 39) + 1), 4), 17);
    // 2^31 of 512 bytes are 2^40.
    assert_eq!(indexed(IndexKind::Unsigned32, Constant::I32(1 << 31), 512), 16);
    assert_eq!(indexed(IndexKind::Signed32, Constant::I32(1 << 31), 512), 16);
}

#[test]
fn a_pointer_may_leave_its_allocation_and_come_back() {
    let got = words(1, |b, _| {
        let out = b.shared("s", 16);
        b.store(ElementType::I32, out, i32(1), i32(42));
        let (below, back) = (b.reg(Type::Ptr), b.reg(Type::Ptr));
        let moved = |base, offset| Address { base, index: None, offset };
        b.emit(InstKind::Offset { dst: below, address: moved(out, -1 << 30) });
        b.emit(InstKind::Offset { dst: back, address: moved(below.into(), (1 << 30) + 4) });
        b.load_at(ElementType::I32, moved(back.into(), 0))
    });
    assert_eq!(got, [42]);
}

#[test]
fn pointers_are_compared_and_subtracted_as_numbers() {
    let got = words(1, |b, _| {
        let (_, high) = (b.shared("low", 16), b.shared("high", 16));
        let moved = b.reg(Type::Ptr);
        let address = Address { base: high, index: None, offset: 4 };
        b.emit(InstKind::Offset { dst: moved, address });
        let bits = [high, moved.into()].map(|src| {
            let dst = b.reg(Type::I64);
            b.emit(InstKind::Convert { dst, op: Conversion::PtrToI64, src });
            dst
        });
        let difference = b.op(BinaryOp::Sub, bits[1], bits[0]);
        let low = b.reg(Type::I32);
        b.emit(InstKind::Convert { dst: low, op: Conversion::Truncate, src: difference });
        let less = b.cmp(CompareOp::LtU, high, moved.into());
        let (dst, on_true, on_false) = (b.reg(Type::I32), low.into(), i32(-1));
        b.emit(InstKind::Select { dst, condition: less, on_true, on_false });
        dst.into()
    });
    assert_eq!(got, [4]);
}

#[test]
fn shared_addresses_are_bytes_of_the_segment() {
    let got = words(2, |b, t| {
        let (_, s) = (b.shared("low", 16), b.shared("high", 16));
        b.store(ElementType::I32, s, t, t);
        let (byte, back) = (b.reg(Type::I32), b.reg(Type::Ptr));
        b.emit(InstKind::Convert { dst: byte, op: Conversion::PtrToShared, src: s });
        let four = b.mul(t, i32(4));
        let at = b.add(byte.into(), four);
        b.emit(InstKind::Convert { dst: back, op: Conversion::SharedToPtr, src: at });
        let own = b.load(ElementType::I32, back.into(), i32(0));
        let tens = b.mul(at, i32(10));
        b.add(tens, own)
    });
    assert_eq!(got, [160, 201]);
}

#[test]
fn dynamic_shared_memory_is_as_long_as_the_launch_says() {
    let mut b = Build::new();
    let out = b.pointer("out");
    let t = b.tid();
    b.kernel.shared.push(SharedVariable {
        name: "d".into(),
        offset: 8,
        bytes: 0,
        dynamic: true,
        elements: ArrayShape::default(),
        location: simt_ir::Location(0),
    });
    let s = b.reg(Type::Ptr);
    b.emit(InstKind::AddressOf { dst: s, variable: VariableRef::Shared(simt_ir::SharedIndex(0)) });
    b.store(ElementType::I32, s.into(), t, t);
    b.barrier();
    let mirror = b.op(BinaryOp::Sub, i32(39), t);
    let value = b.load(ElementType::I32, s.into(), mirror);
    b.store(ElementType::I32, out, t, value);
    let module = b.module();
    let start = Launch { dynamic_shared: 160, ..Launch::new(1, 40, &[]) };
    assert_eq!(everywhere(&module, &start, &[&[0; 40]])[0], each(40, |t| 39 - t));
    let short = Launch { dynamic_shared: 156, ..start };
    assert!(matches!(launch(&module, &short, &[&[0; 40]]).0.end, End::Fault(_)));
}

#[test]
fn variables_at_file_scope_and_parameters() {
    let mut b = Build::new();
    let (out, n) = (b.pointer("out"), b.int("n"));
    let global = |name: &str, space, initial: Vec<u8>| Global {
        name: name.into(),
        space,
        bytes: 8,
        align: 4,
        initial,
        location: simt_ir::Location(0),
    };
    let taps = vec![3, 0, 0, 0, 5, 0, 0, 0];
    b.module.globals =
        vec![global("count", GlobalSpace::Device, vec![]), global("taps", GlobalSpace::Constant, taps)];
    let [count, taps] = [0, 1].map(|n| {
        let dst = b.reg(Type::Ptr);
        b.emit(InstKind::AddressOf { dst, variable: VariableRef::Global(simt_ir::GlobalIndex(n)) });
        Operand::from(dst)
    });
    let tap = b.load(ElementType::I32, taps, i32(1));
    b.store(ElementType::I32, count, i32(1), n);
    let kept = b.load(ElementType::I32, count, i32(1));
    let sum = b.add(tap, kept);
    b.store(ElementType::I32, out, i32(0), sum);
    let module = simt_ir::ValidModule::new(b.module()).unwrap();
    let mut memory = Memory::new(&module, [bytes(&[0])]);
    let launch = Launch::new(1, 1, &[crate::buffer(0), Constant::i32(-2)]);
    let report = run(&module, 0, &launch, &mut memory, Host::default()).unwrap();
    assert_eq!((report.end, read(&memory, 0)), (End::Done, vec![3]));
    assert_eq!(read(&memory, 1), [0, -2i32 as u32], "variables come behind the buffers");
}

#[test]
fn lanes_and_blocks_meet_at_an_atomic_in_order() {
    // Each thread takes the ticket that it finds, in lockstep; sums do not depend on the order.
    let mut b = Build::new();
    let (tickets, counter) = (b.pointer("tickets"), b.pointer("counter"));
    let i = b.global_id();
    let dst = b.reg(Type::I32);
    let address = b.at(counter, i32(0), 4);
    let (op, ty) = (AtomicOp::Add, ElementType::I32);
    b.emit(InstKind::Atomic {
        dst: Some(dst),
        op,
        ty,
        address,
        value: i32(2),
        compare: None,
        order: ScopedOrder::RELAXED_DEVICE,
    });
    b.store(ty, tickets, i, dst.into());
    let module = b.module();
    let (report, memory) = launch(&module, &Launch::new(3, 40, &[]), &[&[0; 120], &[7]]);
    assert_eq!((report.end, read(&memory, 1)), (End::Done, vec![247]));
    assert_eq!(read(&memory, 0), each(120, |i| 7 + 2 * i));
    for descending in [false, true] {
        let schedule = simt_ref::Schedule::Threads { descending };
        let start = Launch { schedule, ..Launch::new(3, 40, &[]) };
        let (_, memory) = launch(&module, &start, &[&[0; 120], &[7]]);
        assert_eq!(read(&memory, 0), each(120, |i| 7 + 2 * if descending { 119 - i } else { i }));
    }
}

#[test]
fn lanes_of_one_store_write_in_lane_order() {
    let mut b = Build::new();
    let out = b.pointer("out");
    let t = b.tid();
    b.store(ElementType::I32, out, i32(0), t);
    let (_, memory) = launch(&b.module(), &Launch::new(1, 20, &[]), &[&[0]]);
    assert_eq!(read(&memory, 0), [19]);
}

#[test]
fn atomic_operations_leave_what_their_page_says() {
    use AtomicOp::*;
    let one = |op, old: u32, value: u32, compare: Option<u32>| {
        let mut b = Build::new();
        let (out, place) = (b.pointer("out"), b.pointer("place"));
        let (dst, ty) = (b.reg(Type::I32), ElementType::I32);
        let [value, compare] = [Some(value), compare].map(|v| v.map(|v| Constant::I32(v).into()));
        let address = b.at(place, i32(0), 4);
        b.emit(InstKind::Atomic {
            dst: Some(dst),
            op,
            ty,
            address,
            value: value.unwrap(),
            compare,
            order: ScopedOrder::RELAXED_DEVICE,
        });
        b.store(ty, out, i32(0), dst.into());
        let got = everywhere(&b.module(), &Launch::new(1, 1, &[]), &[&[0], &[old]]);
        assert_eq!(got[0], [old]);
        got[1][0]
    };
    let minus = |n: i32| -n as u32;
    assert_eq!(one(Add, u32::MAX, 3, None), 2);
    assert_eq!((one(MinS, minus(1), 1, None), one(MinU, minus(1), 1, None)), (minus(1), 1));
    assert_eq!((one(MaxS, minus(1), 1, None), one(MaxU, minus(1), 1, None)), (1, minus(1)));
    assert_eq!((one(And, 12, 10, None), one(Or, 12, 10, None), one(Xor, 12, 10, None)), (8, 14, 6));
    assert_eq!(one(Exchange, 1, 2, None), 2);
    assert_eq!((one(CompareSwap, 1, 2, Some(1)), one(CompareSwap, 1, 2, Some(3))), (2, 1));
    assert_eq!((one(IncrementWrap, 4, 5, None), one(IncrementWrap, 5, 5, None)), (5, 0));
    assert_eq!(one(IncrementWrap, 9, 5, None), 0);
    assert_eq!((one(DecrementWrap, 4, 5, None), one(DecrementWrap, 0, 5, None)), (3, 5));
    assert_eq!(one(DecrementWrap, 9, 5, None), 5);
    assert_eq!(one_float(), (1.5f32 + 0.25).to_bits());
}

/// An atomic sum of floats, in shared memory.
fn one_float() -> u32 {
    words(1, |b, _| {
        let s = b.shared("s", 4);
        b.store(ElementType::F32, s, i32(0), crate::build::f32(1.5));
        let address = b.at(s, i32(0), 4);
        let (op, ty, value) = (AtomicOp::Add, ElementType::F32, crate::build::f32(0.25));
        b.emit(InstKind::Atomic {
            dst: None,
            op,
            ty,
            address,
            value,
            compare: None,
            order: ScopedOrder::RELAXED_DEVICE,
        });
        b.load(ElementType::I32, s, i32(0))
    })[0]
}

#[test]
fn what_nothing_has_written_is_known() {
    let mut b = Build::new();
    let out = b.pointer("out");
    b.store(ElementType::U16, out, i32(1), i32(-1));
    let module = simt_ir::ValidModule::new(b.module()).unwrap();
    let mut memory = Memory::new(&module, [simt_ref::Bytes::unwritten(5, 0xff)]);
    let pointer = Constant::Ptr(pointer::pack(Space::Global, 0, 0));
    run(&module, 0, &Launch::new(1, 1, &[pointer]), &mut memory, Host::default()).unwrap();
    let written = &memory.buffers[0].as_ref().unwrap().written;
    assert_eq!(written, &[false, false, true, true, false]);
}
