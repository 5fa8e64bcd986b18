// cuda::barrier of threads of a block, and copies that it waits for.
#pragma once
#include <cuda/scope.h>
namespace cuda {

template <thread_scope Scope = thread_scope_system>
struct barrier {
    static_assert(Scope == thread_scope_block, "the simulator has barriers of a block alone");
    typedef unsigned long long arrival_token;
    unsigned long long __phase;
    __device__ barrier() = default;
    __device__ barrier(long long count) { __phase_init(&__phase, (unsigned int)count); }
    __device__ static constexpr long long max() { return (1 << 20) - 1; }
    __device__ arrival_token arrive(long long count = 1) { return __phase_arrive(&__phase, (unsigned int)count); }
    __device__ void wait(arrival_token token) const { __phase_await((void *)&__phase, (unsigned int)token); }
    __device__ void wait_parity(bool parity) const { __phase_await((void *)&__phase, parity ? 1u : 0u); }
    __device__ void arrive_and_wait() { wait(arrive()); }
    __device__ void arrive_and_drop() { __phase_drop(&__phase, 1u); }
};

template <thread_scope Scope>
__device__ inline void init(barrier<Scope> *b, long long count) {
    __phase_init(&b->__phase, (unsigned int)count);
}

template <typename Group, typename T, typename Size, thread_scope Scope>
__device__ inline void memcpy_async(const Group &group, T *to, const T *from, Size size, barrier<Scope> &b) {
    __copy_by(to, from, size, group.thread_rank(), group.size());
    __async_bind(&b.__phase);
}
template <typename Group, typename Size, thread_scope Scope>
__device__ inline void memcpy_async(const Group &group, void *to, const void *from, Size size, barrier<Scope> &b) {
    memcpy_async(group, (char *)to, (const char *)from, size, b);
}
template <typename T, typename Size, thread_scope Scope>
__device__ inline void memcpy_async(T *to, const T *from, Size size, barrier<Scope> &b) {
    __copy_by(to, from, size, 0, 1);
    __async_bind(&b.__phase);
}
template <typename Size, thread_scope Scope>
__device__ inline void memcpy_async(void *to, const void *from, Size size, barrier<Scope> &b) {
    memcpy_async((char *)to, (const char *)from, size, b);
}

}
