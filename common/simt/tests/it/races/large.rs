//! Launches that are too large for the definition: what fences, flags, locks and counters order, each with what is commonly wrong with it.

use super::has_race;

/// Parts of a kernel file: what stands for the two buffers, and what follows in the kernel.
fn kernel(globals: &str, body: &str) -> String {
    let head = "int t = threadIdx.x, b = blockIdx.x, id = b * blockDim.x + t;";
    format!(
        "// launch: <<<64, 256>>>\n{globals}\n__global__ void k(int *g, int *out) {{\n    {head}\n{body}\n}}\n"
    )
}

/// Each right kernel is clean, and each change of one of its lines makes it a race.
fn check(name: &str, globals: &str, body: &str, wrong: &[(&str, &str)]) {
    let right = kernel(globals, body);
    assert!(!has_race(name, &right), "{name} is right:\n{right}");
    for (line, instead) in wrong {
        assert!(body.contains(line), "{name}: no {line:?}");
        let text = kernel(globals, &body.replacen(line, instead, 1));
        assert!(has_race(name, &text), "{name} with {instead:?} for {line:?}:\n{text}");
    }
}

#[test]
fn the_last_block_reads_what_all_wrote() {
    check(
        "last block",
        "__device__ unsigned count;",
        "    __shared__ bool last;
    if (id < 1024) g[id] = id;
    __threadfence();
    __syncthreads();
    if (t == 0) {
        last = atomicAdd(&count, 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (last) out[t] = g[t] + g[t + 256];",
        &[
            ("    __threadfence();\n    __syncthreads();\n    if", "    __syncthreads();\n    if"),
            (
                "    __threadfence();\n    __syncthreads();\n    if",
                "    __threadfence_block();\n    __syncthreads();\n    if",
            ),
            (
                "    __threadfence();\n    __syncthreads();\n    if",
                "    if (t < 32) __threadfence();\n    __syncthreads();\n    if",
            ),
            ("atomicAdd(&count, 1)", "atomicAdd_block(&count, 1)"),
        ],
    );
}

#[test]
fn a_lock_orders_what_it_protects() {
    check(
        "lock",
        "__device__ int lock, other;",
        "    if (t != 0) return;
    while (atomicCAS(&lock, 0, 1) != 0) {}
    __threadfence();
    g[0] += b;
    __threadfence();
    atomicExch(&lock, 0);",
        &[
            ("    __threadfence();\n    g", "    g"),
            ("    __threadfence();\n    atomicExch", "    atomicExch"),
            ("    __threadfence();\n    g", "    __threadfence_block();\n    g"),
            ("    atomicExch(&lock, 0);", "    atomicExch(&lock, 0);\n    g[0] += 1;"),
            ("atomicCAS(&lock, 0, 1)", "atomicCAS(b == 5 ? &other : &lock, 0, 1)"),
        ],
    );
}

#[test]
fn a_flag_hands_on_what_came_before_it() {
    check(
        "flag",
        "__device__ volatile int flag[64];",
        "    if (t != 0) return;
    int before = 0;
    if (b > 0) {
        while (flag[b - 1] == 0) {}
        __threadfence();
        before = g[b - 1];
    }
    g[b] = before + b;
    __threadfence();
    flag[b] = 1;",
        &[
            ("    g[b] = before + b;\n    __threadfence();", "    __threadfence();\n    g[b] = before + b;"),
            ("    __threadfence();\n    flag", "    __threadfence_block();\n    flag"),
            ("flag[b - 1] == 0", "flag[0] == 0"),
            ("    flag[b] = 1;", "    flag[b] = 1;\n    g[b] = 0;"),
        ],
    );
}

#[test]
fn acquire_and_release_order_without_fences() {
    check(
        "release and acquire",
        "__device__ int ready;
__device__ int load(int *p) { int v; asm volatile(\"ld.acquire.gpu.global.s32 %0, [%1];\" : \"=r\"(v) : \"l\"(p) : \"memory\"); return v; }
__device__ void store(int *p, int v) { asm volatile(\"st.release.gpu.global.s32 [%0], %1;\" :: \"l\"(p), \"r\"(v) : \"memory\"); }",
        "    if (t != 0) return;
    if (b == 0) {
        g[0] = 7;
        store(&ready, 1);
    } else {
        while (load(&ready) == 0) {}
        out[b] = g[0];
    }",
        &[
            ("        g[0] = 7;\n        store(&ready, 1);", "        store(&ready, 1);\n        g[0] = 7;"),
            ("        while (load(&ready) == 0) {}\n        out[b] = g[0];", "        out[b] = g[0];\n        while (load(&ready) == 0) {}"),
        ],
    );
}

#[test]
fn a_guess_of_a_compare_and_swap_is_no_race() {
    check(
        "guess",
        "",
        "    int seen, old = g[id % 16];
    do {
        seen = old;
        old = atomicCAS(&g[id % 16], seen, seen + 1);
    } while (old != seen);",
        &[
            ("old = g[id % 16];", "old = g[id % 16], more = g[id % 16]; out[id % 1024] = more;"),
            ("old = g[id % 16];", "old = g[id % 16] + 1;"),
            ("    } while (old != seen);", "    } while (old != seen);\n    out[id % 1024] = g[id % 16];"),
        ],
    );
}

#[test]
fn warps_of_a_block_hand_on_by_flags() {
    check(
        "flag between warps",
        "",
        "    __shared__ int data[8];
    __shared__ int flag[8];
    if (t < 8) flag[t] = data[t] = 0;
    __syncthreads();
    if (t % 32 != 0) return;
    int w = t / 32;
    if (w > 0) {
        while (atomicAdd(&flag[w - 1], 0) == 0) {}
        __threadfence_block();
        data[w] = data[w - 1];
    }
    data[w] += w;
    __threadfence_block();
    atomicExch(&flag[w], 1);",
        &[
            ("    __threadfence_block();\n    atomicExch", "    atomicExch"),
            ("flag[w - 1], 0) == 0", "flag[0], 0) == 0"),
            ("    atomicExch(&flag[w], 1);", "    atomicExch(&flag[w], 1);\n    data[w]++;"),
        ],
    );
}
