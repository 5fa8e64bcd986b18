//! Blocks that come near each other in memory: the outcome is that of blocks in order, for any number of threads.

use crate::support::*;
use simt::*;
use simt_ir::{BinaryOp, CompareOp, Constant, ElementType};

const BLOCKS: u32 = 24;
const THREADS: u32 = 64;

/// Each thread writes word `thread * blocks + block`: every sector is shared by eight blocks.
fn interleaved(reads: bool) -> Build {
    let mut b = Build::new();
    let out = b.pointer("out");
    let (t, block) = (b.tid(), b.block_x());
    let row = b.mul(t, i32(BLOCKS as i32));
    let at = b.add(row, block);
    let value = match reads {
        true => b.load(ElementType::I32, out, at),
        false => at,
    };
    let value = b.op(BinaryOp::Xor, value, i32(0x5555));
    b.store(ElementType::I32, out, at, value);
    b
}

#[test]
fn blocks_may_share_sectors() {
    let words = BLOCKS * THREADS;
    for threads in 1..=8 {
        let mut d = Device::new(interleaved(false));
        d.options.threads = threads;
        let out = d.empty(u64::from(words) + 5);
        // Again on the same memory, which keeps what the first launch needed.
        for _ in 0..3 {
            d.run(BLOCKS, THREADS, &[ptr(out)]).unwrap();
            assert_eq!(d.simulator.memory.unwritten_words(out), Ok(5));
            let found = d.read(out);
            let expected = (0..words).map(|i| i ^ 0x5555).chain([POISON; 5]);
            assert!(found.into_iter().eq(expected), "{threads} threads");
        }
        let mut d = Device::new(interleaved(true));
        d.options.threads = threads;
        let out = d.words(&(0..words).map(|i| i * 7).collect::<Vec<_>>());
        for round in 0..3 {
            d.run(BLOCKS, THREADS, &[ptr(out)]).unwrap();
            let expected = (0..words).map(|i| (i * 7) ^ if round % 2 == 0 { 0x5555 } else { 0 });
            assert!(d.read(out).into_iter().eq(expected), "{threads} threads");
        }
    }
}

/// Block 0 works for a while and then writes what block 1 reads at once.
fn late_write() -> Build {
    let mut b = Build::new();
    let out = b.pointer("out");
    let block = b.block_x();
    let first = b.cmp(CompareOp::Eq, block, i32(0));
    b.branch_else(
        first,
        |b| {
            b.count(i32(0), i32(20_000), 1, |_, _, _| {});
            b.store(ElementType::I32, out, i32(3), i32(1));
        },
        |b| {
            b.load(ElementType::I32, out, i32(3));
        },
    );
    b
}

#[test]
fn a_read_before_another_blocks_write_is_the_race_it_is_in_order() {
    let fault = |threads| {
        let mut d = Device::new(late_write());
        d.options.threads = threads;
        let out = d.empty(8);
        let fault = d.run(2, 1, &[ptr(out)]).unwrap_err();
        assert_eq!(d.simulator.memory.unwritten_words(out), Ok(8));
        assert_eq!(d.read(out), [POISON; 8]);
        fault
    };
    let one = fault(1);
    assert!(matches!(one.kind, FaultKind::GlobalRace { .. }), "{one:?}");
    for threads in [2, 4, 8] {
        assert_eq!(fault(threads), one, "{threads} threads");
    }
}

#[test]
fn a_faulty_launch_leaves_all_as_it_was() {
    for threads in [1, 2, 8] {
        let mut b = Build::new();
        let (fresh, old) = (b.pointer("fresh"), b.pointer("old"));
        let i = b.global_id();
        b.store(ElementType::I32, fresh, i, i);
        b.store(ElementType::I32, old, i, i);
        let mut d = Device::new(b);
        d.options.threads = threads;
        let before: Vec<u32> = (0..300_000).map(|i| i * 3).collect();
        let (fresh, old) = (d.empty(before.len() as u64), d.words(&before));
        for _ in 0..2 {
            let fault = d.run(before.len() as u32 / 256 + 2, 256, &[ptr(fresh), ptr(old)]).unwrap_err();
            assert!(matches!(fault.kind, FaultKind::OutOfBounds { .. }), "{fault:?}");
            assert_eq!(d.simulator.memory.unwritten_words(fresh), Ok(before.len() as u64));
            assert!(d.read(fresh).iter().all(|word| *word == POISON));
            assert_eq!(d.read(old), before);
        }
        d.run(1000, 256, &[ptr(fresh), ptr(old)]).unwrap();
        assert_eq!(d.simulator.memory.unwritten_words(fresh), Ok(before.len() as u64 - 256_000));
    }
}

#[test]
fn a_race_is_found_wherever_the_word_lies() {
    for word in [0, 1023, 1024, 70_000] {
        let mut b = Build::new();
        let (one, out) = (b.pointer("one"), b.pointer("out"));
        let block = b.block_x();
        b.store(ElementType::I32, one, block, block);
        let guess = b.load(ElementType::I32, one, block);
        b.store(ElementType::I32, out, i32(word), guess);
        let mut d = Device::new(b);
        let (one, out) = (d.words(&[0; 4]), d.words(&vec![0; 70_001]));
        let fault = d.run(3, 1, &[ptr(one), ptr(out)]).unwrap_err();
        let FaultKind::GlobalRace { target, offset, this, previous } = fault.kind else {
            panic!("{fault:?}")
        };
        assert_eq!((target.name.as_deref(), offset), (Some("out"), i64::from(word) * 4));
        assert_eq!((this.block, previous.block), ([1, 0, 0], [0, 0, 0]));
    }
}

/// Block 0 takes long, so one worker runs the later blocks and comes to block 1 last; it is the first of which the note is true.
#[test]
fn a_note_names_the_first_block_that_it_is_true_of() {
    let text = "__global__ void k(int *out, int n) {\n\
                    __shared__ int tile[4];\n\
                    int sum = 0;\n\
                    if (blockIdx.x == 0) for (int i = 0; i < n; i++) sum = sum * 3 ^ i;\n\
                    else tile[0] = 4;\n\
                    if (threadIdx.x == 0) out[blockIdx.x] = sum;\n}\n";
    let compiled = cuda_front::compile("k.cu", text, &cuda_front::Options::default());
    let mut d = Device::of((*compiled.module.unwrap()).clone());
    (d.options.every_mode, d.options.threads) = (false, 2);
    let out = d.empty(6);
    for _ in 0..5 {
        let outcome = d.run(6, THREADS, &[ptr(out), Constant::i32(20_000)]).unwrap();
        let blocks: Vec<_> = outcome.warnings.iter().map(|warning| warning.block).collect();
        assert_eq!(blocks, [[1, 0, 0]], "{:?}", outcome.warnings);
    }
}
