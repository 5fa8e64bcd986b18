//! Classic kernels, as books and samples have them, on the simulated device: each against a plain loop on the host,
//! integers exactly, floats against sums in `f64`; and none may be diagnosed.

use crate::classics_support::{Run, close, floats_of, integers_of, numbers};
use device::Argument;

/// Threads of a launch in one dimension.
const LINE: u32 = 128;

#[test]
fn reductions() {
    let n = 1000usize;
    let input = floats_of(n, 1);
    let mut run = Run::new("reduction.cu");
    let (data, sums) = (run.floats(&input), run.floats(&[0.0; 4]));
    let args = [data, sums, Argument::I32(n as i32)];
    run.launch("reduce_shared", [4, 1, 1], [LINE, 1, 1], LINE * 4, &args);
    let expected: Vec<f64> =
        input.chunks(2 * LINE as usize).map(|c| c.iter().map(|v| f64::from(*v)).sum()).collect();
    close(&run.read_floats(sums, 4), &expected, 1e-5);

    let sums = run.floats(&[0.0; 3]);
    run.launch("reduce_shuffle", [3, 1, 1], [LINE, 1, 1], 0, &[data, sums, Argument::I32(n as i32)]);
    let of_block = |b: usize| {
        let mine = input.iter().enumerate().filter(|(i, _)| i / LINE as usize % 3 == b);
        mine.map(|(_, v)| f64::from(*v)).sum::<f64>()
    };
    close(&run.read_floats(sums, 3), &[of_block(0), of_block(1), of_block(2)], 1e-5);
}

#[test]
fn scans() {
    let n = 250usize;
    let input = integers_of(n, 2);
    let inclusive: Vec<i32> = input
        .iter()
        .scan(0, |sum, v| {
            *sum += v;
            Some(*sum)
        })
        .collect();
    let mut run = Run::new("scan.cu");
    let (data, out, total) = (run.ints(&input), run.ints(&vec![0; n]), run.ints(&[0]));
    let length = Argument::I32(n as i32);
    run.launch("scan_hillis_steele", [1, 1, 1], [256, 1, 1], 2 * 256 * 4, &[data, out, length]);
    assert_eq!(run.read_ints(out, n), inclusive);
    run.launch("scan_shuffle", [1, 1, 1], [256, 1, 1], 0, &[data, out, length]);
    assert_eq!(run.read_ints(out, n), inclusive);
    let shared = (256 + 256 / 32 + 256) * 4;
    run.launch("scan_blelloch", [1, 1, 1], [128, 1, 1], shared, &[data, out, total, length]);
    let exclusive: Vec<i32> = inclusive.iter().zip(&input).map(|(s, v)| s - v).collect();
    assert_eq!(run.read_ints(out, n), exclusive);
    assert_eq!(run.read_ints(total, 1), [inclusive[n - 1]]);
}

#[test]
fn histogram_and_maximum() {
    let n = 3000usize;
    let bytes: Vec<u8> = integers_of(n, 3).iter().map(|v| (v * 7 + 11) as u8).collect();
    let mut run = Run::new("histogram.cu");
    let (data, bins) = (run.bytes(&bytes), run.ints(&[0; 64]));
    run.launch("histogram", [5, 1, 1], [96, 1, 1], 0, &[data, Argument::I32(n as i32), bins]);
    let mut expected = [0; 64];
    bytes.iter().for_each(|b| expected[usize::from(*b) % 64] += 1);
    assert_eq!(run.read_ints(bins, 64), expected);

    let values: Vec<f32> = floats_of(500, 4).iter().map(|v| v - 2.0).collect();
    let (data, result) = (run.floats(&values), run.floats(&[f32::MIN]));
    run.launch("maximum", [2, 1, 1], [64, 1, 1], 0, &[data, Argument::I32(500), result]);
    assert_eq!(run.read_floats(result, 1), [values.iter().copied().fold(f32::MIN, f32::max)]);
}

