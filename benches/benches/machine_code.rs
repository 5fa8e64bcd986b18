//! How much time machine code would save: kernels of five kinds on the interpreter without checks and counters, and the same work by
//! functions as a compiler for vectors could make them of a kernel and its launch.
//!
//! `RUSTFLAGS="-C target-cpu=native" cargo bench -p benches --bench machine_code`, so that the functions here use the vectors that the
//! interpreter finds by itself. Both have one thread. The functions go warp by warp, with values of 32 lanes, as a compiler would for
//! kernels whose warps part and meet; and each access tests that it is inside its buffer, once for a row of neighbours, else for each
//! lane. They trace nothing, so they are what is left to gain, not what would be gained.

use benches::{Launchable, ON_AND_OFF};
use criterion::{Criterion, criterion_group, criterion_main};
use std::hint::black_box;

/// A value of each lane.
type Lanes = [f32; 32];

/// Elements of the one-dimensional kernels.
const ELEMENTS: usize = 1 << 20;
/// Rows and columns of the others.
const SIDE: usize = 512;
/// Rows and columns of a tile.
const TILE: usize = 16;

const TEXT: &str = r"
__global__ void stream(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 2.0f * in[i] + out[i];
}

__global__ void stencil(const float *in, float *out, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n) return;
    int w = max(x - 1, 0), e = min(x + 1, n - 1), s = max(y - 1, 0), t = min(y + 1, n - 1);
    out[y * n + x] = in[y * n + w] + in[y * n + e] + in[s * n + x] + in[t * n + x] - 4.0f * in[y * n + x];
}

