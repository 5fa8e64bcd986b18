//! Kernels that move tiles row by row, buffers that are only written, and plans that are cached: what
//! may go wrong there and must not. Each launch runs in every mode, and what it writes is compared with what it must be.

use crate::support::*;
use simt::{FaultKind, POISON};
use simt_ir::{
    AccessOrder, AtomicOp, BinaryOp, CompareOp, Constant, ElementType, InstKind, Node, ObjectPart, Operand,
    Reg, ScopedOrder, Type,
};

const ROWS: u32 = 16;
const N: u32 = 40;

/// `for (i = y; i < 16; i += 4) out[(block * 16 + i) * n + x] = in[i * n + x] + more`, in blocks of 32 x 4 threads.
fn rows(more: i32) -> Build {
    let mut b = Build::new();
    let (input, out, n) = (b.pointer("in"), b.pointer("out"), b.int("n"));
    let (x, y, block) = (b.tid(), b.tid_y(), b.block_x());
    b.count(y, i32(ROWS as i32), 4, |b, i, _| {
        let start = b.mul(i, n);
        let at = b.add(start, x);
        let value = b.load(ElementType::I32, input, at);
        let sum = if more == 0 { value } else { b.add(value, i32(more)) };
        let first = b.mul(block, i32(ROWS as i32));
        let row = b.add(first, i);
        let start = b.mul(row, n);
        let at = b.add(start, x);
        b.store(ElementType::I32, out, at, sum);
    });
    b
}

/// What `blocks` blocks leave of words that were `before`, with rows of `n`.
fn expected(before: &[u32], blocks: u32, n: u32, more: u32) -> Vec<u32> {
    let mut out = before.to_vec();
    for (row, x) in (0..blocks * ROWS).flat_map(|row| (0..32).map(move |x| (row, x))) {
        out[(row * n + x) as usize] = row % ROWS * n + x + more;
    }
    out
}

#[test]
fn what_a_kernel_does_not_write_stays() {
    for more in [0, 5] {
        let mut d = Device::new(rows(more));
        let input = d.words(&(0..ROWS * N).collect::<Vec<_>>());
        let before: Vec<u32> = (0..3 * ROWS * N + 7).map(|i| i * 3 + 1).collect();
        let (old, fresh) = (d.words(&before), d.empty(before.len() as u64));
        // Again and again, because what a launch leaves is the next one's room.
        for _ in 0..3 {
            for out in [old, fresh] {
                d.run3([3, 1, 1], [32, 4, 1], &[ptr(input), ptr(out), Constant::i32(N as i32)]).unwrap();
            }
            assert_eq!(d.read(old), expected(&before, 3, N, more as u32));
            assert_eq!(d.read(fresh), expected(&vec![POISON; before.len()], 3, N, more as u32));
            assert_eq!(d.simulator.memory.unwritten_words(fresh), Ok(u64::from(3 * ROWS * (N - 32) + 7)));
            assert_eq!(d.simulator.memory.unwritten_words(old), Ok(0));
        }
    }
}

#[test]
fn a_fault_at_an_index_that_nobody_has_computed_is_where_it_is() {
    for more in [0, 5] {
        let mut d = Device::new(rows(more));
        let input = d.words(&(0..ROWS * N).collect::<Vec<_>>());
        let before: Vec<u32> = (0..2 * ROWS * N + 5 * N).collect();
        let out = d.words(&before);
        let args = [ptr(input), ptr(out), Constant::i32(N as i32)];
        for blocks in [3, 40] {
            let fault = d.run3([blocks, 1, 1], [32, 4, 1], &args).unwrap_err();
            let FaultKind::OutOfBounds { offset, ref target, .. } = fault.kind else { panic!("{fault:?}") };
            assert_eq!((target.name.as_deref(), fault.block), (Some("out"), [2, 0, 0]));
            // The first warp's second turn is the first that is outside: row 4 is the last that there is.
            assert_eq!((offset, fault.thread), (i64::from((2 * ROWS + 8) * N) * 4, [0, 0, 0]));
            assert_eq!(d.read(out), before);
        }
    }
}

#[test]
fn a_plan_is_not_taken_for_that_of_another_launch() {
    let mut d = Device::new(rows(1));
    d.options.every_mode = false;
    let inputs = [0, 1].map(|_| d.words(&(0..ROWS * N).collect::<Vec<_>>()));
    let before = vec![9; (4 * ROWS * N) as usize];
    let launches = [(N, 4, 0), (N - 3, 4, 0), (N, 3, 1), (N, 4, 1), (N - 1, 2, 0)];
    for (n, blocks, input) in launches.into_iter().cycle().take(23) {
        let out = d.words(&before);
        let args = [ptr(inputs[input]), ptr(out), Constant::i32(n as i32)];
        d.run3([blocks, 1, 1], [32, 4, 1], &args).unwrap();
        assert_eq!(d.read(out), expected(&before, blocks, n, 1));
    }
    // The kernel itself may become another one.
    let out = d.words(&before);
    let args = [ptr(inputs[0]), ptr(out), Constant::i32(N as i32)];
    for more in [1u32, 2, 3] {
        let kernel = rows(more as i32).module().kernels.remove(0);
        d.module.change(0, |old, _| *old = kernel).unwrap();
        d.run3([4, 1, 1], [32, 4, 1], &args).unwrap();
        assert_eq!(d.read(out), expected(&before, 4, N, more));
    }
}

