//! Groups whose members differ by products with arguments, what ends groups of loads and of stores, and what nobody
//! computes any more for them.

use crate::launch::{Ahead, Launch};
use crate::plan::tests::{compile, global_pointer, ignore};
use crate::plan::{Access, Op, Plan};
use crate::testing::*;
use simt_ir::{BinaryOp, Constant, ElementType, Index, IndexKind, InstKind, Operand, Type};

const N: i32 = 100;

/// A kernel with two buffers, a shared tile, an argument `n`, and a block's index as `y` and a thread's as `x`.
struct Kit {
    b: Build,
    input: Operand,
    out: Operand,
    tile: Operand,
    n: Operand,
    x: Operand,
    y: Operand,
}

fn plan(build: impl FnOnce(&mut Kit)) -> Plan {
    let mut b = Build::new();
    let (input, out, n) = (b.pointer("in"), b.pointer("out"), b.int("n"));
    let (x, y) = (b.tid(), b.block_x());
    let tile = b.shared("tile", 4096);
    let mut kit = Kit { b, input, out, tile, n, x, y };
    build(&mut kit);
    let module = kit.b.module();
    let pointers = [0, 1].map(|id| Constant::Ptr(global_pointer(id)));
    let args = vec![pointers[0], pointers[1], Constant::i32(N)];
    let launch = Launch { grid: [4, 1, 1], block: [64, 1, 1], dynamic_shared: 0, cooperative: None, args };
    compile(&module, &module.kernels[0], &launch, Ahead::Accesses, &|_| 0)
}

/// Group, whether it leads it, distance.
fn places(accesses: &[Access]) -> Vec<(u32, bool, i64)> {
    accesses.iter().map(|a| (a.group, a.leads, a.distance)).collect()
}

/// The places of two loads, of `in[first]` and of `in[second]`.
fn two(first: impl Fn(&mut Kit) -> Operand, second: impl Fn(&mut Kit) -> Operand) -> Vec<(u32, bool, i64)> {
    let plan = plan(|k| {
        for index in [&first as &dyn Fn(&mut Kit) -> Operand, &second] {
            let index = index(k);
            k.b.load(ElementType::F32, k.input, index);
        }
    });
    places(&plan.loads)
}

/// `(y + c) * n + x`.
fn row(k: &mut Kit, c: i32) -> Operand {
    let row = k.b.add(k.y, i32(c));
    let start = k.b.mul(row, k.n);
    k.b.add(start, k.x)
}

fn at(distance: i64) -> [(u32, bool, i64); 2] {
    [(0, true, 0), (0, false, distance)]
}

const APART: [(u32, bool, i64); 2] = [(0, true, 0), (1, true, 0)];

#[test]
fn rows_of_a_length_that_is_an_argument_are_one_group() {
    let pitch = i64::from(N) * 4;
    assert_eq!(two(|k| row(k, 0), |k| row(k, 3)), at(3 * pitch));
    assert_eq!(two(|k| row(k, 3), |k| row(k, 0)), at(-3 * pitch), "the first may be the highest");
    assert_eq!(two(|k| row(k, -1), |k| row(k, 1)), at(2 * pitch));
    // The same number, made in other ways.
    let product = |k: &mut Kit| {
        let (first, more) = (k.b.mul(k.n, k.y), k.b.mul(i32(2), k.n));
        let start = k.b.add(first, more);
        k.b.add(k.x, start)
    };
    assert_eq!(two(|k| row(k, 0), product), at(2 * pitch));
    let difference = |k: &mut Kit| {
        let less = k.b.op(BinaryOp::Sub, i32(5), k.y);
        let row = k.b.op(BinaryOp::Sub, i32(9), less);
        let start = k.b.mul(row, k.n);
        k.b.add(start, k.x)
    };
    assert_eq!(two(|k| row(k, 0), difference), at(4 * pitch));
}

