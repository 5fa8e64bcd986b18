//! Which launches begin with a sweep, and that a block is then as it would be without: its words, its instructions, where it continues.
//! That results are the same in every mode is shown where whole launches run in all of them (`tests/it/ways.rs`).

use super::*;
use crate::driver::buffers::WritableBuffers;
use crate::driver::job::Job;
use crate::fault::Fault;
use crate::fault::FaultKind;
use crate::launch::{Launch, Options, Specialization};
use crate::machine::block::run::run_block;
use crate::machine::block::worker::Worker;
use crate::machine::memory::device::Symbols;
use crate::observe::Observers;
use crate::testing::*;
use simt_ir::{BarrierReduce, BinaryOp, CompareOp, ElementType, InstKind, Operand, ReduceMode, Type};
use std::sync::atomic::AtomicU64;

/// Tiles side by side.
const TILES: u32 = 3;
const BLOCKS: u32 = 12;
/// Words from row to row of the matrices.
const N: u32 = 32 * TILES + 8;
const BLOCK: [u32; 3] = [32, 8, 1];

/// Turns tiles of 32 x 32, 8 rows a turn, with what comes between filling a tile and emptying it, and after.
fn turned(between: impl FnOnce(&mut Build), after: impl FnOnce(&mut Build, Operand)) -> Build {
    turned_in((33, 0), between, after)
}

/// The same with a tile of so many words a row, which is emptied from a word so far behind its first.
fn turned_in(
    (width, skew): (i32, i32),
    between: impl FnOnce(&mut Build),
    after: impl FnOnce(&mut Build, Operand),
) -> Build {
    let mut b = Build::new();
    let (input, out) = (b.pointer("in"), b.pointer("out"));
    let (x, y, block) = (b.tid(), b.tid_y(), b.block_x());
    let tile = b.shared("tile", 33 * 32 * 4);
    let placement = |b: &mut Build, i: Operand| {
        let (row, first) = (b.mul(i, i32(N as i32)), b.mul(block, i32(32)));
        let at = b.add(row, first);
        b.add(at, x)
    };
    b.count(y, i32(32), 8, |b, i, _| {
        let at = placement(b, i);
        let value = b.load(ElementType::I32, input, at);
        let row = b.mul(i, i32(width));
        let at = b.add(row, x);
        b.store(ElementType::I32, tile, at, value);
    });
    between(&mut b);
    b.count(y, i32(32), 8, |b, i, _| {
        let row = b.mul(x, i32(width));
        let at = b.add(row, i);
        let at = b.add(at, i32(skew));
        let value = b.load(ElementType::I32, tile, at);
        let at = placement(b, i);
        b.store(ElementType::I32, out, at, value);
    });
    after(&mut b, out);
    b
}

fn barrier(b: &mut Build) {
    b.barrier();
}

fn nothing(_: &mut Build, _: Operand) {}

/// After the tile, another word a thread, which depends on no other.
fn more(b: &mut Build, out: Operand) {
    let (x, y) = (b.tid(), b.tid_y());
    let row = b.mul(y, i32(N as i32));
    let at = b.op(BinaryOp::Add, row, x);
    let (at, sum) = (b.add(at, i32(32 * TILES as i32 - 24)), b.mul(x, y));
    b.store(ElementType::I32, out, at, sum);
}

/// Moves 256 words a block to others, a row of 32 a warp; each block begins `step` words behind the one before.
fn moved(step: i32) -> Build {
    let mut b = Build::new();
    let (input, out) = (b.pointer("in"), b.pointer("out"));
    let (x, y, block) = (b.tid(), b.tid_y(), b.block_x());
    // One turn: kernels with loops are laid out.
    b.count(y, i32(8), 8, |b, row, _| {
        let (row, from, to) = (b.mul(row, i32(32)), b.mul(block, i32(256)), b.mul(block, i32(step)));
        let thread = b.add(row, x);
        let (from, to) = (b.add(from, thread), b.add(to, thread));
        let value = b.load(ElementType::I32, input, from);
        b.store(ElementType::I32, out, to, value);
    });
    b
}

/// With checks, counters, both or none.
fn modes() -> [Options; 4] {
    [(false, false), (true, false), (false, true), (true, true)].map(|(checks, counters)| Options {
        checks,
        counters,
        ..fast()
    })
}

