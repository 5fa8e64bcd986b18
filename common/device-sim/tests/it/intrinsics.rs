//! Functions of CUDA that are made of others, run on the simulated device against values computed here.

use crate::kernel::{numbers, run};

fn kernel(body: &str) -> String {
    format!(
        "__global__ void k(unsigned *out, const unsigned *in) {{\n    unsigned t = threadIdx.x;\n{body}\n}}\n"
    )
}

#[test]
fn matches_find_the_lanes_of_equal_values() {
    let input: Vec<u32> = (0..32u32).map(|i| i * i % 7).collect();
    let text = kernel(
        "    int all, one;\n    unsigned low = t < 12 ? 0xfffu : ~0xfffu;\n    out[t] = __match_any_sync(0xffffffff, in[t]);\n    \
         out[32 + t] = __match_any_sync(low, (unsigned long long)in[t] << 40);\n    \
         out[64 + t] = __match_all_sync(0xffffffff, in[t], &all);\n    \
         out[96 + t] = __match_all_sync(low, (float)(t / 12 == 0), &one) + all * 100 + one;",
    );
    let got = run(&text, 32, &input, 128);
    for t in 0..32 {
        let peers = |range: std::ops::Range<usize>| {
            range.filter(|&o| input[o] == input[t]).fold(0u32, |mask, o| mask | (1 << o))
        };
        assert_eq!(got[t], peers(0..32), "any {t}");
        assert_eq!(got[32 + t], if t < 12 { peers(0..12) } else { peers(12..32) }, "half {t}");
        assert_eq!(got[64 + t], 0, "all {t}");
        assert_eq!(got[96 + t], if t < 12 { 0x1000 } else { 0xffff_f001 }, "all of a part {t}");
    }
}

#[test]
fn reductions_of_a_warp_are_seen_by_its_lanes() {
    let input = numbers(32);
    let text = kernel(
        "    const unsigned m = t < 20 ? 0xfffffu : ~0xfffffu;\n    unsigned v = in[t];\n    \
         out[t] = __reduce_add_sync(m, v);\n    out[32 + t] = __reduce_min_sync(m, (int)v);\n    \
         out[64 + t] = __reduce_min_sync(m, v);\n    out[96 + t] = __reduce_max_sync(m, (int)v);\n    \
         out[128 + t] = __reduce_max_sync(m, v);\n    out[160 + t] = __reduce_and_sync(m, v | 0xf0);\n    \
         out[192 + t] = __reduce_or_sync(m, v & 0xff0f);\n    out[224 + t] = __reduce_xor_sync(m, v);",
    );
    let got = run(&text, 32, &input, 256);
    for t in 0..32 {
        let part = || if t < 20 { &input[..20] } else { &input[20..] }.iter().copied();
        let expected = [
            part().fold(0, u32::wrapping_add),
            part().map(|v| v as i32).min().unwrap() as u32,
            part().min().unwrap(),
            part().map(|v| v as i32).max().unwrap() as u32,
            part().max().unwrap(),
            part().fold(!0, |a, v| a & (v | 0xf0)),
            part().fold(0, |a, v| a | (v & 0xff0f)),
            part().fold(0, |a, v| a ^ v),
        ];
        for (i, e) in expected.into_iter().enumerate() {
            assert_eq!(got[32 * i + t], e, "reduction {i}, lane {t}");
        }
    }
}

