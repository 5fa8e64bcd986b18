//! Tensor cores and inline PTX on the simulated device, against products computed here.

use crate::programs::{self, run};

/// Small whole numbers that differ from place to place.
fn small(n: usize, seed: usize) -> Vec<i32> {
    (0..n).map(|i| ((i * 7 + seed * 13 + i / 5) % 17) as i32 - 8).collect()
}

/// The binary16 of a small whole number.
fn half(v: i32) -> u16 {
    let x = (v as f32).to_bits();
    if v == 0 {
        0
    } else {
        (x >> 16 & 0x8000) as u16 | ((((x >> 23) & 0xff) - 112) << 10) as u16 | (x >> 13 & 0x3ff) as u16
    }
}

fn encode(kind: &str, values: &[i32]) -> Vec<u8> {
    values
        .iter()
        .flat_map(|&v| match kind {
            "half" => half(v).to_le_bytes().to_vec(),
            "__nv_bfloat16" => (((v as f32).to_bits() >> 16) as u16).to_le_bytes().to_vec(),
            "float" | "precision::tf32" => (v as f32).to_le_bytes().to_vec(),
            "double" => f64::from(v).to_le_bytes().to_vec(),
            "int" => v.to_le_bytes().to_vec(),
            _ => vec![v as u8],
        })
        .collect()
}

/// `a[i][k]` and `b[k][j]` wherever their layouts put them, and their product plus `c`.
fn check(shape: (usize, usize, usize), kind: &str, sum: &str, rows: [bool; 3]) {
    let (m, n, k) = shape;
    let layout = |row: bool| if row { "row_major" } else { "col_major" };
    let (a_row, b_row, c_row) = (rows[0], rows[1], rows[2]);
    // Rows of bytes are 16 apart at least, as the device wants them.
    let pad = |ld: usize| if kind.ends_with("char") { ld.next_multiple_of(16) } else { ld };
    let (lda, ldb) = (pad(if a_row { k } else { m }), pad(if b_row { n } else { k }));
    let ldc = if c_row { n } else { m };
    let stored = if kind == "precision::tf32" { "float" } else { kind };
    let element = if kind == "precision::tf32" { "wmma::precision::tf32" } else { kind };
    let text = format!(
        "#include <mma.h>
using namespace nvcuda;
__global__ void k(const {stored} *a, const {stored} *b, const {sum} *c, {sum} *d) {{
    wmma::fragment<wmma::matrix_a, {m}, {n}, {k}, {element}, wmma::{}> fa;
    wmma::fragment<wmma::matrix_b, {m}, {n}, {k}, {element}, wmma::{}> fb;
    wmma::fragment<wmma::accumulator, {m}, {n}, {k}, {sum}> fc, fd;
    wmma::load_matrix_sync(fa, a, {lda});
    wmma::load_matrix_sync(fb, b, {ldb});
    wmma::load_matrix_sync(fc, c, {ldc}, wmma::mem_{});
    wmma::mma_sync(fd, fa, fb, fc);
    for (int i = 0; i < fd.num_elements; i++) fd.x[i] = fd.x[i] + fd.x[i];
    wmma::store_matrix_sync(d, fd, {ldc}, wmma::mem_{});
}}
",
        layout(a_row),
        layout(b_row),
        layout(c_row),
        layout(c_row),
    );
    let unsigned = kind == "unsigned char";
    let fix = |v: Vec<i32>| if unsigned { v.into_iter().map(|x| x + 8).collect() } else { v };
    let (a, b, c) = (fix(small(m.max(k) * lda, 1)), fix(small(k.max(n) * ldb, 2)), small(m * n, 3));
    let at = |row: bool, ld: usize, i: usize, j: usize| if row { i * ld + j } else { j * ld + i };
    let mut want = vec![0; m * n];
    for i in 0..m {
        for j in 0..n {
            let sum: i32 = (0..k).map(|x| a[at(a_row, lda, i, x)] * b[at(b_row, ldb, x, j)]).sum();
            want[at(c_row, ldc, i, j)] = 2 * (sum + c[at(c_row, ldc, i, j)]);
        }
    }
    let buffers = [encode(stored, &a), encode(stored, &b), encode(sum, &c), encode(sum, &c)];
    let got = run(&text, 32, &buffers);
    assert_eq!(got, encode(sum, &want), "{m}x{n}x{k} {kind} {sum} {rows:?}");
}