fn fast() -> Options {
    Options { checks: false, counters: false, threads: 1, ..Options::default() }
}

/// What `f` gives for the machine of a launch of the kernel and a worker, the output that is left, and what was counted.
fn on_machine<R>(
    build: Build,
    (grid, block): (u32, [u32; 3]),
    options: &Options,
    f: impl FnOnce(&Machine, &mut Worker<Observers>) -> R,
) -> (R, Vec<u32>, Vec<Counters>) {
    let mut d = Device::new(build);
    let [input, out] = [7, 1_000_000].map(|from| d.words(&(from..from + 32 * N).collect::<Vec<_>>()));
    let launch = Launch {
        grid: [grid, 1, 1],
        block,
        dynamic_shared: 0,
        cooperative: None,
        args: vec![ptr(input), ptr(out)],
    };
    let (entry, symbols) = (&d.module.kernels[0], Symbols { globals: Vec::new() });
    let plan = crate::plan::compile(&d.module, entry, &launch, Specialization::UnrollAlways.into(), &|_| 0);
    let job = Job {
        module: &d.module,
        entry,
        launch: &launch,
        options,
        plan: &plan,
        symbols: &symbols,
        shared_bytes: entry.static_shared_bytes(),
        work: &AtomicU64::new(0),
        recovery: None,
        starts_in_order: false,
        sampled: None,
    };
    let mut written = WritableBuffers::take(&plan, &symbols, &launch, &mut d.simulator.memory);
    written.begin(false);
    let machine = job.machine(&written, &d.simulator.memory, (false, true));
    let mut worker = Worker::new(&machine);
    let result = f(&machine, &mut worker);
    machine.flush(&mut worker.log);
    drop(machine);
    written.put_back(&mut d.simulator.memory, true);
    (result, d.read(out), worker.by_instruction(&plan))
}

/// Runs blocks one after the other with a sweep, which `look` sees before and after, and without: that must be the same. Gives their
/// instructions, or the fault of one, and the output.
fn same(
    build: impl Fn() -> Build,
    (blocks, options): (u32, &Options),
    look: impl Fn(&BlockCopy<Observers>),
) -> (Result<u64, String>, Vec<u32>) {
    let [with, without] = [true, false].map(|sweeps| {
        on_machine(build(), (BLOCKS, BLOCK), options, |machine, worker| {
            if !sweeps {
                worker.block_copy = None;
            }
            let instructions = (0..blocks).map(|block| {
                run_block(machine, worker, block)?.unwrap();
                Ok::<u64, Box<Fault>>(worker.block.used)
            });
            let done = instructions.sum::<Result<u64, _>>().map_err(|fault| format!("{fault:?}"));
            if sweeps {
                look(worker.block_copy.as_ref().unwrap());
            }
            done
        })
    });
    assert_eq!(with, without);
    (with.0, with.1)
}

fn sweeps(build: Build, block: [u32; 3], options: &Options) -> bool {
    on_machine(build, (BLOCKS, block), options, |_, worker| worker.block_copy.is_some()).0
}

/// How often each sample counts; nothing if nobody checks or counts.
fn memo(block_copy: &BlockCopy<Observers>) -> Vec<u64> {
    block_copy.memo.as_ref().map_or(Vec::new(), BlockMemo::blocks)
}

#[test]
fn a_block_that_only_moves_words_is_a_sweep() {
    for options in modes() {
        let (done, out) = same(
            || turned(barrier, nothing),
            (TILES, &options),
            |block_copy| {
                assert_eq!((block_copy.runs.len(), block_copy.barriers, block_copy.next), (2, 1, None));
                let rows: Vec<_> = block_copy.runs.iter().map(|of| &of.rows[..]).collect();
                assert!(rows[0].is_empty());
                assert!(matches!(rows[1], [StoredRows { first: 0, rows: 32, step: N }]));
                let seen = if options.checks || options.counters { vec![u64::from(TILES)] } else { vec![] };
                assert_eq!(memo(block_copy), seen);
            },
        );
        assert!(done.unwrap() > 0);
        for (row, x) in (0..32).flat_map(|row| (0..N).map(move |x| (row, x))) {
            let (tile, column) = (x / 32, x % 32);
            let expected =
                if tile < TILES { 7 + column * N + tile * 32 + row } else { 1_000_000 + row * N + x };
            assert_eq!(out[(row * N + x) as usize], expected, "row {row}, column {x}");
        }
    }
}

