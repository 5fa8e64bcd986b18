// Code for a device of a known architecture.
__device__ float pick() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
    return 1.0f;
#else
    return 2.0f;
#endif
}
__global__ void arch(float *out) { out[threadIdx.x] = pick(); }