#[test]
fn fragments_of_every_type_and_shape_give_the_product() {
    for shape in [(16, 16, 16), (32, 8, 16), (8, 32, 16)] {
        for rows in [[true, false, true], [false, true, false], [true, true, true], [false, false, true]] {
            check(shape, "half", "float", rows);
            check(shape, "__nv_bfloat16", "float", rows);
            check(shape, "signed char", "int", rows);
        }
        check(shape, "half", "half", [true, false, true]);
        check(shape, "half", "half", [false, true, false]);
        check(shape, "unsigned char", "int", [true, false, true]);
    }
    for rows in [[true, false, true], [false, true, false]] {
        check((16, 16, 8), "precision::tf32", "float", rows);
        check((8, 8, 4), "double", "double", rows);
    }
}

/// One tile of 64 x 64 by four warps: double-buffered `cp.async`, `ldmatrix`, `mma.sync`.
const TILE: &str = r#"#include <cuda_fp16.h>
#define K 64
__device__ unsigned shared_address(const void *p) {
    return (unsigned)__cvta_generic_to_shared(p);
}
__device__ void fetch(half (*to)[24], const half *from, int row, int k) {
    // 64 rows of 16 halves: two pieces of 16 bytes a row, 128 threads.
    int r = threadIdx.x / 2, piece = threadIdx.x % 2 * 8;
    unsigned address = shared_address(&to[r][piece]);
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], %2;\n"
                 :: "r"(address), "l"(from + (row + r) * K + k + piece), "n"(16));
}
__global__ void k(const half *a, const half *b, float *c) {
    __shared__ __align__(16) half sa[2][64][24], sb[2][64][24];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    float d[8][4] = {};
    fetch(sa[0], a, 0, 0);
    fetch(sb[0], b, 0, 0);
    asm volatile("cp.async.commit_group;\n" ::: "memory");
    for (int step = 0; step < K / 16; step++) {
        if (step + 1 < K / 16) {
            fetch(sa[(step + 1) % 2], a, 0, 16 * (step + 1));
            fetch(sb[(step + 1) % 2], b, 0, 16 * (step + 1));
        }
        asm volatile("cp.async.commit_group;");
        asm volatile("cp.async.wait_group %0;" :: "n"(1));
        __syncthreads();
        unsigned fa[4], fb[2];
        unsigned at = shared_address(&sa[step % 2][16 * warp + lane % 16][lane / 16 * 8]);
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(fa[0]), "=r"(fa[1]), "=r"(fa[2]), "=r"(fa[3]) : "r"(at));
        for (int j = 0; j < 8; j++) {
            at = shared_address(&sb[step % 2][8 * j + lane % 8][lane / 8 % 2 * 8]);
            asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                         : "=r"(fb[0]), "=r"(fb[1]) : "r"(at));
            asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                         "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};\n"
                         : "+f"(d[j][0]), "+f"(d[j][1]), "+f"(d[j][2]), "+f"(d[j][3])
                         : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]), "r"(fb[1]));
        }
        __syncthreads();
    }
    for (int j = 0; j < 8; j++) {
        for (int i = 0; i < 4; i++) {
            int row = 16 * warp + lane / 4 + 8 * (i / 2), column = 8 * j + lane % 4 * 2 + i % 2;
            c[row * 64 + column] = d[j][i];
        }
    }
}
"#;

#[test]
fn a_tile_by_ptx_gives_the_product() {
    let (a, b) = (small(64 * 64, 4), small(64 * 64, 5));
    let mut want = vec![0; 64 * 64];
    for (n, sum) in want.iter_mut().enumerate() {
        *sum = (0..64).map(|k| a[n / 64 * 64 + k] * b[n % 64 * 64 + k]).sum();
    }
    let zeros = encode("float", &vec![0; 64 * 64]);
    let got = run(TILE, 128, &[encode("half", &a), encode("half", &b), zeros]);
    assert_eq!(got, encode("float", &want));
}

#[test]
fn a_tile_without_its_wait_is_refused() {
    let text = TILE.replace("        asm volatile(\"cp.async.wait_group %0;\" :: \"n\"(1));\n", "");
    let zeros = encode("float", &vec![0; 64 * 64]);
    let why = programs::attempt(
        &text,
        128,
        &[encode("half", &small(4096, 4)), encode("half", &small(4096, 5)), zeros],
    );
    insta::assert_snapshot!(why.expect_err("the wait is missing"));
}

