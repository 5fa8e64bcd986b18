// Cooperative groups: the block, tiles of a warp, lanes that meet, and the grid, whose barrier is for cooperative launches.
// Clusters are not here.
#pragma once
#include <cuda/shuffle.h>
namespace cooperative_groups {

namespace __detail {
__device__ inline unsigned int block_rank() {
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
__device__ inline unsigned int block_size() { return blockDim.x * blockDim.y * blockDim.z; }
__device__ inline unsigned int lane() { return block_rank() % 32u; }
// The lane of a rank among the lanes of a mask, and the bits of a mask at the ranks of its lanes.
__device__ inline unsigned int lane_of(unsigned int mask, unsigned int rank) {
    for (unsigned int i = 0u; i < rank; ++i) mask &= mask - 1u;
    return (unsigned int)__ffs((int)mask) - 1u;
}
__device__ inline unsigned int by_rank(unsigned int mask, unsigned int lanes) {
    unsigned int packed = 0u, rank = 0u;
    for (unsigned int rest = mask; rest != 0u; rest &= rest - 1u, ++rank) {
        if (lanes & rest & (0u - rest)) packed |= 1u << rank;
    }
    return packed;
}
}

// Any group whose size is known at run time only: the block, or lanes of a warp.
struct thread_group {
    bool __is_block;
    unsigned int __mask, __meta_rank, __meta_size;
    __device__ void sync() const {
        if (__is_block) __syncthreads(); else __syncwarp(__mask);
    }
    __device__ unsigned int size() const { return __is_block ? __detail::block_size() : (unsigned int)__popc(__mask); }
    __device__ unsigned int num_threads() const { return size(); }
    __device__ unsigned int thread_rank() const {
        return __is_block ? __detail::block_rank() : (unsigned int)__popc(__mask & ((1u << __detail::lane()) - 1u));
    }
};

struct thread_block : thread_group {
    __device__ void sync() const { __syncthreads(); }
    __device__ void barrier_arrive_and_wait() const { __syncthreads(); }
    __device__ static unsigned int thread_rank() { return __detail::block_rank(); }
    __device__ static unsigned int size() { return __detail::block_size(); }
    __device__ static unsigned int num_threads() { return __detail::block_size(); }
    __device__ static dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
    __device__ static dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    __device__ static dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
    __device__ static dim3 dim_threads() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
};

__device__ inline thread_block this_thread_block() {
    thread_block block;
    block.__is_block = true;
    block.__mask = block.__meta_rank = 0u;
    block.__meta_size = 1u;
    return block;
}

// All threads of the launch.
struct grid_group {
    __device__ static bool is_valid() { return __grid_is_valid() != 0; }
    __device__ static void sync() { __grid_sync(); }
    __device__ static unsigned long long block_rank() {
        return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    }
    __device__ static unsigned long long num_blocks() { return (unsigned long long)gridDim.x * gridDim.y * gridDim.z; }
    __device__ static unsigned long long thread_rank() {
        return block_rank() * __detail::block_size() + __detail::block_rank();
    }
    __device__ static unsigned long long size() { return num_blocks() * __detail::block_size(); }
    __device__ static unsigned long long num_threads() { return size(); }
    __device__ static dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    __device__ static dim3 dim_blocks() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
    __device__ static dim3 group_dim() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
};

__device__ inline grid_group this_grid() { return grid_group(); }

// The lanes of a mask, ranked by their order.
struct coalesced_group : thread_group {
    template <typename T>
    __device__ T shfl(T v, int rank) const {
        return __shuffle::value_of(__mask, v, (int)__detail::lane_of(__mask, (unsigned int)rank % size()));
    }
    template <typename T>
    __device__ T shfl_up(T v, unsigned int delta) const {
        unsigned int rank = thread_rank();
        return __shuffle::value_of(__mask, v, (int)__detail::lane_of(__mask, rank < delta ? rank : rank - delta));
    }
    template <typename T>
    __device__ T shfl_down(T v, unsigned int delta) const {
        unsigned int rank = thread_rank();
        return __shuffle::value_of(__mask, v, (int)__detail::lane_of(__mask, rank + delta < size() ? rank + delta : rank));
    }
    __device__ int any(int predicate) const { return __any_sync(__mask, predicate); }
    __device__ int all(int predicate) const { return __all_sync(__mask, predicate); }
    __device__ unsigned int ballot(int predicate) const {
        return __detail::by_rank(__mask, __ballot_sync(__mask, predicate));
    }
    template <typename T>
    __device__ unsigned int match_any(T v) const { return __detail::by_rank(__mask, __match_any_sync(__mask, v)); }
    template <typename T>
    __device__ unsigned int match_all(T v, int &same) const {
        return __detail::by_rank(__mask, __match_all_sync(__mask, v, &same));
    }
    __device__ unsigned int meta_group_rank() const { return __meta_rank; }
    __device__ unsigned int meta_group_size() const { return __meta_size; }
};

namespace __detail {
__device__ inline coalesced_group lanes(unsigned int mask, unsigned int rank, unsigned int size) {
    coalesced_group group;
    group.__is_block = false;
    group.__mask = mask;
    group.__meta_rank = rank;
    group.__meta_size = size;
    return group;
}
}

__device__ inline coalesced_group coalesced_threads() { return __detail::lanes(__activemask(), 0u, 1u); }

namespace __detail {
// The threads of a parent that is a tile; 0 for a block.
template <typename Parent> struct parent_size { static const unsigned int value = 0u; };
}

// N consecutive threads of a warp, N a power of two, with its place among those of its parent.
template <unsigned int N, typename Parent = void>
struct thread_block_tile : thread_block_tile<N, void> {
    __device__ static unsigned int meta_group_rank() {
        const unsigned int of = __detail::parent_size<Parent>::value;
        return of == 0u ? __detail::block_rank() / N : __detail::lane() % (of == 0u ? 1u : of) / N;
    }
    __device__ static unsigned int meta_group_size() {
        const unsigned int of = __detail::parent_size<Parent>::value;
        return of == 0u ? (__detail::block_size() + N - 1u) / N : of / N;
    }
};

template <unsigned int N>
struct thread_block_tile<N, void> : thread_group {
    static_assert(N >= 1 && N <= 1024 && (N & (N - 1)) == 0, "the number of threads in a tile is a power of two");
    __device__ static unsigned int lane() { return __detail::lane(); }
    __device__ static unsigned int mask() {
        return N == 32 ? 0xffffffffu : ((1u << (N % 32u)) - 1u) << (lane() & ~(N - 1u));
    }
    __device__ void sync() const { __syncwarp(mask()); }
    __device__ static unsigned int thread_rank() { return __detail::block_rank() % N; }
    __device__ static constexpr unsigned int size() { return N; }
    __device__ static constexpr unsigned int num_threads() { return N; }
    __device__ static unsigned int meta_group_rank() { return __detail::block_rank() / N; }
    __device__ static unsigned int meta_group_size() { return (__detail::block_size() + N - 1u) / N; }
    template <typename T>
    __device__ T shfl(T v, int rank) const {
        if constexpr (__shuffle::is_shuffled<T>::value) {
            return __shfl_sync(mask(), v, rank, (int)N);
        } else {
            return __shuffle::value_of(mask(), v, (int)((lane() & ~(N - 1u)) + ((unsigned int)rank & (N - 1u))));
        }
    }
    template <typename T>
    __device__ T shfl_up(T v, unsigned int delta) const {
        if constexpr (__shuffle::is_shuffled<T>::value) {
            return __shfl_up_sync(mask(), v, delta, (int)N);
        } else {
            return __shuffle::value_of(mask(), v, (int)(thread_rank() < delta ? lane() : lane() - delta));
        }
    }
    template <typename T>
    __device__ T shfl_down(T v, unsigned int delta) const {
        if constexpr (__shuffle::is_shuffled<T>::value) {
            return __shfl_down_sync(mask(), v, delta, (int)N);
        } else {
            return __shuffle::value_of(mask(), v, (int)(thread_rank() + delta < N ? lane() + delta : lane()));
        }
    }
    template <typename T>
    __device__ T shfl_xor(T v, unsigned int other) const {
        if constexpr (__shuffle::is_shuffled<T>::value) {
            return __shfl_xor_sync(mask(), v, (int)other, (int)N);
        } else {
            return __shuffle::value_of(mask(), v, (int)(lane() ^ (other & (N - 1u))));
        }
    }
    __device__ int any(int predicate) const { return __any_sync(mask(), predicate); }
    __device__ int all(int predicate) const { return __all_sync(mask(), predicate); }
    __device__ static unsigned int __of_tile(unsigned int lanes) {
        return N == 32 ? lanes : (lanes & mask()) >> (lane() & ~(N - 1u));
    }
    __device__ unsigned int ballot(int predicate) const { return __of_tile(__ballot_sync(mask(), predicate)); }
    template <typename T>
    __device__ unsigned int match_any(T v) const { return __of_tile(__match_any_sync(mask(), v)); }
    template <typename T>
    __device__ unsigned int match_all(T v, int &same) const { return __of_tile(__match_all_sync(mask(), v, &same)); }
};

namespace __detail {
template <unsigned int N, typename Parent>
struct parent_size<thread_block_tile<N, Parent>> { static const unsigned int value = N; };
}

template <unsigned int N, typename Parent>
__device__ inline thread_block_tile<N, Parent> tiled_partition(const Parent &) {
    if constexpr (N > 32) tiles_of_more_than_32_threads(); // No such function: that is not supported.
    thread_block_tile<N, Parent> tile;
    tile.__is_block = false;
    tile.__mask = thread_block_tile<N, void>::mask();
    tile.__meta_rank = 0u;
    tile.__meta_size = 1u;
    return tile;
}

namespace __detail {
template <typename Group> struct tile_of { typedef thread_group type; };
template <> struct tile_of<coalesced_group> { typedef coalesced_group type; };
}

// Tiles of a size known at run time: of a block by thread, of lanes by rank.
template <typename Group>
__device__ inline typename __detail::tile_of<Group>::type tiled_partition(const Group &parent, unsigned int size) {
    unsigned int rank = parent.thread_rank(), first = rank - rank % size, mask = 0u;
    if (parent.__is_block) {
        mask = (size >= 32u ? 0xffffffffu : (1u << size) - 1u) << (first % 32u);
    } else {
        for (unsigned int i = first; i < first + size && i < parent.size(); ++i) {
            mask |= 1u << __detail::lane_of(parent.__mask, i);
        }
    }
    return __detail::lanes(mask, rank / size, (parent.size() + size - 1u) / size);
}

// The lanes of a tile or of lanes that met whose label is the same.
template <typename Group, typename Label>
__device__ inline coalesced_group labeled_partition(const Group &group, Label label) {
    const unsigned int all = group.__mask, mine = __match_any_sync(all, label);
    unsigned int before = 0u, count = 0u;
    for (unsigned int rest = all; rest != 0u; ++count) {
        unsigned int from = (unsigned int)__ffs((int)rest) - 1u;
        unsigned int peers = __shfl_sync(all, mine, (int)from);
        if ((peers & (0u - peers)) < (mine & (0u - mine))) ++before;
        rest &= ~peers;
    }
    return __detail::lanes(mine, before, count);
}
template <typename Group>
__device__ inline coalesced_group binary_partition(const Group &group, bool predicate) {
    const unsigned int all = group.__mask, chosen = __ballot_sync(all, predicate);
    return __detail::lanes(predicate ? chosen : all & ~chosen, predicate ? 1u : 0u, 2u);
}

template <typename Group>
__device__ inline void sync(const Group &group) { group.sync(); }

template <typename Group>
__device__ inline unsigned int thread_rank(const Group &group) { return group.thread_rank(); }

template <typename Group>
__device__ inline unsigned int group_size(const Group &group) { return group.size(); }

// Calls a function in one thread of the group.
template <typename Group, typename F>
__device__ inline void invoke_one(const Group &group, F f) {
    if (group.thread_rank() == 0u) f();
}

}
