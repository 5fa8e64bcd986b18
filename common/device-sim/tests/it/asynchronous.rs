//! Asynchronous copies on the simulated device: data come with the wait, and a wait that is missing is found.

use crate::programs::{attempt, run};

fn floats(n: usize) -> Vec<u8> {
    (0..n).flat_map(|i| (i as f32 * 0.5 + 1.0).to_le_bytes()).collect()
}

fn values(bytes: &[u8]) -> Vec<f32> {
    bytes.chunks(4).map(|c| f32::from_le_bytes(c.try_into().unwrap())).collect()
}

const PRIMITIVES: &str = "#include <cuda_pipeline.h>
__global__ void k(const float *in, float *out) {
    __shared__ float s[128];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&s[t], &in[t], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[t] = s[127 - t];
}
";

fn reversed(text: &str) {
    let got = values(&run(text, 128, &[floats(128), floats(128)]));
    let mut want = values(&floats(128));
    want.reverse();
    assert_eq!(got, want);
}

#[test]
fn each_way_of_copying_gives_the_data() {
    reversed(PRIMITIVES);
    reversed(
        "#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;
__global__ void k(const float *in, float *out) {
    __shared__ alignas(16) float s[128];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, s, in, sizeof(float) * 128);
    cg::wait(block);
    out[threadIdx.x] = s[127 - threadIdx.x];
}
",
    );
    reversed(
        "#include <cooperative_groups.h>
#include <cuda/barrier>
__global__ void k(const float *in, float *out) {
    __shared__ alignas(16) float s[128];
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    auto block = cooperative_groups::this_thread_block();
    if (block.thread_rank() == 0) init(&bar, block.size());
    block.sync();
    cuda::memcpy_async(block, s, in, cuda::aligned_size_t<16>(sizeof(float) * 128), bar);
    auto token = bar.arrive();
    bar.wait(token);
    out[threadIdx.x] = s[127 - threadIdx.x];
}
",
    );
}

