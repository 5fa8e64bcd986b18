//! What the IR's pages call a diagnosed error.

use crate::build::{Build, i32};
use crate::{bytes, fails, fault, launch};
use simt_ir::pointer::{self, Space};
use simt_ir::{
    AccessOrder, Address, BinaryOp, CompareOp, Constant, Conversion, ElementType, Global, GlobalSpace,
    InstKind, Location, Node, ObjectPart, Operand, StringIndex, Type, ValidModule, VariableRef,
};
use simt_ref::{AccessKind, End, FaultKind, Host, Launch, Memory, run};

/// Why a load of an `F64` fails, of `buffer` and so many bytes, where buffer 0 has 24 bytes and buffer 1 was freed.
fn refused(pointer: u64, offset: i64) -> FaultKind {
    let mut b = Build::new();
    let base = Constant::Ptr(pointer).into();
    b.load_at(ElementType::F64, Address { base, index: None, offset });
    let module = ValidModule::new(b.module()).unwrap();
    let mut memory = Memory::new(&module, [bytes(&[0; 6])]);
    memory.buffers.push(None);
    let report = run(&module, 0, &Launch::new(1, 1, &[]), &mut memory, Host::default()).unwrap();
    let End::Fault(mut fault) = report.end else { panic!("{:?}", report.end) };
    fault.threads.swap_remove(0).1
}

#[test]
fn accesses_are_checked_against_bounds_and_alignment() {
    let access = AccessKind::Load;
    let at = |offset| pointer::pack(Space::Global, 0, offset);
    let outside = |offset: i64| {
        let pointer = at(offset as u64);
        FaultKind::OutOfBounds { pointer, bytes: 8, access }
    };
    assert_eq!(refused(at(0), 24), outside(24));
    assert_eq!(refused(at(0), 20), outside(20), "what is outside need not be aligned");
    assert_eq!(refused(at(8), -16), outside(-8));
    assert_eq!(refused(at(0), 12), FaultKind::Misaligned { pointer: at(12), bytes: 8, access });
    assert_eq!(refused(0, 8), FaultKind::NullPointer { access });
    let freed = pointer::pack(Space::Global, 1, 0);
    let other = pointer::pack(Space::Global, 2, 0);
    for wrong in [freed, other, 7 << 60, 1 << 50, pointer::pack(Space::Local, 0, 0)] {
        assert_eq!(refused(wrong, 0), FaultKind::InvalidPointer { pointer: wrong, access });
    }
}

#[test]
fn a_vector_is_aligned_to_its_whole_size() {
    let mut b = Build::new();
    let s = b.shared("s", 64);
    let t = b.tid();
    let address = b.at(s, t, 8);
    b.emit(InstKind::Store {
        src: vec![t; 4].into(),
        ty: ElementType::I32,
        address,
        order: AccessOrder::Weak,
        part: ObjectPart::Whole,
    });
    let (thread, kind) = fails(b, 4);
    assert!(matches!(kind, FaultKind::Misaligned { bytes: 16, access: AccessKind::Store, .. }), "{kind:?}");
    assert_eq!(thread, 1);
}

#[test]
fn a_shared_variable_ends_where_the_next_begins() {
    let mut b = Build::new();
    let (low, _) = (b.shared("low", 16), b.shared("high", 16));
    let t = b.tid();
    b.store(ElementType::I32, low, t, t);
    let fault = fault(&b.module(), &Launch::new(1, 6, &[]), &[]);
    let threads: Vec<_> = fault.threads.iter().map(|(thread, _)| *thread).collect();
    // In lockstep both lanes are outside at once.
    assert_eq!(threads, [4, 5]);
}

#[test]
fn constant_memory_is_not_written() {
    let mut b = Build::new();
    let (name, space, initial, location) = ("c".into(), GlobalSpace::Constant, vec![], Location(0));
    b.module.globals.push(Global { name, space, bytes: 4, align: 4, initial, location });
    let c = b.reg(Type::Ptr);
    b.emit(InstKind::AddressOf { dst: c, variable: VariableRef::Global(simt_ir::GlobalIndex(0)) });
    b.store(ElementType::I32, c.into(), i32(0), i32(0));
    assert_eq!(fails(b, 1), (0, FaultKind::WriteToConstant));
}

#[test]
fn division_by_zero_fails_in_active_lanes_only() {
    let kernel = |guarded: bool| {
        let mut b = Build::new();
        let t = b.tid();
        let d = b.op(BinaryOp::Sub, t, i32(5));
        let ok = b.cmp(CompareOp::Ne, d, i32(if guarded { 0 } else { 99 }));
        b.branch(ok, |b| {
            b.op(BinaryOp::RemU, t, d);
        });
        b
    };
    assert_eq!(fails(kernel(false), 32), (5, FaultKind::DivisionByZero));
    assert_eq!(launch(&kernel(true).module(), &Launch::new(1, 32, &[]), &[]).0.end, End::Done);
}

