__global__ void k(float *out) {
    float x = 1.0 f; // EXPECT missing-semicolon
    float y = 3 x 4; // EXPECT missing-semicolon
    out[0] = x y; // EXPECT missing-semicolon
}
