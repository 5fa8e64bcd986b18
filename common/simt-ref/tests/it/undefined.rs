//! Undefined values: which results are, and which of their uses are reported.

use crate::build::{Build, full, i32};
use crate::{SCHEDULES, fails, launch};
use simt_ir::{
    ArrayShape, BinaryOp, CompareOp, Constant, ElementType, InstKind, LocalArray, LocalIndex, Location,
    ObjectPart, Operand, Reg, ShuffleMode, StringIndex, Type, UnaryOp, VariableRef,
};
use simt_ref::{End, FaultKind, Launch, NoValue};

/// What a launch of one warp tells; which variables, each once, must not depend on the schedule.
fn told(b: Build) -> Vec<NoValue> {
    let module = b.module();
    let results = SCHEDULES.map(|schedule| {
        let start = Launch { schedule, ..Launch::new(1, 32, &[]) };
        let (report, _) = launch(&module, &start, &[&[0; 32]]);
        assert_eq!(report.end, End::Done, "{schedule:?}");
        report.no_value
    });
    let names = |told: &[NoValue]| told.iter().map(|told| told.variable.name.to_string()).collect::<Vec<_>>();
    assert_eq!(names(&results[0]), names(&results[1]));
    assert_eq!(names(&results[0]), names(&results[2]));
    let [first, ..] = results;
    first
}

/// The threads that use something undefined if each stores what `build` makes of `x`, which has a value in the first 8, and of `y`,
/// which has one in even threads; and the name under which the first one is reported.
fn users(build: impl Fn(&mut Build, Reg, Reg) -> Operand) -> Option<(Vec<u32>, String)> {
    // The report names the first thread only, so each is asked by itself.
    let mut found = (Vec::new(), String::new());
    for thread in 0..32u32 {
        let mut b = Build::new();
        let out = b.pointer("out");
        let t = b.tid();
        let (x, y) = (b.undefined(Type::I32, "x"), b.undefined(Type::I32, "y"));
        let first = b.cmp(CompareOp::LtS, t, i32(8));
        b.branch(first, |b| b.copy(x, t));
        let bit = b.op(BinaryOp::And, t, i32(1));
        let even = b.cmp(CompareOp::Eq, bit, i32(0));
        b.branch(even, |b| b.copy(y, i32(1)));
        let value = build(&mut b, x, y);
        let this = b.cmp(CompareOp::Eq, t, i32(thread as i32));
        b.branch(this, |b| {
            _ = b.store(ElementType::I32, out, t, value);
        });
        for told in told(b) {
            assert_eq!((told.thread, told.block, told.kept), (thread, 0, false));
            found.0.push(thread);
            found.1 = if found.0.len() == 1 { told.variable.name.to_string() } else { found.1 };
        }
    }
    (!found.0.is_empty()).then_some(found)
}

fn threads(name: &str, holds: impl Fn(u32) -> bool) -> Option<(Vec<u32>, String)> {
    Some(((0..32).filter(|t| holds(*t)).collect(), name.to_owned()))
}

#[test]
fn what_is_computed_from_undefined_values_is_undefined() {
    assert_eq!(users(|_, x, _| x.into()), threads("x", |t| t >= 8));
    assert_eq!(users(|b, x, _| b.op(BinaryOp::Add, x, i32(1))), threads("x", |t| t >= 8));
    // Of several the one that is declared last is reported.
    assert_eq!(users(|b, x, y| b.op(BinaryOp::Add, x, y)), threads("y", |t| t >= 8 || t % 2 == 1));
    assert_eq!(
        users(|b, x, _| {
            let dst = b.reg(Type::I32);
            b.emit(InstKind::Unary { dst, op: UnaryOp::Neg, src: x.into() });
            b.copy(dst, dst);
            dst.into()
        }),
        threads("x", |t| t >= 8)
    );
    assert_eq!(users(|b, _, _| b.op(BinaryOp::Add, i32(1), i32(2))), None);
}

#[test]
fn a_defined_operand_may_decide() {
    assert_eq!(users(|b, x, _| b.op(BinaryOp::And, x, i32(0))), None);
    assert_eq!(users(|b, x, _| b.op(BinaryOp::Mul, x, i32(0))), None);
    assert_eq!(users(|b, x, _| b.op(BinaryOp::Or, x, i32(-1))), None);
    assert_eq!(users(|b, x, _| b.op(BinaryOp::And, x, i32(2))), threads("x", |t| t >= 8));
    assert_eq!(users(|b, x, _| b.op(BinaryOp::Sub, x, x)), None);
    assert_eq!(users(|b, x, _| b.op(BinaryOp::Xor, x, x)), None);
    // Thread 0 has 0 in `x`, which decides; what undefined values hold does not.
    assert_eq!(users(|b, x, y| b.op(BinaryOp::Mul, x, y)), threads("y", |t| t >= 8 || t % 2 == 1));
    let chosen = |b: &mut Build, condition: Operand, x: Reg| {
        let dst = b.reg(Type::I32);
        b.emit(InstKind::Select { dst, condition, on_true: x.into(), on_false: i32(3) });
        Operand::from(dst)
    };
    let below = |limit: i32| {
        users(move |b, x, _| {
            let t = b.tid();
            let condition = b.cmp(CompareOp::LtS, t, i32(limit));
            chosen(b, condition, x)
        })
    };
    assert_eq!(below(8), None);
    assert_eq!(below(12), threads("x", |t| (8..12).contains(&t)));
    let by_undefined = users(|b, x, y| {
        let condition = b.cmp(CompareOp::LtS, y.into(), i32(0));
        chosen(b, condition, x)
    });
    assert_eq!(by_undefined, threads("y", |t| t % 2 == 1));
    // `t < 8 && x > 2`.
    let and = users(|b, x, _| {
        let t = b.tid();
        let (guard, value) = (b.cmp(CompareOp::LtS, t, i32(8)), b.cmp(CompareOp::LtS, i32(2), x.into()));
        let both = b.op(BinaryOp::And, guard, value);
        let dst = b.reg(Type::I32);
        b.emit(InstKind::Convert { dst, op: simt_ir::Conversion::BoolToI32, src: both });
        dst.into()
    });
    assert_eq!(and, None);
}

