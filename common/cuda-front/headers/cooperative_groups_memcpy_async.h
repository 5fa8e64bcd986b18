// Copies by a group. Here a copy is done at once, each thread its share; `wait` still is a barrier of the group, so what
// another thread copied is read before it without one is found as a race, but a wait missing before one's own share is not.
#pragma once
#include <cooperative_groups.h>
namespace cooperative_groups {

// `size` in bytes, a multiple of the elements' size.
template <typename Group, typename T, typename U>
__device__ inline void memcpy_async(const Group &group, T *to, const U *from, size_t size) {
    static_assert(sizeof(T) == sizeof(U), "both pointers have elements of one size");
    assert(size % sizeof(T) == 0);
    for (size_t i = group.thread_rank(); i < size / sizeof(T); i += group.size()) to[i] = from[i];
}

// Room and elements at both ends, in elements.
template <typename Group, typename T, typename U>
__device__ inline void memcpy_async(const Group &group, T *to, size_t room, const U *from, size_t count) {
    for (size_t i = group.thread_rank(); i < (room < count ? room : count); i += group.size()) to[i] = from[i];
}

template <typename Group>
__device__ inline void wait(const Group &group) { group.sync(); }

template <unsigned int Stages, typename Group>
__device__ inline void wait_prior(const Group &group) { group.sync(); }

}
