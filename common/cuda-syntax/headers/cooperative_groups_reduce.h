// Reductions over a tile or lanes that met: every thread gets the result.
#pragma once
#include <cooperative_groups.h>
namespace cooperative_groups {

template <typename T = void>
struct plus {
    __device__ T operator()(T a, T b) const { return a + b; }
};
template <typename T = void>
struct less {
    __device__ T operator()(T a, T b) const { return b < a ? b : a; }
};
template <typename T = void>
struct greater {
    __device__ T operator()(T a, T b) const { return a < b ? b : a; }
};
template <typename T = void>
struct bit_and {
    __device__ T operator()(T a, T b) const { return a & b; }
};
template <typename T = void>
struct bit_or {
    __device__ T operator()(T a, T b) const { return a | b; }
};
template <typename T = void>
struct bit_xor {
    __device__ T operator()(T a, T b) const { return a ^ b; }
};

template <unsigned int N, typename Parent, typename T, typename Op>
__device__ inline T reduce(const thread_block_tile<N, Parent> &group, T v, Op op) {
    for (unsigned int step = N / 2u; step > 0u; step /= 2u) v = op(v, group.shfl_xor(v, step));
    return v;
}

template <typename T, typename Op>
__device__ inline T reduce(const coalesced_group &group, T v, Op op) {
    T sum = group.shfl(v, 0);
    for (unsigned int rank = 1u; rank < group.size(); ++rank) sum = op(sum, group.shfl(v, (int)rank));
    return sum;
}

}
