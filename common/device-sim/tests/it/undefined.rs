//! Uninitialised values: kernels with the expected verdict.
//!
//! Each case is run with several types, several conditions under which something gets a value, and several shapes of the block.
//! `T` is the type, `C` the condition, `i` the thread's number in the grid, of which `out` has an element of type `T` for each. Each run is
//! compared with the IR's executable definition besides.

use crate::programs::attempt_warned;

/// What the cases may call.
const FUNCTIONS: &str = "
struct P { T a, b; };
struct Q { P pos; int n; };
struct V { T v[3]; };
struct Flags { unsigned lo : 3, hi : 5; };
struct Padded { char c; double d; };
union U { T t; int n; };
__device__ T id(T v) { return v; }
__device__ P first_only(T v) { P p; p.a = v; return p; }
__device__ T second(P p) { return p.b; }
__device__ void set_first(P &p, T v) { p.a = v; }
__device__ void fill(T *p, int n) { for (int j = 0; j < n; j++) p[j] = (T)j; }
__device__ T deep(T v, int n) { return n <= 0 ? v : deep(v, n - 1); }
__device__ T lost(int n) { T x; if (n > 100) x = 1; return n <= 0 ? x : lost(n - 1); }
__device__ P pass(P p, int n) { if (n > 0) return pass(p, n - 1); return p; }
";

const TYPES: [&str; 4] = ["float", "int", "double", "unsigned char"];
/// True in some threads of each block and not in all.
const CONDITIONS: [&str; 3] = ["i % 64 < 5", "(i & 1) != 0", "(threadIdx.x * 7) % 3 == 1"];
/// Blocks and threads of each.
const SHAPES: [[u32; 2]; 3] = [[1, 32], [2, 64], [1, 96]];

/// Runs a case in all of its variants; `judge` gets each variant's name and what is reported of it, nothing or all the text.
fn variants(body: &str, judge: impl Fn(&str, &str)) {
    for (number, ty) in TYPES.into_iter().enumerate() {
        // Not all combinations: each type with each condition, and each shape several times.
        for (other, condition) in CONDITIONS.into_iter().enumerate() {
            let [blocks, threads] = SHAPES[(number + other) % SHAPES.len()];
            let text = format!(
                "{FUNCTIONS}__global__ void k(T *out) {{\n    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n    \
                 const int zero = blockDim.y - 1;\n{body}\n}}\n"
            );
            let text = format!("#define T {ty}\n#define C ({condition})\n{text}");
            let out = vec![0; 8 * (blocks * threads) as usize];
            let told = attempt_warned(&text, [blocks, threads], &[out]);
            let told = told.map_or_else(|stopped| stopped, |(_, warnings)| warnings);
            judge(&format!("{body}\nT {ty}, C {condition}, {blocks} blocks of {threads}"), &told);
        }
    }
}

fn assert_clean(bodies: &[&str]) {
    for body in bodies {
        variants(body, |variant, told| assert_eq!(told, "", "{variant}"));
    }
}

/// Each body with the name of what has no value.
fn assert_told(cases: &[(&str, &str)]) {
    for (body, name) in cases {
        variants(body, |variant, told| {
            // The compiler may have told of it already, of variables that never get a value.
            let found = told.contains(&format!("`{name}` is used before it has a value"))
                || told.contains(&format!("`{name}` is read before"));
            assert!(found, "`{name}`: {variant}\n{told}");
        });
    }
}

