//! Memory requests of small kernels as nvcc compiles them: loads that leave loops, and neighbours in shared memory that
//! become one access.
//!
//! Expected are the loads and stores that the machine code of NVRTC 13.0 for compute capability 9.0 executes, read off
//! its disassembly (`nvdisasm -c`) and multiplied by the iterations of each loop. Exceptions say so.

use device::{Argument, Counters};

use crate::classics_support::Run;

/// Runs `k` of a program with one warp, `n` as its last argument.
fn counters(text: &str, n: i32) -> Counters {
    let mut run = Run::of_text(text);
    let input: Vec<f32> = (0..1024).map(|i| i as f32).collect();
    let (a, b, y) = (run.floats(&input), run.floats(&input), run.floats(&input));
    run.counted("k", [32, 1, 1], 4096, &[a, b, y, Argument::I32(n)])
}

/// A kernel with these parameters and this body; `i` is the thread.
fn kernel(parameters: &str, body: &str) -> String {
    format!("__global__ void k({parameters}, int n) {{ int i = threadIdx.x; {body} }}")
}

const PLAIN: &str = "const float *a, const float *b, float *y";

/// Loads from global memory with five iterations, and with none.
#[track_caller]
fn global_loads(parameters: &str, body: &str, five: u64, none: u64) {
    let text = kernel(parameters, body);
    for (n, expected) in [(5, five), (0, none)] {
        assert_eq!(counters(&text, n).global_load_requests, expected, "{n} iterations of\n{text}");
    }
}

#[test]
fn a_load_that_stays_the_same_leaves_its_loop() {
    // b[j] once per iteration, and a[i] once if there is any.
    let loops = [
        "for (int j = 0; j < n; j++) s += a[i] * b[j];",
        "int j = 0; while (j < n) { s += a[i] * b[j]; j++; }",
        "for (int j = n; j-- > 0;) s += a[i] * b[j];",
        "const float *p = a + i; for (int j = 0; j < n; j++) s += *p * b[j];",
        "const float *e = b + n; for (; b != e; ++b) s += a[i] * *b;",
        "for (int j = 0; j < n; j++) { float v = b[j]; s += *(a + i) * v; }",
        "#pragma unroll 1\nfor (int j = 0; j < n; j++) s += a[i] * b[j];",
        "#pragma unroll 4\nfor (int j = 0; j < n; j++) s += a[i] * b[j];",
        "for (int j = 0; j < n; j++) { float v = a[i]; if (j > 2) v += 1; s += v * b[j]; }",
        "for (int j = 0; j < n; j++) s += a[i] * b[j] + a[i];",
    ];
    for text in loops {
        let body = format!("float s = 0;\n{text}\ny[i] = s;");
        global_loads(PLAIN, &body, 6, 0);
    }
    // A `do` makes an iteration even then.
    let body = "float s = 0; int j = 0; do { s += a[i] * b[j]; j++; } while (j < n); y[i] = s;";
    global_loads(PLAIN, body, 6, 2);
}

#[test]
fn types_and_spellings_count_alike() {
    for ty in ["float", "double", "int", "float4", "float2"] {
        let read = if ty.len() == 6 && ty.starts_with("float") { ".x" } else { "" };
        let parameters = format!("const {ty} *a, const float *b, float *y");
        let body = format!("float s = 0; for (int j = 0; j < n; j++) s += a[i]{read} * b[j]; y[i] = s;");
        if ty != "double" && ty != "float4" {
            global_loads(&parameters, &body.replace("a[i]", "a[i / 2]"), 6, 0);
        } else {
            global_loads(&parameters, &body.replace("a[i]", "a[i / 4]"), 6, 0);
        }
    }
}

