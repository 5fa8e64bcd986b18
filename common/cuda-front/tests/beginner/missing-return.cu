__device__ float twice(float x) { // EXPECT missing-return
    float y = 2.0f * x;
}

__global__ void scale(float *out) {
    out[threadIdx.x] = twice(out[threadIdx.x]);
}