#[test]
fn the_first_block_that_fails_stops_the_launch() {
    let mut b = Build::new();
    let block = b.block_x();
    let bad = b.cmp(CompareOp::LeS, i32(7), block);
    b.branch(bad, |b| {
        b.emit(InstKind::Trap);
    });
    let (report, _) = launch(&b.module(), &Launch::new(20, 40, &[]), &[]);
    let End::Fault(fault) = report.end else { panic!("{:?}", report.end) };
    assert_eq!((fault.block, fault.threads.len()), (7, 32));
    assert_eq!(fault.threads[3], (3, FaultKind::Trap));
}

#[test]
fn assertions_and_bad_calls() {
    let kernel = |kind: fn(Operand) -> InstKind| {
        let mut b = Build::new();
        b.module.strings = vec!["unused".into(), "t < 3".into()];
        let t = b.tid();
        let holds = b.cmp(CompareOp::LtS, t, i32(3));
        b.emit(kind(holds));
        b
    };
    let assertion = kernel(|condition| InstKind::Assert { condition, message: StringIndex(1) });
    assert_eq!(fails(assertion, 5), (3, FaultKind::Assert { message: StringIndex(1) }));
    let call = kernel(|_| InstKind::BadCall { pointer: Constant::I64(9).into() });
    assert_eq!(fails(call, 5), (0, FaultKind::BadCall { pointer: 9 }));
}

#[test]
fn textures_and_surfaces_are_refused_where_there_is_no_texture_unit() {
    let mut b = Build::new();
    let fetch = simt_ir::TextureFetch::Element { x: i32(0) };
    let (dst, texture) = (vec![b.reg(Type::F32)].into(), Constant::I64(5).into());
    b.emit(InstKind::Texture { dst, texture, fetch, ty: Type::F32 });
    assert!(matches!(fails(b, 1).1, FaultKind::Texture { handle: 5, .. }));
    let mut b = Build::new();
    let (dst, inside, surface) = (b.reg(Type::Ptr), b.reg(Type::Bool), Constant::I64(6).into());
    let place = simt_ir::SurfacePlace { shape: simt_ir::TextureShape::D1, at: [i32(0); 3] };
    let boundary = simt_ir::BoundaryMode::Trap;
    b.emit(InstKind::Surface { dst, inside, surface, place, bytes: 4, boundary });
    assert!(matches!(fails(b, 1).1, FaultKind::Surface { handle: 6, .. }));
}

#[test]
fn a_barrier_that_some_lanes_cannot_reach() {
    let mut b = Build::new();
    let t = b.tid();
    let low = b.cmp(CompareOp::LtS, t, i32(20));
    b.branch(low, |b| {
        b.barrier();
    });
    assert_eq!(fails(b, 32), (0, FaultKind::BarrierDivergence));
    // A part of a warp, or a whole one, has ended.
    for limit in [20, 32] {
        let mut b = Build::new();
        let t = b.tid();
        let gone = b.cmp(CompareOp::LeS, i32(limit), t);
        b.branch(gone, |b| b.node(Node::Return));
        b.barrier();
        assert_eq!(fails(b, 64), (0, FaultKind::BarrierDivergence));
    }
    let mut b = Build::new();
    let t = b.tid();
    let low = b.cmp(CompareOp::LtS, t, i32(32));
    b.branch_else(
        low,
        |b| {
            b.barrier();
        },
        |b| {
            b.barrier();
        },
    );
    assert_eq!(fails(b, 64), (0, FaultKind::BarrierMismatch));
}

#[test]
fn barriers_of_the_grid_need_a_cooperative_launch_and_all_blocks() {
    let mut b = Build::new();
    b.emit(InstKind::GridBarrier);
    assert_eq!(fails(b, 2), (0, FaultKind::NotCooperative));
    let mut b = Build::new();
    let block = b.block_x();
    let some = b.cmp(CompareOp::Ne, block, i32(1));
    b.branch(some, |b| {
        b.emit(InstKind::GridBarrier);
    });
    let start = Launch { cooperative: true, ..Launch::new(3, 1, &[]) };
    let fault = fault(&b.module(), &start, &[]);
    assert_eq!((fault.block, &fault.threads[..]), (0, &[(0, FaultKind::GridBarrierDivergence)][..]));
}

#[test]
fn a_pointer_made_of_a_number_names_what_the_number_says() {
    let mut b = Build::new();
    let bits = Constant::I64(pointer::pack(Space::Shared, 0, 4)).into();
    b.shared("s", 8);
    let dst = b.reg(Type::Ptr);
    b.emit(InstKind::Convert { dst, op: Conversion::I64ToPtr, src: bits });
    b.store(ElementType::I32, dst.into(), i32(1), i32(1));
    assert!(matches!(fails(b, 1).1, FaultKind::OutOfBounds { .. }));
}