#[test]
fn members_of_structures() {
    assert_told(&[
        ("P p; p.a = 1; out[i] = p.b;", "p.b"),
        ("P p; p.a = 1; if C p.b = 2; out[i] = p.a + p.b;", "p.b"),
        ("Q q; q.pos.a = 1; q.n = 2; out[i] = q.pos.b;", "q.pos.b"),
        ("Q q; q.pos.a = 1; q.n = 2; Q r = q; P p = r.pos; out[i] = p.b;", "q.pos.b"),
        ("P p; p.a = 1; P q; q = p; out[i] = q.b;", "p.b"),
        ("P p = first_only(1); out[i] = p.b;", "p.b"),
        ("P p; p.a = 1; out[i] = second(p);", "p.b"),
        ("P p; set_first(p, 1); out[i] = p.b;", "p.b"),
        ("P p; P *q = &p; q->a = 1; out[i] = q->b;", "p.b"),
        ("float4 v; v.x = 1; v.y = 2; v.z = 3; out[i] = v.w;", "v.w"),
        ("int2 v; v.x = i; if C v.y = 1; if (v.y == 1) out[i] = 1;", "v.y"),
        ("P p; p.a = 1; auto f = [=]() { return p.b; }; out[i] = f();", "p.b"),
    ]);
    assert_clean(&[
        "P p; p.a = 1; out[i] = p.a;",
        "P p; p.a = 1; P q = p; P r; r = q; out[i] = r.a;",
        "P p = first_only(3); p.b = 1; out[i] = p.a + p.b;",
        "P p; p.a = 1; if C p.b = 2; T r = p.a; if C r += p.b; out[i] = r;",
        "float4 v; v.x = 1; v.y = 2; float4 w = v; out[i] = w.x + w.y;",
        "P p; set_first(p, 1); p.b = p.a; out[i] = second(p);",
        "Q q; q.pos = first_only(1); q.pos.b = 0; Q r = q; out[i] = r.pos.a + r.pos.b;",
        "P p; p.a = 1; P q = C ? p : first_only(2); out[i] = q.a;",
        "P p = {}; out[i] = p.b;",
        "P p{1}; out[i] = p.b;",
    ]);
}

#[test]
fn elements_of_arrays() {
    assert_told(&[
        ("T a[4]; if C a[0] = 1; out[i] = a[0];", "a[0]"),
        (
            "T a[4]; for (int j = 0; j < 3; j++) a[j] = 1;\n T s = 0; for (int j = 0; j < 4; j++) s += a[j]; out[i] = s;",
            "a[3]",
        ),
        ("T a[4]; fill(a, 2); out[i] = a[2];", "a[2]"),
        (
            "T a[2][3]; for (int j = 0; j < 2; j++) for (int k = 0; k < 2; k++) a[j][k] = 1; out[i] = a[1][2];",
            "a[1][2]",
        ),
        ("V v; v.v[0] = 1; v.v[1] = 2; out[i] = v.v[2];", "v.v[2]"),
        ("P a[3]; for (int j = 0; j < 3; j++) a[j].a = 1; out[i] = a[1].b;", "a[1].b"),
        ("T a[2]; a[0] = 1; T *p = a; out[i] = p[1];", "a[1]"),
        // In memory, because the index is not known.
        ("T a[40]; a[i % 40] = 1; out[i] = a[(i + 7) % 40];", "a[7]"),
        ("P a[40]; a[i % 40].a = 1; out[i] = a[(i + zero) % 40].b;", "a[0].b"),
    ]);
    assert_clean(&[
        "T a[4]; for (int j = 0; j < 4; j++) a[j] = (T)j; T s = 0; for (int j = 0; j < 4; j++) s += a[j]; out[i] = s;",
        "T a[4]; fill(a, 3); out[i] = a[0] + a[1] + a[2];",
        "T a[3]; if C a[1] = 2; out[i] = C ? a[1] : (T)0;",
        "for (int r = 0; r < 3; r++) { T a[2]; a[0] = 1; a[1] = a[0]; out[i] = a[1]; }",
        "T a[4]; int n = i % 4 + 1; for (int j = 0; j < 4; j++) if (j < n) a[j] = 1;\n T s = 0; for (int j = 0; j < 4; j++) if (j < n) s += a[j]; out[i] = s;",
        "V v; for (int j = 0; j < 3; j++) v.v[j] = 1; V w = v; out[i] = w.v[2];",
        "P a[3]; for (int j = 0; j < 3; j++) a[j].a = 1; P b = a[1]; out[i] = b.a;",
        "P a[40]; a[i % 40].a = 1; P b = a[(i + zero) % 40]; out[i] = b.a;",
    ]);
}

