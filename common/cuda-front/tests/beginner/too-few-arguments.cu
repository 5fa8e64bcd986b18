__device__ float lerp(float a, float b, float t) { return a + t * (b - a); }

__global__ void scale(float *out) {
    out[threadIdx.x] = lerp(out[0], out[1]); // EXPECT wrong-argument-count
}
