//! What kernels compute: control flow under masks, memory, collectives, atomics, textures.

use crate::support::{self, *};
use simt::{AddressMode, Channel, FaultKind, FilterMode, TextureDesc, TextureSource};
use simt_ir::*;

/// Runs one block of `threads`, whose kernel stores one word a thread, and gives the words.
fn words(threads: u32, build: impl FnOnce(&mut Build, Operand) -> Operand) -> Vec<u32> {
    let mut b = Build::new();
    let out = b.pointer("out");
    let t = b.tid();
    let v = build(&mut b, t);
    b.store(ElementType::I32, out, t, v);
    let mut d = Device::new(b);
    let out = d.empty(u64::from(threads));
    d.run(1, threads, &[ptr(out)]).unwrap();
    d.read(out)
}

fn each(threads: u32, f: impl Fn(u32) -> u32) -> Vec<u32> {
    (0..threads).map(f).collect()
}

#[test]
fn both_sides_of_nested_branches_keep_the_other_lanes() {
    let got = words(70, |b, t| {
        let v = b.var(Type::I32, i32(-1));
        let low = b.cmp(CompareOp::LtS, t, i32(20));
        b.branch_else(
            low,
            |b| {
                let bit = b.op(BinaryOp::And, t, i32(1));
                let odd = b.cmp(CompareOp::Ne, bit, i32(0));
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
fn loops_of_different_length_with_break_and_continue() {
    // for (i = 0; i < t; i++) { if (i % 3 == 0) continue; if (i > 25) break; s += i; }
    let got = words(64, |b, t| {
        let s = b.var(Type::I32, i32(0));
        b.count(i32(0), t, 1, |b, i, label| {
            let r = b.op(BinaryOp::RemS, i, i32(3));
            let skip = b.cmp(CompareOp::Eq, r, i32(0));
            b.branch(skip, |b| b.node(Node::Continue(label)));
            let stop = b.cmp(CompareOp::LtS, i32(25), i);
            b.branch(stop, |b| b.node(Node::Break(label)));
            b.emit(InstKind::Binary { dst: s, op: BinaryOp::Add, lhs: s.into(), rhs: i });
        });
        s.into()
    });
    assert_eq!(got, each(64, |t| (0..t).filter(|i| i % 3 != 0).take_while(|i| *i <= 25).sum()));
}

#[test]
fn a_break_of_an_outer_loop_passes_the_inner_one() {
    // for i in 0..4 { for j in 0..4 { n++; if (i * 4 + j == t) goto out; } }
    let got = words(32, |b, t| {
        let n = b.var(Type::I32, i32(0));
        b.count(i32(0), i32(4), 1, |b, i, outer| {
            b.count(i32(0), i32(4), 1, |b, j, _| {
                b.emit(InstKind::Binary { dst: n, op: BinaryOp::Add, lhs: n.into(), rhs: i32(1) });
                let base = b.mul(i, i32(4));
                let at = b.add(base, j);
                let hit = b.cmp(CompareOp::Eq, at, t);
                b.branch(hit, |b| b.node(Node::Break(outer)));
            });
        });
        n.into()
    });
    assert_eq!(got, each(32, |t| (t + 1).min(16)));
}

#[test]
fn a_uniform_counter_of_a_loop_left_by_some_lanes_keeps_their_values() {
    // The counter is the same for all lanes that are in the loop, but not once they have left at different times.
    let got = words(32, |b, t| {
        let i = b.var(Type::I32, i32(0));
        b.forever(|b, label| {
            let out = b.cmp(CompareOp::Eq, i.into(), t);
            b.branch(out, |b| b.node(Node::Break(label)));
            b.emit(InstKind::Binary { dst: i, op: BinaryOp::Add, lhs: i.into(), rhs: i32(1) });
        });
        i.into()
    });
    assert_eq!(got, each(32, |t| t));
}

#[test]
fn a_value_set_in_an_earlier_round_by_other_lanes_is_not_seen() {
    // Round i: only lane i reads x, which only round 0 (lane 0) has set to a uniform value.
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
    assert_eq!(got, [0, 0, 0, 0]);
}

#[test]
fn early_return_ends_the_thread_alone() {
    let mut b = Build::new();
    let out = b.pointer("out");
    let t = b.tid();
    b.store(ElementType::I32, out, t, i32(1));
    let odd = b.op(BinaryOp::And, t, i32(1));
    let odd = b.cmp(CompareOp::Ne, odd, i32(0));
    b.scope(|b, label| {
        b.branch(odd, |b| b.node(Node::Return));
        let early = b.cmp(CompareOp::LtS, t, i32(8));
        b.branch(early, |b| b.node(Node::Break(label)));
        b.store(ElementType::I32, out, t, i32(2));
    });
    let old = b.load(ElementType::I32, out, t);
    let new = b.add(old, i32(10));
    b.store(ElementType::I32, out, t, new);
    let mut d = Device::new(b);
    let out = d.empty(40);
    d.run(1, 40, &[ptr(out)]).unwrap();
    let want = each(40, |t| match t {
        t if t % 2 == 1 => 1,
        t if t < 8 => 11,
        _ => 12,
    });
    assert_eq!(d.read(out), want);
}

#[test]
fn narrow_elements_extend_and_share_words() {
    let mut b = Build::new();
    let (input, out) = (b.pointer("in"), b.pointer("out"));
    let t = b.tid();
    let v = b.load(ElementType::S8, input, t);
    let w = b.load(ElementType::U16, input, t);
    let sum = b.add(v, w);
    b.store(ElementType::U16, out, t, sum);
    let mut d = Device::new(b);
    let bytes: Vec<u8> = (0..64u32).map(|i| (i * 37 + 120) as u8).collect();
    let a = d.simulator.memory.alloc(64).unwrap();
    d.simulator.memory.write(a, 0, &bytes).unwrap();
    let out = d.empty(16);
    d.run(1, 32, &[ptr(a), ptr(out)]).unwrap();
    let value = |t: usize| {
        let w = u16::from_le_bytes([bytes[2 * t], bytes[2 * t + 1]]);
        w.wrapping_add(bytes[t] as i8 as u16)
    };
    let want: Vec<u32> =
        (0..16).map(|i| u32::from(value(2 * i)) | u32::from(value(2 * i + 1)) << 16).collect();
    assert_eq!(d.read(out), want);
}

#[test]
fn vectors_move_sixteen_bytes_at_once() {
    let mut b = Build::new();
    let (input, out) = (b.pointer("in"), b.pointer("out"));
    let t = b.tid();
    let dst: Vec<Reg> = (0..4).map(|_| b.reg(Type::F32)).collect();
    let address = b.at(input, t, 16);
    b.emit(InstKind::Load {
        dst: dst.clone().into(),
        ty: ElementType::F32,
        address,
        order: AccessOrder::Weak,
        cache: CacheOp::Default,
        part: ObjectPart::Whole,
    });
    let src: Vec<Operand> = dst.iter().rev().map(|r| (*r).into()).collect();
    let address = b.at(out, t, 16);
    b.emit(InstKind::Store {
        src: src.into(),
        ty: ElementType::F32,
        address,
        order: AccessOrder::Weak,
        part: ObjectPart::Whole,
    });
    let mut d = Device::new(b);
    let data: Vec<u32> = (0..128).collect();
    let (a, out) = (d.words(&data), d.empty(128));
    let outcome = d.run(1, 32, &[ptr(a), ptr(out)]).unwrap();
    assert_eq!(d.read(out), each(128, |i| i / 4 * 4 + 3 - i % 4));
    // As measured for vec4_copy: 16 sectors per request.
    assert_eq!((outcome.counters.global_load.requests, outcome.counters.global_load.sectors), (1, 16));
}

#[test]
fn local_arrays_belong_to_each_thread() {
    let got = words(64, |b, t| {
        let a = b.local("a", 32);
        b.count(i32(0), i32(8), 1, |b, i, _| {
            let v = b.mul(i, t);
            b.store(ElementType::I32, a, i, v);
        });
        let at = b.op(BinaryOp::And, t, i32(7));
        b.load(ElementType::I32, a, at)
    });
    assert_eq!(got, each(64, |t| t * (t & 7)));
}

#[test]
fn shuffles_and_votes_within_a_warp() {
    let shuffle = |b: &mut Build, mode, value: Operand, lane: i32, width| {
        let dst = b.reg(Type::I32);
        let (lane, width, members) = (support::i32(lane), support::i32(width), full());
        b.emit(InstKind::Shuffle { dst, mode, value, lane, width, members });
        Operand::from(dst)
    };
    let got = words(32, |b, t| shuffle(b, ShuffleMode::Down, t, 4, 16));
    assert_eq!(got, each(32, |t| if t % 16 < 12 { t + 4 } else { t }));
    let got = words(32, |b, t| shuffle(b, ShuffleMode::Up, t, 3, 8));
    assert_eq!(got, each(32, |t| if t % 8 >= 3 { t - 3 } else { t }));
    let got = words(32, |b, t| shuffle(b, ShuffleMode::Xor, t, 5, 32));
    assert_eq!(got, each(32, |t| t ^ 5));
    let got = words(32, |b, t| shuffle(b, ShuffleMode::Index, t, 18, 16));
    assert_eq!(got, each(32, |t| t / 16 * 16 + 2));
    let got = words(32, |b, t| {
        let big = b.cmp(CompareOp::LtS, support::i32(20), t);
        let dst = b.reg(Type::I32);
        b.emit(InstKind::Vote { dst, mode: VoteMode::Ballot, predicate: big, members: full() });
        dst.into()
    });
    assert_eq!(got, each(32, |_| 0xffe0_0000));
    let got = words(20, |b, t| {
        let (any, all) = (b.reg(Type::Bool), b.reg(Type::Bool));
        let small = b.cmp(CompareOp::LtS, t, support::i32(20));
        b.emit(InstKind::Vote { dst: all, mode: VoteMode::All, predicate: small, members: full() });
        let none = b.cmp(CompareOp::LtS, t, support::i32(0));
        b.emit(InstKind::Vote { dst: any, mode: VoteMode::Any, predicate: none, members: full() });
        let dst = b.reg(Type::I32);
        let (on_true, on_false) = (support::i32(5), support::i32(6));
        b.emit(InstKind::Select { dst, condition: all.into(), on_true, on_false });
        let add = b.reg(Type::I32);
        b.emit(InstKind::Convert { dst: add, op: Conversion::BoolToI32, src: any.into() });
        b.add(dst.into(), add.into())
    });
    assert_eq!(got, each(20, |_| 5));
}

#[test]
fn a_barrier_counts_predicates_over_the_block() {
    let got = words(70, |b, t| {
        let bit = b.op(BinaryOp::And, t, i32(1));
        let odd = b.cmp(CompareOp::Ne, bit, i32(0));
        let dst = b.reg(Type::I32);
        let reduce = BarrierReduce { dst, mode: ReduceMode::Count, predicate: odd };
        b.emit(InstKind::Barrier { reduce: Some(reduce) });
        dst.into()
    });
    assert_eq!(got, each(70, |_| 35));
}

/// A histogram, and a ticket for each thread if asked for.
fn histogram(ticket: bool) -> Build {
    let mut b = Build::new();
    let (bins, tickets) = (b.pointer("bins"), b.pointer("tickets"));
    let i = b.global_id();
    let bin = b.op(BinaryOp::RemU, i, i32(5));
    let address = b.at(bins, bin, 4);
    let dst = ticket.then(|| b.reg(Type::I32));
    let value = i32(1);
    b.emit(InstKind::Atomic {
        dst,
        op: AtomicOp::Add,
        ty: ElementType::I32,
        address,
        value,
        compare: None,
        order: ScopedOrder::RELAXED_DEVICE,
    });
    if let Some(dst) = dst {
        b.store(ElementType::I32, tickets, i, dst.into());
    }
    b
}

#[test]
fn atomics_add_up_and_tickets_go_in_order_for_any_number_of_threads() {
    for threads in [1, 2, 7] {
        for ticket in [false, true] {
            let mut d = Device::new(histogram(ticket));
            d.options.threads = threads;
            let (bins, tickets) = (d.words(&[0; 5]), d.empty(40 * 64));
            let out = d.run(40, 64, &[ptr(bins), ptr(tickets)]).unwrap();
            assert_eq!(d.read(bins), [512; 5]);
            assert_eq!(out.counters.global_atomics, 80);
            if ticket {
                assert_eq!(d.read(tickets), each(40 * 64, |i| i / 5));
            }
        }
    }
}

#[test]
fn float_atomics_round_in_block_order() {
    let mut b = Build::new();
    let sum = b.pointer("sum");
    let i = b.global_id();
    let v = b.reg(Type::F32);
    b.emit(InstKind::Convert { dst: v, op: Conversion::U32ToF32, src: i });
    let v = b.op(BinaryOp::DivF, support::f32(1.0), v);
    let finite = b.cmp(CompareOp::Ne, i, i32(0));
    b.branch(finite, |b| {
        let address = b.at(sum, i32(0), 4);
        b.emit(InstKind::Atomic {
            dst: None,
            op: AtomicOp::Add,
            ty: ElementType::F32,
            address,
            value: v,
            compare: None,
            order: ScopedOrder::RELAXED_DEVICE,
        });
    });
    let module = b.module();
    let want = (1..2000 / 64 * 64).fold(0f32, |s, i| s + 1.0 / i as f32);
    for threads in [1, 4] {
        let mut d = Device::of(module.clone());
        d.options.threads = threads;
        let sum = d.floats(&[0.0]);
        d.run(2000 / 64, 64, &[ptr(sum)]).unwrap();
        assert_eq!(d.read(sum), [want.to_bits()]);
    }
}

#[test]
fn module_variables_and_constants() {
    let mut b = Build::new();
    let out = b.pointer("out");
    let location = b.location();
    let global = |name: &str, space, initial: Vec<u8>| Global {
        name: name.into(),
        space,
        bytes: 16,
        align: 4,
        initial,
        location,
    };
    let taps: Vec<u8> = [3u32, 1, 4, 1].iter().flat_map(|v| v.to_le_bytes()).collect();
    b.module.globals =
        vec![global("taps", GlobalSpace::Constant, taps), global("count", GlobalSpace::Device, vec![])];
    let (c, g) = (b.reg(Type::Ptr), b.reg(Type::Ptr));
    b.emit(InstKind::AddressOf { dst: c, variable: VariableRef::Global(GlobalIndex(0)) });
    b.emit(InstKind::AddressOf { dst: g, variable: VariableRef::Global(GlobalIndex(1)) });
    let t = b.tid();
    let at = b.op(BinaryOp::And, t, i32(3));
    let v = b.load(ElementType::I32, c.into(), at);
    let first = b.load(ElementType::I32, c.into(), i32(0));
    let v = b.add(v, first);
    b.store(ElementType::I32, out, t, v);
    let address = b.at(g.into(), at, 4);
    b.emit(InstKind::Atomic {
        dst: None,
        op: AtomicOp::Add,
        ty: ElementType::I32,
        address,
        value: v,
        compare: None,
        order: ScopedOrder::RELAXED_DEVICE,
    });
    let mut d = Device::new(b);
    d.simulator.memory.write_symbol(d.id, 0, 4, &9u32.to_le_bytes()).unwrap();
    let out = d.empty(32);
    let outcome = d.run(1, 32, &[ptr(out)]).unwrap();
    assert_eq!(d.read(out), each(32, |t| 3 + [3, 9, 4, 1][t as usize % 4]));
    let mut count = [0; 16];
    d.simulator.memory.read_symbol(d.id, 1, 0, &mut count).unwrap();
    assert_eq!(count[4..8], (8 * 12u32).to_le_bytes());
    // As measured for const_div: a request for each word of a divergent access, one for a broadcast.
    assert_eq!((outcome.counters.constant_instructions, outcome.counters.constant_requests), (2, 5));
}

#[test]
fn shared_data_passes_between_warps_for_every_schedule() {
    for schedule_seed in 0..8 {
        let mut b = Build::new();
        let out = b.pointer("out");
        let s = b.shared("s", 4 * 160);
        let t = b.tid();
        b.store(ElementType::I32, s, t, t);
        b.barrier();
        let mirror = b.op(BinaryOp::Sub, i32(159), t);
        let v = b.load(ElementType::I32, s, mirror);
        b.store(ElementType::I32, out, t, v);
        let mut d = Device::new(b);
        d.options.schedule_seed = schedule_seed;
        let out = d.empty(160);
        d.run(1, 160, &[ptr(out)]).unwrap();
        assert_eq!(d.read(out), each(160, |t| 159 - t));
    }
}

#[test]
fn a_store_by_all_lanes_to_one_word_costs_as_much_as_to_many() {
    let end = |threads| {
        let mut b = Build::new();
        let (out, n) = (b.pointer("out"), b.int("n"));
        b.count(i32(0), n, 1, |b, _, _| {
            b.store(ElementType::I32, out, i32(0), i32(1));
        });
        let mut d = Device::new(b);
        (d.options.weighted, d.options.instruction_budget) = (true, 20_000);
        let out = d.empty(1);
        d.run(1, threads, &[ptr(out), Constant::i32(100)]).err().map(|fault| fault.kind)
    };
    assert_eq!(end(1), None);
    assert_eq!(end(32), Some(FaultKind::InstructionBudget { limit: 20_000 }));
}

#[test]
fn equal_stores_of_several_warps_or_blocks_cost_more_than_those_of_one() {
    let end = |blocks, threads, own: bool| {
        let mut b = Build::new();
        let (out, n) = (b.pointer("out"), b.int("n"));
        let (t, block, size) = (b.tid(), b.block_x(), b.special(Special::BlockDim(Axis::X)));
        let first = b.op(BinaryOp::Mul, block, size);
        let each = b.add(first, t);
        let shared = b.op(BinaryOp::And, t, i32(31));
        let at = if own { each } else { shared };
        b.count(i32(0), n, 1, |b, _, _| {
            b.store(ElementType::I32, out, at, i32(1));
        });
        let mut d = Device::new(b);
        (d.options.weighted, d.options.instruction_budget) = (true, 100_000);
        // Where nothing is checked, no word is looked at by itself.
        d.options.every_mode = false;
        let out = d.empty(128);
        d.run(blocks, threads, &[ptr(out), Constant::i32(200)]).err().map(|fault| fault.kind)
    };
    let over = Some(FaultKind::InstructionBudget { limit: 100_000 });
    assert_eq!(end(1, 32, false), None);
    for (blocks, threads) in [(1, 64), (2, 32), (2, 64)] {
        assert_eq!((end(blocks, threads, true), end(blocks, threads, false)), (None, over.clone()));
    }
}

#[test]
fn the_clock_does_not_count_what_follows_undefined_values() {
    let mut b = Build::new();
    let out = b.pointer("out");
    let t = b.tid();
    let x = b.undefined(Type::I32, "x");
    let all = b.cmp(CompareOp::LtS, t, i32(32));
    b.branch(all, |b| b.copy(x, i32(1)));
    let sum = b.op(BinaryOp::Add, x, t);
    b.store(ElementType::I32, out, t, sum);
    let (clock, low) = (b.reg(Type::I64), b.reg(Type::I32));
    b.emit(InstKind::Clock { dst: clock });
    b.emit(InstKind::Convert { dst: low, op: Conversion::Truncate, src: clock.into() });
    let at = b.add(t, i32(32));
    b.store(ElementType::I32, out, at, low.into());
    let mut d = Device::new(b);
    let clock = |checks| {
        d.options.checks = checks;
        let out = d.empty(64);
        d.run(1, 32, &[ptr(out)]).unwrap();
        d.read(out)
    };
    let [with, without] = [true, false].map(clock);
    assert_eq!(with, without);
}

/// What each lane gets of one counter, and whether the clock is beyond a million at once.
fn order_and_clock(schedule_seed: u64) -> (Vec<u32>, bool) {
    let mut b = Build::new();
    let (out, count) = (b.pointer("out"), b.pointer("count"));
    let t = b.tid();
    let (old, clock, high) = (b.reg(Type::I32), b.reg(Type::I64), b.reg(Type::I64));
    let address = b.at(count, i32(0), 4);
    b.emit(InstKind::Atomic {
        dst: Some(old),
        op: AtomicOp::Add,
        ty: ElementType::I32,
        address,
        value: i32(1),
        compare: None,
        order: ScopedOrder::RELAXED_DEVICE,
    });
    b.store(ElementType::I32, out, t, old.into());
    b.emit(InstKind::Clock { dst: clock });
    let far = Constant::I64(20).into();
    b.emit(InstKind::Binary { dst: high, op: BinaryOp::ShrU, lhs: clock.into(), rhs: far });
    let low = b.reg(Type::I32);
    b.emit(InstKind::Convert { dst: low, op: Conversion::Truncate, src: high.into() });
    let at = b.add(t, i32(32));
    b.store(ElementType::I32, out, at, low.into());
    let mut d = Device::new(b);
    d.options.schedule_seed = schedule_seed;
    let (out, count) = (d.empty(64), d.words(&[0]));
    d.run(1, 32, &[ptr(out), ptr(count)]).unwrap();
    let found = d.read(out);
    (found[..32].to_vec(), found[32] != 0)
}

#[test]
fn lanes_of_an_atomic_and_the_clock_follow_the_schedule() {
    assert_eq!(order_and_clock(0), ((0..32).collect(), false));
    assert_eq!(order_and_clock(1), ((0..32).rev().collect(), true));
}

#[test]
fn blocks_that_depend_on_each_other_give_the_result_of_block_order() {
    // Without checks: x[b + 1] = x[b] + 1, a chain through all blocks.
    let mut b = Build::new();
    let x = b.pointer("x");
    let block = b.block_x();
    let v = b.load(ElementType::I32, x, block);
    let v = b.add(v, i32(1));
    let next = b.add(block, i32(1));
    b.store(ElementType::I32, x, next, v);
    let module = b.module();
    for threads in [1, 2, 6] {
        let mut d = Device::of(module.clone());
        (d.options.threads, d.options.checks) = (threads, false);
        let x = d.words(&[0; 513]);
        d.run(512, 1, &[ptr(x)]).unwrap();
        assert_eq!(d.read(x), each(513, |i| i));
    }
}

/// A kernel whose threads print their block's index.
fn prints_its_block(format: &str) -> Build {
    let mut b = Build::new();
    let i = b.block_x();
    b.module.strings.push(format.into());
    b.emit(InstKind::Print { format: StringIndex(0), args: vec![i].into() });
    b
}

#[test]
fn printf_output_comes_in_block_order() {
    let mut d = Device::new(prints_its_block("block %d\n"));
    d.options.threads = 3;
    let out = d.run(50, 1, &[]).unwrap();
    assert_eq!(out.printed, (0..50).map(|i| format!("block {i}\n")).collect::<String>());
}

#[test]
fn what_is_printed_beyond_the_limit_is_dropped_in_block_order() {
    let b = prints_its_block("block %04d\n");
    // Each block prints 32 lines of 11 bytes.
    let all: String = (0..300).map(|i| format!("block {i:04}\n").repeat(32)).collect();
    let module = b.module();
    for (threads, limit) in [(1, 1000), (3, 1000), (3, 50_000), (2, 0)] {
        let mut d = Device::of(module.clone());
        (d.options.threads, d.options.printed_bytes) = (threads, limit);
        // Which thread runs which block differs from time to time.
        for _ in 0..10 {
            let out = d.run(300, 32, &[]).unwrap();
            assert_eq!(out.printed, all[..limit], "{threads} threads, {limit} bytes");
        }
    }
}

fn texture_kernel(fetch: impl FnOnce(Operand, Operand) -> TextureFetch, unit: f32) -> Build {
    let mut b = Build::new();
    let (texture, out) = (b.param("t", ParamKind::Texture), b.pointer("out"));
    let t = b.tid();
    let x = b.reg(Type::F32);
    b.emit(InstKind::Convert { dst: x, op: Conversion::S32ToF32, src: t });
    let x = b.op(BinaryOp::Mul, x, support::f32(unit));
    let dst = b.reg(Type::F32);
    b.emit(InstKind::Texture { dst: vec![dst].into(), texture, fetch: fetch(t, x), ty: Type::F32 });
    b.store(ElementType::F32, out, t, dst.into());
    b
}

fn floats(words: &[u32]) -> Vec<f32> {
    words.iter().map(|w| support_bits(*w)).collect()
}

fn support_bits(word: u32) -> f32 {
    f32::from_bits(word)
}

#[test]
fn linear_textures_read_zero_outside() {
    let mut d = Device::new(texture_kernel(|t, _| TextureFetch::Element { x: t }, 1.0));
    let data = d.floats(&[1.0, 2.0, 3.0, 4.0, 5.0]);
    let texture = d.simulator.memory.create_texture(TextureDesc::linear_f32(data, 3)).unwrap();
    let out = d.empty(8);
    let outcome = d.run(1, 8, &[Constant::I64(texture), ptr(out)]).unwrap();
    assert_eq!(floats(&d.read(out)), [1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    assert_eq!((outcome.counters.texture_requests, outcome.counters.texture_sectors), (1, 1));
    let fault = d.run(1, 8, &[Constant::I64(5), ptr(out)]).unwrap_err();
    assert!(matches!(fault.kind, simt::FaultKind::InvalidTexture { handle: 5, .. }));
}

#[test]
fn array_textures_address_and_filter() {
    let desc = |mode, filter, normalized_coordinates| TextureDesc {
        source: TextureSource::Array {
            extent: [4, 2, 0],
            data: (0..8).flat_map(|i| (10.0 * i as f32).to_le_bytes()).collect(),
        },
        channel: Channel::F32,
        channels: 1,
        layers: simt::Layers::None,
        address: [mode; 3],
        filter,
        normalized_coordinates,
        normalized_read: false,
    };
    let sample = |desc: TextureDesc, unit: f32, y: f32| {
        let fetch = |_, x| TextureFetch::Sample {
            shape: simt_ir::TextureShape::D2,
            at: [x, support::f32(y), support::f32(0.0)],
            layer: Constant::I32(0).into(),
        };
        let mut d = Device::new(texture_kernel(fetch, unit));
        let texture = d.simulator.memory.create_texture(desc).unwrap();
        let out = d.empty(6);
        d.run(1, 6, &[Constant::I64(texture), ptr(out)]).unwrap();
        floats(&d.read(out))
    };
    let point = FilterMode::Point;
    assert_eq!(
        sample(desc(AddressMode::Clamp, point, false), 1.0, 1.5),
        [40.0, 50.0, 60.0, 70.0, 70.0, 70.0]
    );
    assert_eq!(sample(desc(AddressMode::Border, point, false), 1.0, 0.0), [0.0, 10.0, 20.0, 30.0, 0.0, 0.0]);
    assert_eq!(sample(desc(AddressMode::Wrap, point, true), 0.25, 0.0), [0.0, 10.0, 20.0, 30.0, 0.0, 10.0]);
    assert_eq!(
        sample(desc(AddressMode::Mirror, point, true), 0.25, 0.0),
        [0.0, 10.0, 20.0, 30.0, 30.0, 20.0]
    );
    // Halfway between elements and rows, whose centres are at .5.
    let linear = desc(AddressMode::Clamp, FilterMode::Linear, false);
    assert_eq!(sample(linear, 1.0, 1.0), [20.0, 25.0, 35.0, 45.0, 50.0, 50.0]);
}

/// `do v = in[t]; while (false); for (j = 0; j < 4; j++) { a = v + 1; .. }`, with temporaries after the last read of `v` in the text.
#[test]
fn a_value_of_one_loops_header_is_read_by_each_round_of_the_next() {
    let mut b = Build::new();
    let (input, out) = (b.pointer("in"), b.pointer("out"));
    let t = b.tid();
    let sum = b.var(Type::I32, i32(0));
    let (i, stay) = (b.var(Type::I32, i32(0)), b.reg(Type::Bool));
    let (label, location) = (b.label(), b.location());
    b.open();
    let value = b.load(ElementType::I32, input, t);
    b.emit(InstKind::Compare { dst: stay, op: CompareOp::LtS, ty: Type::I32, lhs: i.into(), rhs: i32(2) });
    let header = b.close();
    b.open();
    b.emit(InstKind::Binary { dst: i, op: BinaryOp::Add, lhs: i.into(), rhs: i32(1) });
    let body = b.close();
    let condition = Some(stay.into());
    b.node(Node::Loop { label, header, condition, body, step: vec![], unroll: None, location });
    b.count(i32(0), i32(4), 1, |b, _, _| {
        let mut v = b.mul(value, value);
        for _ in 0..4 {
            v = b.op(BinaryOp::Xor, v, t);
            v = b.mul(v, v);
        }
        b.emit(InstKind::Binary { dst: sum, op: BinaryOp::Add, lhs: sum.into(), rhs: v });
    });
    b.store(ElementType::I32, out, t, sum.into());
    let mut d = Device::new(b);
    let values: Vec<u32> = (0..40).map(|t| t * 7 + 3).collect();
    let (input, out) = (d.words(&values), d.empty(40));
    d.run(1, 40, &[ptr(input), ptr(out)]).unwrap();
    let one = |(t, v): (u32, &u32)| {
        let once = (0..4).fold(v.wrapping_mul(*v), |v, _| (v ^ t).wrapping_mul(v ^ t));
        once.wrapping_mul(4)
    };
    assert!(d.read(out).into_iter().eq((0..).zip(&values).map(one)));
}
