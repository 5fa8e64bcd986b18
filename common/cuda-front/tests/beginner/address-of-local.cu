__device__ float *twice(float x) {
    float y = 2.0f * x;
    return &y; // EXPECT address-of-local
}

__global__ void scale(float *out) {
    out[threadIdx.x] = *twice(out[threadIdx.x]);
}