#[test]
fn values_of_other_lanes() {
    assert_told(&[
        ("T x; if (threadIdx.x % 32 < 16) x = 1;\n T y = __shfl_xor_sync(~0u, (int)x, 16); out[i] = y;", "x"),
        (
            "float x; if C x = 1; for (int d = 16; d; d /= 2) x += __shfl_down_sync(~0u, x, d); out[i] = x;",
            "x",
        ),
        ("int lane; if C lane = 3; out[i] = __shfl_sync(~0u, i, lane);", "lane"),
        ("bool p; if C p = true; if (__any_sync(~0u, p)) out[i] = 1;", "p"),
        ("int x; if C x = 1; out[i] = __ballot_sync(~0u, x == 1) != 0;", "x"),
        ("int x; if C x = 1; out[i] = __syncthreads_count(x);", "x"),
        ("int x; if C x = 1; out[i] = __reduce_add_sync(~0u, x);", "x"),
        ("P p; p.a = i; int y = __shfl_sync(~0u, (int)p.b, 0); out[i] = y;", "p.b"),
    ]);
    assert_clean(&[
        "float x; if (threadIdx.x % 32 < 16) x = 1;\n float y = __shfl_xor_sync(~0u, x, 16); if (threadIdx.x % 32 >= 16) out[i] = y;",
        "float x; if (threadIdx.x % 32 == 0) x = 5; x = __shfl_sync(~0u, x, 0); out[i] = x;",
        "int x; if C x = 1; out[i] = __ballot_sync(~0u, C && x == 1) != 0;",
        "float x; x = C ? 1 : 0; for (int d = 16; d; d /= 2) x += __shfl_down_sync(~0u, x, d); out[i] = x;",
        "int x = 0; if C x = 1; out[i] = __reduce_add_sync(~0u, x);",
    ]);
}

#[test]
fn values_that_go_through_functions() {
    assert_told(&[
        ("T x; if C x = 1; out[i] = id(x);", "x"),
        ("T x; if C x = 1; out[i] = deep(x, 3);", "x"),
        ("out[i] = lost(i % 3);", "x"),
        ("P p; p.a = 1; P q = pass(p, 2); out[i] = q.b;", "p.b"),
        ("T x; if C x = 1; T (*f)(T) = id; out[i] = f(x);", "x"),
        ("T x; if C x = 1; auto f = [=]() { return x; }; out[i] = f();", "x"),
        ("T x; const bool set = C; auto f = [&]() { if (set) x = 1; }; f(); out[i] = x;", "x"),
        ("T x; T &r = x; if C r = 1; out[i] = x;", "x"),
    ]);
    assert_clean(&[
        "T x; if C x = 1; T y = id(x); if C out[i] = y;",
        "T x; if C x = 1; T y = deep(x, 3); if C out[i] = y;",
        "P p; p.a = 1; P q = pass(p, 2); out[i] = q.a;",
        "T x; auto f = [&]() { x = 1; }; f(); out[i] = x;",
        "T x; T &r = x; r = 1; out[i] = x;",
        "T x; const bool set = C; if (set) x = 1; auto f = [=]() { return set ? x : (T)2; }; out[i] = f();",
    ]);
}

