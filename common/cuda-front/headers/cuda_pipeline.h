// Asynchronous copies by the primitives of a pipeline. Here a copy is done at once, by the thread that asks for it: values
// are those of a right program, and a wait that is missing is not found.
#pragma once
__device__ inline void __pipeline_memcpy_async(void *to, const void *from, size_t size, size_t zeros = 0) {
    assert((size == 4 || size == 8 || size == 16) && zeros <= size);
    if (zeros > 0) {
        for (size_t i = 0; i < size; ++i) ((char *)to)[i] = i < size - zeros ? ((const char *)from)[i] : (char)0;
    } else if (size == 16) {
        *(uint4 *)to = *(const uint4 *)from;
    } else if (size == 8) {
        *(uint2 *)to = *(const uint2 *)from;
    } else {
        *(unsigned int *)to = *(const unsigned int *)from;
    }
}
__device__ inline void __pipeline_commit() {}
__device__ inline void __pipeline_wait_prior(size_t) {}
