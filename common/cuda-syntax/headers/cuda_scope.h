// What <cuda/barrier> and <cuda/pipeline> share.
#pragma once
namespace cuda {

enum thread_scope { thread_scope_system, thread_scope_device, thread_scope_block, thread_scope_thread };

// A size in bytes with the alignment that both ends have.
template <size_t Alignment>
struct aligned_size_t {
    size_t value;
    __device__ explicit aligned_size_t(size_t size) : value(size) {}
    __device__ operator size_t() const { return value; }
};

// The alignment that a size promises: none, unless it says so.
template <typename Size>
struct __promised {
    static constexpr size_t alignment = 1;
};
template <size_t Alignment>
struct __promised<aligned_size_t<Alignment>> {
    static constexpr size_t alignment = Alignment;
};

// Begins the copies of one of `threads` threads, in pieces as large as both ends are known to be aligned; what does not
// go from global to shared memory, or is not aligned to 4 bytes, is copied at once.
template <size_t Alignment>
__device__ inline void __copy_share(char *to, const char *from, size_t size, size_t rank, size_t threads) {
    constexpr size_t piece = Alignment >= 16 ? 16 : Alignment;
    if (Alignment < 4 || size % piece != 0 || !__isShared(to) || !__isGlobal(from)) {
        for (size_t i = rank; i < size; i += threads) to[i] = from[i];
        return;
    }
    for (size_t i = rank * piece; i < size; i += threads * piece) {
        if (piece == 16) __async_copy_16(to + i, from + i, 16u);
        if (piece == 8) __async_copy_8(to + i, from + i, 8u);
        if (piece == 4) __async_copy_4(to + i, from + i, 4u);
    }
}

template <typename T, typename Size>
__device__ inline void __copy_by(T *to, const T *from, Size size, size_t rank, size_t threads) {
    constexpr size_t promised = __promised<Size>::alignment;
    constexpr size_t own = alignof(T);
    __copy_share<(promised > own ? promised : own)>((char *)to, (const char *)from, (size_t)size, rank, threads);
}

}
