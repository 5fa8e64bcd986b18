template <int TILE>
__device__ float first(const float *p) { return p[TILE]; }

__global__ void scale(float *out, const float *in) {
    out[threadIdx.x] = first(in); // EXPECT no-matching-function
}
