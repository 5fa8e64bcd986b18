//! Programs written by hand, in variants.

use super::Waiting;
use simt::{FaultKind, WaitPlace};

/// How a flag is raised and polled, as text for a pointer `f`: a fence is part of it.
const FLAGS: [(&str, &str); 6] = [
    ("__threadfence(); *(volatile int *)f = 1;", "while (*(volatile int *)f == 0) {} __threadfence();"),
    ("__threadfence(); atomicExch(f, 1);", "while (atomicAdd(f, 0) == 0) {} __threadfence();"),
    ("__threadfence(); atomicAdd(f, 1);", "while (*(volatile int *)f == 0) {} __threadfence();"),
    ("__threadfence(); atomicExch(f, 1);", "while (atomicCAS(f, 1, 1) != 1) {} __threadfence();"),
    (
        "asm volatile(\"st.release.gpu.global.s32 [%0], 1;\" :: \"l\"(f) : \"memory\");",
        "int seen; do { asm volatile(\"ld.acquire.gpu.global.s32 %0, [%1];\" : \"=r\"(seen) : \"l\"(f) : \"memory\"); } while (!seen);",
    ),
    (
        "__threadfence(); *(volatile int *)f = 1;",
        "int ns = 8; while (*(volatile int *)f == 0) { __nanosleep(ns); if (ns < 256) ns *= 2; } __threadfence();",
    ),
];

#[test]
fn a_block_waits_for_a_later_one() {
    for (raise, wait) in FLAGS {
        for (consumer, barrier) in [(0, ""), (1, ""), (0, "__syncthreads();"), (1, "__syncthreads();")] {
            let kernel = Waiting::new(&format!(
                "__global__ void k(int *f, int *data, int *out) {{
                    if (blockIdx.x == {consumer}) {{
                        if (threadIdx.x == 0) {{ {wait} }}
                        {barrier}
                        if (threadIdx.x == 0) out[0] = data[0];
                    }} else if (blockIdx.x == 1 - {consumer} && threadIdx.x == blockDim.x - 1) {{
                        data[0] = 42;
                        {raise}
                    }}
                }}"
            ));
            for (grid, block) in [(2, 1), (2, 64), (3, 33), (40, 128)] {
                let mut kernel = kernel.again();
                assert_eq!(kernel.ends(grid, block, 1), [42], "{raise} {wait} {consumer}");
            }
        }
    }
}

#[test]
fn warps_of_a_block_wait_for_each_other() {
    // Each warp waits for the next one, or for the one before; the first or last one does not wait.
    let kernel = |next: &str, memory: &str, start: &str, fence: &str| {
        format!(
            "__global__ void k(int *g, int *out) {{
                {memory}
                int w = threadIdx.x / 32, warps = blockDim.x / 32, t = threadIdx.x;
                {start}
                if (t % 32 == 0) {{
                    int other = {next};
                    int value = 1;
                    if (other >= 0 && other < warps) {{
                        while (*(volatile int *)&flag[other] == 0) {{}}
                        {fence}();
                        value = data[other] + 1;
                    }}
                    data[w] = value;
                    {fence}();
                    *(volatile int *)&flag[w] = 1;
                }}
                __syncthreads();
                if (t < warps) out[blockIdx.x * warps + t] = data[t];
            }}"
        )
    };
    let shared = ("__shared__ int flag[32], data[32];", "if (t < 32) flag[t] = 0; __syncthreads();");
    let global = ("int *flag = g + blockIdx.x * 64, *data = flag + 32;", "");
    for (memory, start) in [shared, global] {
        for warps in [2, 5, 32] {
            let fence = "__threadfence_block";
            let mut up = Waiting::new(&kernel("w + 1", memory, start, fence));
            let expected: Vec<u32> = (1..=warps).rev().collect();
            assert_eq!(up.ends(3, 32 * warps, 3 * warps), expected.repeat(3));
            let mut down = Waiting::new(&kernel("w - 1", memory, start, fence));
            let expected: Vec<u32> = (1..=warps).collect();
            assert_eq!(down.ends(3, 32 * warps, 3 * warps), expected.repeat(3));
        }
    }
}

