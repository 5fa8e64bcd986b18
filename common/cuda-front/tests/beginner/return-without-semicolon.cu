__global__ void clear(float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return
    float zero = 0.0f; // EXPECT missing-semicolon
    out[i] = zero;
}

__device__ float half_of(int i) {
    return
        float(i) / 2;
}
