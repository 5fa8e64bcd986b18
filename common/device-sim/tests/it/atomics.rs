//! `cuda::atomic` and `cuda::atomic_ref` on the simulated device: what they compute, and what they order.

use crate::programs::attempt_warned;

fn ints(bytes: &[u8]) -> Vec<i32> {
    bytes.chunks(4).map(|c| i32::from_le_bytes(c.try_into().unwrap())).collect()
}

fn zeros(n: usize) -> Vec<u8> {
    vec![0; 4 * n]
}

/// Runs without a fault and without a warning.
fn clean(text: &str, shape: [u32; 2], buffers: &[Vec<u8>]) -> Vec<i32> {
    let (out, warnings) = attempt_warned(text, shape, buffers).unwrap_or_else(|why| panic!("{why}\n{text}"));
    assert_eq!(warnings, "", "{text}");
    ints(&out)
}

#[test]
fn blocks_and_threads_count_together() {
    let text = "#include <cuda/atomic>
__device__ cuda::atomic<int, cuda::thread_scope_device> total{5};
__global__ void k(int *out) {
    __shared__ cuda::atomic<unsigned, cuda::thread_scope_block> own;
    if (threadIdx.x == 0) own.store(0u, cuda::memory_order_relaxed);
    __syncthreads();
    own.fetch_add(threadIdx.x, cuda::memory_order_relaxed);
    cuda::atomic_ref<int, cuda::thread_scope_device>(out[0]).fetch_add(1);
    cuda::atomic_ref<int, cuda::thread_scope_device> largest(out[1]);
    largest.fetch_max(threadIdx.x + 100 * blockIdx.x, cuda::memory_order_relaxed);
    __syncthreads();
    if (threadIdx.x == 0) out[2 + blockIdx.x] = own.load() + total.fetch_add(0);
}
";
    assert_eq!(clean(text, [2, 64], &[zeros(4)]), [128, 163, 2016 + 5, 2016 + 5]);
}

/// A value goes to another thread through a flag: released by the writer, acquired by the reader.
fn message(kind: &str, store: &str, wait: &str, who: [&str; 2]) -> String {
    format!(
        "#include <cuda/atomic>
__global__ void k(int *data, {kind} *flag, int *out) {{
    if ({}) {{ *data = 42; {store}; }}
    if ({}) {{ {wait}; *out = *data; }}
}}
",
        who[0], who[1]
    )
}

const BLOCKS: [&str; 2] = ["blockIdx.x == 0 && threadIdx.x == 0", "blockIdx.x == 1 && threadIdx.x == 0"];
const WARPS: [&str; 2] = ["blockIdx.x == 0 && threadIdx.x == 0", "blockIdx.x == 0 && threadIdx.x == 32"];

#[test]
fn a_release_and_an_acquire_order_what_is_around_them() {
    let device = "cuda::atomic<int, cuda::thread_scope_device>";
    let block = "cuda::atomic<int, cuda::thread_scope_block>";
    let spelled = [
        (
            device,
            "flag->store(1, cuda::memory_order_release)",
            "while (flag->load(cuda::memory_order_acquire) == 0) ;",
        ),
        (device, "*flag = 1", "while (*flag == 0) ;"),
        (device, "flag->fetch_add(1)", "flag->wait(0)"),
        (device, "flag->exchange(1, cuda::memory_order_acq_rel)", "while (!flag->load()) ;"),
        (
            "int",
            "cuda::atomic_ref<int, cuda::thread_scope_device>(*flag).store(1, cuda::std::memory_order_release)",
            "cuda::atomic_ref<int, cuda::thread_scope_device> r(*flag); while (r.load(cuda::std::memory_order_acquire) != 1) ;",
        ),
        (
            device,
            "cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_device); \
             flag->store(1, cuda::memory_order_relaxed)",
            "while (flag->load(cuda::memory_order_relaxed) == 0) ; \
             cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device)",
        ),
    ];
    for (kind, store, wait) in spelled {
        assert_eq!(
            clean(&message(kind, store, wait, BLOCKS), [2, 64], &[zeros(1), zeros(1), zeros(1)]),
            [42]
        );
        assert_eq!(clean(&message(kind, store, wait, WARPS), [1, 64], &[zeros(1), zeros(1), zeros(1)]), [42]);
    }
    let (store, wait) = (spelled[0].1, spelled[0].2);
    assert_eq!(clean(&message(block, store, wait, WARPS), [1, 64], &[zeros(1), zeros(1), zeros(1)]), [42]);
}

#[test]
fn a_spin_lock_keeps_threads_apart() {
    let text = "#include <cuda/atomic>
__global__ void k(cuda::atomic<int, cuda::thread_scope_device> *lock, int *out) {
    if (threadIdx.x % 32 == 0) {
        int free = 0;
        while (!lock->compare_exchange_weak(free, 1, cuda::memory_order_acquire, cuda::memory_order_relaxed)) free = 0;
        out[0] = out[0] + 1;
        lock->store(0, cuda::memory_order_release);
    }
}
";
    assert_eq!(clean(text, [4, 64], &[zeros(1), zeros(1)]), [8]);
}

#[test]
fn what_is_too_large_is_not_supported() {
    let text = "#include <cuda/atomic>
struct Large { int a[4]; };
__global__ void k(int *out) { cuda::atomic<Large> x; out[0] = x.is_lock_free(); }
";
    let why = attempt_warned(text, [1, 1], &[zeros(1)]).unwrap_err();
    assert!(why.contains("the simulator has atomics of up to 8 bytes"), "{why}");
}
