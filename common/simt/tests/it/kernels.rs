//! Whole kernels of the labs' shapes: right results, and the counters that an H200 shows.

use crate::support::*;
use simt_ir::{Axis, BinaryOp, CompareOp, Constant, ElementType, Special, Type};

const N: u32 = 64;

/// `out[y * n + x] = in[x * n + y]` or the like, by 32 x 32 blocks.
fn transpose(read_columns: bool) -> Build {
    let mut b = Build::new();
    let (input, output) = (b.pointer("in"), b.pointer("out"));
    let n = b.int("n");
    let x = b.global_id();
    let (ty, by) = (b.tid_y(), b.special(Special::BlockIdx(Axis::Y)));
    let dy = b.special(Special::BlockDim(Axis::Y));
    let start = b.mul(by, dy);
    let y = b.add(start, ty);
    let row = b.mul(y, n);
    let along = b.add(row, x);
    let column = b.mul(x, n);
    let across = b.add(column, y);
    let (from, to) = if read_columns { (across, along) } else { (along, across) };
    let v = b.load(ElementType::F32, input, from);
    b.store(ElementType::F32, output, to, v);
    b
}

#[test]
fn naive_transposes_move_32_sectors_a_request_on_one_side() {
    for read_columns in [false, true] {
        let mut d = Device::new(transpose(read_columns));
        let data: Vec<u32> = (0..N * N).map(|i| i * 7 + 3).collect();
        let (a, c) = (d.words(&data), d.empty(u64::from(N * N)));
        let args = [ptr(a), ptr(c), Constant::I32(N)];
        let out = d.run3([N / 32, N / 32, 1], [32, 32, 1], &args).unwrap();
        let want: Vec<u32> = (0..N * N).map(|i| data[(i % N * N + i / N) as usize]).collect();
        assert_eq!(d.read(c), want);
        let requests = u64::from(N * N / 32);
        let (load, store) = (out.counters.global_load, out.counters.global_store);
        assert_eq!((load.requests, store.requests), (requests, requests));
        let (wide, narrow) = if read_columns { (load, store) } else { (store, load) };
        assert_eq!((wide.sectors, narrow.sectors), (32 * requests, 4 * requests));
        // As measured for tr_naive_col: 7 of 8 sectors of a column come again from the cache.
        let hits = if read_columns { 28 * requests } else { 0 };
        assert_eq!(out.counters.l1_load_sector_hits, hits);
        assert_eq!(out.counters.thread_instructions, 32 * out.counters.warp_instructions);
    }
}

/// Through a tile of `rows` x 32 with `pad` columns more, read in the transposed order (the lab's rectangular tile).
fn tile(rows: u32, columns: u32, pad: u32) -> Build {
    let mut b = Build::new();
    let (input, output) = (b.pointer("in"), b.pointer("out"));
    let s = b.shared("tile", 4 * rows * (columns + pad));
    let (tx, ty) = (b.tid(), b.tid_y());
    let pitch = i32((columns + pad) as i32);
    let row = b.mul(ty, i32(columns as i32));
    let linear = b.add(row, tx);
    let v = b.load(ElementType::F32, input, linear);
    let row = b.mul(ty, pitch);
    let at = b.add(row, tx);
    b.store(ElementType::F32, s, at, v);
    b.barrier();
    let irow = b.op(BinaryOp::DivU, linear, i32(rows as i32));
    let icol = b.op(BinaryOp::RemU, linear, i32(rows as i32));
    let row = b.mul(icol, pitch);
    let at = b.add(row, irow);
    let v = b.load(ElementType::F32, s, at);
    b.store(ElementType::F32, output, linear, v);
    b
}

#[test]
fn tile_transposes_have_the_bank_conflicts_that_an_h200_counts() {
    // Shape, padding; wavefronts of a load request and of a store request (h200-ncu: tr_smem).
    for (rows, columns, pad, load, store) in
        [(16, 32, 0, 16, 1), (16, 32, 1, 2, 1), (16, 32, 2, 1, 1), (16, 16, 1, 2, 2), (8, 8, 1, 2, 2)]
    {
        let mut d = Device::new(tile(rows, columns, pad));
        let data: Vec<u32> = (0..rows * columns).collect();
        let (a, c) = (d.words(&data), d.empty(data.len() as u64));
        let out = d.run3([1; 3], [columns, rows, 1], &[ptr(a), ptr(c)]).unwrap();
        let want: Vec<u32> = data.iter().map(|i| i % rows * columns + i / rows).collect();
        assert_eq!(d.read(c), want);
        let counters = out.counters;
        let requests = u64::from(rows * columns / 32);
        assert_eq!(counters.shared_load.wavefronts, load * requests, "{rows}x{columns}+{pad}");
        assert_eq!(counters.shared_store.wavefronts, store * requests, "{rows}x{columns}+{pad}");
        assert_eq!(counters.shared_load.max_degree, load);
        assert_eq!(counters.shared_load.conflicts, (load - 1) * requests);
        assert_eq!(counters.barriers, requests);
    }
}