#[test]
fn shifts_are_products() {
    let shifted = |by: i32, c: i32| {
        move |k: &mut Kit| {
            let row = k.b.add(k.y, i32(c));
            let start = k.b.op(BinaryOp::Shl, row, i32(by));
            k.b.add(start, k.x)
        }
    };
    let multiplied = |by: i32| {
        move |k: &mut Kit| {
            let start = k.b.mul(k.y, i32(by));
            k.b.add(start, k.x)
        }
    };
    assert_eq!(two(shifted(5, 0), shifted(5, 2)), at(2 * 32 * 4));
    assert_eq!(two(multiplied(32), shifted(5, 1)), at(32 * 4));
    assert_eq!(two(shifted(5, 0), shifted(6, 0)), APART);
}

#[test]
fn sums_that_wrap_around_are_what_they_are_modulo_two_to_the_32() {
    let by = |c: i32| {
        move |k: &mut Kit| {
            let start = k.b.mul(k.y, k.n);
            let there = k.b.add(start, i32(i32::MAX));
            let back = k.b.add(there, i32(c));
            k.b.add(back, k.x)
        }
    };
    // 2^31 - 1 + 2 is below zero, and two above the other.
    assert_eq!(two(by(0), by(2)), at(8));
    assert_eq!(two(by(i32::MIN), by(i32::MIN + 1)), at(4));
    assert_eq!(two(by(0), by(i32::MIN)), at(i64::from(i32::MIN) * 4));
}

#[test]
fn different_values_kinds_scales_and_bases_are_different_groups() {
    assert_eq!(two(|k| row(k, 0), |k| k.x), [(0, true, 0), (1, true, 0)]);
    let of = |base: usize, kind, scale| {
        let plan = plan(|k| {
            let index = row(k, 0);
            for (base, kind, scale) in [(0, IndexKind::Signed32, 4), (base, kind, scale)] {
                let base = [k.input, k.out][base];
                let index = Some(Index { value: index, kind, scale });
                k.b.load_at(ElementType::F32, simt_ir::Address { base, index, offset: 0 });
            }
        });
        places(&plan.loads)
    };
    assert_eq!(of(0, IndexKind::Signed32, 4), at(0));
    assert_eq!(of(1, IndexKind::Signed32, 4), APART);
    assert_eq!(of(0, IndexKind::Unsigned32, 4), APART);
    assert_eq!(of(0, IndexKind::Signed32, 8), APART);
    // A sum of too many products is a value of its own, and still the same one.
    let many = |c: i32| {
        move |k: &mut Kit| {
            let mut sum = k.b.mul(k.y, i32(3));
            for _ in 0..8 {
                let loaded = k.b.load(ElementType::I32, k.input, k.y);
                sum = k.b.add(sum, loaded);
            }
            let sum = k.b.add(sum, k.x);
            k.b.add(sum, i32(c))
        }
    };
    let found = two(many(0), many(1));
    assert!(found[8].1 && found[17].1, "{found:?}");
}

/// The places of `in[x]` and `in[x + 4]`, or of words of the tile, with something between.
fn around(tile: bool, between: impl FnOnce(&mut Kit)) -> Vec<(u32, bool, i64)> {
    let plan = plan(|k| {
        let base = if tile { k.tile } else { k.input };
        k.b.load(ElementType::F32, base, k.x);
        between(k);
        let later = k.b.add(k.x, i32(4));
        k.b.load(ElementType::F32, base, later);
    });
    let found = places(&plan.loads);
    vec![found[0], found[found.len() - 1]]
}