#[test]
fn the_end_of_a_row_is_loaded_once() {
    // for (j = r[i]; j < r[i + 1]; j++): nvcc loads both ends in front of the loop, as often as with a variable.
    let parameters = "const int *r, const float *b, float *y";
    for text in [
        "for (int j = r[i]; j < r[i + 1]; j++) s += b[j & 3];",
        "int j = r[i]; while (j < r[i + 1]) { s += b[j & 3]; j++; }",
        "int end = r[i + 1]; for (int j = r[i]; j < end; j++) s += b[j & 3];",
    ] {
        let body = format!("float s = 0; if (n > 9) {{ {text} }} y[i] = s;");
        global_loads(parameters, &body, 0, 0);
    }
    let row = "__global__ void k(const int *r, const float *b, float *y, int n) { float s = 0;
        for (int j = r[n]; j < r[n + 1]; j++) s += b[j - r[n]]; y[threadIdx.x] = s; }";
    let mut run = Run::of_text(row);
    let (r, b, y) = (run.ints(&[3, 7, 7]), run.floats(&[1.0; 8]), run.floats(&[0.0; 32]));
    for (n, expected) in [(0, 2 + 4), (1, 2)] {
        let counted = run.counted("k", [32, 1, 1], 0, &[r, b, y, Argument::I32(n)]);
        assert_eq!(counted.global_load_requests, expected, "row {n}");
    }
}

#[test]
fn nested_loops() {
    // a[i] leaves both loops: the inner one is sure to make an iteration.
    let body = "float s = 0;
        for (int k = 0; k < n; k++) {
            #pragma unroll 1
            for (int j = 0; j < 8; j++) s += a[i] * b[j * 8 + k];
        }
        y[i] = s;";
    global_loads(PLAIN, body, 1 + 5 * 8, 0);
    // The inner loop of the first iteration of the outer one is empty: a[i] and a[k] are loaded in the other four.
    let body = "float s = 0;
        #pragma unroll 1
        for (int k = 0; k < n; k++) {
            #pragma unroll 1
            for (int j = 0; j < k; j++) s += a[i] * b[j] * a[k];
        }
        y[i] = s;";
    global_loads(PLAIN, body, 4 + 4 + (1 + 2 + 3 + 4), 0);
}

#[test]
fn what_may_not_be_executed_stays() {
    let guarded = "float s = 0; for (int j = 0; j < n; j++) if (b[j] > 1) s += a[i]; y[i] = s;";
    global_loads(PLAIN, guarded, 5 + 3, 0);
    let after_continue =
        "float s = 0; for (int j = 0; j < n; j++) { if (b[j] < 2) continue; s += a[i]; } y[i] = s;";
    global_loads(PLAIN, after_continue, 5 + 3, 0);
    let after_break =
        "float s = 0; for (int j = 0; j < n; j++) { if (b[j] > 2) break; s += a[i]; } y[i] = s;";
    global_loads(PLAIN, after_break, 4 + 3, 0);
    let after_trap = "float s = 0;
#pragma unroll 1
for (int j = 0; j < n; j++) { if (j > 99) __trap(); s += a[i]; } y[i] = s;";
    global_loads(PLAIN, after_trap, 5, 0);
}

#[test]
fn stores_keep_loads_in_the_loop_unless_they_go_elsewhere() {
    let store = "for (int j = 0; j < n; j++) y[j * 32 + i] = a[i] * b[j];";
    let parameters = |restrict: [&str; 3]| {
        let [a, b, y] = restrict;
        format!("const float *{a} a, const float *{b} b, float *{y} y")
    };
    const R: &str = "__restrict__";
    global_loads(&parameters(["", "", ""]), store, 10, 0);
    global_loads(&parameters([R, "", ""]), store, 6, 0);
    global_loads(&parameters(["", "", R]), store, 6, 0);
    global_loads(&parameters([R, R, R]), store, 6, 0);
    let shared =
        "__shared__ float s[256]; for (int j = 0; j < n; j++) s[j * 32 + i] = a[i] * b[j]; y[i] = s[i];";
    global_loads(PLAIN, &shared.replace("s[256]", "s[256]; s[i] = 0"), 6, 0);
}