#[test]
fn several_producers_raise_a_counter() {
    let mut kernel = Waiting::new(
        "__global__ void k(int *count, int *data, int *out) {
            if (blockIdx.x == 0 && threadIdx.x == 0) {
                while (atomicAdd(count, 0) < (gridDim.x - 1) * blockDim.x) {}
                __threadfence();
                int sum = 0;
                for (int i = 0; i < (gridDim.x - 1) * blockDim.x; i++) sum += data[i];
                out[0] = sum;
            } else if (blockIdx.x > 0) {
                int i = (blockIdx.x - 1) * blockDim.x + threadIdx.x;
                data[i] = i;
                __threadfence();
                atomicAdd(count, 1);
            }
        }",
    );
    assert_eq!(kernel.ends(5, 48, 1), [(0..192).sum::<u32>()]);
}

/// A barrier of the grid that is made of a counter.
const GRID_BARRIER: &str = "__global__ void k(int *count, int *data, int *out) {
    for (int step = 1; step <= 3; step++) {
        if (threadIdx.x == 0) {
            data[(step - 1) * gridDim.x + blockIdx.x] = step * blockIdx.x;
            __threadfence();
            atomicAdd(count, 1);
            while (*(volatile int *)count < step * gridDim.x) {}
            __threadfence();
        }
        __syncthreads();
        if (threadIdx.x == blockDim.x - 1) {
            out[blockIdx.x] += data[(step - 1) * gridDim.x + (blockIdx.x + 1) % gridDim.x];
        }
        __syncthreads();
    }
}";

#[test]
fn a_barrier_of_all_blocks_needs_all_of_them_resident() {
    let kernel = Waiting::new(GRID_BARRIER);
    for (grid, block) in [(2, 32), (7, 64), (100, 33)] {
        let mut kernel = kernel.again();
        kernel.device.options.limits.resident_blocks = grid.into();
        let expected: Vec<u32> = (0..grid).map(|block| 6 * ((block + 1) % grid)).collect();
        assert_eq!(kernel.ends(grid, block, grid), expected);
        let mut kernel = kernel.again();
        kernel.device.options.limits.resident_blocks = u64::from(grid) - 1;
        let fault = kernel.fails(grid, block);
        let FaultKind::Deadlock { spinning: 1, waiting, not_begun: 1, limit, polled, .. } = fault.kind else {
            panic!("{fault:?}")
        };
        assert_eq!((waiting, limit), (u64::from(grid) - 1, u64::from(grid) - 1));
        let polled = polled.unwrap();
        assert_eq!((polled.target.name.as_deref(), polled.offset), (Some("count"), 0));
    }
    // As a cooperative launch, beside `grid.sync()`.
    let text = GRID_BARRIER.replace("for (int", "cooperative_groups::this_grid().sync(); for (int");
    let mut kernel = Waiting::new(&format!("#include <cooperative_groups.h>\n{text}"));
    assert_eq!(kernel.start(9, 64, Some(9)), Ok(()));
    assert_eq!(kernel.out(9), (0..9).map(|block| 6 * ((block + 1) % 9)).collect::<Vec<_>>());
}

#[test]
fn what_waits_for_earlier_blocks_ends_with_any_number_of_resident_blocks() {
    // Decoupled look-back, by the block's index or by a ticket.
    for tile in ["blockIdx.x", "atomicAdd(ticket, 1)"] {
        let kernel = Waiting::new(&format!(
            "__global__ void k(int *flags, int *sums, int *prefixes, int *ticket, int *out) {{
                __shared__ int tile, before;
                if (threadIdx.x == 0) tile = {tile};
                __syncthreads();
                int own = tile + 1;
                if (threadIdx.x == 0) {{
                    sums[tile] = own;
                    __threadfence();
                    atomicExch(&flags[tile], 1);
                    int sum = 0;
                    for (int p = tile - 1; p >= 0; p--) {{
                        int f;
                        do {{ f = *(volatile int *)&flags[p]; }} while (f == 0);
                        __threadfence();
                        if (f == 2) {{ sum += prefixes[p]; break; }}
                        sum += sums[p];
                    }}
                    prefixes[tile] = sum + own;
                    __threadfence();
                    atomicExch(&flags[tile], 2);
                    before = sum;
                }}
                __syncthreads();
                if (threadIdx.x == blockDim.x - 1) out[tile] = before;
            }}"
        ));
        for resident in [1, 3, u64::MAX] {
            let mut kernel = kernel.again();
            kernel.device.options.limits.resident_blocks = resident;
            let expected: Vec<u32> = (0..300).map(|tile| tile * (tile + 1) / 2).collect();
            assert_eq!(kernel.ends(300, 64, 300), expected);
        }
    }
}

