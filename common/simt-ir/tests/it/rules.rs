//! What the validator refuses, and how a kernel reads in print.

use simt_ir::*;
use source::Span;

fn module(body: Region) -> Module {
    let mut kernel = Kernel {
        name: "k".to_owned(),
        params: vec![Param {
            name: "out".to_owned(),
            spelling: "float *".to_owned(),
            kind: ParamKind::Pointer { pointee: Some(ElementType::F32), read_only: false, restrict: false },
        }],
        arguments: vec![],
        shared: vec![],
        locals: vec![],
        registers: vec![],
        functions: vec![],
        body,
        max_threads: None,
        location: Location(0),
    };
    kernel.add_register(Type::I32, Some("i".into()));
    kernel.add_register(Type::F32, None);
    kernel.add_register(Type::Ptr, None);
    kernel.add_register(Type::Bool, None);
    Module { kernels: vec![kernel], globals: vec![], locations: vec![Span::default()], strings: vec![] }
}

fn inst(kind: InstKind) -> Node {
    Node::Inst(Inst { kind, location: Location(0) })
}

const I: Reg = Reg(0);
const X: Reg = Reg(1);
const P: Reg = Reg(2);
const C: Reg = Reg(3);

fn int(value: i32) -> Operand {
    Constant::i32(value).into()
}

fn element(offset: i64) -> Address {
    Address {
        base: P.into(),
        index: Some(Index { value: I.into(), kind: IndexKind::Signed32, scale: 4 }),
        offset,
    }
}

fn refused(body: Region) -> String {
    validate(&module(body)).unwrap_err().to_string()
}

#[test]
fn a_kernel_reads_as_its_structure() {
    let body = vec![
        inst(InstKind::Param { dst: P, index: ParamIndex(0) }),
        Node::Loop {
            label: Label(0),
            header: vec![inst(InstKind::Compare {
                dst: C,
                op: CompareOp::LtS,
                ty: Type::I32,
                lhs: I.into(),
                rhs: int(4),
            })],
            condition: Some(C.into()),
            body: vec![
                inst(InstKind::Load {
                    dst: vec![X].into(),
                    ty: ElementType::F32,
                    address: element(-4),
                    order: AccessOrder::Weak,
                    cache: CacheOp::ReadOnly,
                    part: ObjectPart::Whole,
                }),
                Node::If {
                    condition: C.into(),
                    then: vec![Node::Continue(Label(0))],
                    otherwise: vec![Node::Break(Label(0))],
                    location: Location(0),
                },
                inst(InstKind::Store {
                    src: vec![X.into(), Constant::f32(0.5).into()].into(),
                    ty: ElementType::F32,
                    address: element(8),
                    order: AccessOrder::Volatile,
                    part: ObjectPart::Whole,
                }),
            ],
            step: vec![inst(InstKind::Binary { dst: I, op: BinaryOp::Add, lhs: I.into(), rhs: int(1) })],
            unroll: Some(UnrollHint::Factor(2)),
            location: Location(0),
        },
    ];
    let module = module(body);
    assert_eq!(validate(&module), Ok(()));
    let expected = "\
kernel k(out: ptr) {
  %2 = param 0 out
  loop L0 unroll(2) {
    %3 = lt_s.i32 %0.i, 4
  } while %3 {
    %1 = load.f32.readonly [%2 + sx(%0.i)*4 - 4]
    if %3 {
      continue L0
    } else {
      break L0
    }
    store.f32x2.volatile [%2 + sx(%0.i)*4 + 8], %1, 0.5f
  } step {
    %0.i = add.i32 %0.i, 1
  }
}
";
    assert_eq!(module.to_string(), expected);
}

#[test]
fn a_type_error_names_the_instruction() {
    let bad = inst(InstKind::Binary { dst: X, op: BinaryOp::Add, lhs: X.into(), rhs: int(1) });
    assert_eq!(refused(vec![bad]), "kernel `k`: operand is i32, not f32 in `%1 = add.f32 %1, 1`");
    let bad = inst(InstKind::Binary { dst: X, op: BinaryOp::Shl, lhs: X.into(), rhs: X.into() });
    assert_eq!(refused(vec![bad]), "kernel `k`: operation on f32 in `%1 = shl.f32 %1, %1`");
}

#[test]
fn indices_out_of_range_are_refused() {
    let bad = inst(InstKind::Copy { dst: Reg(9), src: int(0) });
    assert_eq!(refused(vec![bad]), "kernel `k`: register %9 of 4 in `%9 = 0`");
    let bad = inst(InstKind::Param { dst: P, index: ParamIndex(1) });
    assert_eq!(refused(vec![bad]), "kernel `k`: no parameter 1 in `%2 = param 1`");
    let bad = inst(InstKind::AddressOf { dst: P, variable: VariableRef::Shared(SharedIndex(0)) });
    assert_eq!(refused(vec![bad]), "kernel `k`: object 0 of 0 in `%2 = &shared[0]`");
    let bad = Node::Inst(Inst { kind: InstKind::Trap, location: Location(1) });
    assert_eq!(refused(vec![bad]), "kernel `k`: position 1 of 1");
}

