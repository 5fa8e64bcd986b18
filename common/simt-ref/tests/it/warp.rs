//! Functions that look at other lanes, and barriers of warps, blocks and grids.

use crate::build::{Build, full, i32};
use crate::{each, everywhere, fails, words};
use simt_ir::{
    BarrierReduce, BinaryOp, CompareOp, Constant, ElementType, InstKind, Node, Operand, ReduceMode,
    ShuffleMode, Special, StringIndex, Type, VoteMode,
};
use simt_ref::{FaultKind, Launch};

fn shuffle(b: &mut Build, mode: ShuffleMode, value: Operand, lane: Operand, width: i32) -> Operand {
    let (dst, width, members) = (b.reg(Type::I32), i32(width), full());
    b.emit(InstKind::Shuffle { dst, mode, value, lane, width, members });
    dst.into()
}

#[test]
fn shuffles_find_their_source_in_each_mode_and_width() {
    use ShuffleMode::*;
    type Source = fn(u32) -> u32;
    let cases: [(ShuffleMode, i32, i32, Source); 11] = [
        (Index, 5, 32, |_| 5),
        (Index, 18, 16, |t| t / 16 * 16 + 2),
        (Index, -1, 8, |t| t / 8 * 8 + 7),
        (Up, 3, 8, |t| if t % 8 < 3 { t } else { t - 3 }),
        (Up, 1, 32, |t| t.saturating_sub(1)),
        (Down, 4, 16, |t| if t % 16 < 12 { t + 4 } else { t }),
        (Down, 31, 32, |t| if t == 0 { 31 } else { t }),
        (Down, 33, 32, |t| if t == 31 { 31 } else { t + 1 }),
        (Xor, 5, 32, |t| t ^ 5),
        (Xor, 1, 2, |t| t ^ 1),
        // Of the neighbouring segments the one below may be read, the one above not.
        (Xor, 4, 4, |t| if t & 4 == 0 { t } else { t - 4 }),
    ];
    for (mode, lane, width, source) in cases {
        let got = words(64, |b, t| shuffle(b, mode, t, i32(lane), width));
        assert_eq!(got, each(64, |t| t / 32 * 32 + source(t % 32)), "{mode:?} {lane} {width}");
    }
    let got = words(32, |b, t| {
        let lane = b.op(BinaryOp::Sub, i32(31), t);
        shuffle(b, Index, t, lane, 32)
    });
    assert_eq!(got, each(32, |t| 31 - t), "each lane has a source of its own");
}

#[test]
fn shuffles_move_wide_values_and_stay_among_the_lanes_that_are_there() {
    let got = words(32, |b, t| {
        let wide = b.reg(Type::I64);
        b.emit(InstKind::Convert { dst: wide, op: simt_ir::Conversion::SignExtend, src: t });
        let shifted = b.op(BinaryOp::Shl, wide, Operand::from(Constant::I64(32)));
        let result = b.var(Type::I32, i32(-1));
        let low = b.cmp(CompareOp::LtS, t, i32(8));
        b.branch(low, |b| {
            let (dst, members) = (b.reg(Type::I64), i32(0xff));
            let (mode, lane, width) = (ShuffleMode::Xor, i32(7), i32(8));
            b.emit(InstKind::Shuffle { dst, mode, value: shifted, lane, width, members });
            let high = b.op(BinaryOp::ShrU, dst, Operand::from(Constant::I64(32)));
            b.emit(InstKind::Convert { dst: result, op: simt_ir::Conversion::Truncate, src: high });
        });
        result.into()
    });
    assert_eq!(got, each(32, |t| if t < 8 { 7 - t } else { u32::MAX }));
}

#[test]
fn shuffles_refuse_lanes_and_widths_that_are_not_there() {
    let kernel = |lane, width, members: Operand| {
        let mut b = Build::new();
        let t = b.tid();
        let (dst, mode, lane, width) = (b.reg(Type::I32), ShuffleMode::Index, i32(lane), i32(width));
        b.emit(InstKind::Shuffle { dst, mode, value: t, lane, width, members });
        b
    };
    assert_eq!(fails(kernel(25, 32, full()), 20), (0, FaultKind::InactiveShuffleLane { lane: 25 }));
    assert_eq!(fails(kernel(0, 5, full()), 32), (0, FaultKind::ShuffleWidth { width: 5 }));
    let members = FaultKind::WarpMembers { members: 0xfffe, active: 0xffff };
    assert_eq!(fails(kernel(0, 32, i32(0xfffe)), 16), (0, members), "the lane itself is missing");
}