#[test]
fn blocks_that_begin_elsewhere_in_lines_are_counted_by_themselves() {
    // 264 words are a quarter of a line more than eight lines.
    for (step, counted) in [(256, vec![12]), (264, vec![3; 4]), (257, vec![1; 12]), (272, vec![6; 2])] {
        for options in modes() {
            let seen = |block_copy: &BlockCopy<Observers>| match (options.checks, options.counters) {
                (_, true) => assert_eq!(memo(block_copy), counted, "step {step}"),
                (true, false) => assert_eq!(memo(block_copy), [12]),
                (false, false) => assert!(memo(block_copy).is_empty()),
            };
            let (done, out) = same(|| moved(step), (BLOCKS, &options), seen);
            assert!(done.is_ok());
            let last = (BLOCKS - 1) * step as u32;
            assert_eq!(out[last as usize], 7 + (BLOCKS - 1) * 256);
        }
    }
}

#[test]
fn what_comes_after_the_moves_goes_on_as_ever() {
    let (done, out) = same(
        || turned(barrier, more),
        (TILES, &fast()),
        |block_copy| {
            assert_eq!((block_copy.runs.len(), block_copy.barriers), (1, 1));
            assert!(block_copy.next.is_some());
        },
    );
    assert!(done.is_ok());
    assert_eq!(out[(7 * N + 32 * TILES + 7) as usize], 31 * 7, "the last thread's");
}

#[test]
fn a_block_with_words_outside_goes_the_usual_way() {
    // The words of the fourth tile end eight behind the end of each row, and of the buffer.
    for options in modes() {
        let (done, _) = same(|| turned(barrier, nothing), (TILES + 1, &options), |_| {});
        let fault = done.unwrap_err();
        assert!(fault.contains("OutOfBounds"), "{fault}");
    }
}

#[test]
fn what_the_checker_says_of_all_it_says_of_the_first() {
    let [checked, unchecked] = [true, false].map(|checks| Options { checks, ..fast() });
    // A row's last word is the next row's first; a word between rows that nobody fills is read.
    for tile in [(31, 0), (33, 1)] {
        let kernel = || turned_in(tile, barrier, nothing);
        let fault = same(kernel, (TILES, &checked), |_| {}).0.unwrap_err();
        assert!(fault.contains("in doubt") && fault.contains("block: [0, 0, 0]"), "{fault}");
        assert!(same(kernel, (TILES, &unchecked), |_| {}).0.is_ok());
    }
}

/// Moves eight rows of the input to a tile, and then some of the input to another, and then the first tile to the output: from and to words
/// that depend on the block by those factors.
fn by_block([from, tile, other]: [i32; 3]) -> Build {
    let mut b = Build::new();
    let (input, out) = (b.pointer("in"), b.pointer("out"));
    let (x, y, block) = (b.tid(), b.tid_y(), b.block_x());
    let [first, second] = ["first", "second"].map(|name| b.shared(name, 4 * 1024));
    let rows = |b: &mut Build, source: Operand, factor: i32, target: Operand, to: i32| {
        b.count(y, i32(8), 8, |b, row, _| {
            let row = b.mul(row, i32(32));
            let thread = b.add(row, x);
            let [from, to] = [factor, to].map(|factor| {
                let first = b.mul(block, i32(factor));
                b.add(first, thread)
            });
            let value = b.load(ElementType::I32, source, from);
            b.store(ElementType::I32, target, to, value);
        });
    };
    rows(&mut b, input, from, first, tile);
    b.barrier();
    rows(&mut b, input, other, second, 0);
    b.barrier();
    rows(&mut b, first, tile, out, 256);
    b
}

#[test]
fn blocks_that_may_differ_in_more_are_each_seen() {
    let kernels = [
        ([256, 0, 256], true),
        // In the words of shared memory that they use.
        ([256, 1, 256], false),
        // In whether they read the same words again.
        ([256, 0, 0], false),
    ];
    for (factors, alike) in kernels {
        for options in modes() {
            let observed = options.checks || options.counters;
            assert_eq!(sweeps(by_block(factors), BLOCK, &options), alike || !observed, "{factors:?}");
            if alike {
                assert!(same(|| by_block(factors), (BLOCKS, &options), |_| {}).0.is_ok());
            }
        }
    }
}

