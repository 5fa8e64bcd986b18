__global__ void fill(float *out) { out[threadIdx.x] = 1.0f; }

__global__ void scale(float *out) {
    fill(out); // EXPECT kernel-called
}
