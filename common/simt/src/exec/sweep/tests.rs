//! Which launches begin with a sweep, and that a block is then as it would be without: its words, its instructions, where it goes on.
//! That results are the same in every mode is shown where whole launches run in all of them (`tests/ways.rs`).

use super::*;
use crate::exec::{Worker, run_block};
use crate::job::{Job, Written};
use crate::launch::{Ahead, Launch, Options};
use crate::memory::Symbols;
use crate::testing::*;
use simt_ir::{BarrierReduce, BinaryOp, CompareOp, InstKind, Memory, Operand, ReduceMode, Type};

/// Tiles side by side.
const TILES: u32 = 3;
/// Words from row to row of the matrices.
const N: u32 = 32 * TILES + 8;
const BLOCK: [u32; 3] = [32, 8, 1];

/// Turns tiles of 32 x 32, 8 rows a turn, with what comes between filling a tile and emptying it, and after.
fn turned(between: impl FnOnce(&mut Build), after: impl FnOnce(&mut Build, Operand)) -> Build {
    let mut b = Build::new();
    let (input, out) = (b.pointer("in"), b.pointer("out"));
    let (x, y, block) = (b.tid(), b.tid_y(), b.block_x());
    let tile = b.shared("tile", 33 * 32 * 4);
    let place = |b: &mut Build, i: Operand| {
        let (row, first) = (b.mul(i, i32(N as i32)), b.mul(block, i32(32)));
        let at = b.add(row, first);
        b.add(at, x)
    };
    b.count(y, i32(32), 8, |b, i, _| {
        let at = place(b, i);
        let value = b.load(Memory::I32, input, at);
        let row = b.mul(i, i32(33));
        let at = b.add(row, x);
        b.store(Memory::I32, tile, at, value);
    });
    between(&mut b);
    b.count(y, i32(32), 8, |b, i, _| {
        let row = b.mul(x, i32(33));
        let at = b.add(row, i);
        let value = b.load(Memory::I32, tile, at);
        let at = place(b, i);
        b.store(Memory::I32, out, at, value);
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
    b.store(Memory::I32, out, at, sum);
}

fn fast() -> Options {
    Options { checks: false, counters: false, threads: 1, ..Options::default() }
}

/// What `f` gives for the machine of a launch of the kernel and a worker, and the output that is left.
fn on_machine<R>(
    build: Build,
    block: [u32; 3],
    options: &Options,
    f: impl FnOnce(&Machine, &mut Worker) -> R,
) -> (R, Vec<u32>) {
    let mut d = Device::new(build);
    let [input, out] = [7, 1_000_000].map(|from| d.words(&(from..from + 32 * N).collect::<Vec<_>>()));
    let launch = Launch {
        grid: [TILES + 1, 1, 1],
        block,
        dynamic_shared: 0,
        cooperative: None,
        args: vec![ptr(input), ptr(out)],
    };
    let (entry, symbols) = (&d.module.kernels[0], Symbols { globals: Vec::new() });
    let plan = crate::plan::compile(&d.module, entry, &launch, Ahead::AllWays, &|_| 0);
    let job = Job {
        module: &d.module,
        entry,
        launch: &launch,
        options,
        plan: &plan,
        symbols: &symbols,
        shared_bytes: entry.static_shared_bytes(),
    };
    let mut written = Written::take(&job, &mut d.memory);
    written.begin(false);
    let machine = job.machine(&written, &d.memory, false);
    let mut worker = Worker::new(&machine);
    let result = f(&machine, &mut worker);
    machine.empty(&mut worker.log);
    drop(machine);
    written.put_back(&mut d.memory, true);
    (result, d.read(out))
}

/// Runs blocks one after the other with a sweep, which `look` sees, and without: that must be the same. Gives their instructions, or
/// the fault of one, and the output.
fn same(build: impl Fn() -> Build, blocks: u32, look: impl Fn(&Sweep)) -> (Result<u64, String>, Vec<u32>) {
    let [with, without] = [true, false].map(|sweeps| {
        on_machine(build(), BLOCK, &fast(), |machine, worker| {
            match sweeps {
                true => look(worker.sweep.as_ref().unwrap()),
                false => worker.sweep = None,
            }
            let done = (0..blocks).map(|block| run_block(machine, worker, block));
            let instructions = done.map(|done| done.map(|done| done.instructions));
            instructions.sum::<Result<u64, _>>().map_err(|fault| format!("{fault:?}"))
        })
    });
    assert_eq!(with, without);
    with
}

fn sweeps(build: Build, block: [u32; 3], options: &Options) -> bool {
    on_machine(build, block, options, |_, worker| worker.sweep.is_some()).0
}

#[test]
fn a_block_that_only_moves_words_is_a_sweep() {
    let (done, out) = same(
        || turned(barrier, nothing),
        TILES,
        |sweep| {
            assert_eq!((sweep.moves.len(), sweep.barriers, sweep.next), (2, 1, None));
            let rows: Vec<_> = sweep.moves.iter().map(|of| &of.rows[..]).collect();
            assert_eq!(rows, [&[][..], &[(0, 32, N)]]);
        },
    );
    assert!(done.unwrap() > 0);
    for (row, x) in (0..32).flat_map(|row| (0..N).map(move |x| (row, x))) {
        let (tile, column) = (x / 32, x % 32);
        let expected = if tile < TILES { 7 + column * N + tile * 32 + row } else { 1_000_000 + row * N + x };
        assert_eq!(out[(row * N + x) as usize], expected, "row {row}, column {x}");
    }
}

#[test]
fn what_comes_after_the_moves_goes_on_as_ever() {
    let (done, out) = same(
        || turned(barrier, more),
        TILES,
        |sweep| {
            assert_eq!((sweep.moves.len(), sweep.barriers), (1, 1));
            assert!(sweep.next.is_some());
        },
    );
    assert!(done.is_ok());
    assert_eq!(out[(7 * N + 32 * TILES + 7) as usize], 31 * 7, "the last thread's");
}

#[test]
fn a_block_with_words_outside_goes_the_usual_way() {
    // The words of the fourth tile end eight behind the end of each row, and of the buffer.
    let (done, _) = same(|| turned(barrier, nothing), TILES + 1, |_| {});
    let fault = done.unwrap_err();
    assert!(fault.contains("OutOfBounds"), "{fault}");
}

#[test]
fn whoever_wants_to_know_of_each_access_is_told() {
    let kernel = || turned(barrier, nothing);
    assert!(sweeps(kernel(), BLOCK, &fast()));
    assert!(!sweeps(kernel(), BLOCK, &Options { checks: true, ..fast() }));
    assert!(!sweeps(kernel(), BLOCK, &Options { counters: true, ..fast() }));
    assert!(!sweeps(kernel(), BLOCK, &Options { schedule_seed: 1, ..fast() }));
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
    let rows_at = |words: &[i64]| rows(words.iter().map(|word| word * 4).collect());
    assert_eq!(*rows_at(&[]), []);
    assert_eq!(*rows_at(&[50]), [(50, 1, 0)]);
    assert_eq!(*rows_at(&[-64, 100]), [(-64, 2, 164)]);
    assert_eq!(*rows_at(&[300, 100, 200, 400, 32, 0]), [(0, 2, 32), (100, 4, 100)]);
    assert_eq!(*rows_at(&[0, 0, 0, 32]), [(0, 3, 0), (32, 1, 0)]);
}