#[test]
fn what_does_not_depend_on_the_value() {
    assert_clean(&[
        "T x; if C x = 1; T y = C ? x : (T)0; out[i] = y;",
        "int x; if C x = 1; out[i] = x & zero;",
        "int x; if C x = 1; out[i] = x * zero;",
        "int x; if C x = 1; out[i] = x ^ x;",
        "int x; if C x = 1; out[i] = x - x;",
        "int x; if C x = 1; out[i] = (x | (zero - 1)) + 1;",
        "bool p; if C p = i > 7; if (C && p) out[i] = 1;",
        "bool p; if C p = i > 7; if (!C || p) out[i] = 1;",
        "T x; T y = x; if C y = 2; out[i] = 1;",
        "T x; if C x = 1; if C out[i] = x;",
        "T x; for (int j = 0; j < 3; j++) { if (j == 0) x = 1; out[i] = x; }",
        "int k = 0; T x; while (true) { if (k++ == 2) break; x = (T)k; } out[i] = x;",
        "T x; bool set = false; for (int j = 0; j < 8; j++) if (j == i % 16) { x = (T)j; set = true; } if (set) out[i] = x;",
        "Flags f; f.lo = 1; f.hi = 2; out[i] = f.lo + f.hi;",
        "Flags f; f.lo = 1; Flags g = f; out[i] = g.lo;",
        "Flags f; Flags *p = &f; p->lo = 1; out[i] = p->lo;",
        "Flags f[40]; f[i % 40].lo = 1; out[i] = f[(i + zero) % 40].lo;",
        "__shared__ Flags f[128]; f[threadIdx.x].lo = 1; __syncthreads(); out[i] = f[threadIdx.x].lo;",
        "Padded p; p.c = 1; p.d = 2; Padded q = p; Padded *r = &q; out[i] = (T)(r->c + r->d);",
        "__shared__ Padded s[128]; Padded p; p.c = 1; p.d = 2; s[threadIdx.x] = p; __syncthreads();\n Padded q = s[threadIdx.x]; out[i] = (T)q.d;",
        "Padded p; p.c = 1; p.d = 2; Padded q; memcpy(&q, &p, sizeof p); out[i] = (T)q.d;",
        "P p; p.a = 1; P q; memcpy(&q, &p, sizeof p); out[i] = q.a;",
        "__shared__ P s[128]; s[threadIdx.x].a = 1; P p; memcpy(&p, &s[threadIdx.x], sizeof p); out[i] = p.a;",
        "U u; u.t = 1; out[i] = u.t;",
        "U u; u.t = 1; U w = u; out[i] = w.t;",
        "__shared__ P s[128]; s[threadIdx.x].a = 1; __syncthreads(); P p = s[threadIdx.x ^ 1]; out[i] = p.a;",
        "__shared__ P s[128]; P p; p.a = 1; s[threadIdx.x] = p; __syncthreads(); out[i] = s[threadIdx.x ^ 1].a;",
        "__shared__ P s[128]; s[threadIdx.x].a = 1; __syncthreads(); P p; p = s[threadIdx.x]; __syncthreads(); s[threadIdx.x] = p; out[i] = s[threadIdx.x].a;",
    ]);
}

#[test]
fn uses_that_stop_the_launch() {
    for (body, name) in [
        ("int k; if C k = i; out[k] = 1;", "k"),
        ("int k; if C k = 1; out[i] = i / k;", "k"),
        ("int2 v; v.x = 0; if C v.y = 0; out[i] = out[v.y];", "v.y"),
        ("T *p; if C p = out; p[i] = 1;", "p"),
        ("int a[3]; if C a[1] = 0; out[a[1] + i] = 2;", "a[1]"),
    ] {
        variants(body, |variant, told| {
            let title = format!("error[uninitialized-variable]: `{name}` is used before it has a value");
            assert!(told.contains(&title), "{variant}\n{told}");
        });
    }
}

#[test]
fn atomics_on_memory_that_nothing_has_written() {
    for (body, name) in [
        ("__shared__ int c; atomicAdd(&c, 1); __syncthreads(); out[i] = c;", "c"),
        (
            "__shared__ int c[2]; if (threadIdx.x == 0) c[0] = 0; __syncthreads(); atomicMax(&c[1], i); __syncthreads(); out[i] = 1;",
            "c[1]",
        ),
        ("__shared__ int c; atomicCAS(&c, 0, 1); __syncthreads(); out[i] = 1;", "c"),
        ("__shared__ int c; if (atomicExch(&c, 1) == 0) out[i] = 1;", "c"),
        ("int c; int *p = &c; for (int j = 0; j < i % 2 + 1; j++) atomicAdd(p + zero, 1); out[i] = c;", "c"),
    ] {
        variants(body, |variant, told| {
            let title =
                format!("error[uninitialized-read]: `{name}` is read before anything is written to it");
            assert!(told.contains(&title), "{variant}\n{told}");
        });
    }
    assert_clean(&[
        "__shared__ int c; if (threadIdx.x == 0) c = 0; __syncthreads(); atomicAdd(&c, 1); __syncthreads(); out[i] = c;",
        "__shared__ int c; atomicExch(&c, 1); __syncthreads(); atomicAdd(&c, 1); out[i] = 1;",
        "int c = 0; int *p = &c; atomicAdd(p + zero, 1); out[i] = c;",
        "__shared__ unsigned h[8]; if (threadIdx.x < 8) h[threadIdx.x] = 0; __syncthreads(); atomicAdd(&h[i % 8], 1u); __syncthreads(); if (threadIdx.x < 8) out[i] = h[threadIdx.x];",
    ]);
}