#[test]
fn members_that_are_elsewhere_or_have_ended_are_refused() {
    for ended in [false, true] {
        let mut b = Build::new();
        let t = b.tid();
        let high = b.cmp(CompareOp::LeS, i32(8), t);
        b.branch_else(
            high,
            |b| {
                if ended {
                    b.node(Node::Return)
                }
            },
            |b| {
                if !ended {
                    {
                        b.emit(InstKind::WarpBarrier { members: full() });
                    }
                }
            },
        );
        b.emit(InstKind::WarpBarrier { members: full() });
        let members = FaultKind::WarpMembers { members: u32::MAX, active: 0xff };
        assert_eq!(fails(b, 32), (0, members));
    }
}

fn vote(b: &mut Build, mode: VoteMode, predicate: Operand, members: Operand) -> Operand {
    let ballot = mode == VoteMode::Ballot;
    let dst = b.reg(if ballot { Type::I32 } else { Type::Bool });
    b.emit(InstKind::Vote { dst, mode, predicate, members });
    if ballot {
        return dst.into();
    }
    let number = b.reg(Type::I32);
    b.emit(InstKind::Convert { dst: number, op: simt_ir::Conversion::BoolToI32, src: dst.into() });
    number.into()
}

#[test]
fn votes_combine_the_members() {
    let one = |mode, from: i32, masks: [u32; 2]| {
        // Lanes below 16 name the first mask, the others the second.
        words(32, |b, t| {
            let holds = b.cmp(CompareOp::LeS, i32(from), t);
            let low = b.cmp(CompareOp::LtS, t, i32(16));
            let [on_true, on_false] = masks.map(|mask| Constant::I32(mask).into());
            let members = b.reg(Type::I32);
            b.emit(InstKind::Select { dst: members, condition: low, on_true, on_false });
            vote(b, mode, holds, members.into())
        })
    };
    let all = [u32::MAX; 2];
    let halves = [0xffff, 0xffff_0000];
    assert_eq!(one(VoteMode::Ballot, 20, all), [0xfff0_0000; 32]);
    assert_eq!(one(VoteMode::Ballot, 10, halves), each(32, |t| if t < 16 { 0xfc00 } else { 0xffff_0000 }));
    assert_eq!(one(VoteMode::Any, 31, all), [1; 32]);
    assert_eq!(one(VoteMode::Any, 16, halves), each(32, |t| (t >= 16).into()));
    assert_eq!(one(VoteMode::All, 1, all), [0; 32]);
    assert_eq!(one(VoteMode::All, 16, halves), each(32, |t| (t >= 16).into()));
}

#[test]
fn a_full_mask_means_the_threads_there_are() {
    let got = words(40, |b, t| {
        let all = b.cmp(CompareOp::LeS, i32(0), t);
        vote(b, VoteMode::All, all, full())
    });
    assert_eq!(got, [1; 40]);
}

#[test]
fn a_barrier_reduces_over_the_block() {
    use ReduceMode::*;
    for (mode, limit, want) in
        [(Count, 33, 33), (Count, 0, 0), (And, 70, 1), (And, 69, 0), (Or, 1, 1), (Or, 0, 0)]
    {
        let got = words(70, |b, t| {
            let (predicate, dst) = (b.cmp(CompareOp::LtS, t, i32(limit)), b.reg(Type::I32));
            b.emit(InstKind::Barrier { reduce: Some(BarrierReduce { dst, mode, predicate }) });
            dst.into()
        });
        assert_eq!(got, [want; 70], "{mode:?} {limit}");
    }
}

#[test]
fn what_is_stored_before_a_barrier_is_there_after_it() {
    let got = words(160, |b, t| {
        let s = b.shared("s", 4 * 160);
        let sum = b.var(Type::I32, i32(0));
        b.count(i32(0), i32(3), 1, |b, i, _| {
            let value = b.add(t, i);
            b.store(ElementType::I32, s, t, value);
            b.barrier();
            let mirror = b.op(BinaryOp::Sub, i32(159), t);
            let v = b.load(ElementType::I32, s, mirror);
            b.emit(InstKind::Binary { dst: sum, op: BinaryOp::Add, lhs: sum.into(), rhs: v });
            b.barrier();
        });
        sum.into()
    });
    assert_eq!(got, each(160, |t| 3 * (159 - t) + 3));
}