/// `for (i = 0; i < 2; i++) if (y == i) …`, in blocks of 32 x 2 threads: the two warps come there in different turns.
fn in_turn(body: impl Fn(&mut Build, Operand, Operand)) -> Device {
    let mut b = Build::new();
    let out = b.pointer("out");
    let y = b.tid_y();
    let tile = b.shared("tile", 128);
    b.count(i32(0), i32(2), 1, |b, i, _| {
        let own = b.cmp(CompareOp::Eq, y, i);
        b.branch(own, |b| body(b, tile, i));
    });
    b.barrier();
    let (x, word) = (b.tid(), b.load(ElementType::I32, tile, i32(0)));
    b.store(ElementType::I32, out, x, word);
    Device::new(b)
}

#[test]
fn a_barrier_is_the_same_in_whichever_turn_a_warp_comes_there() {
    let mut d = in_turn(|b, tile, _| {
        b.store(ElementType::I32, tile, i32(0), i32(7));
        b.barrier();
    });
    let out = d.empty(32);
    d.run3([1, 1, 1], [32, 2, 1], &[ptr(out)]).unwrap();
    assert_eq!(d.read(out), [7; 32]);
    let mut d = in_turn(|b, _, _| ignore(b.barrier()));
    let out = d.empty(32);
    // Nobody has written the word; that is all that is wrong.
    let fault = d.run3([1, 1, 1], [32, 2, 1], &[ptr(out)]).unwrap_err();
    assert!(matches!(fault.kind, FaultKind::UninitialisedRead { .. }), "{fault:?}");
}

fn ignore<T>(_: T) {}

fn increase(b: &mut Build, dst: Reg) {
    b.emit(InstKind::Binary { dst, op: BinaryOp::Add, lhs: dst.into(), rhs: i32(1) });
}

#[test]
fn one_value_by_one_instruction_is_no_race_in_whichever_turn() {
    let mut d = in_turn(|b, tile, _| ignore(b.store(ElementType::I32, tile, i32(0), i32(7))));
    let out = d.empty(32);
    d.run3([1, 1, 1], [32, 2, 1], &[ptr(out)]).unwrap();
    assert_eq!(d.read(out), [7; 32]);
    // Different values are one.
    let mut d = in_turn(|b, tile, i| ignore(b.store(ElementType::I32, tile, i32(0), i)));
    let out = d.empty(32);
    let fault = d.run3([1, 1, 1], [32, 2, 1], &[ptr(out)]).unwrap_err();
    assert!(matches!(fault.kind, FaultKind::SharedMemoryRace { .. }), "{fault:?}");
}

#[test]
fn parts_of_words_and_atomics_build_on_what_was_there() {
    let mut b = Build::new();
    let (bytes, sums) = (b.pointer("bytes"), b.pointer("sums"));
    let i = b.global_id();
    let at = b.mul(i, i32(4));
    b.store(ElementType::U8, bytes, at, i);
    let address = b.at(sums, i, 4);
    let op = AtomicOp::Add;
    b.emit(InstKind::Atomic {
        dst: None,
        op,
        ty: ElementType::I32,
        address,
        value: i32(5),
        compare: None,
        order: ScopedOrder::RELAXED_DEVICE,
    });
    let mut d = Device::new(b);
    let before: Vec<u32> = (0..640u32).map(|i| i.wrapping_mul(0x0101_0100)).collect();
    let (bytes, sums) = (d.words(&before), d.words(&before));
    for round in 1..4 {
        d.run(10, 64, &[ptr(bytes), ptr(sums)]).unwrap();
        let byte = |(i, word): (usize, &u32)| word & !0xff | i as u32 & 0xff;
        assert_eq!(d.read(bytes), before.iter().enumerate().map(byte).collect::<Vec<_>>());
        assert_eq!(d.read(sums), before.iter().map(|word| word.wrapping_add(5 * round)).collect::<Vec<_>>());
    }
}

/// What a turn computes that some block passes over is not known in the next.
#[test]
fn a_turn_that_is_cut_short_does_not_do_the_rest() {
    for ends in [false, true] {
        let leave = |label| if ends { Node::Break(label) } else { Node::Continue(label) };
        let mut b = Build::new();
        let out = b.pointer("out");
        let (x, block) = (b.tid(), b.block_x());
        let (sum, seen) = (b.var(Type::I32, i32(0)), b.var(Type::I32, i32(0)));
        b.count(i32(0), i32(4), 1, |b, i, label| {
            let few = b.cmp(CompareOp::LtS, sum.into(), i32(2));
            b.branch(few, |b| increase(b, seen));
            let cut = b.cmp(CompareOp::LtS, block, i);
            b.branch(cut, |b| b.node(leave(label)));
            increase(b, sum);
        });
        let row = b.mul(block, i32(64));
        let at = b.add(row, x);
        b.store(ElementType::I32, out, at, sum.into());
        let at = b.add(at, i32(32));
        b.store(ElementType::I32, out, at, seen.into());
        let mut d = Device::new(b);
        let out = d.empty(6 * 64);
        d.run(6, 32, &[ptr(out)]).unwrap();
        let words = d.read(out);
        for block in 0..6 {
            // Turns up to the block's number count.
            let sum = 4.min(block + 1);
            let turns = if ends { 4.min(sum + 1) } else { 4 };
            let seen = (0..turns).filter(|turn| sum.min(*turn) < 2).count() as u32;
            assert_eq!(words[block as usize * 64], sum, "block {block}");
            assert_eq!(words[block as usize * 64 + 32], seen, "block {block}");
        }
    }
}