#[test]
fn integer_functions_compute_bit_by_bit() {
    let input = numbers(192);
    let text = kernel(
        "    unsigned a = in[t], b = in[64 + t], c = in[128 + t];\n    unsigned *o = out + 10 * t;\n    \
         o[0] = __byte_perm(a, b, c);\n    o[1] = __funnelshift_l(a, b, t);\n    o[2] = __funnelshift_r(a, b, t);\n    \
         o[3] = __funnelshift_lc(a, b, t);\n    o[4] = __funnelshift_rc(a, b, t);\n    o[5] = __dp4a(a, b, c);\n    \
         o[6] = __dp4a((int)a, (int)b, (int)c);\n    double d = __hiloint2double(a, b);\n    \
         o[7] = __double2hiint(d);\n    o[8] = __double2loint(d);\n    \
         o[9] = __dp4a(make_char4(a, a >> 8, a >> 16, a >> 24), make_char4(b, b >> 8, b >> 16, b >> 24), 7);",
    );
    let got = run(&text, 64, &input, 640);
    for t in 0..64u32 {
        let [a, b, c] = [0, 64, 128].map(|o| input[(o + t) as usize]);
        let bytes = [a.to_le_bytes(), b.to_le_bytes()].concat();
        let permuted: [u8; 4] = std::array::from_fn(|i| bytes[((c >> (4 * i)) & 7) as usize]);
        let both = (u64::from(b) << 32) | u64::from(a);
        let clamped = t.min(32);
        let unsigned = |a: u32, b: u32| -> u32 {
            a.to_le_bytes().iter().zip(b.to_le_bytes()).map(|(x, y)| u32::from(*x) * u32::from(y)).sum()
        };
        let signed = |a: u32, b: u32| -> i32 {
            a.to_le_bytes()
                .iter()
                .zip(b.to_le_bytes())
                .map(|(x, y)| i32::from(*x as i8) * i32::from(y as i8))
                .sum()
        };
        let expected = [
            u32::from_le_bytes(permuted),
            ((both << (t % 32)) >> 32) as u32,
            (both >> (t % 32)) as u32,
            ((u128::from(both) << clamped) >> 32) as u32,
            (both >> clamped) as u32,
            unsigned(a, b).wrapping_add(c),
            signed(a, b).wrapping_add(c as i32) as u32,
            a,
            b,
            (signed(a, b) + 7) as u32,
        ];
        assert_eq!(got[10 * t as usize..][..10], expected, "thread {t}");
    }
}

/// The floats next to the exact value that `below` compares with: the largest not above and the smallest not below.
fn bracket(near: f32, compare: impl Fn(f32) -> std::cmp::Ordering) -> (f32, f32) {
    let (mut down, mut up) = (near, near);
    while compare(down).is_gt() {
        down = down.next_down();
    }
    while compare(up).is_lt() {
        up = up.next_up();
    }
    (down, up)
}

#[test]
fn directed_rounding_brackets_the_exact_value() {
    // Small odd multiples of powers of two, whose exact sums, products and quotients compare in 128-bit integers.
    let parts: Vec<(i64, i32)> = (0..64i64)
        .map(|i| (((i * 0x29_3a17 % 0xff_fffd) | 1) * (1 - i % 3 % 2 * 2), (i % 9 * 3) as i32 - 12))
        .collect();
    let value = |(m, e): (i64, i32)| m as f32 * libm::scalbnf(1.0, e);
    let input: Vec<u32> = parts.iter().map(|p| value(*p).to_bits()).collect();
    let mut body = "    float a = __uint_as_float(in[t]), b = __uint_as_float(in[(t + 7) % 64]);\n    \
                    unsigned *o = out + 15 * t;\n"
        .to_owned();
    for (i, r) in ["rd", "ru", "rz"].iter().enumerate() {
        for (j, call) in [
            format!("__fadd_{r}(a, b)"),
            format!("__fsub_{r}(a, b)"),
            format!("__fmul_{r}(a, b)"),
            format!("__fdiv_{r}(a, b)"),
            format!("__fsqrt_{r}(fabsf(a))"),
        ]
        .iter()
        .enumerate()
        {
            body += &format!("    o[{}] = __float_as_uint({call});\n", 3 * j + i);
        }
    }
    let got = run(&kernel(&body), 64, &input, 960);
    // A float as an integer multiple of 2^-40; all here are multiples of it or far above.
    let fixed = |f: f32| (f64::from(f) * libm::exp2(40.0)) as i128;
    let mut inexact = 0;
    for t in 0..64 {
        let (p, q) = (parts[t], parts[(t + 7) % 64]);
        let (a, b) = (value(p), value(q));
        let product = f64::from(a) * f64::from(b);
        let order = |exact: f64, f: f32| f64::from(f).total_cmp(&exact);
        let brackets = [
            bracket(a + b, |f| fixed(f).cmp(&(fixed(a) + fixed(b)))),
            bracket(a - b, |f| fixed(f).cmp(&(fixed(a) - fixed(b)))),
            bracket(a * b, |f| order(product, f)),
            // f against a / b is f·b against a, turned when b is negative; both are exact in double precision.
            bracket(a / b, |f| {
                let o = (f64::from(f) * f64::from(b)).total_cmp(&f64::from(a));
                if b < 0.0 { o.reverse() } else { o }
            }),
            bracket(a.abs().sqrt(), |f| (f64::from(f) * f64::from(f)).total_cmp(&f64::from(a.abs()))),
        ];
        for (j, (down, up)) in brackets.into_iter().enumerate() {
            inexact += usize::from(down != up);
            let zero = if down < 0.0 { up } else { down };
            let found = [0, 1, 2].map(|i| f32::from_bits(got[15 * t + 3 * j + i]));
            assert_eq!(found, [down, up, zero], "operation {j} of {a} and {b}");
        }
    }
    assert!(inexact > 150, "{inexact}");
}

