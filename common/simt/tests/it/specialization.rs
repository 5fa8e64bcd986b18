//! What a kernel is specialized for, where what is known of one iteration of a loop must not be taken for another's. Each
//! launch runs in every mode, and what it writes is compared with what it must be.

use crate::support::*;
use simt_ir::{
    AccessOrder, AsyncOp, BinaryOp, CacheOp, CompareOp, Conversion, ElementType, Global, GlobalIndex,
    GlobalSpace, InstKind, Location, ObjectPart, Operand, Reg, Type, VariableRef,
};

const WORDS: u32 = 64;

/// Loads word `at` of `base` into a register that may have been loaded into before.
fn load_into(b: &mut Build, dst: Reg, base: Operand, at: Operand) {
    let address = b.at(base, at, 4);
    b.emit(InstKind::Load {
        dst: vec![dst].into(),
        ty: ElementType::F32,
        address,
        order: AccessOrder::Weak,
        cache: CacheOp::Default,
        part: ObjectPart::Whole,
    });
}

/// Fills `tile` with the first words of `from`, the same number as there are threads.
fn fill(b: &mut Build, tile: Operand, from: Operand, t: Operand) {
    let value = b.load(ElementType::F32, from, t);
    b.store(ElementType::F32, tile, t, value);
    b.barrier();
}

/// Three rounds in which a factor is the word that the round before has loaded. `at` gives where that word of a round lies.
fn sums_with_a_word_of_the_round_before(at: impl Fn(&mut Build, Operand, Operand) -> Operand) -> Vec<f32> {
    let mut b = Build::new();
    let (from, ones, out) = (b.pointer("from"), b.pointer("ones"), b.pointer("out"));
    let t = b.tid();
    let tile = b.shared("tile", WORDS * 4);
    fill(&mut b, tile, from, t);
    // So that the sum is each lane's own, whatever the words are.
    let one = b.load(ElementType::F32, ones, t);
    let (sum, before) = (b.var(Type::F32, f32(0.0)), b.var(Type::F32, f32(1000.0)));
    b.count(i32(0), i32(3), 1, |b, i, _| {
        let here = at(b, i, t);
        // One load; then nothing but what a chain has.
        let first = b.reg(Type::F32);
        load_into(b, first, tile, here);
        let [second, third] = [1, 2].map(|k| b.add(here, i32(k)));
        b.fma(sum, before.into(), one, sum.into());
        load_into(b, before, tile, second);
        b.fma(sum, first.into(), f32(16.0), sum.into());
        let last = b.reg(Type::F32);
        load_into(b, last, tile, third);
        b.fma(sum, last.into(), f32(256.0), sum.into());
    });
    b.store(ElementType::F32, out, t, sum.into());
    let mut d = Device::new(b);
    let from = d.floats(&(0..WORDS).map(|i| (i % 8) as f32).collect::<Vec<_>>());
    let (ones, out) = (d.floats(&[1.0; WORDS as usize]), d.empty(u64::from(WORDS)));
    d.run(1, WORDS, &[ptr(from), ptr(ones), ptr(out)]).unwrap();
    d.read(out).into_iter().map(f32::from_bits).collect()
}

#[test]
fn a_factor_may_be_what_the_round_before_has_loaded() {
    let word = |i: u32| (i % 8) as f32;
    let sum = |here: &dyn Fn(u32) -> u32| {
        let (mut sum, mut before) = (0.0, 1000.0);
        for i in 0..3 {
            let at = here(i);
            sum += before + word(at) * 16.0 + word(at + 2) * 256.0;
            before = word(at + 1);
        }
        sum
    };
    // One word for all lanes.
    let found = sums_with_a_word_of_the_round_before(|b, i, _| b.mul(i, i32(3)));
    assert_eq!(found, vec![sum(&|i| i * 3); WORDS as usize]);
    // One a lane.
    let found = sums_with_a_word_of_the_round_before(|b, i, t| {
        let low = b.op(BinaryOp::And, t, i32(31));
        b.add(i, low)
    });
    let expected: Vec<f32> = (0..WORDS).map(|t| sum(&|i| i + t % 32)).collect();
    assert_eq!(found, expected);
}

#[test]
fn what_a_chain_loads_for_nobody_is_counted() {
    let mut b = Build::new();
    let (from, out) = (b.pointer("from"), b.pointer("out"));
    let t = b.tid();
    let sum = b.var(Type::F32, f32(0.0));
    let spare = b.var(Type::F32, f32(0.0));
    for k in [1, 3, 6] {
        let [one, other, unused] = [0, 1, 2].map(|more| b.add(t, i32(k + more)));
        let [one, other] = [one, other].map(|at| b.load(ElementType::F32, from, at));
        if k == 3 {
            load_into(&mut b, spare, from, unused);
        }
        b.fma(sum, one, other, sum.into());
    }
    b.store(ElementType::F32, out, t, sum.into());
    let mut d = Device::new(b);
    let (from, out) = (d.floats(&[2.0; 40]), d.empty(32));
    let counters = d.run(1, 32, &[ptr(from), ptr(out)]).unwrap().counters;
    assert_eq!((counters.global_load.requests, counters.global_load.bytes), (7, 7 * 128));
    assert_eq!(d.read(out), [12f32.to_bits(); 32]);
}

