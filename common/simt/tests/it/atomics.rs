//! Atomic operations of every kind and type on elements in global, shared and local memory that lanes have in common or alone: against
//! plain Rust, and in every mode against the IR's executable definition.
//!
//! `ATOMICS` is how many kernels are made for each operation, type and memory, `ATOMICS_FROM` the number of the first.

use crate::support::*;
use simt::Comparisons;
use simt_ir::{AtomicOp, BinaryOp, CompareOp, Constant, ElementType, InstKind, Module, Operand, ScopedOrder};
use simt_ref::value::{BRAIN, HALF, Narrow};
use std::collections::BTreeMap;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Memory {
    Global,
    Shared,
    Local,
}

/// Where the operand comes from: a buffer, the instruction itself, or the thread's index.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Source {
    Loaded,
    Constant,
    Index,
}

/// `index[i]` is the element of thread `i`, or negative: then it does nothing.
#[derive(Debug)]
struct Case {
    op: AtomicOp,
    ty: ElementType,
    memory: Memory,
    source: Source,
    /// Whether what the operation gives is stored.
    result: bool,
    /// Whether threads store one value to one word besides, which makes the checker look at each word.
    contested: bool,
    /// Whether the last lane goes first.
    reversed: bool,
    block: u32,
    grid: u32,
    index: Vec<i32>,
    values: Vec<u64>,
    compares: Vec<u64>,
    before: Vec<u64>,
}

const INTEGERS: [AtomicOp; 12] = [
    AtomicOp::Add,
    AtomicOp::MinS,
    AtomicOp::MaxS,
    AtomicOp::MinU,
    AtomicOp::MaxU,
    AtomicOp::And,
    AtomicOp::Or,
    AtomicOp::Xor,
    AtomicOp::Exchange,
    AtomicOp::CompareSwap,
    AtomicOp::IncrementWrap,
    AtomicOp::DecrementWrap,
];

fn operations() -> Vec<(AtomicOp, ElementType)> {
    let floats = [AtomicOp::Add, AtomicOp::Exchange];
    let halves = [AtomicOp::AddF16, AtomicOp::AddBf16, AtomicOp::CompareSwap];
    let of = |ops: &[AtomicOp], ty| ops.iter().map(|op| (*op, ty)).collect::<Vec<_>>();
    [
        of(&INTEGERS, ElementType::I32),
        of(&halves, ElementType::U16),
        of(&halves[..2], ElementType::I32),
        of(&INTEGERS[..10], ElementType::I64),
        of(&floats, ElementType::F32),
        of(&floats, ElementType::F64),
    ]
    .concat()
}

/// A value of a type: numbers at the edges and small ones, which are often equal.
fn value(random: &mut Random, ty: ElementType) -> u64 {
    let edges = [0, 1, 2, 3, 7, i64::MAX as u64, i64::MIN as u64, u64::MAX, 0x8000_0000, 0x7fff_ffff];
    let small = f64::from(random.below(40)) * 0.1 - 1.5;
    match ty {
        ElementType::F32 => u64::from((small as f32).to_bits()),
        ElementType::F64 => small.to_bits(),
        ElementType::I32 => edges[random.below(10) as usize] & 0xffff_ffff,
        // Small numbers, the largest, subnormal ones, infinity, what is no number: of both formats.
        ElementType::U16 => {
            let some = [0x3c00, 0xbc01, 0x7bff, 0x7c00, 0x7e00, 0x0001, 0x8003, 0x3f80, 0x7f7f, 0xc123];
            some[random.below(10) as usize]
        }
        _ => edges[random.below(10) as usize],
    }
}

/// Elements below `range` for the threads of blocks: the same one, one each, in rows, two in turns, or any; some do nothing.
fn elements(random: &mut Random, threads: u32, range: u32) -> Vec<i32> {
    let (kind, active) = (random.below(6), [1, 1, 2, 4][random.below(4) as usize]);
    (0..threads)
        .map(|i| {
            let at = match kind {
                0 => range / 2,
                1 => i % range,
                2 => i / 5 % range,
                3 => i % 2,
                4 => random.below(3),
                _ => random.below(range),
            };
            if random.below(active) == 0 { at as i32 } else { -1 }
        })
        .collect()
}