#[test]
fn a_fragment_in_a_part_of_the_warp_is_refused() {
    let text = "#include <mma.h>
using namespace nvcuda;
__global__ void k(const half *a, float *c) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    if (threadIdx.x < 16) wmma::load_matrix_sync(fa, a, 16);
    c[threadIdx.x] = (float)fa.x[0];
}
";
    let why = programs::attempt(text, 32, &[encode("half", &small(256, 1)), encode("float", &small(256, 1))]);
    insta::assert_snapshot!(why.expect_err("half a warp"));
}

/// The words that a thread computes from a word of its own and its neighbour's.
#[test]
fn instructions_of_ptx_compute_what_their_pages_say() {
    let text = r#"__global__ void k(const unsigned *in, unsigned *out) {
    unsigned t = threadIdx.x, x = in[t], y = in[(t + 1) % 32], *o = out + 16 * t;
    asm("add.u32 %0, %1, %2;" : "=r"(o[0]) : "r"(x), "r"(y));
    asm("{ .reg .u64 w; mul.wide.u32 w, %1, %2; shr.u64 w, w, 20; cvt.u32.u64 %0, w; }" : "=r"(o[1]) : "r"(x), "r"(y));
    asm("lop3.b32 %0, %1, %2, %3, 0xe8;" : "=r"(o[2]) : "r"(x), "r"(y), "r"(t * 77777u));
    asm("prmt.b32 %0, %1, %2, 0x2507;" : "=r"(o[3]) : "r"(x), "r"(y));
    asm("bfe.s32 %0, %1, %2, 11;" : "=r"(o[4]) : "r"(x), "r"(t));
    asm("bfi.b32 %0, %1, %2, %3, 9;" : "=r"(o[5]) : "r"(x), "r"(y), "r"(t));
    asm("bfind.u32 %0, %1;" : "=r"(o[6]) : "r"(x));
    asm("popc.b32 %0, %1;" : "=r"(o[7]) : "r"(x));
    asm("{ .reg .pred p, q; setp.lt.u32 p|q, %1, %2; selp.u32 %0, 7, 9, q; @p add.u32 %0, %0, 100; }" : "=r"(o[8]) : "r"(x), "r"(y));
    asm volatile("shfl.sync.bfly.b32 %0, %1, 5, 31, 0xffffffff;" : "=r"(o[9]) : "r"(x));
    asm("mad.lo.s32 %0, %1, %2, -5;" : "=r"(o[10]) : "r"(x), "r"(y));
    asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(o[11]) : "r"(x), "r"(y), "r"(t));
    asm volatile("ld.global.nc.v2.u32 {%0, %1}, [%2+8];" : "=r"(o[12]), "=r"(o[13]) : "l"(in + 2 * (t % 8)));
    asm volatile("st.global.cs.u32 [%0], %1;" :: "l"(o + 14), "r"(x ^ y) : "memory");
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(o[15]));
}
"#;
    let input: Vec<u32> = (0..32u32).map(|i| (i + 1).wrapping_mul(0x9e37_79b9) ^ (i << 7)).collect();
    let bytes = |v: &[u32]| v.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
    let got = run(text, 32, &[bytes(&input), vec![0; 16 * 32 * 4]]);
    let got: Vec<u32> = got.chunks(4).map(|c| u32::from_le_bytes(c.try_into().unwrap())).collect();
    for t in 0..32usize {
        let (x, y, z) = (input[t], input[(t + 1) % 32], t as u32 * 77777);
        let byte = |n: u32| (u64::from(y) << 32 | u64::from(x)) >> (8 * n) & 0xff;
        let selected = byte(7) | byte(0) << 8 | byte(5) << 16 | byte(2) << 24;
        let field = ((u64::from(x) >> t) as u32) << 21;
        let sign_filled = if t + 11 > 32 { (x as i32 >> t) as u32 } else { (field as i32 >> 21) as u32 };
        let mask = 0x1ffu32 << t;
        let dots: u32 = (0..4).map(|n| (x >> (8 * n) & 255) * (y >> (8 * n) & 255)).sum();
        let want = [
            x.wrapping_add(y),
            ((u64::from(x) * u64::from(y)) >> 20) as u32,
            x & y | x & z | y & z,
            selected as u32,
            sign_filled,
            y & !mask | x << t & mask,
            31 - x.leading_zeros(),
            x.count_ones(),
            if x < y { 109 } else { 7 },
            input[t ^ 5],
            x.wrapping_mul(y).wrapping_sub(5),
            dots + t as u32,
            input[2 * (t % 8) + 2],
            input[2 * (t % 8) + 3],
            x ^ y,
            (1u32 << t) - 1,
        ];
        assert_eq!(&got[16 * t..16 * t + 16], want, "thread {t}");
    }
}
