// cuda::pipeline of one thread, whose stages are groups of its own copies, and of a block, whose stages are two barriers
// each in shared memory: one for the data to be there, one for the room to be free again.
#pragma once
#include <cuda/barrier>
namespace cuda {

enum class pipeline_role { producer, consumer };

template <thread_scope Scope, unsigned char Stages>
struct pipeline_shared_state {
    static_assert(Scope == thread_scope_block, "the simulator has the shared state of a block alone");
    unsigned long long __full[Stages];
    unsigned long long __empty[Stages];
    __device__ pipeline_shared_state() = default;
};

template <thread_scope Scope>
struct pipeline;

template <>
struct pipeline<thread_scope_thread> {
    unsigned int __committed, __awaited;
    __device__ void producer_acquire() {}
    __device__ void producer_commit() {
        __async_commit();
        ++__committed;
    }
    // The next stage, whether or not the one before was released: here there is nobody else to wait for its room.
    __device__ void consumer_wait() {
        if (__committed == __awaited) return;
        __async_wait(__committed - __awaited - 1u);
        ++__awaited;
    }
    __device__ void consumer_release() {}
    __device__ bool quit() { return true; }
};

template <>
struct pipeline<thread_scope_block> {
    unsigned long long *__full, *__empty;
    unsigned int __stages, __head, __tail, __head_phase, __tail_phase;
    bool __produces, __consumes;
    __device__ void producer_acquire() { __phase_await(__empty + __head, __head_phase ^ 1u); }
    __device__ void producer_commit() {
        __async_bind(__full + __head);
        __phase_arrive(__full + __head, 1u);
        if (++__head == __stages) {
            __head = 0;
            __head_phase ^= 1u;
        }
    }
    __device__ void consumer_wait() { __phase_await(__full + __tail, __tail_phase); }
    __device__ void consumer_release() {
        __phase_arrive(__empty + __tail, 1u);
        if (++__tail == __stages) {
            __tail = 0;
            __tail_phase ^= 1u;
        }
    }
    __device__ bool quit() {
        for (unsigned int i = 0; i < __stages; ++i) {
            if (__produces) __phase_drop(__full + i, 1u);
            if (__consumes) __phase_drop(__empty + i, 1u);
        }
        return true;
    }
};

__device__ inline pipeline<thread_scope_thread> make_pipeline() {
    pipeline<thread_scope_thread> pipe;
    pipe.__committed = 0;
    pipe.__awaited = 0;
    return pipe;
}

template <unsigned char Stages>
__device__ inline pipeline<thread_scope_block> __pipeline_of(
    pipeline_shared_state<thread_scope_block, Stages> *state, bool produces, bool consumes) {
    pipeline<thread_scope_block> pipe;
    pipe.__full = state->__full;
    pipe.__empty = state->__empty;
    pipe.__stages = Stages;
    pipe.__head = pipe.__tail = pipe.__head_phase = pipe.__tail_phase = 0;
    pipe.__produces = produces;
    pipe.__consumes = consumes;
    return pipe;
}

template <typename Group, unsigned char Stages>
__device__ inline void __make_stages(
    const Group &group, pipeline_shared_state<thread_scope_block, Stages> *state, unsigned int producers,
    unsigned int consumers) {
    if (group.thread_rank() == 0) {
        for (int i = 0; i < Stages; ++i) {
            __phase_init(state->__full + i, producers);
            __phase_init(state->__empty + i, consumers);
        }
    }
    group.sync();
}

// Every thread produces and consumes.
template <typename Group, unsigned char Stages>
__device__ inline pipeline<thread_scope_block> make_pipeline(
    const Group &group, pipeline_shared_state<thread_scope_block, Stages> *state) {
    __make_stages(group, state, group.size(), group.size());
    return __pipeline_of(state, true, true);
}
// The first `producers` threads produce, the others consume.
template <typename Group, unsigned char Stages>
__device__ inline pipeline<thread_scope_block> make_pipeline(
    const Group &group, pipeline_shared_state<thread_scope_block, Stages> *state, size_t producers) {
    __make_stages(group, state, (unsigned int)producers, group.size() - (unsigned int)producers);
    bool produces = group.thread_rank() < producers;
    return __pipeline_of(state, produces, !produces);
}
// Each thread says what it does.
template <typename Group, unsigned char Stages>
__device__ inline pipeline<thread_scope_block> make_pipeline(
    const Group &group, pipeline_shared_state<thread_scope_block, Stages> *state, pipeline_role role) {
    unsigned int producers = (unsigned int)__syncthreads_count(role == pipeline_role::producer);
    __make_stages(group, state, producers, group.size() - producers);
    return __pipeline_of(state, role == pipeline_role::producer, role == pipeline_role::consumer);
}

template <unsigned char Before>
__device__ inline void pipeline_consumer_wait_prior(pipeline<thread_scope_thread> &) {
    __async_wait((unsigned int)Before);
}

// The barrier waits for the copies so far of the thread.
template <thread_scope Scope>
__device__ inline void pipeline_producer_commit(pipeline<thread_scope_thread> &, barrier<Scope> &b) {
    __async_bind(&b.__phase);
}

template <typename Group, typename T, typename Size, thread_scope Scope>
__device__ inline void memcpy_async(const Group &group, T *to, const T *from, Size size, pipeline<Scope> &) {
    __copy_by(to, from, size, group.thread_rank(), group.size());
}
template <typename Group, typename Size, thread_scope Scope>
__device__ inline void memcpy_async(const Group &group, void *to, const void *from, Size size, pipeline<Scope> &) {
    __copy_by((char *)to, (const char *)from, size, group.thread_rank(), group.size());
}
template <typename T, typename Size, thread_scope Scope>
__device__ inline void memcpy_async(T *to, const T *from, Size size, pipeline<Scope> &) {
    __copy_by(to, from, size, 0, 1);
}
template <typename Size, thread_scope Scope>
__device__ inline void memcpy_async(void *to, const void *from, Size size, pipeline<Scope> &) {
    __copy_by((char *)to, (const char *)from, size, 0, 1);
}

}
