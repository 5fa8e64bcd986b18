struct Pair {
    float a, b;
} // EXPECT missing-semicolon

__global__ void scale(Pair *out) {
    out[threadIdx.x].a = 1.0f;
}
