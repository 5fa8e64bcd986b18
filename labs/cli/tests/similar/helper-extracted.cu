#ifndef BLOCK
#define BLOCK 256
#endif
#define MAX_RADIUS 16
__device__ float window_sum(const float *coefs, const float *values, int r) {
    float total = 0.0f;
    for (int q = 0; q <= 2 * r; ++q)
        total += coefs[q] * values[q];
    return total;
}
__global__ void stencil_shared(const float *__restrict__ x, const float *__restrict__ w, float *__restrict__ y, int count, int r) {
    __shared__ float sw[2 * MAX_RADIUS + 1];
    const int b = blockIdx.x * BLOCK;
    __shared__ float part[BLOCK + 2 * MAX_RADIUS];
    const int me = b + threadIdx.x;
    // window first
    for (int k = threadIdx.x; k < BLOCK + 2 * r; k += BLOCK) {
        const int from = b - r + k;
        part[k] = from >= 0 && from < count ? x[from] : 0.0f;
    }
    for (int k = threadIdx.x; k < 2 * r + 1; k += BLOCK)
        sw[k] = w[k];
    __syncthreads();
    if (me >= count) return;
    float total = 0.0f;
    if (me >= r && me < count - r)
        total = window_sum(sw, part + threadIdx.x, r);
    y[me] = total;
}