__global__ void product(const float *a, const float *b, float *c, int n) {
    __shared__ float left[16][16], right[16][16];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty, column = blockIdx.x * 16 + tx;
    float sum = 0.0f;
    for (int from = 0; from < n; from += 16) {
        left[ty][tx] = a[row * n + from + tx];
        right[ty][tx] = b[(from + ty) * n + column];
        __syncthreads();
        for (int k = 0; k < 16; k++) sum += left[ty][k] * right[k][tx];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

// Each cell of a tile is made of its neighbours above and to the left, one diagonal after the other.
__global__ void diagonals(const float *in, float *out, int n) {
    __shared__ float cells[17][17];
    int t = threadIdx.x, first = (blockIdx.y * n + blockIdx.x) * 16;
    cells[0][t + 1] = in[first + t];
    cells[t + 1][0] = in[first + t * n];
    if (t == 0) cells[0][0] = 0.0f;
    for (int m = 0; m < 31; m++) {
        __syncthreads();
        int row = m - t;
        if (row >= 0 && row < 16)
            cells[row + 1][t + 1] = fmaxf(fmaxf(cells[row][t + 1], cells[row + 1][t]) - 1.0f,
                                          cells[row][t] + in[first + row * n + t]);
    }
    __syncthreads();
    for (int row = 0; row < 16; row++) out[first + row * n + t] = cells[row + 1][t + 1];
}

__global__ void gather(const float *in, const int *link, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[link[i % 4096] * 4 + i / 4096];
}
";

fn inside(words: &[f32], at: &[usize; 32]) -> bool {
    at.iter().fold(true, |all, at| all & (*at < words.len()))
}

/// The words of 32 lanes, half by half: as a row where they are neighbours, which a compiler would test as the interpreter does.
fn loaded(words: &[f32], at: &[usize; 32]) -> Lanes {
    assert!(inside(words, at));
    let mut found = [0.0; 32];
    for (found, at) in found.as_chunks_mut::<16>().0.iter_mut().zip(at.as_chunks::<16>().0) {
        let is_row = (0..16).fold(true, |is_row, lane| is_row & (at[lane] == at[0] + lane));
        *found = match is_row {
            true => *words[at[0]..].first_chunk().expect("inside"),
            false => at.map(|at| words[at]),
        };
    }
    found
}

/// A row of neighbours.
fn row(words: &[f32], from: usize) -> Lanes {
    *words[from..].first_chunk().expect("inside")
}

fn stream(input: &[f32], out: &mut [f32]) {
    for warp in 0..ELEMENTS / 32 {
        let (x, y) = (row(input, 32 * warp), row(out, 32 * warp));
        let sums: Lanes = std::array::from_fn(|lane| 2.0 * x[lane] + y[lane]);
        out[32 * warp..][..32].copy_from_slice(&sums);
    }
}

fn stencil(input: &[f32], out: &mut [f32]) {
    for block in 0..(SIDE / TILE) * (SIDE / TILE) {
        let (left, top) = (block % (SIDE / TILE) * TILE, block / (SIDE / TILE) * TILE);
        for warp in 0..TILE / 2 {
            let x: [usize; 32] = std::array::from_fn(|lane| left + lane % TILE);
            let y: [usize; 32] = std::array::from_fn(|lane| top + 2 * warp + lane / TILE);
            let mut at = [[0; 32]; 5];
            for lane in 0..32 {
                let (x, y) = (x[lane], y[lane]);
                at[0][lane] = y * SIDE + x.saturating_sub(1);
                at[1][lane] = y * SIDE + (x + 1).min(SIDE - 1);
                at[2][lane] = y.saturating_sub(1) * SIDE + x;
                at[3][lane] = (y + 1).min(SIDE - 1) * SIDE + x;
                at[4][lane] = y * SIDE + x;
            }
            let [west, east, south, north, middle] = at.map(|at| loaded(input, &at));
            let cells = at[4];
            assert!(inside(out, &cells));
            let sums: Lanes = std::array::from_fn(|lane| {
                west[lane] + east[lane] + south[lane] + north[lane] - 4.0 * middle[lane]
            });
            out[cells[0]..][..TILE].copy_from_slice(&sums[..TILE]);
            out[cells[16]..][..TILE].copy_from_slice(&sums[TILE..]);
        }
    }
}

fn product(a: &[f32], b: &[f32], c: &mut [f32]) {
    for block in 0..(SIDE / TILE) * (SIDE / TILE) {
        let (left, top) = (block % (SIDE / TILE) * TILE, block / (SIDE / TILE) * TILE);
        let mut sums = [[0.0f32; 32]; TILE / 2];
        let (mut tile_a, mut tile_b) = ([0.0f32; TILE * TILE], [0.0f32; TILE * TILE]);
        for from in (0..SIDE).step_by(TILE) {
            for line in 0..TILE {
                let of_a = &a[(top + line) * SIDE + from..][..TILE];
                let of_b = &b[(from + line) * SIDE + left..][..TILE];
                tile_a[line * TILE..][..TILE].copy_from_slice(of_a);
                tile_b[line * TILE..][..TILE].copy_from_slice(of_b);
            }
            for (warp, sums) in sums.iter_mut().enumerate() {
                for k in 0..TILE {
                    let factors = [tile_a[2 * warp * TILE + k], tile_a[(2 * warp + 1) * TILE + k]];
                    let line = &tile_b[k * TILE..][..TILE];
                    for (half, factor) in sums.as_chunks_mut::<TILE>().0.iter_mut().zip(factors) {
                        half.iter_mut().zip(line).for_each(|(sum, b)| *sum = factor.mul_add(*b, *sum));
                    }
                }
            }
        }
        for (line, sums) in sums.as_flattened().as_chunks::<TILE>().0.iter().enumerate() {
            c[(top + line) * SIDE + left..][..TILE].copy_from_slice(sums);
        }
    }
}

fn diagonals(input: &[f32], out: &mut [f32]) {
    const PITCH: usize = TILE + 1;
    for block in 0..(SIDE / TILE) * (SIDE / TILE) {
        let first = (block / (SIDE / TILE) * SIDE + block % (SIDE / TILE)) * TILE;
        let mut cells = [0.0f32; PITCH * PITCH];
        cells[1..=TILE].copy_from_slice(&input[first..][..TILE]);
        for t in 0..TILE {
            cells[(t + 1) * PITCH] = input[first + t * SIDE];
        }
        for m in 0..2 * TILE - 1 {
            let active = |t: usize| m >= t && m - t < TILE;
            let mut new = [0.0f32; TILE];
            for t in (0..TILE).filter(|t| active(*t)) {
                let at = (m - t) * PITCH + t;
                let best = cells[at + 1].max(cells[at + PITCH]) - 1.0;
                new[t] = best.max(cells[at] + input[first + (m - t) * SIDE + t]);
            }
            for t in (0..TILE).filter(|t| active(*t)) {
                cells[(m - t + 1) * PITCH + t + 1] = new[t];
            }
        }
        for line in 0..TILE {
            out[first + line * SIDE..][..TILE].copy_from_slice(&cells[(line + 1) * PITCH + 1..][..TILE]);
        }
    }
}

fn gather(input: &[f32], link: &[u32], out: &mut [f32]) {
    for warp in 0..ELEMENTS / 32 {
        let from = 32 * warp;
        let links: &[u32; 32] = link[from % 4096..].first_chunk().expect("inside");
        let at = std::array::from_fn(|lane| links[lane] as usize * 4 + from / 4096);
        let found = loaded(input, &at);
        out[from..][..32].copy_from_slice(&found);
    }
}

fn machine_code(c: &mut Criterion) {
    let input: Vec<f32> = (0..ELEMENTS).map(|i| (i % 7) as f32 * 0.25 + 0.5).collect();
    let link: Vec<u32> = (0..4096).map(|i| (i * 1229 + 2731) % 4096).collect();
    let mut out = vec![0.0f32; ELEMENTS];
    let (side, tiles) = (SIDE as u32, (SIDE / TILE) as u32);
    let kernels: [(&str, [u32; 2], [u32; 2], u32); 5] = [
        ("stream", [ELEMENTS as u32 / 256, 1], [256, 1], ELEMENTS as u32),
        ("stencil", [tiles; 2], [16, 16], side),
        ("product", [tiles; 2], [16, 16], side),
        ("diagonals", [tiles; 2], [16, 1], side),
        ("gather", [ELEMENTS as u32 / 256, 1], [256, 1], ELEMENTS as u32),
    ];
    for (kernel, grid, block, n) in kernels {
        let mut group = c.benchmark_group(kernel);
        group.sample_size(10);
        let mut bound = Launchable::new(TEXT, kernel, grid, block, n as i32);
        bound.set_threads(1);
        for mode in ON_AND_OFF {
            bound.set_mode(mode);
            group.bench_function(format!("interpreter/{}", mode.name), |b| b.iter(|| bound.launch()));
        }
        group.bench_function("vectors", |b| {
            b.iter(|| {
                let (input, out) = (black_box(&input), black_box(&mut out));
                match kernel {
                    "stream" => stream(input, out),
                    "stencil" => stencil(input, out),
                    "product" => product(input, input, out),
                    "diagonals" => diagonals(input, out),
                    _ => gather(input, black_box(&link), out),
                }
            });
        });
    }
}

criterion_group!(all, machine_code);
criterion_main!(all);