/// Tiles of 32 x 32 turned, 8 rows a turn, with a row of 33 words, or of 32.
fn transpose(width: i32, barrier: bool) -> Build {
    let mut b = Build::new();
    let (input, out, n) = (b.pointer("in"), b.pointer("out"), b.int("n"));
    let (x, y, block) = (b.tid(), b.tid_y(), b.block_x());
    let tile = b.shared("tile", width as u32 * 32 * 4);
    let place = |b: &mut Build, i: Operand| {
        let start = b.mul(i, n);
        let first = b.mul(block, i32(32));
        let at = b.add(start, first);
        b.add(at, x)
    };
    b.count(y, i32(32), 8, |b, i, _| {
        let at = place(b, i);
        let value = b.load(ElementType::I32, input, at);
        let start = b.mul(i, i32(width));
        let at = b.op(BinaryOp::Add, start, x);
        b.store(ElementType::I32, tile, at, value);
    });
    if barrier {
        b.barrier();
    }
    b.count(y, i32(32), 8, |b, i, _| {
        let start = b.mul(x, i32(width));
        let at = b.add(start, i);
        let value = b.load(ElementType::I32, tile, at);
        let at = place(b, i);
        b.store(ElementType::I32, out, at, value);
    });
    b
}

#[test]
fn tiles_are_turned_and_counted() {
    for (width, wavefronts) in [(33, 1), (32, 32)] {
        let blocks = 5;
        let mut d = Device::new(transpose(width, true));
        let n = 32 * blocks;
        let input = d.words(&(0..32 * n).collect::<Vec<_>>());
        let out = d.empty(u64::from(32 * n));
        let args = [ptr(input), ptr(out), Constant::i32(n as i32)];
        let counters = d.run3([blocks, 1, 1], [32, 8, 1], &args).unwrap().counters;
        let at = |i: u32| {
            let (row, block, x) = (i / n, i % n / 32, i % 32);
            x * n + block * 32 + row
        };
        assert_eq!(d.read(out), (0..32 * n).map(at).collect::<Vec<_>>());
        assert_eq!(d.simulator.memory.unwritten_words(out), Ok(0));
        let rows = u64::from(blocks * 32);
        assert_eq!(counters.shared_load.requests, rows);
        assert_eq!(counters.shared_load.wavefronts, rows * wavefronts);
        assert_eq!((counters.global_load.sectors, counters.global_store.sectors), (rows * 4, rows * 4));
    }
}

#[test]
fn a_tile_that_is_read_too_soon_is_a_race() {
    let mut d = Device::new(transpose(33, false));
    let input = d.words(&(0..32 * 64).collect::<Vec<_>>());
    let out = d.empty(32 * 64);
    let args = [ptr(input), ptr(out), Constant::i32(64)];
    for blocks in [1, 2] {
        let fault = d.run3([blocks, 1, 1], [32, 8, 1], &args).unwrap_err();
        assert!(matches!(fault.kind, FaultKind::SharedMemoryRace { .. }), "{fault:?}");
    }
    // A register for what is loaded outlives the moves.
    let mut b = Build::new();
    let (input, out) = (b.pointer("in"), b.pointer("out"));
    let (x, y) = (b.tid(), b.tid_y());
    let last = b.var(Type::I32, i32(0));
    b.count(y, i32(8), 4, |b, i, _| {
        let start = b.mul(i, i32(32));
        let at = b.add(start, x);
        let address = b.at(input, at, 4);
        let cache = simt_ir::CacheOp::Default;
        b.emit(InstKind::Load {
            dst: vec![last].into(),
            ty: ElementType::I32,
            address,
            order: AccessOrder::Weak,
            cache,
            part: ObjectPart::Whole,
        });
        b.store(ElementType::I32, out, at, last.into());
    });
    let start = b.mul(y, i32(32));
    let row = b.add(start, x);
    let at = b.add(row, i32(256));
    b.store(ElementType::I32, out, at, last.into());
    let mut d = Device::new(b);
    let input = d.words(&(0..256).map(|i| i * 7).collect::<Vec<_>>());
    let out = d.empty(384);
    d.run3([1, 1, 1], [32, 4, 1], &[ptr(input), ptr(out)]).unwrap();
    let expected = (0..384).map(|i| if i < 256 { i * 7 } else { (i - 128) * 7 });
    assert_eq!(d.read(out), expected.collect::<Vec<_>>());
}