#[test]
fn a_shuffle_gives_what_the_other_lane_has() {
    let shuffled = users(|b, x, _| {
        let (dst, mode, width, members) = (b.reg(Type::I32), ShuffleMode::Xor, i32(32), full());
        b.emit(InstKind::Shuffle { dst, mode, value: x.into(), lane: i32(16), width, members });
        dst.into()
    });
    assert_eq!(shuffled, threads("x", |t| t ^ 16 >= 8));
}

#[test]
fn local_arrays_hold_nothing_at_first_and_what_is_stored_counts_as_defined() {
    let array = |b: &mut Build, x: Reg| {
        b.kernel.locals.push(LocalArray {
            name: "a".into(),
            offset: 0,
            bytes: 8,
            elements: ArrayShape { bytes: 4, dimensions: vec![2], members: vec![] },
            location: Location(0),
        });
        let dst = b.reg(Type::Ptr);
        b.emit(InstKind::AddressOf { dst, variable: VariableRef::Local(LocalIndex(0)) });
        let t = b.tid();
        let first = b.cmp(CompareOp::LtS, t, i32(8));
        b.branch(first, |b| {
            _ = b.store(ElementType::I32, dst.into(), i32(1), x.into());
        });
        b.load(ElementType::I32, dst.into(), i32(1))
    };
    assert_eq!(users(|b, x, _| array(b, x)), threads("a[1]", |t| t >= 8));
    let mut b = Build::new();
    b.pointer("out");
    let x = b.undefined(Type::I32, "x");
    array(&mut b, x);
    assert_eq!(told(b).iter().map(|told| told.kept).collect::<Vec<_>>(), [true]);
}

#[test]
fn uses_are_told_of_or_stop_the_launch() {
    let with = |build: fn(&mut Build, Operand, Reg)| {
        let mut b = Build::new();
        b.module.strings = vec!["%d".into()];
        let out = b.pointer("out");
        let x = b.undefined(Type::I32, "x");
        build(&mut b, out, x);
        b
    };
    let warned: [fn(&mut Build, Operand, Reg); 4] = [
        |b, _, x| {
            let condition = b.cmp(CompareOp::LtS, x.into(), i32(3));
            b.branch(condition, |_| {});
        },
        |b, _, x| {
            b.emit(InstKind::Print { format: StringIndex(0), args: vec![x.into()].into() });
        },
        |b, out, x| {
            let (src, address) = (vec![x.into(), x.into()].into(), b.at(out, i32(0), 4));
            let (ty, order) = (ElementType::I32, simt_ir::AccessOrder::Weak);
            b.emit(InstKind::Store { src, ty, address, order, part: ObjectPart::Member });
        },
        |b, out, x| {
            _ = b.store(ElementType::I32, out, i32(1), x.into());
        },
    ];
    for (number, build) in warned.into_iter().enumerate() {
        assert_eq!(told(with(build)).len(), 1, "{number}");
    }
    let clean: [fn(&mut Build, Operand, Reg); 2] = [
        |b, out, x| {
            let (src, address) = (vec![x.into(), i32(1)].into(), b.at(out, i32(0), 4));
            let (ty, order) = (ElementType::I32, simt_ir::AccessOrder::Weak);
            b.emit(InstKind::Store { src, ty, address, order, part: ObjectPart::Member });
        },
        |b, out, x| {
            let (src, address) = (vec![x.into()].into(), b.at(out, i32(0), 4));
            let (ty, order) = (ElementType::I32, simt_ir::AccessOrder::Weak);
            b.emit(InstKind::Store { src, ty, address, order, part: ObjectPart::Bits });
        },
    ];
    for (number, build) in clean.into_iter().enumerate() {
        assert_eq!(told(with(build)), [], "{number}");
    }
    let stopping: [fn(&mut Build, Operand, Reg); 2] = [
        |b, out, x| {
            _ = b.store(ElementType::I32, out, x.into(), i32(1));
        },
        |b, _, x| {
            _ = b.op(BinaryOp::DivS, i32(7), x);
        },
    ];
    for build in stopping {
        let (report, _) = launch(&with(build).module(), &Launch::new(1, 4, &[]), &[&[0; 32]]);
        let End::Fault(fault) = report.end else { panic!("{:?}", report.end) };
        let is_x =
            |kind: &FaultKind| matches!(kind, FaultKind::NoValue { variable } if &*variable.name == "x");
        assert!(fault.threads.len() == 4 && fault.threads.iter().all(|(_, kind)| is_x(kind)));
    }
    let mut bare = Build::new();
    let p = bare.undefined(Type::Ptr, "p");
    bare.load(ElementType::I32, p.into(), Constant::I32(0).into());
    assert!(matches!(fails(bare, 2), (0, FaultKind::NoValue { .. })));
}
