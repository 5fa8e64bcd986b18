__global__ void k(float *out) {
    float x = min(out[0], 1); // EXPECT ambiguous-call
    out[1] = max(0, x); // EXPECT ambiguous-call
}
