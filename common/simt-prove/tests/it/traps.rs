//! Kernels in which something that looks as if it could be proved is not so: each was chosen against one rule of the prover.

use super::judge::Case;

struct Trap {
    name: &'static str,
    parameters: &'static str,
    body: &'static str,
    grid: [u32; 3],
    block: [u32; 3],
    words: &'static [usize],
    numbers: &'static [i32],
    /// What goes wrong when it runs, so that a kernel that does not show it is noticed.
    shows: Shows,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Shows {
    Meet,
    SharedMeet,
    Unwritten,
    Outside,
    /// A thread reads of the first buffer what it has not written.
    ReadsOthers,
}
use Shows::*;

/// One block of 32 threads, and a buffer of so many words.
const fn one(name: &'static str, body: &'static str, words: &'static [usize], shows: Shows) -> Trap {
    Trap {
        name,
        parameters: "int *a, int n",
        body,
        grid: [1, 1, 1],
        block: [32, 1, 1],
        words,
        numbers: &[10],
        shows,
    }
}

/// The same with 64 threads and three blocks.
const fn more(name: &'static str, body: &'static str, words: &'static [usize], shows: Shows) -> Trap {
    Trap { grid: [3, 1, 1], block: [64, 1, 1], ..one(name, body, words, shows) }
}

const TRAPS: &[Trap] = &[
    one("stores of some threads, reads of all", "int t = threadIdx.x; if (t < n) a[t] = 0; a[t] += 1;", &[32], ReadsOthers),
    one("stores at one side only", "int t = threadIdx.x; if (t < n) a[t] = 0; else a[t + 1] = 0; a[t] += 1;", &[33], ReadsOthers),
    one("stores of a loop that may not run", "int t = threadIdx.x; for (int k = t; k < n; k++) a[t] = 0; a[t] += 1;", &[32], ReadsOthers),
    one(
        "stores of the iteration before",
        "int t = threadIdx.x, sum = 0;
        for (int k = 0; k < n; k++) {
            sum += a[32 * k + t];
            a[32 * k + t + 32] = sum;
        }",
        &[32 * 11],
        ReadsOthers,
    ),
    one(
        "stores that some jump over",
        "int t = threadIdx.x;
        do {
            if (t < n) break;
            a[t] = 0;
        } while (false);
        a[t] += 1;",
        &[32],
        ReadsOthers,
    ),
    one(
        "stores that a `continue` jumps over",
        "int t = threadIdx.x, sum = 0;
        for (int k = 0; k < n; k++) {
            if ((k + t) % 2 == 0) continue;
            a[32 * k + t] = k;
        }
        for (int k = 0; k < n; k++) sum += a[32 * k + t];
        a[32 * n + t] = sum;",
        &[32 * 11],
        ReadsOthers,
    ),
    one("a word of which a byte is stored", "int t = threadIdx.x; ((char *)a)[4 * t] = 0; a[t] += 1;", &[32], ReadsOthers),
    one("the word after the one that is stored", "int t = threadIdx.x; a[2 * t] = 0; a[2 * t + 1] += 1;", &[64], ReadsOthers),
    one(
        "an index that has changed since",
        "int t = threadIdx.x, v = (t * 7) & 31;
        a[v] = 0;
        v = (v * 5 + t) & 31;
        a[v] += 1;",
        &[32],
        ReadsOthers,
    ),
    one("stores to another buffer", "int t = threadIdx.x; __shared__ int s[32]; s[t] = 0; a[t] += s[t];", &[32], ReadsOthers),
    one("an atomic operation that reads", "int t = threadIdx.x; atomicAdd(&a[t], 1); a[t] = 0;", &[32], ReadsOthers),
    one(
        "a loop whose test counts",
        "int i = 0;
        while (i++ < n) {}
        a[i] = 1;",
        &[11],
        Outside,
    ),
    one(
        "a loop that is left in the middle of a step",
        "int i = 0;
        while (i < n) {
            i += 2;
            if (threadIdx.x == 3 && i == n + 1) break;
            i -= 1;
        }
        a[i] = 1;",
        &[12 - 1],
        Outside,
    ),
    one(
        "stores of some iterations",
        "__shared__ int s[32];
        int t = threadIdx.x, x = 0;
        for (int k = 0; k < 4; k++) {
            if (k >= 2) s[t] = t;
            __syncthreads();
            x += s[t];
            __syncthreads();
        }
        a[t] = x;",
        &[32],
        Unwritten,
    ),
    one(
        "stores of some iterations, beside a break",
        "__shared__ int s[32];
        int t = threadIdx.x, x = 0;
        for (int k = 0; k < 4; k++) {
            switch (n) {
            default:
                if (k < 2) break;
                s[t] = t;
                __syncthreads();
            }
            x += s[31 - t];
            __syncthreads();
        }
        a[t] = x;",
        &[32],
        Unwritten,
    ),
    more(
        "stores of some blocks",
        "__shared__ int s[64];
        int t = threadIdx.x, x = 0;
        for (int k = 0; k < blockIdx.x; k++) {
            s[t] = t;
            __syncthreads();
        }
        x += s[63 - t];
        a[blockIdx.x * 64 + t] = x;",
        &[192],
        Unwritten,
    ),
    one(
        "stores of those who did not leave under a second condition",
        "__shared__ int s[32];
        int t = threadIdx.x;
        switch (n) {
        default:
            if (a[t] > -5) { if (t < 5) break; }
            s[t] = t;
        }
        __syncthreads();
        a[t] = s[31 - t];",
        &[32],
        Unwritten,
    ),
    one(
        "a limit that wraps around",
        "for (unsigned j = 0, k = 0; ((int)j < 0x7fffffff) & (k < n); j += 0x40000000, k++) a[k / 2] = 1;",
        &[2],
        Outside,
    ),
    one(
        "numbers near the limit of what is looked at",
        "long long c = (1ll << 50) - 1, p = threadIdx.x * (1ll << 45), y = threadIdx.x * (1ll << 45), z = 5 + (threadIdx.x & 3);
        if (c - p < y - z) a[100] = 1;",
        &[32],
        Outside,
    ),
    more(
        "a barrier under a condition of some threads",
        "__shared__ int s[64];
        int t = threadIdx.x;
        if (t < 32) { s[t] = 1; __syncthreads(); s[t] = 2; } else { s[t - 32] = 2; }
        a[blockIdx.x * 64 + t] = 1;",
        &[192],
        SharedMeet,
    ),
    more(
        "barriers in a loop that some threads leave",
        "__shared__ int s[64];
        int t = threadIdx.x;
        for (int k = 0; k < 2; k++) {
            if (t >= 32) break;
            s[t] = 1;
            __syncthreads();
        }
        if (t >= 32) s[t - 32] = 2;",
        &[192],
        SharedMeet,
    ),
    more(
        "barriers in a loop that ends at another time for each warp",
        "__shared__ int s[64];
        int t = threadIdx.x;
        for (int k = 0; k < t / 32; k++) {
            s[t] = 1;
            __syncthreads();
        }
        if (t < 32) s[t + 32] = 2;",
        &[192],
        SharedMeet,
    ),
    more(
        "a barrier that some threads jump over",
        "__shared__ int s[64];
        int t = threadIdx.x;
        switch (n) {
        default:
            if (t < 32) break;
            s[t - 32] = 1;
            __syncthreads();
            return;
        }
        s[t] = 2;",
        &[192],
        SharedMeet,
    ),
    more(
        "an access that is known from another block",
        "__shared__ int s[64];
        int t = threadIdx.x;
        if (blockIdx.x != 1) { s[t] = 1; } else { __syncthreads(); s[63 - t] = 2; }
        s[t] = 3;",
        &[192],
        SharedMeet,
    ),
    one(
        "a thread that has ended",
        "__shared__ int s[32];
        int t = threadIdx.x;
        switch (n) {
        default:
            if (t >= 8) break;
            s[t] = 1;
            return;
        }
        s[31 - t] = 2;",
        &[32],
        SharedMeet,
    ),
    one(
        "a byte in the word of another thread",
        "__shared__ int s[32];
        int t = threadIdx.x;
        if (t < 31) ((char *)s)[4 * t + 5] = 1;
        s[t] = 2;",
        &[32],
        SharedMeet,
    ),
    one(
        "a word, and a byte in that of another thread",
        "__shared__ int s[32];
        int t = threadIdx.x;
        s[t] = 2;
        if (t < 31) ((char *)s)[4 * t + 5] = 1;",
        &[32],
        SharedMeet,
    ),
    one(
        "a word in the middle of two others",
        "__shared__ int s[66];
        int t = threadIdx.x;
        ((long long *)s)[t] = 1;
        s[2 * t + 3] = 2;",
        &[32],
        SharedMeet,
    ),
    one(
        "threads at different iterations",
        "__shared__ int s[40];
        int t = threadIdx.x;
        for (int k = 0; k < 8; k++) s[t + k] = k;",
        &[32],
        SharedMeet,
    ),
    one(
        "a distance that depends on data",
        "__shared__ int s[40];
        int t = threadIdx.x;
        int x = a[t] & 3;
        s[t + x] = 1;",
        &[32],
        SharedMeet,
    ),
    one(
        "a quotient below 0",
        "int t = threadIdx.x;
        a[(t - 8) / 4 + 1] = 1;",
        &[32],
        Outside,
    ),
    one(
        "a limit without a sign that is below 0",
        "int t = threadIdx.x;
        if ((unsigned)t < (unsigned)(n - 15)) a[t + 100] = 1;",
        &[32],
        Outside,
    ),
    one(
        "the larger of two",
        "int t = threadIdx.x;
        a[max(n, t)] = 1;",
        &[20],
        Outside,
    ),
    one(
        "the end of an iteration and the beginning of the next",
        "__shared__ int s[32];
        int t = threadIdx.x;
        int x = 0;
        for (int k = 0; k < 70; k++) {
            s[t] = k;
            __syncthreads();
            x += s[31 - t];
        }
        a[t] = x;",
        &[32],
        SharedMeet,
    ),
    one(
        "a number that wraps around as it is counted up",
        "unsigned j = 0;
        for (int k = 0; k < n; k++) {
            if (k > 0) {
                if ((int)j == 0) a[100] = 1;
            }
            j += 0x40000000;
        }",
        &[32],
        Outside,
    ),
    one(
        "a test that wraps around",
        "for (unsigned k = 0; (int)(k * 0x7fffffffu + k * 0x7fffffffu) < 5; k++) a[k] = 1;",
        &[10],
        Outside,
    ),
    one(
        "a store under a condition that is not looked at",
        "__shared__ int s[32];
        int t = threadIdx.x;
        if ((float)a[t] > 1e30f) s[t] = t;
        __syncthreads();
        a[t] = s[31 - t];",
        &[32],
        Unwritten,
    ),
    more(
        "a store and a barrier of one block",
        "__shared__ int s[64];
        int t = threadIdx.x;
        if (blockIdx.x == 1) {
            s[t] = 1;
            __syncthreads();
        }
        a[blockIdx.x * 64 + t] = s[63 - t];",
        &[192],
        Unwritten,
    ),
    more(
        "a store of one block",
        "__shared__ int s[64];
        int t = threadIdx.x;
        if (blockIdx.x == 1) s[t] = 1;
        __syncthreads();
        a[blockIdx.x * 64 + t] = s[63 - t];",
        &[192],
        Unwritten,
    ),
    one(
        "own stores on one side only",
        "__shared__ int s[32];
        int t = threadIdx.x;
        if (t < 5) s[t] = 1;
        a[t] = s[t];",
        &[32],
        Unwritten,
    ),
    one(
        "a product that wraps around",
        "int x = (int)(threadIdx.x * 0x10000000u);
        if (x < 0) a[100] = 1;",
        &[32],
        Outside,
    ),
    one(
        "a number set on one side only",
        "int t = threadIdx.x, x = 0;
        if (t < 5) {
            x = 100;
            a[t] = 1;
        }
        a[x] = 1;",
        &[32],
        Outside,
    ),
    one(
        "iterations that do not come to the barrier",
        "__shared__ int s[80];
        int t = threadIdx.x;
        for (int k = 0; k < n; k++) {
            s[2 * t + k] = k;
            if (k > 2) continue;
            __syncthreads();
        }",
        &[32],
        SharedMeet,
    ),
    one(
        "a test that would hold later",
        "__shared__ int s[800];
        int t = threadIdx.x;
        for (int k = 0; (unsigned)(k - 5) < 20u; k++) s[t * 25 + k] = 1;
        __syncthreads();
        a[t] = s[(31 - t) * 25 + 7];",
        &[32],
        Unwritten,
    ),
    one(
        "an index without a sign that is below 0",
        "int t = threadIdx.x;
        int *p = a + 8;
        p[(unsigned)(t - 5)] = 1;",
        &[64],
        Outside,
    ),
    one(
        "an index that is a byte",
        "int t = threadIdx.x;
        int i = ((unsigned char *)a)[t];
        a[i] = 1;",
        &[32],
        Outside,
    ),
    one(
        "quotients and remainders of which not all pairs occur",
        "__shared__ int s[40];
        int t = threadIdx.x;
        s[(t % 5) * 8 + t / 5] = 1;
        __syncthreads();
        a[t] = s[(t % 5) * 8 + 6];",
        &[32],
        Unwritten,
    ),
    one(
        "a step too many",
        "__shared__ int s[64];
        int t = threadIdx.x;
        if (t < 16) s[t * 2] = t;
        __syncthreads();
        a[t] = s[t * 2];",
        &[32],
        Unwritten,
    ),
    one(
        "rows with gaps",
        "__shared__ int s[256];
        int t = threadIdx.x;
        for (int k = 0; k < 4; k++) s[t * 8 + k] = k;
        __syncthreads();
        if (t < 16) a[t] = s[t * 8 + 5];",
        &[32],
        Unwritten,
    ),
    one(
        "stores that do not follow each other by equal steps",
        "__shared__ int s[256];
        int t = threadIdx.x;
        s[t] = 1;
        s[t + 32] = 1;
        s[t + 128] = 1;
        __syncthreads();
        a[t] = s[t + 64];",
        &[32],
        Unwritten,
    ),
    one(
        "a loop until a number that changes",
        "for (int k = 0; k != (a[k % 4 + 1] & 7); k++)
            a[k] = 1;",
        &[8],
        Outside,
    ),
    one(
        "a loop until a number that was passed before",
        "int t = threadIdx.x;
        for (int k = 0; k != t - 5; k++) a[k] = 1;",
        &[32],
        Outside,
    ),
    one(
        "those who left a scope first, and those who ended in it",
        "__shared__ int s[32];
        int t = threadIdx.x;
        switch (n) {
        case 10:
            if (t >= 8) break;
            s[t] = 1;
            return;
        case 3:
            s[t] = 7;
        }
        if (t >= 8) s[t - 8] = 2;",
        &[32],
        SharedMeet,
    ),
    one(
        "a difference that is one below 0",
        "int t = threadIdx.x;
        if (n - 9 != t) a[t - 2] = 1;",
        &[32],
        Outside,
    ),
    one(
        "a number that wraps around between two tests",
        "unsigned j = 0;
        for (int k = 0; k < 100; k++) {
            if (j < 0x40000001u) a[k] = 1;
            j += 0x40000000;
        }",
        &[4],
        Outside,
    ),
    one(
        "what holds of those who did not leave",
        "int t = threadIdx.x;
        switch (n) {
        default:
            if (t >= 8) {
                if (n > 3) break;
                a[0] = 1;
            }
            a[t] = 2;
        }
        a[t] = 1;",
        &[8],
        Outside,
    ),
    one(
        "own stores of those who did not leave",
        "__shared__ int s[32];
        int t = threadIdx.x;
        switch (n) {
        default:
            if (t >= 8) {
                if (n > 3) break;
                a[0] = 1;
            }
            s[t] = 1;
        }
        a[t] = s[t];",
        &[32],
        Unwritten,
    ),
    one(
        "stores of those who ended where others left",
        "__shared__ int s[32];
        int t = threadIdx.x;
        switch (n) {
        default:
            if (t >= 8) {
                if (n > 3) break;
                a[0] = 1;
            }
            s[t] = 1;
            return;
        }
        s[31 - t] = 2;",
        &[32],
        SharedMeet,
    ),
    one(
        "iterations that jump over the barrier",
        "__shared__ int s[80];
        int t = threadIdx.x;
        for (int k = 0; k < n; k++) {
            s[2 * t + k] = k;
            if (k > 2) {
                if (n > 3) continue;
                a[0] = 1;
            }
            __syncthreads();
        }",
        &[32],
        SharedMeet,
    ),
    one(
        "stores of later iterations",
        "__shared__ int s[32];
        int t = threadIdx.x;
        for (int k = 0; k < 100; k++) {
            if (k >= 2) s[t] = k;
            __syncthreads();
            a[t] = s[31 - t];
            __syncthreads();
        }",
        &[32],
        Unwritten,
    ),
    Trap {
        parameters: "int *a, int *b, int n",
        ..one(
            "a pointer that depends on data, beside a buffer that seems to be read only",
            "int *p = a[threadIdx.x] > 0 ? a : b;
        *p = 1;",
            &[32, 32],
            Meet,
        )
    },
];

#[test]
fn nothing_wrong_is_proved_of_traps() {
    let mut failures = Vec::new();
    for trap in TRAPS {
        let text = format!("__global__ void k({}) {{\n{}\n}}\n", trap.parameters, trap.body);
        let pointers = (0..trap.words.len() as u32).collect();
        let (grid, block) = (trap.grid, trap.block);
        let case = Case {
            text,
            grid,
            block,
            buffers: trap.words.to_vec(),
            pointers,
            numbers: trap.numbers.to_vec(),
        };
        let (wrong, proofs, shown) = case.judge();
        if !wrong.is_empty() {
            failures.push(format!("{}: {wrong:?} {proofs:?}", trap.name));
        }
        let is_shown = match trap.shows {
            Meet => shown.meets.contains(&true),
            SharedMeet => shown.shared_meets.contains(&true),
            Unwritten => shown.unwritten.contains(&true),
            Outside => shown.failed.contains(&true),
            ReadsOthers => shown.reads_others[0],
        };
        if !is_shown {
            failures.push(format!("{} does not show {:?}: {shown:?}", trap.name, trap.shows));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