#[test]
fn directed_rounding_keeps_the_edges() {
    let cases = [
        ("__fadd_rd(1.0f, -1.0f)", 0x8000_0000),
        ("__fadd_ru(1.0f, -1.0f)", 0),
        ("__fadd_rd(0.0f, 0.0f)", 0),
        ("__fadd_rz(3e38f, 3e38f)", f32::MAX.to_bits()),
        ("__fadd_ru(3e38f, 3e38f)", f32::INFINITY.to_bits()),
        ("__fadd_rd(-3e38f, -3e38f)", f32::NEG_INFINITY.to_bits()),
        ("__fadd_rd(1.0f, 1e-45f)", 1f32.to_bits()),
        ("__fadd_ru(1.0f, 1e-45f)", 1f32.next_up().to_bits()),
        ("__fmul_ru(1e-45f, 1e-45f)", 1),
        ("__fmul_rd(-1e-45f, 1e-45f)", 0x8000_0001),
        ("__fmul_rz(-1e-45f, 1e-45f)", 0x8000_0000),
        ("__fdiv_rz(1.0f, 0.0f)", f32::INFINITY.to_bits()),
        ("__fdiv_rd(-1.0f, 3.0f)", (-1f32 / 3.0).to_bits()),
        ("__fdiv_rz(-1.0f, 3.0f)", (-1f32 / 3.0).to_bits() - 1),
        ("__frcp_rd(3.0f)", (1f32 / 3.0).to_bits() - 1),
        ("__frcp_rn(3.0f)", (1f32 / 3.0).to_bits()),
        ("__fsqrt_ru(4.0f)", 2f32.to_bits()),
        ("__fsqrt_rn(2.0f)", 2f32.sqrt().to_bits()),
        ("__fdiv_rn(1.0f, 3.0f)", (1f32 / 3.0).to_bits()),
        ("__fmaf_ru(1.0f, 1.0f, 1e-45f)", 1f32.next_up().to_bits()),
        ("__int2float_rz(16777217)", 16_777_216f32.to_bits()),
        ("__uint2float_ru(16777217u)", 16_777_218f32.to_bits()),
    ];
    let lines: String = cases
        .iter()
        .enumerate()
        .map(|(i, (c, _))| format!("    out[{i}] = __float_as_uint({c});\n"))
        .collect();
    let got = run(&kernel(&format!("    if (t) return;\n{lines}")), 1, &[0], cases.len());
    for ((call, expected), found) in cases.iter().zip(got) {
        assert_eq!(
            found,
            *expected,
            "{call}: {} instead of {}",
            f32::from_bits(found),
            f32::from_bits(*expected)
        );
    }
}