#[test]
fn matrix_products() {
    let ladder = [
        ("naive", [70, 45, 33], [16, 16]),
        ("tiled", [70, 45, 33], [16, 16]),
        ("blocked<64, 64, 8, 8, 4>", [128, 64, 24], [64, 64]),
        ("vectorised", [64, 96, 32], [32, 64]),
        ("warp_tiled", [64, 128, 40], [64, 64]),
    ];
    for (kernel, [m, n, k], [tile_x, tile_y]) in ladder {
        let (a, b) = (floats_of(m * k, 5), floats_of(k * n, 6));
        let mut expected = vec![0.0; m * n];
        for row in 0..m {
            for column in 0..n {
                let terms = (0..k).map(|i| f64::from(a[row * k + i]) * f64::from(b[i * n + column]));
                expected[row * n + column] = terms.sum();
            }
        }
        let mut run = Run::new("matmul.cu");
        let (a, b, c) = (run.floats(&a), run.floats(&b), run.floats(&vec![0.0; m * n]));
        let sizes = [m, n, k].map(|v| Argument::I32(v as i32));
        let block = match kernel {
            "naive" | "tiled" => [16, 16, 1],
            "vectorised" => [64, 1, 1],
            _ => [128, 1, 1],
        };
        let grid = [n.div_ceil(tile_x) as u32, m.div_ceil(tile_y) as u32, 1];
        run.launch(kernel, grid, block, 0, &[sizes[0], sizes[1], sizes[2], a, b, c]);
        close(&run.read_floats(c, m * n), &expected, 1e-5);
    }
}

#[test]
fn transposes() {
    for (width, height) in [(64usize, 32usize), (70, 45)] {
        let input = floats_of(width * height, 7);
        let expected: Vec<f32> =
            (0..width * height).map(|i| input[i % height * width + i / height]).collect();
        for kernel in ["transpose_naive", "transpose_padded", "transpose_swizzled"] {
            let mut run = Run::new("transpose.cu");
            let (data, out) = (run.floats(&input), run.floats(&vec![0.0; width * height]));
            let args = [data, out, Argument::I32(width as i32), Argument::I32(height as i32)];
            let grid = [width.div_ceil(32) as u32, height.div_ceil(32) as u32, 1];
            run.launch(kernel, grid, [32, 8, 1], 0, &args);
            assert_eq!(run.read_floats(out, width * height), expected, "{kernel} {width}x{height}");
        }
    }
}

#[test]
fn stencils() {
    let n = 300usize;
    let input = integers_of(n, 8);
    let mut run = Run::new("stencil.cu");
    let (data, out) = (run.ints(&input), run.ints(&vec![0; n]));
    run.launch("stencil_1d", [3, 1, 1], [LINE, 1, 1], 0, &[data, out, Argument::I32(n as i32)]);
    let expected: Vec<i32> =
        (0..n).map(|i| input[i.saturating_sub(3)..(i + 4).min(n)].iter().sum()).collect();
    assert_eq!(run.read_ints(out, n), expected);

    let (width, height) = (37usize, 21usize);
    let (image, mask) = (floats_of(width * height, 9), floats_of(25, 10));
    run.symbol("mask", &mask);
    let (data, out) = (run.floats(&image), run.floats(&vec![0.0; width * height]));
    let args = [data, out, Argument::I32(width as i32), Argument::I32(height as i32)];
    run.launch("convolution_2d", [3, 2, 1], [16, 16, 1], 0, &args);
    let clamp = |i: usize, d: usize, n: usize| (i + d).saturating_sub(2).min(n - 1);
    let pixel = |i: usize| {
        let terms = (0..25).map(|m| {
            let at = clamp(i / width, m / 5, height) * width + clamp(i % width, m % 5, width);
            f64::from(mask[m]) * f64::from(image[at])
        });
        terms.sum::<f64>()
    };
    close(&run.read_floats(out, width * height), &(0..width * height).map(pixel).collect::<Vec<_>>(), 1e-5);

    let cells: Vec<u8> = integers_of(width * height, 11).iter().map(|v| u8::from(v % 3 == 0)).collect();
    let (now, next) = (run.bytes(&cells), run.bytes(&vec![9; width * height]));
    let args = [now, next, Argument::I32(width as i32), Argument::I32(height as i32)];
    run.launch("life", [5, 3, 1], [8, 8, 1], 0, &args);
    let alive = |i: usize| {
        let around = (0..9).filter(|d| *d != 4).map(|d| {
            let (x, y) = ((i % width + d % 3 + width - 1) % width, (i / width + d / 3 + height - 1) % height);
            cells[y * width + x]
        });
        let around: u8 = around.sum();
        u8::from(around == 3 || (cells[i] == 1 && around == 2))
    };
    assert_eq!(run.read_bytes(next, width * height), (0..width * height).map(alive).collect::<Vec<_>>());
}

