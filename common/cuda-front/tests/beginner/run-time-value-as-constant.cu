__global__ void k(float *out, int n) {
    switch (n) {
        case threadIdx.x: out[1] = 1; // EXPECT not-constant
    }
    constexpr int u = n; // EXPECT not-constant
    out[0] = u;
}
