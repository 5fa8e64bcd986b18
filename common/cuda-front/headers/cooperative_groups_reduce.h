// Reductions over a tile: every thread gets the result.
#pragma once
#include <cooperative_groups.h>
namespace cooperative_groups {

template <typename T>
struct plus {
    __device__ T operator()(T a, T b) const { return a + b; }
};
template <typename T>
struct less {
    __device__ T operator()(T a, T b) const { return b < a ? b : a; }
};
template <typename T>
struct greater {
    __device__ T operator()(T a, T b) const { return a < b ? b : a; }
};
template <typename T>
struct bit_and {
    __device__ T operator()(T a, T b) const { return a & b; }
};
template <typename T>
struct bit_or {
    __device__ T operator()(T a, T b) const { return a | b; }
};
template <typename T>
struct bit_xor {
    __device__ T operator()(T a, T b) const { return a ^ b; }
};

template <typename Group, typename T, typename Op>
__device__ inline T reduce(const Group &group, T v, Op op) {
    for (unsigned int step = Group::size() / 2u; step > 0u; step /= 2u) v = op(v, group.shfl_xor(v, step));
    return v;
}

}