/// The 16 x 16 tiled product.
fn matmul() -> Build {
    let mut b = Build::new();
    let (pa, pb, pc) = (b.pointer("a"), b.pointer("b"), b.pointer("c"));
    let n = b.int("n");
    let (sa, sb) = (b.shared("sa", 1024), b.shared("sb", 1024));
    let (tx, ty) = (b.tid(), b.tid_y());
    let (bx, by) = (b.block_x(), b.special(Special::BlockIdx(Axis::Y)));
    let start = b.mul(by, i32(16));
    let r = b.add(start, ty);
    let start = b.mul(bx, i32(16));
    let q = b.add(start, tx);
    let sum = b.var(Type::F32, f32(0.0));
    let tile_row = b.mul(ty, i32(16));
    let own = b.add(tile_row, tx);
    let row = b.mul(r, n);
    b.count(i32(0), n, 16, |b, p, _| {
        let start = b.add(row, p);
        let at = b.add(start, tx);
        let v = b.load(ElementType::F32, pa, at);
        b.store(ElementType::F32, sa, own, v);
        let k = b.add(p, ty);
        let row = b.mul(k, n);
        let at = b.add(row, q);
        let v = b.load(ElementType::F32, pb, at);
        b.store(ElementType::F32, sb, own, v);
        b.barrier();
        b.count(i32(0), i32(16), 1, |b, k, _| {
            let at = b.add(tile_row, k);
            let x = b.load(ElementType::F32, sa, at);
            let row = b.mul(k, i32(16));
            let at = b.add(row, tx);
            let y = b.load(ElementType::F32, sb, at);
            b.fma(sum, x, y, sum.into());
        });
        b.barrier();
    });
    let at = b.add(row, q);
    b.store(ElementType::F32, pc, at, sum.into());
    b
}

fn matmul_run(n: u32, threads: usize) -> (Vec<u32>, simt::LaunchOutcome, Vec<f32>) {
    let mut d = Device::new(matmul());
    d.options.threads = threads;
    let count = (n * n) as usize;
    let value = |i: usize, k: usize| ((i * k + 13) % 101) as f32 / 64.0 - 0.75;
    let x: Vec<f32> = (0..count).map(|i| value(i, 37)).collect();
    let y: Vec<f32> = (0..count).map(|i| value(i, 53)).collect();
    let (a, b, c) = (d.floats(&x), d.floats(&y), d.empty(count as u64));
    let args = [ptr(a), ptr(b), ptr(c), Constant::I32(n)];
    let out = d.run3([n / 16, n / 16, 1], [16, 16, 1], &args).unwrap();
    let n = n as usize;
    let want =
        (0..count).map(|i| (0..n).fold(0f32, |s, k| x[i / n * n + k].mul_add(y[k * n + i % n], s))).collect();
    (d.read(c), out, want)
}

#[test]
fn tiled_product_is_exact_and_counted_and_the_same_for_any_number_of_threads() {
    let (c, out, want) = matmul_run(96, 1);
    assert_eq!(c, want.iter().map(|v| v.to_bits()).collect::<Vec<_>>());
    let n = 96u64;
    assert_eq!(out.counters.ffma, n * n * n);
    let warps = n * n / 32;
    assert_eq!(out.counters.global_load.requests, warps * 2 * n / 16);
    assert_eq!(out.counters.global_load.sectors, 4 * out.counters.global_load.requests);
    assert_eq!(out.counters.shared_load.requests, warps * 2 * n);
    assert_eq!(out.counters.shared_load.conflicts, 0);
    for threads in [2, 5] {
        let (again, other, _) = matmul_run(96, threads);
        assert_eq!(c, again);
        assert_eq!(out, other);
    }
}

#[test]
fn guarded_tail_counts_the_lanes_that_work() {
    let mut b = Build::new();
    let y = b.pointer("y");
    let n = b.int("n");
    let i = b.global_id();
    let inside = b.cmp(CompareOp::LtS, i, n);
    b.branch(inside, |b| {
        b.store(ElementType::I32, y, i, i);
    });
    let mut d = Device::new(b);
    let y = d.empty(40);
    let out = d.run(1, 64, &[ptr(y), Constant::I32(40)]).unwrap();
    assert_eq!(d.read(y), (0..40).collect::<Vec<u32>>());
    assert_eq!(out.counters.global_store.requests, 2);
    assert_eq!(out.counters.global_store.sectors, 5);
    assert_eq!((out.counters.branches, out.counters.divergent_branches), (2, 1));
}