#[test]
fn words_that_nobody_has_written_are_looked_for_in_each_block() {
    let mut d = Device::new(moved(256));
    let [input, out] = [0, 1].map(|_| d.empty(u64::from(32 * N)));
    d.simulator.memory.write(input, 0, &[1; 4 * 256 * 4]).unwrap();
    // In every mode, laid out as well.
    let fault = d.run3([BLOCKS, 1, 1], BLOCK, &[ptr(input), ptr(out)]).unwrap_err();
    assert!(matches!(fault.kind, FaultKind::UninitialisedRead { .. }), "{fault:?}");
    assert_eq!(fault.block, [4, 0, 0], "four blocks' words were written");
}

#[test]
fn a_buffer_that_blocks_fill_without_a_word_twice_needs_no_marks() {
    // The buffers are as long as 13 blocks' words.
    let cases = [(256, 13, true), (256, 12, false), (255, 13, false), (0, 13, false), (256, 14, false)];
    for (step, blocks, filled) in cases {
        for options in modes() {
            let unmarked = |_: &Machine, worker: &mut Worker<Observers>| {
                worker.block_copy.as_ref().is_some_and(|block_copy| block_copy.runs[0].rows.is_empty())
            };
            let unmarked = on_machine(moved(step), (blocks, BLOCK), &options, unmarked).0;
            assert_eq!(unmarked, filled, "{blocks} blocks, {step} words from each to the next");
        }
    }
    for step in [256, 255, 0] {
        let mut d = Device::new(moved(step));
        let (input, out) = (d.words(&(0..32 * N).collect::<Vec<_>>()), d.empty(u64::from(32 * N)));
        let mut launch = || d.run3([13, 1, 1], BLOCK, &[ptr(input), ptr(out)]);
        if step != 256 {
            let fault = launch().unwrap_err();
            assert!(matches!(fault.kind, FaultKind::GlobalRace { .. }), "{fault:?}");
            continue;
        }
        launch().unwrap();
        launch().unwrap();
        assert_eq!(d.read(out), (0..32 * N).collect::<Vec<_>>());
        assert_eq!(d.simulator.memory.unwritten_words(out), Ok(0));
        // Half a word more, which nobody writes.
        let longer = d.simulator.memory.alloc(u64::from(4 * 32 * N) + 2).unwrap();
        d.run3([13, 1, 1], BLOCK, &[ptr(input), ptr(longer)]).unwrap();
        assert_eq!(d.simulator.memory.unwritten_words(longer), Ok(1));
    }
}

#[test]
fn no_order_among_warps_is_lost() {
    // Without a barrier a warp empties the tile as far as those before it have filled it.
    assert!(!sweeps(turned(|_| {}, nothing), BLOCK, &fast()));
    // A barrier that also counts has a result for each thread.
    let counts = |b: &mut Build| {
        let predicate = {
            let x = b.tid();
            b.cmp(CompareOp::Eq, x, i32(3))
        };
        let reduce = Some(BarrierReduce { dst: b.reg(Type::I32), mode: ReduceMode::Count, predicate });
        b.emit(InstKind::Barrier { reduce });
    };
    assert!(!sweeps(turned(counts, nothing), BLOCK, &fast()));
    // A warp in part.
    assert!(!sweeps(turned(barrier, nothing), [31, 8, 1], &fast()));
}

#[test]
fn rows_at_equal_distances_are_one_run() {
    let rows_at = |words: &[i64]| -> Vec<(i64, u32, u32)> {
        let rows = stored_rows(words.iter().map(|word| word * 4).collect());
        rows.iter().map(|rows| (rows.first, rows.rows, rows.step)).collect()
    };
    assert_eq!(rows_at(&[]), []);
    assert_eq!(rows_at(&[50]), [(50, 1, 0)]);
    assert_eq!(rows_at(&[-64, 100]), [(-64, 2, 164)]);
    assert_eq!(rows_at(&[300, 100, 200, 400, 32, 0]), [(0, 2, 32), (100, 4, 100)]);
    assert_eq!(rows_at(&[0, 0, 0, 32]), [(0, 3, 0), (32, 1, 0)]);
}
