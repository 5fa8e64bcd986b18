// cuda::pipeline of one thread, made by make_pipeline(). Here a copy is done at once, by the thread that asks for it: values
// are those of a right program, and a wait that is missing is not found. A pipeline of a block is not here.
#pragma once
#include <cuda/scope.h>
namespace cuda {

template <thread_scope Scope>
struct pipeline {
    static_assert(Scope == thread_scope_thread, "a pipeline of one thread alone is here");
    __device__ void producer_acquire() {}
    __device__ void producer_commit() {}
    __device__ void consumer_wait() {}
    __device__ void consumer_release() {}
};

__device__ inline pipeline<thread_scope_thread> make_pipeline() { return pipeline<thread_scope_thread>(); }

template <unsigned int Stages, thread_scope Scope>
__device__ inline void pipeline_consumer_wait_prior(pipeline<Scope> &) {}

template <typename Group, typename T, typename U, typename Size, thread_scope Scope>
__device__ inline void memcpy_async(const Group &group, T *to, const U *from, Size size, pipeline<Scope> &) {
    __copy_shared(group, to, from, (size_t)size);
}
template <typename T, typename U, typename Size, thread_scope Scope>
__device__ inline void memcpy_async(T *to, const U *from, Size size, pipeline<Scope> &) {
    __copy_alone(to, from, (size_t)size);
}

}
