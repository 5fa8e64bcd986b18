//! Structured control flow, and where lanes come together again.

use crate::build::{Build, i32};
use crate::{each, everywhere, words};
use simt_ir::{BinaryOp, CompareOp, ElementType, InstKind, Label, Node, Operand, Reg, Special, Type};
use simt_ref::Launch;

fn add(b: &mut Build, sum: Reg, value: impl Into<Operand>) {
    b.emit(InstKind::Binary { dst: sum, op: BinaryOp::Add, lhs: sum.into(), rhs: value.into() });
}

/// `if (lhs op rhs) { then }`.
fn when(b: &mut Build, op: CompareOp, lhs: Operand, rhs: i32, then: impl FnOnce(&mut Build)) {
    let condition = b.cmp(op, lhs, i32(rhs));
    b.branch(condition, then);
}

/// Appends the mask of the lanes that are here to `trace`, as one hexadecimal digit for 4 lanes.
fn here(b: &mut Build, trace: Reg) {
    let shifted = b.op(BinaryOp::Shl, trace, i32(4));
    let mask = b.special(Special::ActiveMask);
    let both = b.op(BinaryOp::Or, shifted, mask);
    b.copy(trace, both);
}

#[test]
fn both_sides_of_nested_branches_keep_the_other_lanes() {
    let got = words(70, |b, t| {
        let v = b.var(Type::I32, i32(-1));
        let low = b.cmp(CompareOp::LtS, t, i32(20));
        let bit = b.op(BinaryOp::And, t, i32(1));
        let odd = b.cmp(CompareOp::Ne, bit, i32(0));
        b.branch_else(
            low,
            |b| {
                b.branch_else(odd, |b| b.copy(v, i32(1)), |b| b.copy(v, i32(2)));
            },
            |b| {
                let w = b.mul(t, i32(10));
                b.copy(v, w);
            },
        );
        v.into()
    });
    assert_eq!(got, each(70, |t| if t < 20 { 2 - t % 2 } else { t * 10 }));
}

#[test]
fn lanes_come_together_at_the_end_of_each_node() {
    // then: lanes 0 and 1; in it lane 0 alone, then both; otherwise: lanes 2 and 3; then all.
    let got = words(4, |b, t| {
        let trace = b.var(Type::I32, i32(0));
        let low = b.cmp(CompareOp::LtS, t, i32(2));
        b.branch_else(
            low,
            |b| {
                when(b, CompareOp::Eq, t, 0, |b| here(b, trace));
                here(b, trace);
            },
            |b| here(b, trace),
        );
        here(b, trace);
        trace.into()
    });
    assert_eq!(got, [0x13f, 0x3f, 0xcf, 0xcf]);
}

#[test]
fn lanes_leave_a_loop_when_its_condition_is_false_and_wait_for_the_rest() {
    // Lane t goes round t times.
    let got = words(4, |b, t| {
        let trace = b.var(Type::I32, i32(0));
        b.count(i32(0), t, 1, |b, _, _| here(b, trace));
        here(b, trace);
        trace.into()
    });
    assert_eq!(got, [0xf, 0xef, 0xecf, 0xec8f]);
}

#[test]
fn lanes_that_continue_rejoin_for_the_step() {
    let got = words(4, |b, t| {
        let trace = b.var(Type::I32, i32(0));
        let label = b.label();
        let location = b.location();
        let i = b.var(Type::I32, i32(0));
        b.open();
        when(b, CompareOp::Eq, t, 1, |b| b.node(Node::Continue(label)));
        here(b, trace);
        let body = b.close();
        b.open();
        here(b, trace);
        add(b, i, i32(1));
        when(b, CompareOp::Eq, i.into(), 1, |b| b.node(Node::Break(label)));
        let step = b.close();
        b.node(Node::Loop { label, header: vec![], condition: None, body, step, unroll: None, location });
        here(b, trace);
        trace.into()
    });
    assert_eq!(got, [0xdff, 0xff, 0xdff, 0xdff]);
}

#[test]
fn a_header_runs_once_more_than_the_body_and_its_break_leaves() {
    // header: h++; break if t == 1 && h == 2. body: n++. step: i++. Three rounds.
    let got = words(2, |b, t| {
        let [h, n, i] = [0; 3].map(|zero| b.var(Type::I32, i32(zero)));
        let (label, location, condition) = (b.label(), b.location(), b.reg(Type::Bool));
        b.open();
        add(b, h, i32(1));
        when(b, CompareOp::Eq, t, 1, |b| {
            when(b, CompareOp::Eq, h.into(), 2, |b| b.node(Node::Break(label)));
        });
        let (op, ty) = (CompareOp::LtS, Type::I32);
        b.emit(InstKind::Compare { dst: condition, op, ty, lhs: i.into(), rhs: i32(3) });
        let header = b.close();
        b.open();
        add(b, n, i32(1));
        let body = b.close();
        b.open();
        add(b, i, i32(1));
        let step = b.close();
        let condition = Some(condition.into());
        b.node(Node::Loop { label, header, condition, body, step, unroll: None, location });
        let tens = b.mul(h.into(), i32(100));
        let units = b.mul(n.into(), i32(10));
        let sum = b.add(tens, units);
        b.add(sum, i.into())
    });
    assert_eq!(got, [433, 211]);
}