#[test]
fn labels_must_be_around_their_jumps_and_unique() {
    assert_eq!(refused(vec![Node::Break(Label(3))]), "kernel `k`: break of L3, which is not around it");
    let scope = |body| Node::Scope { label: Label(1), body };
    let text = refused(vec![scope(vec![Node::Continue(Label(1))])]);
    assert_eq!(text, "kernel `k`: continue of L1, which is not a loop around it");
    assert_eq!(refused(vec![scope(vec![]), scope(vec![])]), "kernel `k`: label L1 names two constructs");
}

#[test]
fn access_widths_and_arity_are_checked() {
    let bad = inst(InstKind::Store {
        src: vec![X.into(); 3].into(),
        ty: ElementType::F32,
        address: element(0),
        order: AccessOrder::Weak,
        part: ObjectPart::Whole,
    });
    assert!(refused(vec![bad]).contains("3 elements in one access"));
    let bad = inst(InstKind::Load {
        dst: vec![X, X].into(),
        ty: ElementType::F32,
        address: element(0),
        order: AccessOrder::Weak,
        cache: CacheOp::Default,
        part: ObjectPart::Whole,
    });
    assert!(refused(vec![bad]).contains("%1 is written twice"));
    let bad = inst(InstKind::Math { dst: X, function: MathFunction::Pow, args: vec![X.into()].into() });
    assert!(refused(vec![bad]).contains("1 arguments for 2"));
}

const fn strong(order: MemoryOrder, scope: MemoryScope) -> AccessOrder {
    AccessOrder::Strong(ScopedOrder { order, scope })
}

fn load(order: AccessOrder, cache: CacheOp) -> Node {
    let ty = ElementType::I32;
    inst(InstKind::Load {
        dst: vec![I].into(),
        ty,
        address: element(0),
        order,
        cache,
        part: ObjectPart::Whole,
    })
}

fn store(order: AccessOrder) -> Node {
    let ty = ElementType::I32;
    inst(InstKind::Store {
        src: vec![I.into()].into(),
        ty,
        address: element(0),
        order,
        part: ObjectPart::Whole,
    })
}

#[test]
fn orders_and_scopes_are_in_print() {
    let atomic = |dst, order, scope| {
        inst(InstKind::Atomic {
            dst,
            op: AtomicOp::Add,
            ty: ElementType::I32,
            value: int(1),
            compare: None,
            address: Address { base: P.into(), index: None, offset: 0 },
            order: ScopedOrder { order, scope },
        })
    };
    let fence = |order, scope| inst(InstKind::Fence { order, scope });
    let module = module(vec![
        load(AccessOrder::Volatile, CacheOp::Default),
        load(strong(MemoryOrder::Acquire, MemoryScope::Block), CacheOp::Default),
        store(strong(MemoryOrder::Release, MemoryScope::Cluster)),
        store(strong(MemoryOrder::Relaxed, MemoryScope::System)),
        atomic(Some(I), MemoryOrder::AcquireRelease, MemoryScope::Device),
        atomic(None, MemoryOrder::Relaxed, MemoryScope::Block),
        fence(FenceOrder::AcquireRelease, MemoryScope::Device),
        fence(FenceOrder::SequentiallyConsistent, MemoryScope::System),
    ]);
    assert_eq!(validate(&module), Ok(()));
    let expected = "\
kernel k(out: ptr) {
  %0.i = load.i32.volatile [%2 + sx(%0.i)*4]
  %0.i = load.i32.acquire.block [%2 + sx(%0.i)*4]
  store.i32.release.cluster [%2 + sx(%0.i)*4], %0.i
  store.i32.relaxed.system [%2 + sx(%0.i)*4], %0.i
  %0.i = atomic.add.i32.acq_rel.device [%2], 1
  atomic.add.i32.relaxed.block [%2], 1
  fence.acq_rel.device
  fence.sc.system
}
";
    assert_eq!(module.to_string(), expected);
}

#[test]
fn loads_do_not_release_and_stores_do_not_acquire() {
    for order in [MemoryOrder::Release, MemoryOrder::AcquireRelease] {
        let text = refused(vec![load(strong(order, MemoryScope::Device), CacheOp::Default)]);
        assert!(text.contains("a load that releases"), "{text}");
    }
    for order in [MemoryOrder::Acquire, MemoryOrder::AcquireRelease] {
        let text = refused(vec![store(strong(order, MemoryScope::Device))]);
        assert!(text.contains("a store that acquires"), "{text}");
    }
    for cache in [CacheOp::ReadOnly, CacheOp::Surface] {
        let text = refused(vec![load(AccessOrder::Volatile, cache)]);
        assert!(text.contains("not coherent"), "{text}");
    }
}
