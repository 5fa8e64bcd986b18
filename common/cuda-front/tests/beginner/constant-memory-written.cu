__constant__ float weights[9];

__global__ void scale(float *out) {
    weights[threadIdx.x] = out[threadIdx.x]; // EXPECT constant-memory-write
}
