template <int TILE>
__device__ float first(const float *p) { return p[TILE]; }

__global__ void scale(float *out, const float *in, int n) {
    out[threadIdx.x] = first<n>(in); // EXPECT not-constant
}
