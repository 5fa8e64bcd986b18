__global__ void scale(float out[256]) {
    int n = sizeof(out) / sizeof(float); // EXPECT sizeof-pointer
    if (threadIdx.x < n) out[threadIdx.x] = 1.0f;
}