#[test]
fn bodies_that_attract_each_other() {
    let n = 96usize;
    let bodies = floats_of(4 * n, 12);
    let mut expected = vec![0.0; 4 * n];
    for i in 0..n {
        for j in 0..n {
            let at = |k: usize, c: usize| f64::from(bodies[4 * k + c]);
            let r: Vec<f64> = (0..3).map(|c| at(j, c) - at(i, c)).collect();
            let d2 = r.iter().map(|v| v * v).sum::<f64>() + 0.01;
            (0..3).for_each(|c| expected[4 * i + c] += r[c] * at(j, 3) / (d2 * d2.sqrt()));
        }
    }
    let mut run = Run::new("particles.cu");
    let (data, out) = (run.floats(&bodies), run.floats(&vec![0.0; 4 * n]));
    run.launch("n_body", [3, 1, 1], [32, 1, 1], 32 * 16, &[data, out, Argument::I32(n as i32)]);
    close(&run.read_floats(out, 4 * n), &expected, 1e-4);

    let part = |c: usize| (0..n).map(|i| bodies[4 * i + c]).collect::<Vec<_>>();
    let out = run.floats(&vec![0.0; 4 * n]);
    let parts = [0, 1, 2, 3].map(|c| run.floats(&part(c)));
    let args = [parts[0], parts[1], parts[2], parts[3], out, Argument::I32(n as i32)];
    run.launch("n_body_arrays", [2, 1, 1], [64, 1, 1], 0, &args);
    close(&run.read_floats(out, 4 * n), &expected, 1e-4);
}

#[test]
fn softmax_of_rows() {
    let (rows, columns) = (5usize, 200usize);
    let input: Vec<f32> = floats_of(rows * columns, 13).iter().map(|v| v * 20.0).collect();
    let mut run = Run::new("rows.cu");
    let (data, out) = (run.floats(&input), run.floats(&vec![0.0; rows * columns]));
    run.launch("softmax", [5, 1, 1], [96, 1, 1], 0, &[data, out, Argument::I32(columns as i32)]);
    let mut expected = Vec::new();
    for row in input.chunks(columns) {
        let highest = row.iter().map(|v| f64::from(*v)).fold(f64::MIN, f64::max);
        let sum: f64 = row.iter().map(|v| libm::exp(f64::from(*v) - highest)).sum();
        expected.extend(row.iter().map(|v| libm::exp(f64::from(*v) - highest) / sum));
    }
    close(&run.read_floats(out, rows * columns), &expected, 1e-5);
}

#[test]
fn sparse_matrix_times_vector() {
    let (rows, columns) = (67usize, 50usize);
    let lengths: Vec<i32> = integers_of(rows, 14).iter().map(|v| v.rem_euclid(41)).collect();
    let mut ptr = vec![0];
    for length in &lengths {
        ptr.push(ptr[ptr.len() - 1] + length);
    }
    let entries = ptr[rows] as usize;
    let indices: Vec<i32> = integers_of(entries, 15).iter().map(|v| v.rem_euclid(columns as i32)).collect();
    let (values, x) = (floats_of(entries, 16), floats_of(columns, 17));
    let row = |r: usize| {
        let range = ptr[r] as usize..ptr[r + 1] as usize;
        range.map(|i| f64::from(values[i]) * f64::from(x[indices[i] as usize])).sum::<f64>()
    };
    let expected: Vec<f64> = (0..rows).map(row).collect();
    for (kernel, blocks) in [("spmv_scalar", 1), ("spmv_vector", 17)] {
        let mut run = Run::new("rows.cu");
        let out = run.floats(&vec![0.0; rows]);
        let sizes = [Argument::I32(rows as i32), run.ints(&ptr), run.ints(&indices)];
        let args = [sizes[0], sizes[1], sizes[2], run.floats(&values), run.floats(&x), out];
        run.launch(kernel, [blocks, 1, 1], [LINE, 1, 1], 0, &args);
        close(&run.read_floats(out, rows), &expected, 1e-5);
    }
}

#[test]
fn lambdas_and_packs() {
    let n = 333usize;
    let input = floats_of(n, 18);
    let mut run = Run::new("rows.cu");
    let (data, out) = (run.floats(&input), run.floats(&vec![0.0; n]));
    let args = [data, out, Argument::F32(3.0), Argument::F32(-0.5), Argument::I32(n as i32)];
    run.launch("lambdas", [2, 1, 1], [64, 1, 1], 0, &args);
    let expected: Vec<f64> = input.iter().map(|v| (3.0 * f64::from(*v) - 0.5).max(0.0)).collect();
    close(&run.read_floats(out, n), &expected, 1e-5);
}

#[test]
fn bitonic_sort_of_a_block() {
    let mut values = integers_of(512, 19);
    let mut run = Run::new("rows.cu");
    let data = run.ints(&values);
    run.launch("bitonic_sort", [1, 1, 1], [256, 1, 1], 512 * 4, &[data]);
    values.sort_unstable();
    assert_eq!(run.read_ints(data, 512), values);
}

#[test]
fn numbers_differ() {
    let all = numbers(1000, 20);
    let mut distinct = all.clone();
    distinct.sort_unstable();
    distinct.dedup();
    assert!(distinct.len() > 990, "a constant input would hide wrong indices");
}