/// `for i in 0..4 { for j in 0..4 { scope { jump if i * 4 + j == t; n += 1 }; n += 10 } n += 100 }`
fn nest(jump: fn([Label; 3]) -> Node) -> Vec<u32> {
    words(40, |b, t| {
        let n = b.var(Type::I32, i32(0));
        b.count(i32(0), i32(4), 1, |b, i, outer| {
            b.count(i32(0), i32(4), 1, |b, j, inner| {
                b.scope(|b, scope| {
                    let row = b.mul(i, i32(4));
                    let at = b.add(row, j);
                    let hit = b.cmp(CompareOp::Eq, at, t);
                    b.branch(hit, |b| b.node(jump([outer, inner, scope])));
                    add(b, n, i32(1));
                });
                add(b, n, i32(10));
            });
            add(b, n, i32(100));
        });
        n.into()
    })
}

#[test]
fn jumps_leave_what_is_inside_of_their_target() {
    const ALL: u32 = 16 * 11 + 4 * 100;
    let hit = |f: fn(u32, u32) -> u32| each(40, move |t| if t < 16 { f(t / 4, t % 4) } else { ALL });
    // Of the scope: what follows in it is left out.
    assert_eq!(nest(|[_, _, scope]| Node::Break(scope)), hit(|_, _| ALL - 1));
    // Of the inner loop: what follows in this and all later rounds of it.
    assert_eq!(nest(|[_, inner, _]| Node::Break(inner)), hit(|_, j| ALL - 11 * (4 - j)));
    assert_eq!(nest(|[_, inner, _]| Node::Continue(inner)), hit(|_, _| ALL - 11));
    // Of the outer one.
    assert_eq!(nest(|[outer, ..]| Node::Break(outer)), hit(|i, j| (4 * i + j) * 11 + i * 100));
    assert_eq!(nest(|[outer, ..]| Node::Continue(outer)), hit(|_, j| ALL - 11 * (4 - j) - 100));
}

#[test]
fn return_ends_the_thread_alone() {
    let mut b = Build::new();
    let out = b.pointer("out");
    let t = b.tid();
    b.store(ElementType::I32, out, t, i32(1));
    b.count(i32(0), i32(3), 1, |b, i, _| {
        b.scope(|b, _| {
            let mine = b.cmp(CompareOp::Eq, i, t);
            b.branch(mine, |b| b.node(Node::Return));
        });
        let next = b.add(i, i32(2));
        b.store(ElementType::I32, out, t, next);
    });
    let got = everywhere(&b.module(), &Launch::new(1, 5, &[]), &[&[0; 5]]);
    assert_eq!(got[0], [1, 2, 3, 4, 4]);
}

#[test]
fn a_register_starts_as_zero_and_keeps_its_value_in_inactive_lanes() {
    let got = words(4, |b, t| {
        let (x, seen) = (b.reg(Type::I32), b.var(Type::I32, i32(-1)));
        b.count(i32(0), i32(4), 1, |b, i, _| {
            let mine = b.cmp(CompareOp::Eq, i, t);
            b.branch(mine, |b| {
                b.copy(seen, x);
                b.copy(x, i32(9));
            });
        });
        seen.into()
    });
    assert_eq!(got, [0; 4]);
}

#[test]
fn built_in_values_count_from_x_to_z() {
    use simt_ir::Axis::{X, Y, Z};
    let mut b = Build::new();
    let out = b.pointer("out");
    let axes = [X, Y, Z];
    let [t, block, size, grid] = [Special::ThreadIdx, Special::BlockIdx, Special::BlockDim, Special::GridDim]
        .map(|special| axes.map(|axis| b.special(special(axis))));
    let mut linear = |[x, y, z]: [Operand; 3], [dx, dy, _]: [Operand; 3]| {
        let rows = b.mul(z, dy);
        let row = b.add(rows, y);
        let start = b.mul(row, dx);
        b.add(start, x)
    };
    let (thread, block) = (linear(t, size), linear(block, grid));
    let first = b.mul(block, i32(24));
    let at = b.add(first, thread);
    let lane = b.special(Special::LaneId);
    let tens = b.mul(at, i32(100));
    let cooperative = b.special(Special::Cooperative);
    let value = b.add(tens, lane);
    let value = b.add(value, cooperative);
    b.store(ElementType::I32, out, at, value);
    let launch = Launch { grid: [2, 1, 3], block: [4, 3, 2], ..Launch::new(1, 1, &[]) };
    let got = everywhere(&b.module(), &launch, &[&[0; 144]]);
    assert_eq!(got[0], each(144, |i| i * 100 + i % 24));
}
