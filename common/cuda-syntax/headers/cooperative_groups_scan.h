// Prefix sums over a tile or lanes that met, and their like for other operations.
#pragma once
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cooperative_groups {

template <typename Group, typename T, typename Op>
__device__ inline T inclusive_scan(const Group &group, T v, Op op) {
    for (unsigned int step = 1u; step < group.size(); step *= 2u) {
        T before = group.shfl_up(v, step);
        if (group.thread_rank() >= step) v = op(before, v);
    }
    return v;
}
template <typename Group, typename T>
__device__ inline T inclusive_scan(const Group &group, T v) { return inclusive_scan(group, v, plus<T>()); }

// The first thread has zero.
template <typename Group, typename T, typename Op>
__device__ inline T exclusive_scan(const Group &group, T v, Op op) {
    T before = group.shfl_up(inclusive_scan(group, v, op), 1u);
    return group.thread_rank() == 0u ? T() : before;
}
template <typename Group, typename T>
__device__ inline T exclusive_scan(const Group &group, T v) { return exclusive_scan(group, v, plus<T>()); }

}
