__global__ void scale(int *out, const int *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 1 / 2 * in[i]; // EXPECT integer-division
    if (i < n) out[i] += (n + 1) * (3 / 2); // EXPECT integer-division
}
