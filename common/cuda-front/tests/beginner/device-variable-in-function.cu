__global__ void k(float *out) {
    __device__ float x = 1; // EXPECT misplaced-specifier
    __device__ float y; // EXPECT misplaced-specifier
    __device__ float z[4]; // EXPECT misplaced-specifier
    out[0] = x + y + z[0];
}