#[test]
fn what_other_threads_may_change_stays() {
    let with = |statement: &str| {
        format!(
            "__shared__ int c; float s = 0; for (int j = 0; j < n; j++) {{ s += a[i] * b[j]; {statement} }} y[i] = s;"
        )
    };
    for statement in ["__syncthreads();", "__syncwarp();", "__threadfence();", "atomicAdd((int *)y + 40, 1);"]
    {
        global_loads(PLAIN, &with(statement), 10, 0);
    }
    // These leave global memory as it is.
    let quiet = ["s = __shfl_xor_sync(~0u, s, 1);", "s += __any_sync(~0u, j > 2);", "if (i == 0) c = j;"];
    for statement in quiet {
        global_loads(PLAIN, &with(statement), 6, 0);
    }
    let restrict = "const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ y";
    global_loads(restrict, &with("__syncthreads();"), 6, 0);
    let volatile = "const volatile float *a, const float *b, float *y";
    global_loads(volatile, &with(""), 10, 0);
}

/// Requests to shared memory: loads and stores of a kernel with one warp. Its array `s` was filled; `q` is a multiple of 4.
#[track_caller]
fn shared(body: &str, loads: u64, stores: u64) {
    let prologue = "__shared__ float s[512]; for (int j = i; j < 512; j += 32) s[j] = a[j]; __syncthreads(); int q = 4 * (i % 32);";
    let text = kernel(PLAIN, &format!("{prologue}\n{body}"));
    let counted = counters(&text, 4);
    let found = (counted.shared_load_requests, counted.shared_store_requests - 16);
    assert_eq!(found, (loads, stores), "{text}");
}

#[test]
fn neighbours_in_shared_memory_are_one_load() {
    // Three or four words of 16 bytes, or the two words of 8.
    shared("y[i] = s[q] + s[q + 1] + s[q + 2] + s[q + 3];", 1, 0);
    shared("y[i] = s[q] + s[q + 1] * s[q + 3];", 1, 0);
    shared("y[i] = s[q + 3] / s[q + 1] + s[q + 2];", 1, 0);
    shared("y[i] = s[q] + s[q + 1];", 1, 0);
    shared("y[i] = s[q + 2] + s[q + 3];", 1, 0);
    for (one, other) in [(0, 2), (0, 3), (1, 2), (1, 3)] {
        shared(&format!("y[i] = s[q + {one}] + s[q + {other}];"), 2, 0);
    }
    // Both halves of 8 bytes, each in another 16.
    shared("y[i] = s[q + 2] + s[q + 3] + s[q + 4] + s[q + 5];", 2, 0);
    // Loops over them.
    shared("float t = 0; for (int k = 0; k < 16; k++) t += s[16 * (i / 4) + k]; y[i] = t;", 4, 0);
    shared("float t = 0; for (int k = 0; k < 7; k++) t += s[k]; y[i] = t;", 2, 0);
    shared("float *p = s + q; float t = *p++; t *= *p++; t -= *p++; y[i] = t + *p;", 1, 0);
    // What alignment proves.
    shared("int e = n & ~3; y[i] = s[e] + s[e + 1] + s[e + 2];", 1, 0);
    shared("int e = (n >> 2) << 2; y[i] = s[e] + s[e + 1] + s[e + 2];", 1, 0);
    shared("int e = 2 * (i % 16); y[i] = s[e] + s[e + 1] + s[e + 2] + s[e + 3];", 2, 0);
    shared("int e = 3 * (i % 16); y[i] = s[e] + s[e + 1] + s[e + 2];", 3, 0);
    shared("y[i] = s[n] + s[n + 1] + s[n + 2];", 3, 0);
}

#[test]
fn what_comes_between_neighbours() {
    shared("float t = s[q]; y[i] = t; y[i + 32] = t + s[q + 1];", 1, 0);
    shared("float t = __shfl_xor_sync(~0u, s[q], 1); y[i] = t + s[q + 1];", 1, 0);
    shared("float t = s[q]; s[256 + i] = t; y[i] = t + s[q + 1];", 2, 1);
    shared("float t = s[q]; __syncthreads(); y[i] = t + s[q + 1];", 2, 0);
    shared("float t = s[q]; for (int j = 0; j < n; j++) t += a[j]; y[i] = t + s[q + 1];", 2, 0);
}

