// An immediate operand that is computed from a template's arguments.
template <int STAGES>
__global__ void staged(float *out, const float *in) {
    __shared__ float stage[32 * STAGES];
    for (int i = 0; i < STAGES - 1; ++i) {
        const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(&stage[32 * i + threadIdx.x]));
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;\n" ::"r"(to), "l"(in + threadIdx.x), "n"(4));
        asm volatile("cp.async.commit_group;\n" ::);
    }
    asm volatile("cp.async.wait_group %0;\n" ::"n"((STAGES - 2)));
    __syncthreads();
    out[threadIdx.x] = stage[threadIdx.x];
}

template __global__ void staged<3>(float *, const float *);