#[test]
fn parts_of_floats_are_exact() {
    let values =
        [0.0f32, -0.0, 1.0, -2.75, 1e-45, -3.7e-39, 6.5e30, f32::MAX, f32::INFINITY, f32::NEG_INFINITY, 0.1];
    let input: Vec<u32> = values.iter().map(|v| v.to_bits()).collect();
    let text = kernel(
        "    float x = __uint_as_float(in[t]), whole;\n    int e;\n    unsigned *o = out + 8 * t;\n    \
         o[0] = __float_as_uint(frexpf(x, &e));\n    o[1] = e;\n    o[2] = __float_as_uint(modff(x, &whole));\n    \
         o[3] = __float_as_uint(whole);\n    o[4] = ilogbf(x);\n    o[5] = __float_as_uint(logbf(x));\n    \
         o[6] = __float_as_uint(nextafterf(x, 1.0f));\n    o[7] = __float_as_uint((float)std::frexp((double)x, &e));",
    );
    let got = run(&text, values.len() as u32, &input, 8 * values.len());
    for (t, &x) in values.iter().enumerate() {
        let mut e = 0i32;
        let mut m = f64::from(x);
        while m != 0.0 && m.is_finite() && m.abs() >= 1.0 {
            (m, e) = (m / 2.0, e + 1);
        }
        while m != 0.0 && m.abs() < 0.5 {
            (m, e) = (m * 2.0, e - 1);
        }
        let fraction = if x.is_infinite() { 0.0f32.copysign(x) } else { (x - x.trunc()).copysign(x) };
        let (ilogb, logb) = match x {
            0.0 => (i32::MIN, f32::NEG_INFINITY),
            x if x.is_infinite() => (i32::MAX, f32::INFINITY),
            _ => (e - 1, (e - 1) as f32),
        };
        let next = if x < 1.0 {
            x.next_up()
        } else if x > 1.0 {
            x.next_down()
        } else {
            x
        };
        let m = (m as f32).to_bits();
        let expected = [
            m,
            e as u32,
            fraction.to_bits(),
            x.trunc().to_bits(),
            ilogb as u32,
            logb.to_bits(),
            next.to_bits(),
            m,
        ];
        assert_eq!(got[8 * t..][..8], expected, "{x}");
    }
}

#[test]
fn erfinv_inverts_the_error_function() {
    let values: Vec<f32> = (0..64)
        .map(|i| {
            [1.0 - libm::scalbnf(1.0, -(i % 24 + 1)), i as f32 / 64.0, -(i as f32) * 1e-6][i as usize % 3]
        })
        .collect();
    let input: Vec<u32> = values.iter().map(|v| v.to_bits()).collect();
    let text = kernel(
        "    double *o = (double *)out;\n    o[t] = erf((double)erfinvf(__uint_as_float(in[t])));\n    \
                       o[64 + t] = erfc((double)erfinvf(__uint_as_float(in[t])));",
    );
    let got = run(&text, 64, &input, 256);
    let double = |i: usize| f64::from_bits((u64::from(got[2 * i + 1]) << 32) | u64::from(got[2 * i]));
    for (t, x) in values.iter().map(|v| f64::from(*v)).enumerate() {
        // Half an ulp of the result, 2^-24, moves erf by at most that share, and erfc by 2 y² times it, where y² < 17.
        assert!((double(t) - x).abs() <= x.abs() * libm::exp2(-23.0), "{x}: {}", double(t));
        assert!(
            (double(64 + t) - (1.0 - x)).abs() <= (1.0 - x) * 40.0 * libm::exp2(-24.0),
            "{x}: {}",
            double(64 + t)
        );
    }
}