impl Case {
    fn new((op, ty): (AtomicOp, ElementType), memory: Memory, number: u64) -> Case {
        let mut random = Random(number.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ op as u64 ^ (ty as u64) << 8);
        random.below(1);
        let reversed = random.one_in(4);
        // Only within a warp is the order of lanes that of a schedule with a seed.
        let (block, grid) = match reversed {
            true => ([32, 17][random.below(2) as usize], 1),
            false => ([32, 17, 70][random.below(3) as usize], 1 + random.below(3)),
        };
        let source = match (random.below(3), ty) {
            (1, _) => Source::Constant,
            (2, ElementType::I32) => Source::Index,
            _ => Source::Loaded,
        };
        let (threads, count) = (block * grid, count(memory));
        let mut some = |n: u32| -> Vec<u64> { (0..n).map(|_| value(&mut random, ty)).collect() };
        let (values, compares, before) = (some(threads), some(threads), some(count));
        Case {
            op,
            ty,
            memory,
            source,
            result: random.one_in(2),
            contested: grid == 1 && random.one_in(3),
            reversed,
            block,
            grid,
            index: elements(&mut random, threads, count),
            values,
            compares,
            before,
        }
    }

    fn module(&self) -> Module {
        let (ty, count) = (self.ty, count(self.memory));
        let mut b = Build::new();
        let [index, values, compares, before, old, out, flag] =
            ["index", "values", "compares", "before", "old", "out", "flag"].map(|name| b.pointer(name));
        let (t, i, block) = (b.tid(), b.global_id(), b.block_x());
        let bytes = count * ty.bytes();
        let (memory, from, step) = match self.memory {
            Memory::Global => (before, t, self.block as i32),
            Memory::Shared => (b.shared("own", bytes), t, self.block as i32),
            Memory::Local => (b.local("own", bytes), i32(0), 1),
        };
        if self.memory != Memory::Global {
            b.count(from, i32(count as i32), step, |b, e, _| {
                let value = b.load(ty, before, e);
                b.store(ty, memory, e, value);
            });
        }
        b.barrier();
        if self.contested {
            b.store(ElementType::I32, flag, i32(0), i32(1));
        }
        let at = b.load(ElementType::I32, index, i);
        let is_active = b.cmp(CompareOp::LeS, i32(0), at);
        b.branch(is_active, |b| {
            let value = match self.source {
                Source::Loaded => b.load(ty, values, i),
                Source::Constant => constant(ty, self.values[0]),
                Source::Index => b.add(t, i32(3)),
            };
            let swaps = self.op == AtomicOp::CompareSwap;
            let compare = swaps.then(|| b.load(ty, compares, i));
            let (dst, address) = (self.result.then(|| b.reg(ty.register())), b.at(memory, at, ty.bytes()));
            let order = ScopedOrder::RELAXED_DEVICE;
            b.emit(InstKind::Atomic { dst, op: self.op, ty, address, value, compare, order });
            if let Some(dst) = dst {
                b.store(ty, old, i, dst.into());
            }
        });
        b.barrier();
        let first = match self.memory {
            // Other blocks are not waited for.
            Memory::Global if self.grid > 1 => return b.module(),
            Memory::Global => i32(0),
            Memory::Shared => b.mul(block, i32(count as i32)),
            Memory::Local => b.mul(i, i32(count as i32)),
        };
        b.count(from, i32(count as i32), step, |b, e, _| {
            let (value, to) = (b.load(ty, memory, e), b.op(BinaryOp::Add, first, e));
            b.store(ty, out, to, value);
        });
        b.module()
    }

    fn operand(&self, i: usize) -> u64 {
        match self.source {
            Source::Loaded => self.values[i],
            Source::Constant => self.values[0],
            Source::Index => (i as u32 % self.block + 3).into(),
        }
    }

    /// Copies of the memory, and which of them a thread has.
    fn copies(&self) -> (usize, impl Fn(usize) -> usize) {
        let (memory, block, grid) = (self.memory, self.block as usize, self.grid as usize);
        let copies = match memory {
            Memory::Global => 1,
            Memory::Shared => grid,
            Memory::Local => grid * block,
        };
        let of = move |i: usize| match memory {
            Memory::Global => 0,
            Memory::Shared => i / block,
            Memory::Local => i,
        };
        (copies, of)
    }

    /// What the memory holds afterwards, all copies of it, and what each thread has found there.
    fn expected(&self) -> (Vec<u64>, Vec<u64>) {
        let (copies, copy_of) = self.copies();
        let (mut after, mut old) = (self.before.repeat(copies), vec![0; self.index.len()]);
        let mut order: Vec<usize> = (0..self.index.len()).filter(|i| self.index[*i] >= 0).collect();
        if self.reversed {
            order.reverse();
        }
        for i in order {
            let element = &mut after[copy_of(i) * self.before.len() + self.index[i] as usize];
            old[i] = if self.result { *element } else { 0 };
            *element = left(self.op, self.ty, *element, self.operand(i), self.compares[i]);
        }
        (after, old)
    }
}

fn count(memory: Memory) -> u32 {
    if memory == Memory::Local { 8 } else { 40 }
}

