// What <cuda/barrier> and <cuda/pipeline> share.
#pragma once
namespace cuda {

enum thread_scope { thread_scope_system, thread_scope_device, thread_scope_block, thread_scope_thread };

// A size in bytes with the alignment that both ends have.
template <size_t Alignment>
struct aligned_size_t {
    size_t value;
    __device__ aligned_size_t(size_t size) : value(size) {}
    __device__ operator size_t() const { return value; }
};

template <typename T, typename U>
__device__ inline void __copy_alone(T *to, const U *from, size_t size) {
    static_assert(sizeof(T) == sizeof(U), "both pointers have elements of one size");
    assert(size % sizeof(T) == 0);
    for (size_t i = 0; i < size / sizeof(T); ++i) to[i] = from[i];
}

template <typename Group, typename T, typename U>
__device__ inline void __copy_shared(const Group &group, T *to, const U *from, size_t size) {
    static_assert(sizeof(T) == sizeof(U), "both pointers have elements of one size");
    assert(size % sizeof(T) == 0);
    for (size_t i = group.thread_rank(); i < size / sizeof(T); i += group.size()) to[i] = from[i];
}

}
