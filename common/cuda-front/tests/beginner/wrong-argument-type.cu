__device__ float first(const float *p) { return p[0]; }

__global__ void scale(float *out) {
    out[threadIdx.x] = first(out[0]); // EXPECT wrong-argument-type
}
