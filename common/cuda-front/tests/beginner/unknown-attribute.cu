__kernel__ void scale(float *out) { // EXPECT unknown-specifier
    out[threadIdx.x] = 1.0f;
}
