struct Pair {
    float a, b;
}

__global__ void scale(Pair *out) { // EXPECT missing-semicolon
    out[threadIdx.x].a = 1.0f;
}