#[test]
fn a_store_ends_the_groups_of_loads_that_it_could_change_what_is_known_of() {
    let store = |space: u32| {
        move |k: &mut Kit| {
            let base = match space {
                0 => k.out,
                1 => k.input,
                2 => k.tile,
                _ => {
                    // A pointer that is known only when the kernel runs.
                    let base = k.b.reg(Type::Ptr);
                    let address = k.b.at(k.out, k.y, 4);
                    k.b.emit(InstKind::Offset { dst: base, address });
                    base.into()
                }
            };
            k.b.store(ElementType::F32, base, k.x, f32(1.0));
        }
    };
    let joined = |found: Vec<(u32, bool, i64)>| !found[1].1;
    for space in 0..4 {
        assert!(joined(around(false, store(space))), "global loads around a store to {space}");
        assert_eq!(joined(around(true, store(space))), space < 2, "shared loads around a store to {space}");
    }
    for tile in [false, true] {
        assert!(joined(around(tile, |_| {})));
        let fence = |k: &mut Kit| ignore(k.b.emit(InstKind::Fence));
        assert!(!joined(around(tile, fence)));
    }
}

#[test]
fn stores_of_a_stretch_are_groups_until_it_ends() {
    let stores = |between: fn(&mut Kit)| {
        let plan = plan(|k| {
            let first = row(k, 0);
            k.b.store(ElementType::F32, k.out, first, f32(1.0));
            between(k);
            let second = row(k, 2);
            k.b.store(ElementType::F32, k.out, second, f32(2.0));
        });
        let found = places(&plan.stores);
        (found[0], found[found.len() - 1])
    };
    let pitch = i64::from(N) * 8;
    let joined = ((0, true, 0), (0, false, pitch));
    assert_eq!(stores(|_| {}), joined);
    assert_eq!(stores(|k| ignore(k.b.emit(InstKind::Fence))), joined);
    assert_eq!(stores(|k| ignore(k.b.load(ElementType::F32, k.input, k.x))).1, (0, false, pitch));
    assert_eq!(stores(|k| ignore(k.b.store(ElementType::F32, k.tile, k.x, f32(3.0)))).1, (0, false, pitch));
    assert!(stores(|k| ignore(k.b.barrier())).1.1);
    // A load and a store of one place have nothing in common.
    let plan = plan(|k| {
        k.b.load(ElementType::F32, k.out, k.x);
        k.b.store(ElementType::F32, k.out, k.x, f32(1.0));
    });
    assert_eq!((places(&plan.loads), places(&plan.stores)), (vec![(0, true, 0)], vec![(1, true, 0)]));
}

/// Operations that the warp passes over.
fn passed(plan: &Plan) -> u32 {
    let skip = |(pc, op): (usize, &Op)| if let Op::Skip { to } = op { to - pc as u32 } else { 0 };
    plan.code.iter().enumerate().map(skip).sum()
}

#[test]
fn what_only_members_needed_is_passed_over() {
    let rows = |rows: i32| {
        plan(|k| {
            for c in 0..rows {
                let index = row(k, c);
                k.b.load(ElementType::F32, k.input, index);
            }
        })
    };
    let (one, four) = (rows(1), rows(4));
    // Of each row more: the sum, the product and where it begins.
    assert_eq!(passed(&four) - passed(&one), four.code.len() as u32 - one.code.len() as u32 - 3);
    assert!(passed(&four) > passed(&one) + 5, "{} and {}", passed(&four), passed(&one));
}

#[test]
fn what_somebody_needs_or_may_fail_is_not_passed_over() {
    let with = |end: fn(&mut Kit, Operand)| {
        passed(&plan(|k| {
            k.b.store(ElementType::I32, k.out, k.x, k.y);
            let value = k.b.mul(k.y, i32(7));
            end(k, value);
        }))
    };
    let nobody = with(|_, _| {});
    assert_eq!(nobody, with(|k, v| ignore(k.b.add(v, i32(1)))) - 1, "nor what nobody needs for it");
    assert_eq!(with(|k, v| ignore(k.b.store(ElementType::I32, k.out, k.x, v))), nobody - 1);
    assert_eq!(with(|k, v| ignore(k.b.op(BinaryOp::DivS, i32(100), v))), nobody - 1, "it may divide by zero");
    // A constant of the launch is set once, whoever needs it.
    let constant = |k: &mut Kit, _| ignore(k.b.store(ElementType::I32, k.out, k.x, k.n));
    assert_eq!(with(constant), nobody);
}