#[test]
fn arrays_of_other_types() {
    let double = "__shared__ double s[64]; s[i] = i; s[i + 32] = i; __syncthreads(); int q = 2 * (i % 16); y[i] = s[q] + s[q + 1];";
    assert_eq!(counters(&kernel(PLAIN, double), 4).shared_load_requests, 1);
    let short = "__shared__ short s[64]; s[i] = i; s[i + 32] = i; __syncthreads(); int q = 4 * (i % 8); y[i] = s[q] + s[q + 1] + s[q + 2] + s[q + 3];";
    assert_eq!(counters(&kernel(PLAIN, short), 4).shared_load_requests, 4);
    let pairs = "__shared__ float2 s[64]; s[i] = make_float2(i, n); s[i + 32] = s[i]; __syncthreads(); int q = 2 * (i % 16); y[i] = s[q].x * s[q + 1].y + s[q].y * s[q + 1].x;";
    assert_eq!(counters(&kernel(PLAIN, pairs), 4).shared_load_requests, 1 + 1);
    let dynamic = "extern __shared__ float s[]; for (int j = i; j < 64; j += 32) s[j] = j; __syncthreads(); int q = 4 * (i % 16); y[i] = s[q] + s[q + 1] + s[q + 2] + s[q + 3];";
    assert_eq!(counters(&kernel(PLAIN, dynamic), 4).shared_load_requests, 1);
    // A row of 17 words begins anywhere, one of 18 at a multiple of 8 bytes.
    for (row, requests) in [(16, 4), (17, 16), (18, 8), (20, 4)] {
        let rows = format!("__shared__ float s[16][{row}]; for (int j = 0; j < 8; j++) s[2 * j + i / 16][i % 16] = j; __syncthreads();
            float t = 0; for (int k = 0; k < 16; k++) t += s[i / 2][k]; y[i] = t;");
        assert_eq!(counters(&kernel(PLAIN, &rows), 4).shared_load_requests, requests, "rows of {row}");
    }
}

#[test]
fn neighbours_that_are_stored_are_one_store() {
    shared("s[q] = n; s[q + 1] = i; s[q + 2] = n * n; s[q + 3] = n * i;", 0, 1);
    shared("s[q + 3] = n; s[q + 1] = i; s[q + 2] = n * n; s[q] = n * i;", 0, 1);
    shared("s[q] = n; s[q + 1] = i; s[q + 2] = n * n;", 0, 2);
    shared("s[q] = n; s[q + 1] = i;", 0, 1);
    shared("s[q] = a[n]; s[q + 1] = a[i]; y[i] = n; s[q + 2] = a[i + 1]; s[q + 3] = a[i + n];", 0, 1);
    shared(
        "s[q] = n; s[q + 1] = i; float t = s[256 + i]; s[q + 2] = n * n; s[q + 3] = n * i; y[i] = t;",
        1,
        2,
    );
}

#[test]
fn global_neighbours_stay_single() {
    global_loads(
        "const float *__restrict__ a, const float *b, float *y",
        "y[i] = a[4 * i] + a[4 * i + 1] + a[4 * i + 2] + a[4 * i + 3];",
        4,
        4,
    );
}

#[test]
fn what_a_loops_test_computes_holds_after_the_loop() {
    // `last` is set by the test, also by the one that finds no iteration.
    let body = "int j = 0, last = 0; float s = 0; while ((last = 3 * j + n) < 4) { s += a[i]; j++; } y[i] = s + last;";
    for (n, expected) in [(1, 4.0), (5, 5.0)] {
        let mut run = Run::of_text(&kernel(PLAIN, body));
        let [a, b, y] = [0; 3].map(|_| run.floats(&[0.0; 32]));
        run.launch("k", [1; 3], [32, 1, 1], 0, &[a, b, y, Argument::I32(n)]);
        assert_eq!(run.read_floats(y, 32), [expected; 32], "n = {n}");
    }
}
