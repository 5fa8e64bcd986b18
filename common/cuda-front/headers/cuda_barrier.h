// cuda::barrier of a block all of whose threads take part, and copies that it waits for. Here a copy is done at once, and
// waiting is __syncthreads(): threads that wait must do so at the same place. Other counts than the block's are refused.
#pragma once
#include <cuda/scope.h>
namespace cuda {

template <thread_scope Scope>
struct barrier {
    struct arrival_token {};
    int __count;
    __device__ barrier() = default;
    __device__ arrival_token arrive() { return arrival_token(); }
    __device__ void wait(arrival_token) const { __syncthreads(); }
    __device__ void arrive_and_wait() { __syncthreads(); }
};

template <thread_scope Scope>
__device__ inline void init(barrier<Scope> *b, int count) {
    static_assert(Scope == thread_scope_block, "a barrier of a block alone is here");
    assert(count == (int)(blockDim.x * blockDim.y * blockDim.z));
    b->__count = count;
}

template <typename Group, typename T, typename U, typename Size, thread_scope Scope>
__device__ inline void memcpy_async(const Group &group, T *to, const U *from, Size size, barrier<Scope> &) {
    __copy_shared(group, to, from, (size_t)size);
}
template <typename T, typename U, typename Size, thread_scope Scope>
__device__ inline void memcpy_async(T *to, const U *from, Size size, barrier<Scope> &) {
    __copy_alone(to, from, (size_t)size);
}

}
