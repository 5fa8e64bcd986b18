//! Groups of loads and stores, what ends them, and what is dead for their sake.

use crate::launch::{Launch, Specialization};
use crate::plan::code::numbers::Pc;
use crate::plan::code::records::LoadId;
use crate::plan::tests::{
    Place, compile, global_pointer, ignore, load_places, plan as plan_of, store_places,
};
use crate::plan::{IndexOperand, Op, Operand32, Plan};
use crate::testing::*;
use simt_ir::{BinaryOp, CompareOp, Constant, ElementType, Index, IndexKind, InstKind, Operand, Type};

/// The groups of the loads of a kernel that loads `in[t]`, does something, and loads `in[t + 4]`.
fn groups(between: impl FnOnce(&mut Build, Operand, Operand)) -> Vec<Place> {
    let mut b = Build::new();
    let input = b.pointer("in");
    let t = b.tid();
    let later = b.add(t, i32(4));
    b.load(ElementType::I32, input, t);
    between(&mut b, input, t);
    b.load(ElementType::I32, input, later);
    load_places(&plan_of(b, [32, 1, 1]))
}

#[test]
fn loads_at_constant_distances_are_one_group() {
    assert_eq!(groups(|_, _, _| {}), [Some((0, true, 0)), Some((0, false, 16))]);
    // Arithmetic and another load do not end it.
    let found = groups(|b, input, t| {
        let mirrored = b.op(BinaryOp::Sub, i32(31), t);
        b.load(ElementType::I32, input, mirrored);
    });
    assert_eq!(found, [Some((0, true, 0)), Some((1, true, 124)), Some((0, false, 16))]);
}

#[test]
fn what_may_change_memory_or_lanes_ends_a_group() {
    let two = [Some((0, true, 0)), Some((1, true, 16))];
    let barrier = |b: &mut Build, _, _| {
        b.barrier();
    };
    assert_eq!(groups(barrier), two);
    let fence = |b: &mut Build, _, _| {
        b.fence();
    };
    assert_eq!(groups(fence), two);
    let branch = |b: &mut Build, _, t| {
        let low = b.cmp(CompareOp::LtS, t, i32(7));
        b.branch(low, |_| {});
    };
    assert_eq!(groups(branch), two);
    let end_of_loop = |b: &mut Build, _, _| b.count(i32(0), i32(2), 1, |_, _, _| {});
    assert_eq!(groups(end_of_loop), two);
    // A store is a group of its own, and ends none where it cannot reach shared memory.
    let store = |b: &mut Build, input, t| {
        b.store(ElementType::I32, input, t, t);
    };
    assert_eq!(groups(store), [Some((0, true, 0)), Some((0, false, 16))]);
}

#[test]
fn a_new_value_of_the_index_ends_a_group() {
    let mut b = Build::new();
    let input = b.pointer("in");
    let (t, block) = (b.tid(), b.block_x());
    let start = b.add(block, t);
    let at = b.var(Type::I32, start);
    for _ in 0..2 {
        b.load(ElementType::I32, input, at.into());
        b.emit(InstKind::Binary { dst: at, op: BinaryOp::Add, lhs: at.into(), rhs: block });
    }
    let plan = plan_of(b, [32, 1, 1]);
    let index = plan.records.loads[LoadId(0)].access.address.index;
    assert!(matches!(index, Some(IndexOperand::Signed32(Operand32::Affine(..)))));
    assert_eq!(load_places(&plan), [Some((0, true, 0)), Some((1, true, 0))]);
}

#[test]
fn what_has_no_known_shape_has_no_group() {
    let mut b = Build::new();
    let input = b.pointer("in");
    let t = b.tid();
    let loaded = b.load(ElementType::I32, input, t);
    b.load(ElementType::I32, input, loaded);
    // Bytes are a group of their own.
    b.load(ElementType::U8, input, t);
    assert_eq!(load_places(&plan_of(b, [32, 1, 1])), [Some((0, true, 0)), None, Some((1, true, 0))]);
}

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
    compile(&module, &module.kernels[0], &launch, Specialization::AccessGroups.into(), &|_| 0)
}

/// The places of two loads, of `in[first]` and of `in[second]`.
fn two(first: impl Fn(&mut Kit) -> Operand, second: impl Fn(&mut Kit) -> Operand) -> Vec<Place> {
    let plan = plan(|k| {
        for index in [&first as &dyn Fn(&mut Kit) -> Operand, &second] {
            let index = index(k);
            k.b.load(ElementType::F32, k.input, index);
        }
    });
    load_places(&plan)
}

/// `(y + c) * n + x`.
fn row(k: &mut Kit, c: i32) -> Operand {
    let row = k.b.add(k.y, i32(c));
    let start = k.b.mul(row, k.n);
    k.b.add(start, k.x)
}

fn at(distance: i64) -> [Place; 2] {
    [Some((0, true, 0)), Some((0, false, distance))]
}