fn constant(ty: ElementType, bits: u64) -> Operand {
    let constant = match ty {
        ElementType::F32 => Constant::F32(bits as u32),
        ElementType::F64 => Constant::F64(bits),
        ElementType::I32 | ElementType::U16 => Constant::I32(bits as u32),
        _ => Constant::I64(bits),
    };
    assert_eq!(constant.ty(), ty.register());
    constant.into()
}

/// What an operation leaves where `old` was.
fn left(op: AtomicOp, ty: ElementType, old: u64, value: u64, compare: u64) -> u64 {
    macro_rules! integers {
        ($u:ty, $s:ty) => {{
            let (old, value, compare) = (old as $u, value as $u, compare as $u);
            let new = match op {
                AtomicOp::Add => old.wrapping_add(value),
                AtomicOp::MinS => std::cmp::min(old as $s, value as $s) as $u,
                AtomicOp::MaxS => std::cmp::max(old as $s, value as $s) as $u,
                AtomicOp::MinU => std::cmp::min(old, value),
                AtomicOp::MaxU => std::cmp::max(old, value),
                AtomicOp::And => old & value,
                AtomicOp::Or => old | value,
                AtomicOp::Xor => old ^ value,
                AtomicOp::Exchange => value,
                AtomicOp::CompareSwap => [old, value][usize::from(old == compare)],
                AtomicOp::IncrementWrap if old < value => old + 1,
                AtomicOp::IncrementWrap => 0,
                AtomicOp::DecrementWrap if (1..=value).contains(&old) => old - 1,
                AtomicOp::DecrementWrap => value,
                AtomicOp::AddF16 | AtomicOp::AddBf16 => unreachable!(),
            };
            u64::from(new)
        }};
    }
    let sums = |format: Narrow| {
        let sum = |shift: u32| {
            let [a, b] = [old, value].map(|word| format.value((word >> shift) as u16));
            u64::from(format.nearest(a + b)) << shift
        };
        sum(0) | if ty == ElementType::I32 { sum(16) } else { 0 }
    };
    match (op, ty) {
        (AtomicOp::AddF16, _) => sums(HALF),
        (AtomicOp::AddBf16, _) => sums(BRAIN),
        (AtomicOp::Add, ElementType::F32) => {
            u64::from((f32::from_bits(old as u32) + f32::from_bits(value as u32)).to_bits())
        }
        (AtomicOp::Add, ElementType::F64) => (f64::from_bits(old) + f64::from_bits(value)).to_bits(),
        (_, ElementType::I32 | ElementType::F32 | ElementType::U16) => integers!(u32, i32),
        _ => integers!(u64, i64),
    }
}

fn check(case: &Case) {
    let words = |values: &[u64]| -> Vec<u32> {
        let bytes =
            values.iter().flat_map(|value| value.to_le_bytes().into_iter().take(case.ty.bytes() as usize));
        let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte));
        bytes.collect::<Vec<_>>().chunks(4).map(word).collect()
    };
    let mut d = Device::of(case.module());
    d.options.schedule_seed = u64::from(case.reversed);
    let (after, old) = case.expected();
    let index: Vec<u32> = case.index.iter().map(|at| *at as u32).collect();
    let buffers = [
        d.words(&index),
        d.words(&words(&case.values)),
        d.words(&words(&case.compares)),
        d.words(&words(&case.before)),
        d.words(&words(&vec![0; old.len()])),
        d.words(&words(&vec![0; after.len()])),
        d.words(&[0]),
    ];
    let arguments = buffers.map(ptr);
    d.run(case.grid, case.block, &arguments).unwrap_or_else(|fault| panic!("{fault:?}: {case:?}"));
    let [.., before, found_old, out, _] = buffers;
    assert_eq!(d.read(found_old), words(&old), "results of {case:?}");
    if case.memory == Memory::Global {
        assert_eq!(d.read(before), words(&after), "memory of {case:?}");
    }
    if case.memory != Memory::Global || case.grid == 1 {
        assert_eq!(d.read(out), words(&after), "copies of {case:?}");
    }
    if !case.reversed {
        let expected = Comparisons { compared: 1, skipped: BTreeMap::new() };
        assert_eq!(d.simulator.comparisons, expected, "{case:?}");
    }
}

fn check_all(memory: Memory) {
    let from = number("ATOMICS_FROM", 0);
    for operation in operations() {
        (from..from + number("ATOMICS", 6)).for_each(|n| check(&Case::new(operation, memory, n)));
    }
}

#[test]
fn operations_on_global_memory_are_those_of_rust() {
    check_all(Memory::Global);
}

#[test]
fn operations_on_shared_memory_are_those_of_rust() {
    check_all(Memory::Shared);
}

#[test]
fn operations_on_local_memory_are_those_of_rust() {
    check_all(Memory::Local);
}