/// Sums of neighbours over tiles, two stages deep.
#[test]
fn pipelines_of_a_thread_and_of_a_block_keep_stages_apart() {
    let thread = "#include <cuda/pipeline>
__global__ void k(const float *in, float *out) {
    __shared__ float s[2][64];
    int t = threadIdx.x;
    auto pipe = cuda::make_pipeline();
    for (int i = 0; i < 2; i++) {
        pipe.producer_acquire();
        cuda::memcpy_async(&s[i][t], &in[64 * i + t], sizeof(float), pipe);
        pipe.producer_commit();
    }
    for (int i = 0; i < 8; i++) {
        pipe.consumer_wait();
        __syncthreads();
        out[64 * i + t] = s[i % 2][t] + s[i % 2][(t + 1) % 64];
        __syncthreads();
        pipe.consumer_release();
        pipe.producer_acquire();
        if (i + 2 < 8) cuda::memcpy_async(&s[i % 2][t], &in[64 * (i + 2) + t], sizeof(float), pipe);
        pipe.producer_commit();
    }
}
";
    let block = "#include <cooperative_groups.h>
#include <cuda/pipeline>
__global__ void k(const float *in, float *out) {
    __shared__ alignas(16) float s[2][64];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto block = cooperative_groups::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    int t = threadIdx.x, next = 0;
    for (int i = 0; i < 8; i++) {
        for (; next < 8 && next < i + 2; next++) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, s[next % 2], in + 64 * next, cuda::aligned_size_t<16>(256), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        out[64 * i + t] = s[i % 2][t] + s[i % 2][(t + 1) % 64];
        pipe.consumer_release();
    }
}
";
    let roles = "#include <cooperative_groups.h>
#include <cuda/pipeline>
__global__ void k(const float *in, float *out) {
    __shared__ alignas(16) float s[2][64];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto block = cooperative_groups::this_thread_block();
    bool produces = threadIdx.x < 32;
    auto pipe = cuda::make_pipeline(
        block, &state, produces ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
    if (produces) {
        for (int i = 0; i < 8; i++) {
            pipe.producer_acquire();
            for (int j = threadIdx.x; j < 64; j += 32) {
                cuda::memcpy_async(&s[i % 2][j], &in[64 * i + j], sizeof(float), pipe);
            }
            pipe.producer_commit();
        }
    } else {
        int t = threadIdx.x - 32;
        for (int i = 0; i < 8; i++) {
            pipe.consumer_wait();
            out[64 * i + t] = s[i % 2][t] + s[i % 2][(t + 1) % 64];
            pipe.consumer_release();
        }
    }
}
";
    let input = values(&floats(512));
    let want: Vec<f32> = (0..512).map(|i| input[i] + input[i / 64 * 64 + (i % 64 + 1) % 64]).collect();
    for (text, threads) in [(thread, 64), (block, 64), (roles, 96)] {
        let got = values(&run(text, threads, &[floats(512), floats(512)]));
        assert_eq!(got, want, "{text}");
    }
}

fn refused(text: &str) -> String {
    attempt(text, 128, &[floats(128), floats(128)]).expect_err("the program is wrong")
}

#[test]
fn a_missing_wait_is_named_with_both_lines() {
    insta::assert_snapshot!(refused(&PRIMITIVES.replace("    __pipeline_wait_prior(0);\n", "")));
}

#[test]
fn a_missing_commit_is_named() {
    insta::assert_snapshot!(refused(&PRIMITIVES.replace("    __pipeline_commit();\n", "")));
}

#[test]
fn a_wait_for_too_few_groups_is_no_wait() {
    insta::assert_snapshot!(refused(&PRIMITIVES.replace("wait_prior(0)", "wait_prior(1)")));
}

#[test]
fn a_wait_without_a_barrier_is_a_race() {
    insta::assert_snapshot!(refused(&PRIMITIVES.replace("    __syncthreads();\n", "")));
}

#[test]
fn a_wait_that_half_of_the_threads_skip_is_found() {
    insta::assert_snapshot!(refused(
        &PRIMITIVES.replace("    __pipeline_wait", "    if (t < 64) __pipeline_wait")
    ));
}

#[test]
fn the_destination_may_not_be_written_meanwhile() {
    insta::assert_snapshot!(refused(
        &PRIMITIVES.replace("    __pipeline_wait", "    s[t] = 0.0f;\n    __pipeline_wait")
    ));
}

#[test]
fn the_source_may_not_be_written_meanwhile() {
    let text = PRIMITIVES
        .replace("const float *in", "float *in")
        .replace("    __pipeline_wait", "    in[t] = 0.0f;\n    __pipeline_wait");
    insta::assert_snapshot!(refused(&text));
}

#[test]
fn a_barrier_that_waits_for_more_threads_than_come_is_named() {
    insta::assert_snapshot!(refused(
        "#include <cuda/barrier>
__global__ void k(const float *in, float *out) {
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    if (threadIdx.x == 0) init(&bar, 160);
    __syncthreads();
    bar.arrive_and_wait();
    out[threadIdx.x] = in[threadIdx.x];
}
"
    ));
}

#[test]
fn a_barrier_must_be_made_first() {
    insta::assert_snapshot!(refused(
        "#include <cuda/barrier>
__global__ void k(const float *in, float *out) {
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    bar.arrive_and_wait();
    out[threadIdx.x] = in[threadIdx.x];
}
"
    ));
}

/// Four tiles summed, in the ways that a program may spell it: the last stages are not released, pointers are to `void`, an
/// earlier group is waited for, a barrier is made in place.
#[test]
fn stages_and_barriers_in_all_spellings() {
    let programs = [
        ("#include <cuda/pipeline>
#include <cuda/barrier>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
constexpr int n = 4;
__global__ void k(const float *in, float *out) {
  __shared__ float s[2][64];
  cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
  int t = threadIdx.x;
  for (int i = 0; i < 2; i++) { pipe.producer_acquire(); cuda::memcpy_async(&s[i][t], &in[i * 64 + t], sizeof(float), pipe); pipe.producer_commit(); }
  float sum = 0;
  for (int i = 0; i < n; i++) {
    pipe.consumer_wait();
    sum += s[i % 2][t];
    if (i + 2 < n) { pipe.producer_acquire(); cuda::memcpy_async(&s[i % 2][t], &in[(i + 2) * 64 + t], cuda::aligned_size_t<4>(4), pipe); }
    pipe.producer_commit();
  }
  out[t] = sum;
}
", false),
        ("#include <cuda/pipeline>
#include <cuda/barrier>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
constexpr int n = 4;
__global__ void k(const float *in, float *out) {
  __shared__ float s[2][64];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  for (int i = 0; i < 2; i++) { pipe.producer_acquire(); cuda::memcpy_async(block, s[i], in + i * 64, sizeof(float) * 64, pipe); pipe.producer_commit(); }
  float sum = 0;
  for (int i = 0; i < n; i++) {
    pipe.consumer_wait();
    sum += s[i % 2][63 - threadIdx.x];
    if (i + 1 < n) pipe.consumer_release(); if (i + 2 < n) { pipe.producer_acquire(); cuda::memcpy_async(block, (void *)s[i % 2], (const void *)(in + (i + 2) * 64), cuda::aligned_size_t<16>(256), pipe); pipe.producer_commit(); }
  }
  out[threadIdx.x] = sum;
}
", true),
        ("#include <cuda/pipeline>
#include <cuda/barrier>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
constexpr int n = 4;
__global__ void k(const float *in, float *out) {
  __shared__ alignas(16) float s[64];
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  auto block = cg::this_thread_block();
  if (block.thread_rank() == 0) init(&bar, block.size());
  block.sync();
  float sum = 0;
  for (int i = 0; i < n; i++) {
    cuda::memcpy_async(block, s, in + i * 64, cuda::aligned_size_t<16>(256), bar);
    cuda::barrier<cuda::thread_scope_block>::arrival_token token = bar.arrive();
    bar.wait(std::move(token));
    sum += s[63 - threadIdx.x];
    bar.arrive_and_wait();
  }
  out[threadIdx.x] = sum;
}
", true),
        ("#include <cuda/pipeline>
#include <cuda/barrier>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
constexpr int n = 4;
__global__ void k(const float *in, float *out) {
  __shared__ float s[4][64];
  auto pipe = cuda::make_pipeline(); int t = threadIdx.x;
  for (int i = 0; i < n; i++) { pipe.producer_acquire(); cuda::memcpy_async(&s[i][t], &in[i * 64 + t], sizeof(float), pipe); pipe.producer_commit(); }
  cuda::pipeline_consumer_wait_prior<1>(pipe); float sum = s[0][t] + s[1][t] + s[2][t];
  cuda::pipeline_consumer_wait_prior<0>(pipe); out[t] = sum + s[3][t];
}
", false),
    ];
    for (text, reversed) in programs {
        let got = values(&run(text, 64, &[floats(256), floats(64)]));
        let all = values(&floats(256));
        let sum =
            |i: usize| (0..4).map(|tile| all[64 * tile + if reversed { 63 - i } else { i }]).sum::<f32>();
        assert_eq!(got, (0..64).map(sum).collect::<Vec<_>>(), "{text}");
    }
    let in_place = "#include <cuda/pipeline>
#include <cuda/barrier>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
constexpr int n = 4;
__global__ void k(const float *in, float *out) {
  __shared__ float s[64]; __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  if (threadIdx.x == 0) new (&bar) cuda::barrier<cuda::thread_scope_block>(blockDim.x);
  __syncthreads();
  auto pipe = cuda::make_pipeline(); int t = threadIdx.x;
  cuda::memcpy_async(&s[t], &in[t], 4, pipe);
  cuda::pipeline_producer_commit(pipe, bar);
  bar.arrive_and_wait(); out[t] = s[63 - t];
}
";
    let got = values(&run(in_place, 64, &[floats(64), floats(64)]));
    let mut want = values(&floats(64));
    want.reverse();
    assert_eq!(got, want);
}

/// What a phase orders is asked of the definition: who arrives without waiting is not ordered by it, and a stage is not the next one.
#[test]
fn a_phase_orders_only_who_waits_for_it() {
    let barrier = "#include <cuda/barrier>
__global__ void k(const float *in, float *out) {
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ float s[64];
    int t = threadIdx.x;
    if (t == 0) init(&bar, blockDim.x);
    __syncthreads();
    if (t < 64) {
        s[t] = in[t];
        (void)bar.arrive();
        LATER
    } else {
        bar.arrive_and_wait();
        out[t] = s[127 - t];
    }
}
";
    assert!(attempt(&barrier.replace("LATER", ""), 128, &[floats(128), floats(128)]).is_ok());
    let late = refused(&barrier.replace("LATER", "s[t] = in[t + 64];"));
    assert!(late.contains("shared-memory-race"), "{late}");
    let stages = "#include <cooperative_groups.h>
#include <cuda/pipeline>
__global__ void k(const float *in, float *out) {
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ float s[2][64];
    int t = threadIdx.x, lane = t % 64;
    auto role = t < 64 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
    auto pipe = cuda::make_pipeline(cooperative_groups::this_thread_block(), &state, role);
    float sum = 0.0f;
    for (int r = 0; r < 4; r++) {
        if (t < 64) {
            pipe.producer_acquire();
            s[r % 2][lane] = in[r * 16 + lane % 16];
            pipe.producer_commit();
        } else {
            pipe.consumer_wait();
            sum += s[STAGE % 2][63 - lane];
            pipe.consumer_release();
        }
    }
    out[t] = sum;
}
";
    assert!(attempt(&stages.replace("STAGE", "r"), 128, &[floats(128), floats(128)]).is_ok());
    let other = refused(&stages.replace("STAGE", "(r + 1)"));
    assert!(other.contains("shared-memory-race"), "{other}");
}

/// Two warps write tiles, two read them: barriers for full and for empty tiles, each of which some warps only arrive at.
#[test]
fn named_barriers_hand_tiles_from_some_warps_to_others() {
    let text = "__device__ void meet(int number) { asm volatile(\"bar.sync %0, 128;\" :: \"r\"(number) : \"memory\"); }
__device__ void arrive(int number) { asm volatile(\"barrier.cta.arrive %0, 128;\" :: \"r\"(number) : \"memory\"); }
__global__ void k(const float *in, float *out) {
    __shared__ float tile[2][64];
    int t = threadIdx.x % 64;
    float sum = 0;
    for (int i = 0; i < 8; i++) {
        int s = i % 2;
        if (threadIdx.x < 64) {
            if (i >= 2) meet(3 + s);
            tile[s][t] = in[64 * i + t];
            arrive(1 + s);
        } else {
            meet(1 + s);
            sum += tile[s][63 - t];
            if (i < 6) arrive(3 + s);
        }
    }
    if (threadIdx.x >= 64) out[t] = sum;
}
";
    let got = values(&run(text, 128, &[floats(512), floats(64)]));
    let all = values(&floats(512));
    let sum = |i: usize| (0..8).map(|tile| all[64 * tile + 63 - i]).sum::<f32>();
    assert_eq!(got, (0..64).map(sum).collect::<Vec<_>>());
    // Before the wait for an empty tile, the next one is written while this one is read.
    let early = text
        .replace("if (i >= 2) meet(3 + s);", "")
        .replace("arrive(1 + s);", "if (i >= 2) meet(3 + s); arrive(1 + s);");
    let why = attempt(&early, 128, &[floats(512), floats(64)]).expect_err("a tile is written too early");
    assert!(why.contains("error[shared-memory-race]"), "{why}");
}

/// What is wrong with a named barrier, by its code; and blocks whose last warp is not full, or has ended threads.
#[test]
fn a_named_barrier_counts_whole_warps() {
    let programs = [
        (64, "asm(\"bar.sync 1, 64;\");", None),
        (40, "asm(\"bar.sync 1, 64;\");", None),
        (64, "if (threadIdx.x % 32 > 20) return; asm(\"bar.sync 15, 64;\");", None),
        (64, "asm(\"barrier.sync.aligned %0, 32;\" :: \"r\"(threadIdx.x / 32));", None),
        (
            32,
            "asm(\"bar.sync 1, 32;\"); asm(\"bar.arrive 1, 64;\"); asm(\"bar.cta.sync 1, 64;\"); asm(\"bar.sync 2, 32;\");",
            None,
        ),
        (64, "if (threadIdx.x < 32) asm(\"bar.sync 1, 64;\");", Some("barrier-never-completes")),
        (64, "asm(\"bar.sync 1, 48;\");", Some("barrier-count")),
        (64, "asm(\"bar.sync 1, %0;\" :: \"r\"(threadIdx.x & 0));", Some("barrier-count")),
        (64, "asm(\"bar.sync %0, 64;\" :: \"r\"(16 + blockIdx.x));", Some("barrier-count")),
        (64, "asm(\"bar.sync 1, %0;\" :: \"r\"(64 + threadIdx.x / 32 * 32));", Some("barrier-count")),
        (64, "asm(\"bar.sync %0, 64;\" :: \"r\"(threadIdx.x % 2));", Some("barrier-count")),
        (64, "if (threadIdx.x % 32 < 16) asm(\"bar.sync 1, 32;\");", Some("part-of-warp")),
    ];
    for (threads, body, code) in programs {
        let text =
            format!("__global__ void k(const float *in, float *out) {{ {body} out[threadIdx.x] = 1; }}");
        let got = attempt(&text, threads, &[floats(64), floats(64)]);
        match (got, code) {
            (Ok(_), None) => {}
            (Err(why), Some(code)) => assert!(why.contains(&format!("error[{code}]")), "{body}: {why}"),
            (got, _) => panic!("{body}: {got:?}"),
        }
    }
}
