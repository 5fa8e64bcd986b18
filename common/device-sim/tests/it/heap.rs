//! `malloc`, `free`, `new` and `delete` in device code: values, the order of constructors and destructors, a full heap, and what is
//! found of blocks that are used wrongly. Each in every mode of the simulator.

use crate::kernel::{numbers, run_in_modes};
use crate::programs::{attempt, attempt_warned};

const CLASSES: &str = "
struct Node { unsigned value; Node *next; __device__ Node(unsigned v, Node *n) : value(v), next(n) {} };
// Notes in the thread's log who is made and who ends.
struct Noted {
    unsigned *log, id;
    __device__ Noted() : log(nullptr), id(0) {}
    __device__ Noted(unsigned *log, unsigned id) : log(log), id(id) { *log = *log * 10 + id; }
    __device__ ~Noted() { if (log) *log = *log * 10 + id; }
};
struct Base { __device__ virtual unsigned f(unsigned v) const { return v; } __device__ virtual ~Base() {} };
struct Other { unsigned other; __device__ virtual ~Other() {} };
struct Derived : Other, Base {
    Noted noted;
    __device__ Derived(unsigned *log) : noted(log, 4) { other = 1; }
    __device__ unsigned f(unsigned v) const override { return v + 5; }
};
struct Own { unsigned *values; unsigned n;
    __device__ Own(unsigned n) : values(new unsigned[n]), n(n) {}
    __device__ ~Own() { delete[] values; } };
struct Default { unsigned a = 3; unsigned b[2] = {4, 5}; };
";

