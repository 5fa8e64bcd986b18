__global__ void k(float *out, float x) {
    float *p = 0.0f; // EXPECT cannot-convert
    float *q = x; // EXPECT cannot-convert
    out[0] = *p + *q;
}
