// Asynchronous copies by the primitives of a pipeline: each thread waits for groups of its own copies.
#pragma once
__device__ inline void __pipeline_memcpy_async(void *to, const void *from, size_t size, size_t zeros = 0) {
    assert((size == 4 || size == 8 || size == 16) && zeros <= size);
    if (size == 16) {
        __async_copy_16(to, from, (unsigned int)(size - zeros));
    } else if (size == 8) {
        __async_copy_8(to, from, (unsigned int)(size - zeros));
    } else {
        __async_copy_4(to, from, (unsigned int)(size - zeros));
    }
}
__device__ inline void __pipeline_commit() { __async_commit(); }
__device__ inline void __pipeline_wait_prior(size_t groups) { __async_wait((unsigned int)groups); }
