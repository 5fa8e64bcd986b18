// Cooperative groups: the block, and tiles of a warp. Groups of a grid or cluster are not here.
#pragma once
namespace cooperative_groups {

struct thread_block {
    __device__ void sync() const { __syncthreads(); }
    __device__ static unsigned int thread_rank() {
        return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    }
    __device__ static unsigned int size() { return blockDim.x * blockDim.y * blockDim.z; }
    __device__ static unsigned int num_threads() { return blockDim.x * blockDim.y * blockDim.z; }
    __device__ static dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
    __device__ static dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    __device__ static dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
    __device__ static dim3 dim_threads() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
};

__device__ inline thread_block this_thread_block() { return thread_block(); }

// N consecutive threads of a warp, N a power of two.
template <unsigned int N, typename Parent = void>
struct thread_block_tile : thread_block_tile<N, void> {};

template <unsigned int N>
struct thread_block_tile<N, void> {
    static_assert(N >= 1 && N <= 32 && (N & (N - 1)) == 0, "a tile has 1, 2, 4, 8, 16 or 32 threads");
    __device__ static unsigned int lane() { return thread_block::thread_rank() % 32u; }
    __device__ static unsigned int mask() {
        return N == 32 ? 0xffffffffu : ((1u << (N % 32u)) - 1u) << (lane() & ~(N - 1u));
    }
    __device__ void sync() const { __syncwarp(mask()); }
    __device__ static unsigned int thread_rank() { return thread_block::thread_rank() % N; }
    __device__ static constexpr unsigned int size() { return N; }
    __device__ static constexpr unsigned int num_threads() { return N; }
    __device__ static unsigned int meta_group_rank() { return thread_block::thread_rank() / N; }
    __device__ static unsigned int meta_group_size() { return (thread_block::size() + N - 1u) / N; }
    template <typename T>
    __device__ T shfl(T v, int rank) const { return __shfl_sync(mask(), v, rank, (int)N); }
    template <typename T>
    __device__ T shfl_up(T v, unsigned int delta) const { return __shfl_up_sync(mask(), v, delta, (int)N); }
    template <typename T>
    __device__ T shfl_down(T v, unsigned int delta) const { return __shfl_down_sync(mask(), v, delta, (int)N); }
    template <typename T>
    __device__ T shfl_xor(T v, unsigned int other) const { return __shfl_xor_sync(mask(), v, (int)other, (int)N); }
    __device__ int any(int predicate) const { return __any_sync(mask(), predicate); }
    __device__ int all(int predicate) const { return __all_sync(mask(), predicate); }
    __device__ unsigned int ballot(int predicate) const {
        unsigned int votes = __ballot_sync(mask(), predicate);
        return N == 32 ? votes : (votes & mask()) >> (lane() & ~(N - 1u));
    }
};

template <unsigned int N, typename Parent>
__device__ inline thread_block_tile<N, Parent> tiled_partition(const Parent &) {
    return thread_block_tile<N, Parent>();
}

template <typename Group>
__device__ inline void sync(const Group &group) { group.sync(); }

template <typename Group>
__device__ inline unsigned int thread_rank(const Group &group) { return group.thread_rank(); }

}
