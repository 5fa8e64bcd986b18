// Asynchronous copies by a group: each call is a stage, and a wait is one for one's own copies and then a barrier.
#pragma once
#include <cooperative_groups.h>
#include <cuda/scope.h>
namespace cooperative_groups {

// In the largest pieces that both ends allow.
template <typename Group>
__device__ inline void __copy_bytes(const Group &group, char *to, const char *from, size_t size) {
    size_t skew = (size_t)to | (size_t)from | size;
    if (skew % 16 == 0) {
        cuda::__copy_share<16>(to, from, size, group.thread_rank(), group.size());
    } else if (skew % 8 == 0) {
        cuda::__copy_share<8>(to, from, size, group.thread_rank(), group.size());
    } else if (skew % 4 == 0) {
        cuda::__copy_share<4>(to, from, size, group.thread_rank(), group.size());
    } else {
        cuda::__copy_share<1>(to, from, size, group.thread_rank(), group.size());
    }
    __async_commit();
}

// `size` in bytes, a multiple of the elements' size.
template <typename Group, typename T, typename U, typename Size>
__device__ inline void memcpy_async(const Group &group, T *to, const U *from, const Size &size) {
    static_assert(sizeof(T) == sizeof(U), "both pointers have elements of one size");
    __copy_bytes(group, (char *)to, (const char *)from, (size_t)size);
}

// Room and elements at both ends, in elements.
template <typename Group, typename T, typename U>
__device__ inline void memcpy_async(const Group &group, T *to, size_t room, const U *from, size_t count) {
    __copy_bytes(group, (char *)to, (const char *)from, (room < count ? room : count) * sizeof(T));
}

template <unsigned int Stages, typename Group>
__device__ inline void wait_prior(const Group &group) {
    __async_wait(Stages);
    group.sync();
}

template <typename Group>
__device__ inline void wait(const Group &group) {
    __async_wait(0u);
    group.sync();
}

}