/// Each form of an asynchronous copy of a block's 64 words, read in the order turned around.
#[test]
fn asynchronous_copies_arrive() {
    let forms = [
        (
            "#include <cuda_pipeline.h>\n",
            "if (t < 16) __pipeline_memcpy_async(&s[4 * t], &in[4 * t], 16);\n    __pipeline_commit();\n    \
             __pipeline_wait_prior(0);\n    __syncthreads();",
        ),
        (
            "#include <cuda_pipeline.h>\n",
            "__pipeline_memcpy_async(s + t, in + t, sizeof(unsigned));\n    __pipeline_commit();\n    \
             __pipeline_wait_prior(0);\n    __syncthreads();",
        ),
        (
            "#include <cooperative_groups.h>\n#include <cooperative_groups/memcpy_async.h>\n\
             namespace cg = cooperative_groups;\n",
            "cg::thread_block block = cg::this_thread_block();\n    cg::memcpy_async(block, s, in, sizeof(s));\n    \
             cg::wait(block);",
        ),
        (
            "#include <cooperative_groups.h>\n#include <cuda/barrier>\n",
            "auto block = cooperative_groups::this_thread_block();\n    \
             __shared__ cuda::barrier<cuda::thread_scope_block> bar;\n    if (t == 0) init(&bar, blockDim.x);\n    \
             __syncthreads();\n    cuda::memcpy_async(block, s, in, sizeof(s), bar);\n    bar.arrive_and_wait();",
        ),
        (
            "#include <cuda/barrier>\n",
            "__shared__ cuda::barrier<cuda::thread_scope_block> bar;\n    if (t == 0) init(&bar, blockDim.x);\n    \
             __syncthreads();\n    cuda::memcpy_async(s + t, in + t, cuda::aligned_size_t<4>(4), bar);\n    \
             bar.wait(bar.arrive());",
        ),
        (
            "#include <cuda/pipeline>\n",
            "auto pipe = cuda::make_pipeline();\n    pipe.producer_acquire();\n    \
             cuda::memcpy_async(&s[t], &in[t], sizeof(unsigned), pipe);\n    pipe.producer_commit();\n    \
             cuda::pipeline_consumer_wait_prior<0>(pipe);\n    __syncthreads();\n    pipe.consumer_release();",
        ),
    ];
    let input = numbers(64);
    let turned: Vec<u32> = input.iter().rev().copied().collect();
    for (head, body) in forms {
        let text = kernel(&format!(
            "    __shared__ alignas(16) unsigned s[64];\n    {body}\n    out[t] = s[63 - t];"
        ));
        assert_eq!(run(&format!("{head}{text}"), 64, &input, 64), turned, "{text}");
    }
}

#[test]
fn special_registers_are_read() {
    let text = kernel(
        "    unsigned lane, warp, tid, below;\n    asm(\"mov.u32 %0, %%laneid;\" : \"=r\"(lane));\n    \
         asm volatile(\"mov.u32 %0, %%warpid;\" : \"=r\"(warp));\n    \
         asm(\"mov.u32 %0, %%tid.x;\" : \"=r\"(tid));\n    \
         asm(\"mov.u32 %0, %%lanemask_lt;\" : \"=r\"(below));\n    long long begin, end;\n    \
         asm volatile(\"mov.u64 %0, %%clock64;\" : \"=l\"(begin) :: \"memory\");\n    \
         asm volatile(\"mov.u64 %0, %%clock64;\" : \"=l\"(end) :: \"memory\");\n    \
         out[4 * t] = lane + 100 * (end > begin);\n    out[4 * t + 1] = warp;\n    out[4 * t + 2] = tid;\n    \
         out[4 * t + 3] = below;",
    );
    let got = run(&text, 96, &[0], 384);
    for t in 0..96u32 {
        let expected = [100 + t % 32, t / 32, t, (1 << (t % 32)) - 1];
        assert_eq!(got[4 * t as usize..][..4], expected, "thread {t}");
    }
}

#[test]
fn goto_leaves_nested_loops() {
    let text = include_str!("../../../cuda-front/tests/corpus/accept/control/goto_forward.cu")
        .replace("search(int *out, const int *in, int n)", "k(int *out, const int *in)")
        .replace("int i, j = 0;", "const int n = 5;\n    int i, j = 0;");
    let cells: Vec<i32> = (0..25).map(|i| if i == 7 { -1 } else { i * 11 % 25 }).collect();
    let input: Vec<u32> = cells.iter().map(|v| *v as u32).collect();
    let got = run(&text, 32, &input, 64);
    for t in 0..32 {
        let (mut found, mut column) = (-1, 0);
        'rows: for i in 0..5usize {
            column = 0;
            while column < 5 && cells[5 * i + column] >= 0 {
                if cells[5 * i + column] == t as i32 {
                    found = (5 * i + column) as i32;
                    break 'rows;
                }
                column += 1;
            }
        }
        assert_eq!((got[t] as i32, got[32 + t] as usize), (found, column), "thread {t}");
    }
}