/// Bodies of a kernel of `unsigned *out, const unsigned *in` with `t = threadIdx.x`, `v = in[t] % 100` and a log `l` of the thread,
/// and what thread `t` gives for `v`.
type Case = (&'static str, fn(u32, u32) -> u32);

const CASES: &[Case] = &[
    ("unsigned *p = (unsigned *)malloc(4); *p = v; out[t] = *p; free(p);", |_, v| v),
    ("int *p = new int(v); out[t] = *p + 1; delete p; delete (int *)nullptr; free(nullptr);", |_, v| v + 1),
    ("unsigned *p = new unsigned[v]{}; unsigned s = 0; for (unsigned i = 0; i < v; ++i) s += p[i]; out[t] = s; delete[] p;", |_, _| 0),
    ("unsigned n = v + 1, *p = new unsigned[n]; for (unsigned i = 0; i < n; ++i) p[i] = i;
      unsigned s = 0; for (unsigned i = 0; i < n; ++i) s += p[i]; out[t] = s; delete[] p;", |_, v| v * (v + 1) / 2),
    ("unsigned *p = new unsigned[4]{v, 2}; out[t] = p[0] * 100 + p[1] * 10 + p[3]; delete[] p;", |_, v| v * 100 + 20),
    ("unsigned (*p)[3] = new unsigned[v + 1][3]; p[v][2] = v; out[t] = p[v][2]; delete[] p;", |_, v| v),
    ("short *p = new short[5](); p[4] = 7; out[t] = p[3] + p[4]; delete[] p;", |_, _| 7),
    // A list of the thread's own.
    ("Node *head = nullptr; for (unsigned i = 0; i < v % 7; ++i) head = new Node(i + t, head);
      unsigned s = 0; while (head) { s = s * 3 + head->value; Node *next = head->next; delete head; head = next; } out[t] = s;",
     |t, v| (0..v % 7).rev().fold(0, |s: u32, i| s.wrapping_mul(3).wrapping_add(i + t))),
    // The order of destructors.
    ("Noted *a = new Noted(&l, 1), *b = new Noted(&l, 2); delete a; delete b; out[t] = l;", |_, _| 1212),
    ("Noted *a = new Noted[3]; for (unsigned i = 0; i < 3; ++i) { a[i].log = &l; a[i].id = i + 1; } delete[] a; out[t] = l;",
     |_, _| 321),
    ("Noted *a = new Noted[v % 5]; for (unsigned i = 0; i < v % 5; ++i) { a[i].log = &l; a[i].id = i + 1; } delete[] a; out[t] = l;",
     |_, v| (1..=v % 5).rev().fold(0, |l, i| l * 10 + i)),
    // Through a base that is not at the beginning.
    ("Base *b = new Derived(&l); out[t] = b->f(v); delete b; out[t] += l;", |_, v| v + 5 + 44),
    ("Own *o = new Own(3); o->values[2] = v; out[t] = o->values[2] + o->n; delete o;", |_, v| v + 3),
    ("Default *d = new Default[v % 4 + 1]; unsigned i = v % 4; out[t] = d[i].a * 100 + d[i].b[0] * 10 + d[i].b[1]; delete[] d;",
     |_, _| 345),
    ("float4 *p = new float4[2]; p[1] = make_float4(1, 2, 3, v); out[t] = (unsigned)p[1].w; delete[] p;", |_, v| v),
    // What a thread makes another one uses, after a barrier.
    ("__shared__ Node *queue[64]; queue[t] = new Node(v, nullptr); __syncthreads();
      out[t ^ 1] = queue[t ^ 1]->value; __syncthreads(); delete queue[63 - t];", |_, v| v),
    ("__shared__ unsigned *all; if (t == 0) all = new unsigned[64]; __syncthreads(); all[t] = v; __syncthreads();
      out[t] = all[t]; __syncthreads(); if (t == 63) delete[] all;", |_, v| v),
    ("unsigned *p = new unsigned(0); atomicAdd(p, v); atomicAdd(p, 1u); out[t] = *p; delete p;", |_, v| v + 1),
    // The budget is 8 MiB for all that is in use at once.
    ("void *p = malloc(9 << 20); out[t] = p == nullptr; free(p);", |_, _| 1),
    ("if (t == 0) { void *a = malloc(5 << 20), *b = malloc(5 << 20); free(a); void *c = malloc(5 << 20);
      out[0] = (a != nullptr) + 2 * (b != nullptr) + 4 * (c != nullptr); free(c); } else out[t] = 5;", |_, _| 5),
    ("char *p = new char[64 << 20]; Noted *q = new Noted[1 << 20]; out[t] = (p == nullptr) + 2 * (q == nullptr); delete[] q;",
     |_, _| 3),
    ("unsigned n = 0; for (unsigned i = 0; i < 300; ++i) { unsigned *p = new unsigned[256]; p[i % 256] = i; n += p[i % 256]; delete[] p; }
      out[t] = n;", |_, _| 44850),
];

#[test]
fn values_order_and_budget() {
    let input = numbers(64);
    for (body, expected) in CASES {
        let text = format!(
            "{CLASSES}extern \"C\" __global__ void k(unsigned *out, const unsigned *in) {{
                unsigned t = threadIdx.x, v = in[t] % 100, l = 0; {body}
            }}"
        );
        let expected: Vec<u32> = (0..64).map(|t| expected(t, input[t as usize] % 100)).collect();
        assert_eq!(run_in_modes(&text, 64, &input, 64, true), expected, "{body}");
    }
}

#[test]
fn blocks_of_the_grid_and_threads_of_a_tree() {
    // Each block has a tree of its own; the last block to end counts the nodes that are left in all.
    let text = "
        struct Tree { int key; Tree *left, *right; __device__ Tree(int k) : key(k), left(nullptr), right(nullptr) {} };
        __device__ void insert(Tree **at, int key) {
            while (*at) at = key < (*at)->key ? &(*at)->left : &(*at)->right;
            *at = new Tree(key);
        }
        __device__ int sum(Tree *t) { return t ? t->key + sum(t->left) + sum(t->right) : 0; }
        extern \"C\" __global__ void k(int *out) {
            Tree *root = nullptr;
            for (int i = 0; i < 9; ++i) insert(&root, (i * 5 + threadIdx.x) % 9 + blockIdx.x);
            out[blockIdx.x * blockDim.x + threadIdx.x] = sum(root);
        }";
    let (out, warnings) = attempt_warned(text, [5, 40], &[vec![0; 800]]).unwrap();
    let out: Vec<i32> = out.chunks(4).map(|c| i32::from_le_bytes(c.try_into().unwrap())).collect();
    assert_eq!(out, (0..200).map(|i| 36 + 9 * (i / 40)).collect::<Vec<_>>());
    assert_eq!(warnings, "");
}

#[test]
fn wrong_uses_are_found() {
    // What one thread does, and parts of the message.
    let cases: &[(&str, &[&str])] = &[
        ("int *p = new int[3]; p[3] = 1;", &["out-of-bounds", "`malloc(12)`", "was allocated here"]),
        ("int *p = new int[3]; int *q = new int[3]; q[0] = 1; p[4] = q[0];", &["out-of-bounds"]),
        ("char *p = (char *)malloc(8); *(int *)(p + 2) = 1;", &["misaligned-access"]),
        ("char *p = (char *)malloc(5); *(int *)(p + 4) = 1;", &["out-of-bounds"]),
        ("int *p = new int(1); delete p; out[0] = *p;", &["use-after-free", "was freed here"]),
        ("int *p = new int(1); delete p; int *q = new int(2); *p = 3; out[0] = *q;", &["use-after-free"]),
        ("int *p = new int[2]; p[0] = 1; out[0] = p[1];", &["uninitialized-read"]),
        ("int *p = new int(1); delete p; delete p;", &["double-free", "was freed here"]),
        ("int *p = new int[2]; delete[] (p + 1);", &["invalid-free", "byte 4", "was allocated here"]),
        (
            "int x = out[0]; int *p = &x; if (x == 0) delete p; out[1] = *p;",
            &["invalid-free", "local memory"],
        ),
        ("free(out);", &["invalid-free", "buffer of the host"]),
        ("E *p = new E[2]; delete p;", &["invalid-free", "delete[]"]),
        ("int *p = (int *)malloc(9 << 20); *p = 1;", &["null-pointer"]),
        ("for (int i = 0; i < 100; ++i) free(malloc(1 << 20));", &["device-allocation", "64 MiB"]),
    ];
    for (body, parts) in cases {
        let text = format!(
            "struct E {{ int x; __device__ ~E() {{ x = 0; }} }};
            extern \"C\" __global__ void k(int *out) {{ if (threadIdx.x == 3) {{ {body} }} }}"
        );
        let found = attempt(&text, 40, &[vec![0; 16]]).unwrap_err();
        for part in *parts {
            let unwrapped = found.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(unwrapped.contains(part), "{body}: {part} is not in\n{found}");
        }
    }
}

#[test]
fn races_on_the_heap_are_found() {
    let text = "extern \"C\" __global__ void k(int *out) {
        __shared__ int *p; if (threadIdx.x == 0) p = new int[64]; __syncthreads();
        p[threadIdx.x] = threadIdx.x; out[threadIdx.x] = p[63 - threadIdx.x]; }";
    let found = attempt(text, 64, &[vec![0; 256]]).unwrap_err();
    assert!(found.contains("race") && found.contains("malloc(256)"), "{found}");
}
