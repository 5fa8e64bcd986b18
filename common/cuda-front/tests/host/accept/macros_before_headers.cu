// Macros with names that headers use, defined before the headers.
#define N 64
#define T float
#define threads 256
#define BLOCK 3
#define mask 0xff
#define v 7
#define a 3
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cub/cub.cuh>
#include <curand_kernel.h>
#include <cuda_fp16.h>
#include <mma.h>
#include <thrust/tuple.h>
#undef v
namespace cg = cooperative_groups;
__global__ void k(T *out) {
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    out[threadIdx.x] = N + a + BLOCK + cg::reduce(tile, 1.0f, cg::plus<float>()) + threads + mask;
}
