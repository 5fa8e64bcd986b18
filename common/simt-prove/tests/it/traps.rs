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
            if (a[i] != 0 && i == n + 1) break;
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
            s[t - 32] = 1;
            __syncthreads();
        }
        if (t < 32) s[t] = 2;",
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
        s[t - 8] = 2;",
        &[32],
        SharedMeet,
    ),
    one(
        "bytes in the middle of a word",
        "__shared__ int s[32];
        int t = threadIdx.x;
        s[t] = t;
        a[t] = ((char *)s)[4 * ((t + 1) % 32) + 1];",
        &[32],
        SharedMeet,
    ),
    one(
        "iterations of different threads",
        "__shared__ int s[64];
        int t = threadIdx.x;
        for (int k = 0; k < n; k++) s[t + k] = k;",
        &[1],
        SharedMeet,
    ),
    one(
        "data that differ between threads",
        "__shared__ int s[64];
        int t = threadIdx.x;
        s[t + (a[t] & 31)] = t;",
        &[32],
        SharedMeet,
    ),
    one("a negative dividend", "int t = threadIdx.x; a[(t - 16) / 4] = t;", &[32], Outside),
    one(
        "a limit that is negative as a signed number",
        "int t = threadIdx.x;
        if ((unsigned)t < (unsigned)(n - 15)) a[t + 1000] = t;",
        &[32],
        Outside,
    ),
    one("the smaller of two numbers", "int t = threadIdx.x; a[min(t, 8 - t)] = t;", &[32], Outside),
    one(
        "threads that end where others go on",
        "__shared__ int s[32];
        int t = threadIdx.x;
        do {
            if (t >= 8) break;
            s[t] = 1;
            return;
        } while (0);
        a[t] = s[t - 8];",
        &[32],
        SharedMeet,
    ),
    one(
        "a number that wraps around from iteration to iteration",
        "unsigned i = 0x70000000u;
        for (int k = 0; k < n; k++, i += 0x08000000u)
            if ((int)i < 0) a[k + 5000] = 1;",
        &[32],
        Outside,
    ),
    one(
        "a number that wraps around",
        "int t = threadIdx.x, i = t * 100000000;
        if (i < 0) a[t + 5000] = 1;",
        &[32],
        Outside,
    ),
    one(
        "a loop that is left after a store",
        "__shared__ int s[320];
        int t = threadIdx.x;
        for (int k = 0; k < n; k++) {
            s[t + 32 * k] = k;
            if (k >= 3) break;
        }
        __syncthreads();
        a[t] = s[(31 - t) + 32 * 5];",
        &[32],
        Unwritten,
    ),
    one(
        "a store where a floating-point number is large",
        "__shared__ int s[32];
        int t = threadIdx.x;
        if (((float *)a)[t] > 1e30f) s[t] = 1;
        __syncthreads();
        a[t] = s[31 - t];",
        &[32],
        Unwritten,
    ),
    one(
        "a thread's own store, under a condition",
        "__shared__ int s[32];
        int t = threadIdx.x;
        if (a[t] > 0) s[t] = 1;
        a[t] = s[t];",
        &[32],
        Unwritten,
    ),
    one(
        "a variable that one way changes",
        "int t = threadIdx.x, i = t;
        if (a[t] > 5) i = t + 100;
        a[i] = 1;",
        &[32],
        Outside,
    ),
    more(
        "a store of one block, of one's own",
        "__shared__ int s[3];
        int t = threadIdx.x;
        if (t == 0) s[blockIdx.x] = 1;
        __syncthreads();
        a[64 * blockIdx.x + t] = s[t % 3];",
        &[192],
        Unwritten,
    ),
    one(
        "a loop whose test fails at first",
        "__shared__ int s[320];
        int t = threadIdx.x;
        for (int k = 0; k < n && k >= n - 7; k++) s[t + 32 * k] = k;
        __syncthreads();
        a[t] = s[(31 - t) + 32 * 5];",
        &[32],
        Unwritten,
    ),
    one(
        "an index without a sign",
        "int *p = a + 16;
        p[(unsigned)(threadIdx.x - 16)] = 1;",
        &[32],
        Outside,
    ),
    one("a byte as an index", "a[((unsigned char *)a)[threadIdx.x]] = 1;", &[32], Outside),
    one(
        "a division that leaves gaps",
        "__shared__ int s[35];
        int t = threadIdx.x;
        s[(t % 5) * 7 + t / 5] = 1;
        __syncthreads();
        if (t == 0) a[0] = s[4 * 7 + 6];",
        &[32],
        Unwritten,
    ),
    one(
        "a column that nobody writes",
        "__shared__ int s[36];
        int t = threadIdx.x;
        s[(t / 8) * 9 + t % 8] = 1;
        __syncthreads();
        a[t] = s[(t / 8) * 9 + 8];",
        &[32],
        Unwritten,
    ),
    one(
        "one of four elements that nobody writes",
        "__shared__ int s[128];
        int t = threadIdx.x;
        s[4 * t] = 1;
        s[4 * t + 1] = 1;
        s[4 * t + 3] = 1;
        __syncthreads();
        a[t] = s[4 * (31 - t) + 2];",
        &[32],
        Unwritten,
    ),
    one(
        "a loop that moves away from where it would end",
        "for (int k = n; k != 0; k++) {
            if (k > 20) break;
            a[k + 5000] = 1;
        }",
        &[32],
        Outside,
    ),
    Trap {
        parameters: "int *a, int *b, int n",
        ..one(
            "a pointer that depends on data",
            "int *p = a[threadIdx.x + 1] > 5 ? b : a;
            p[0] = threadIdx.x;
            a[threadIdx.x + 64] = b[0];",
            &[128, 32],
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
        };
        if !is_shown {
            failures.push(format!("{} does not show {:?}: {shown:?}", trap.name, trap.shows));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