const APART: [Place; 2] = [Some((0, true, 0)), Some((1, true, 0))];

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
    assert_eq!(two(|k| row(k, 0), |k| k.x), APART);
    let of = |base: usize, kind, scale| {
        let plan = plan(|k| {
            let index = row(k, 0);
            for (base, kind, scale) in [(0, IndexKind::Signed32, 4), (base, kind, scale)] {
                let base = [k.input, k.out][base];
                let index = Some(Index { value: index, kind, scale });
                k.b.load_at(ElementType::F32, simt_ir::Address { base, index, offset: 0 });
            }
        });
        load_places(&plan)
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
    assert!([8, 17].iter().all(|load| found[*load].unwrap().1), "{found:?}");
}

/// The places of `in[x]` and `in[x + 4]`, or of words of the tile, with something between.
fn around(tile: bool, between: impl FnOnce(&mut Kit)) -> Vec<Place> {
    let plan = plan(|k| {
        let base = if tile { k.tile } else { k.input };
        k.b.load(ElementType::F32, base, k.x);
        between(k);
        let later = k.b.add(k.x, i32(4));
        k.b.load(ElementType::F32, base, later);
    });
    let found = load_places(&plan);
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
                // Pointers that are known only when the kernel runs: to one buffer, and to that or shared memory.
                3 => {
                    let base = k.b.reg(Type::Ptr);
                    let address = k.b.at(k.out, k.y, 4);
                    k.b.emit(InstKind::Offset { dst: base, address });
                    base.into()
                }
                _ => {
                    let (base, condition) = (k.b.reg(Type::Ptr), k.b.cmp(CompareOp::Eq, k.y, i32(0)));
                    let [on_true, on_false] = [k.out, k.tile];
                    k.b.emit(InstKind::Select { dst: base, condition, on_true, on_false });
                    base.into()
                }
            };
            k.b.store(ElementType::F32, base, k.x, f32(1.0));
        }
    };
    let joined = |found: Vec<Place>| !found[1].unwrap().1;
    for space in 0..5 {
        assert!(joined(around(false, store(space))), "global loads around a store to {space}");
        let is_elsewhere = !matches!(space, 2 | 4);
        assert_eq!(
            joined(around(true, store(space))),
            is_elsewhere,
            "shared loads around a store to {space}"
        );
    }
    for tile in [false, true] {
        assert!(joined(around(tile, |_| {})));
        let fence = |k: &mut Kit| ignore(k.b.fence());
        assert!(!joined(around(tile, fence)));
    }
}

#[test]
fn stores_of_a_block_are_groups_until_it_ends() {
    let stores = |between: fn(&mut Kit)| {
        let plan = plan(|k| {
            let first = row(k, 0);
            k.b.store(ElementType::F32, k.out, first, f32(1.0));
            between(k);
            let second = row(k, 2);
            k.b.store(ElementType::F32, k.out, second, f32(2.0));
        });
        let found = store_places(&plan);
        (found[0], found[found.len() - 1])
    };
    let pitch = i64::from(N) * 8;
    let follower = Some((0, false, pitch));
    let joined = (Some((0, true, 0)), follower);
    assert_eq!(stores(|_| {}), joined);
    assert_eq!(stores(|k| ignore(k.b.fence())), joined);
    assert_eq!(stores(|k| ignore(k.b.load(ElementType::F32, k.input, k.x))).1, follower);
    assert_eq!(stores(|k| ignore(k.b.store(ElementType::F32, k.tile, k.x, f32(3.0)))).1, follower);
    assert!(stores(|k| ignore(k.b.barrier())).1.unwrap().1);
    // A load and a store of one place have nothing in common.
    let plan = plan(|k| {
        k.b.load(ElementType::F32, k.out, k.x);
        k.b.store(ElementType::F32, k.out, k.x, f32(1.0));
    });
    assert_eq!(
        (load_places(&plan), store_places(&plan)),
        (vec![Some((0, true, 0))], vec![Some((1, true, 0))])
    );
}

/// Operations that the warp skips.
fn skipped(plan: &Plan) -> u32 {
    let skip = |(pc, op): (Pc, &Op)| if let Op::Skip { to } = op { to.since(pc) } else { 0 };
    plan.code.enumerated().map(skip).sum()
}

#[test]
fn what_only_members_needed_is_dead() {
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
    assert_eq!(skipped(&four) - skipped(&one), four.code.len() as u32 - one.code.len() as u32 - 3);
    assert!(skipped(&four) > skipped(&one) + 5, "{} and {}", skipped(&four), skipped(&one));
}

#[test]
fn what_is_read_or_may_fail_is_not_dead() {
    let with = |end: fn(&mut Kit, Operand)| {
        skipped(&plan(|k| {
            k.b.store(ElementType::I32, k.out, k.x, k.y);
            let value = k.b.mul(k.y, i32(7));
            end(k, value);
        }))
    };
    let unread = with(|_, _| {});
    assert_eq!(unread, with(|k, v| ignore(k.b.add(v, i32(1)))) - 1, "nor what only it reads");
    assert_eq!(with(|k, v| ignore(k.b.store(ElementType::I32, k.out, k.x, v))), unread - 1);
    assert_eq!(with(|k, v| ignore(k.b.op(BinaryOp::DivS, i32(100), v))), unread - 1, "it may divide by zero");
    // A constant of the launch is set once, whatever reads it.
    let constant = |k: &mut Kit, _| ignore(k.b.store(ElementType::I32, k.out, k.x, k.n));
    assert_eq!(with(constant), unread);
}