#[test]
fn lanes_of_a_warp_wait_for_each_other() {
    // A lock that every thread takes, in the ways that programs take one.
    let locks = [
        "while (atomicCAS(lock, 0, 1) != 0) {} __threadfence(); WORK __threadfence(); atomicExch(lock, 0);",
        "bool done = false; while (!done) { if (atomicCAS(lock, 0, 1) == 0) { __threadfence(); WORK __threadfence();
         atomicExch(lock, 0); done = true; } }",
        "int mine = atomicAdd(lock + 1, 1); while (atomicAdd(lock, 0) != mine) {} __threadfence(); WORK
         __threadfence(); atomicAdd(lock, 1);",
        "for (int i = 0; i < 32; i++) if (threadIdx.x % 32 == i) { while (atomicExch(lock, 1) != 0) {}
         __threadfence(); WORK __threadfence(); atomicExch(lock, 0); }",
    ];
    for lock in locks {
        let lock = lock.replace("WORK", "*x = *x * 3 + 1;");
        let kernel = Waiting::new(&format!(
            "__global__ void k(int *lock, int *x, int *out) {{
                {lock}
                int all = __shfl_sync(0xffffffffu, (int)threadIdx.x % 32, 31 - threadIdx.x % 32);
                __syncthreads();
                out[blockIdx.x * blockDim.x + threadIdx.x] = all;
            }}"
        ));
        for (grid, block) in [(1, 32), (1, 96), (3, 64)] {
            let mut kernel = kernel.again();
            let threads = grid * block;
            let expected: Vec<u32> = (0..threads).map(|t| 31 - t % 32).collect();
            assert_eq!(kernel.ends(grid, block, threads), expected, "{lock}");
            let x = (0..threads).fold(0u32, |x, _| x.wrapping_mul(3).wrapping_add(1));
            assert_eq!(kernel.device.read(kernel.buffers[1])[0], x, "{lock}");
        }
    }
}

#[test]
fn lanes_wait_in_a_chain_and_meet_again() {
    for (next, fence) in
        [("t + 1 < 32 && flag[t + 1] == 0", ""), ("t > 0 && flag[t - 1] == 0", "__syncwarp();")]
    {
        let mut kernel = Waiting::new(&format!(
            "__global__ void k(int *f, int *out) {{
                volatile int *flag = f;
                int t = threadIdx.x;
                while ({next}) {{}}
                __threadfence();
                flag[t] = 1;
                {fence}
                int sum = t;
                for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
                int count = __syncthreads_count(t % 2);
                out[t] = sum + count + __popc(__ballot_sync(0xffffffffu, t < 7));
            }}"
        ));
        assert_eq!(kernel.ends(1, 32, 32), [31 * 16 + 16 + 7; 32]);
    }
}

#[test]
fn a_function_that_recurs_waits_in_a_frame() {
    let mut kernel = Waiting::new(
        "__device__ int down(volatile int *flag, int *lock, int n) {
            if (n == 0) { while (flag[0] == 0) {} __threadfence(); return 1; }
            return down(flag, lock, n - 1) + 1;
        }
        __global__ void k(int *f, int *out) {
            int t = threadIdx.x;
            if (t % 2 == 0) out[t] = down(f, f, t % 5);
            else if (t == 31) { __threadfence(); *(volatile int *)f = 1; }
        }",
    );
    let expected: Vec<u32> = (0..32).map(|t| if t % 2 == 0 { t % 5 + 1 } else { 0 }).collect();
    assert_eq!(kernel.ends(1, 32, 32), expected);
}