#[test]
fn a_grid_barrier_waits_for_all_blocks_wherever_they_come_to_one() {
    // out[b] = b; a barrier, of odd blocks another one; x = out[(b + 1) % 4]; barrier; out[b] = x.
    let mut b = Build::new();
    let out = b.pointer("out");
    let block = b.block_x();
    b.store(ElementType::I32, out, block, block);
    let bit = b.op(BinaryOp::And, block, i32(1));
    let odd = b.cmp(CompareOp::Ne, bit, i32(0));
    let sync = |b: &mut Build| {
        b.emit(InstKind::GridBarrier);
    };
    b.branch_else(odd, sync, sync);
    let next = b.add(block, i32(1));
    let next = b.op(BinaryOp::And, next, i32(3));
    let x = b.load(ElementType::I32, out, next);
    b.emit(InstKind::GridBarrier);
    let both = b.special(Special::Cooperative);
    let tens = b.mul(both, i32(10));
    let x = b.add(x, tens);
    b.store(ElementType::I32, out, block, x);
    let start = Launch { cooperative: true, ..Launch::new(4, 40, &[]) };
    assert_eq!(everywhere(&b.module(), &start, &[&[0; 4]])[0], [11, 12, 13, 10]);
}

#[test]
fn warps_of_a_block_may_wait_at_different_barriers_of_the_grid() {
    let mut b = Build::new();
    let out = b.pointer("out");
    let t = b.tid();
    let low = b.cmp(CompareOp::LtS, t, i32(32));
    let sync = |b: &mut Build| {
        b.emit(InstKind::GridBarrier);
    };
    b.branch_else(low, sync, sync);
    b.store(ElementType::I32, out, t, t);
    let start = Launch { cooperative: true, ..Launch::new(1, 64, &[]) };
    assert_eq!(everywhere(&b.module(), &start, &[&[0; 64]])[0], each(64, |t| t));
}

#[test]
fn a_warp_may_wait_for_another_ones_store() {
    // Warp 0 polls a flag that warp 1 sets.
    let mut b = Build::new();
    let (out, flag) = (b.pointer("out"), b.pointer("flag"));
    let t = b.tid();
    let low = b.cmp(CompareOp::LtS, t, i32(32));
    b.branch_else(
        low,
        |b| {
            b.forever(|b, label| {
                let seen = b.load(ElementType::I32, flag, i32(0));
                let set = b.cmp(CompareOp::Ne, seen, i32(0));
                b.branch(set, |b| b.node(Node::Break(label)));
            });
        },
        |b| {
            b.store(ElementType::I32, flag, i32(0), i32(1));
        },
    );
    b.store(ElementType::I32, out, t, t);
    let module = b.module();
    for schedule in crate::SCHEDULES {
        let start = Launch { schedule, ..Launch::new(1, 64, &[]) };
        let (report, memory) = crate::launch(&module, &start, &[&[0; 64], &[0]]);
        assert_eq!((report.end, crate::read(&memory, 0)), (simt_ref::End::Done, each(64, |t| t)));
        assert_eq!(report.sliced, schedule != simt_ref::Schedule::Threads { descending: true });
    }
}

#[test]
fn the_clock_only_grows() {
    let got = words(4, |b, _| {
        let [first, second] = [0; 2].map(|_| {
            let dst = b.reg(Type::I64);
            b.emit(InstKind::Clock { dst });
            dst
        });
        let more = b.cmp(CompareOp::LtS, first.into(), second.into());
        vote(b, VoteMode::All, more, full())
    });
    assert_eq!(got, [1; 4]);
}

#[test]
fn what_threads_print_is_told_with_its_arguments() {
    let mut b = Build::new();
    b.module.strings = vec!["%d %f".into()];
    let t = b.tid();
    let args = vec![t, Constant::f64(1.5).into()].into();
    b.emit(InstKind::Print { format: StringIndex(0), args });
    let (report, _) = crate::launch(&b.module(), &Launch::new(2, 2, &[]), &[]);
    let lines: Vec<_> = report.printed.iter().map(|p| (p.block, p.thread)).collect();
    assert_eq!(lines, [(0, 0), (0, 1), (1, 0), (1, 1)]);
    assert_eq!(report.printed[1].args, [(Type::I32, 1), (Type::F64, 1.5f64.to_bits())]);
}
