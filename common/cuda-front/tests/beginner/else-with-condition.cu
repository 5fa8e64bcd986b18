__global__ void k(float *out, int n) {
    int i = threadIdx.x;
    if (i < n) { out[i] = 1; }
    else (i > n) { out[i] = 3; } // EXPECT unexpected-token
    if (i < 4)
        out[i] = 1;
    else (i < 8) // EXPECT unexpected-token
        out[i] = 2;
    else
        out[i] = (float)n;
}