#[test]
fn who_waits_for_whom_is_named() {
    // Two threads of one warp, of two warps, and of two blocks, each for the other.
    let kernel = "__global__ void k(volatile int *flag, int *out) {
        int t = (blockIdx.x * blockDim.x + threadIdx.x) / STEP;
        if ((blockIdx.x * blockDim.x + threadIdx.x) % STEP == 0 && t < 2) {
            while (flag[1 - t] == 0) {}
            flag[t] = 1;
        }
    }";
    for (step, grid, block, other) in [
        ("1", 1, 32, None),
        ("32", 1, 64, Some(([32, 0, 0], [0; 3]))),
        ("8", 2, 8, Some(([0; 3], [1, 0, 0]))),
    ] {
        let fault = Waiting::new(&kernel.replace("STEP", step)).fails(grid, block);
        let FaultKind::Deadlock { spinning, place, polled, other: found, not_begun: 0, .. } = fault.kind
        else {
            panic!("{fault:?}")
        };
        assert_eq!((place, spinning), (WaitPlace::Loop, if step == "1" { 2 } else { 1 }));
        let polled = polled.unwrap();
        assert_eq!((polled.target.name.as_deref(), polled.offset), (Some("flag"), 4));
        assert_eq!(found.as_ref().map(|found| (found.thread, found.block)), other);
        assert!(found.is_none_or(|found| found.place == WaitPlace::Loop));
    }
    // For a thread behind a barrier.
    let fault = Waiting::new(
        "__global__ void k(volatile int *flag, int *out) {
            if (threadIdx.x == 0) while (*flag == 0) {}
            __syncthreads();
            if (threadIdx.x == 32) *flag = 1;
        }",
    )
    .fails(2, 64);
    let FaultKind::Deadlock { spinning: 1, other: Some(other), .. } = fault.kind else { panic!("{fault:?}") };
    assert_eq!((other.thread, other.block, other.place), ([32, 0, 0], [0; 3], WaitPlace::Barrier));
    // For blocks at a barrier of the grid.
    let mut kernel = Waiting::new(
        "#include <cooperative_groups.h>
        __global__ void k(volatile int *flag, int *out) {
            if (blockIdx.x == 1) while (*flag == 0) {}
            cooperative_groups::this_grid().sync();
            *flag = 1;
        }",
    );
    let fault = kernel.start(3, 32, Some(3)).unwrap_err();
    let FaultKind::Deadlock { other: Some(other), waiting: 3, .. } = &fault.kind else { panic!("{fault:?}") };
    assert_eq!((fault.block, other.block, other.place), ([1, 0, 0], [0; 3], WaitPlace::GridBarrier));
    // For no thread at all.
    let fault = Waiting::new(
        "__global__ void k(int *flag, int *out) { if (threadIdx.x < 5) while (atomicAdd(flag, 0) == 0) {} }",
    )
    .fails(1, 5);
    assert!(matches!(fault.kind, FaultKind::Deadlock { spinning: 5, other: None, .. }), "{fault:?}");
}

#[test]
fn a_loop_that_counts_its_tries_waits_as_well() {
    let mut kernel = Waiting::new(
        "__global__ void k(int *f, int *out) {
            int tries = 0;
            if (blockIdx.x == 0) {
                while (atomicAdd(f, 0) == 0) tries++;
                out[threadIdx.x] = tries > 0;
            } else if (threadIdx.x == 0) atomicExch(f, 1);
        }",
    );
    assert_eq!(kernel.run(2, 32), Ok(()));
    assert_eq!(kernel.out(32), [1; 32]);
}

#[test]
fn loops_without_end_are_found_whatever_they_do() {
    let endless = [
        "while (threadIdx.x < 64) {}",
        "for (int i = 0; i < 8;) out[threadIdx.x] = i;",
        "while (in[0] == 0) out[threadIdx.x] = 1;",
        // What is read by plain loads no other thread may write.
        "while (out[threadIdx.x] == 0) out[threadIdx.x + 64] = in[0]; out[0] = 1;",
    ];
    for body in endless {
        let mut kernel = Waiting::new(&format!("__global__ void k(const int *in, int *out) {{ {body} }}"));
        let fault = kernel.fails(20, 64);
        assert_eq!(fault.kind, FaultKind::EndlessLoop, "{body}");
    }
    // What changes all the time uses up the budget, which is the launch's.
    let mut kernel = Waiting::new(
        "__global__ void k(int *out) { for (unsigned i = 0; i < 8; i = i + 1 & 7) out[blockIdx.x * 32 + threadIdx.x]++; }",
    );
    kernel.device.options.instruction_budget = 300_000;
    let fault = kernel.fails(2, 32);
    assert_eq!(fault.kind, FaultKind::InstructionBudget { limit: 300_000 });
}

#[test]
fn long_loops_end() {
    let mut kernel = Waiting::new(
        "__global__ void k(int *out) {
            int x = 0;
            for (int i = 0; i < 500000; i++) x += i ^ x;
            out[threadIdx.x] = x;
        }",
    );
    kernel.device.options.every_mode = false;
    kernel.device.options.instruction_budget = 100_000_000;
    assert_eq!(kernel.run(1, 32), Ok(()));
    let x = (0..500_000i32).fold(0i32, |x, i| x.wrapping_add(i ^ x));
    assert_eq!(kernel.out(32), [x as u32; 32]);
}