/// A round's first store finds copies under way, its second does not, and lies at a constant distance from the first.
#[test]
fn stores_before_and_after_a_wait_for_copies_lie_where_their_round_puts_them() {
    let mut b = Build::new();
    let (from, out) = (b.pointer("from"), b.pointer("out"));
    let t = b.tid();
    let tile = b.shared("tile", 128);
    let wait = |b: &mut Build| {
        b.emit(InstKind::Async { dst: None, op: AsyncOp::Wait, args: vec![i32(0)].into() });
    };
    b.count(i32(0), i32(3), 1, |b, i, _| {
        let row = b.mul(i, i32(64));
        let at = b.add(row, t);
        b.store(ElementType::I32, out, at, at);
        wait(b);
        let next = b.add(at, i32(32));
        b.store(ElementType::I32, out, next, next);
        let (to, from) = (b.at(tile, t, 4), b.at(from, t, 4));
        b.emit(InstKind::AsyncCopy { to, from, bytes: 4, used: i32(4) });
        b.emit(InstKind::Async { dst: None, op: AsyncOp::Commit, args: vec![].into() });
    });
    wait(&mut b);
    let copied = b.load(ElementType::I32, tile, t);
    let at = b.add(t, i32(192));
    b.store(ElementType::I32, out, at, copied);
    let mut d = Device::new(b);
    let (from, out) = (d.words(&(192..224).collect::<Vec<_>>()), d.empty(224));
    d.run(1, 32, &[ptr(from), ptr(out)]).unwrap();
    assert_eq!(d.read(out), (0..224).collect::<Vec<_>>());
}

/// The clock counts what a device executes, whatever of it the simulator passes over.
#[test]
fn the_clock_is_the_same_in_every_mode() {
    let mut b = Build::new();
    let (from, out) = (b.pointer("from"), b.pointer("out"));
    let n = b.int("n");
    let t = b.tid();
    let sum = b.var(Type::F32, f32(0.0));
    b.count(i32(0), i32(3), 1, |b, i, _| {
        let row = b.mul(i, n);
        let at = b.add(row, t);
        for k in 0..6 {
            let row = b.add(i, i32(k));
            let start = b.mul(row, n);
            let here = b.add(start, t);
            let word = b.load(ElementType::F32, from, here);
            b.fma(sum, word, word, sum.into());
            if k == 3 {
                let (clock, low) = (b.reg(Type::I64), b.reg(Type::I32));
                b.emit(InstKind::Clock { dst: clock });
                b.emit(InstKind::Convert { dst: low, op: Conversion::Truncate, src: clock.into() });
                b.store(ElementType::I32, out, at, low.into());
            }
        }
    });
    let at = b.add(t, i32(96));
    b.store(ElementType::F32, out, at, sum.into());
    let mut d = Device::new(b);
    let (from, out) = (d.floats(&[1.0; 256]), d.empty(128));
    d.run(1, 32, &[ptr(from), ptr(out), simt_ir::Constant::i32(32)]).unwrap();
    let found = d.read(out);
    assert_eq!(found[96..], [18f32.to_bits(); 32]);
    let rounds = [found[0], found[32], found[64]];
    assert!(rounds[0] > 0 && rounds[1] - rounds[0] == rounds[2] - rounds[1], "{rounds:?}");
    assert!(rounds[1] > rounds[0] + 20, "{rounds:?}");
}

/// Loads through a pointer to shared memory in one round and to constants in the next: what is counted follows it.
#[test]
fn a_pointer_may_lead_to_another_space_in_each_round() {
    let mut b = Build::new();
    b.module.globals.push(Global {
        name: "table".into(),
        space: GlobalSpace::Constant,
        bytes: 256,
        align: 4,
        initial: (0..64u32).flat_map(|i| (i as f32).to_le_bytes()).collect(),
        location: Location(0),
    });
    let (from, out) = (b.pointer("from"), b.pointer("out"));
    let t = b.tid();
    let tile = b.shared("tile", WORDS * 4);
    fill(&mut b, tile, from, t);
    let table = b.reg(Type::Ptr);
    b.emit(InstKind::AddressOf { dst: table, variable: VariableRef::Global(GlobalIndex(0)) });
    let sum = b.var(Type::F32, f32(0.0));
    b.count(i32(0), i32(5), 1, |b, i, _| {
        let base = b.var(Type::Ptr, tile);
        let odd = b.op(BinaryOp::And, i, i32(1));
        let odd = b.cmp(CompareOp::Eq, odd, i32(1));
        b.branch(odd, |b| b.copy(base, table));
        for k in 0..4 {
            let at = b.op(BinaryOp::And, t, i32(31));
            let at = b.add(at, i32(k));
            let word = b.load(ElementType::F32, base.into(), at);
            b.fma(sum, word, f32(1.0), sum.into());
        }
    });
    b.store(ElementType::F32, out, t, sum.into());
    let mut d = Device::new(b);
    let from = d.floats(&(0..WORDS).map(|i| (i * 100) as f32).collect::<Vec<_>>());
    let out = d.empty(u64::from(WORDS));
    let counters = d.run(1, WORDS, &[ptr(from), ptr(out)]).unwrap().counters;
    let word = |t: u32| (4 * (t % 32) + 6) as f32;
    let expected: Vec<u32> = (0..WORDS).map(|t| (word(t) * 302.0).to_bits()).collect();
    assert_eq!(d.read(out), expected);
    // Two warps, four words, three rounds and two.
    assert_eq!((counters.shared_load.requests, counters.constant_instructions), (24, 16));
    assert_eq!(counters.constant_requests, 16 * 32);
}
