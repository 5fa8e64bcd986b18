float twice(float x) { return 2.0f * x; }

__global__ void scale(float *out, const float *in) {
    out[threadIdx.x] = twice(in[threadIdx.x]); // EXPECT host-function-call
}
