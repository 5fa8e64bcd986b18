__global__ void k(int *out, int n) {
    const int i = threadIdx.x;
    if (i // EXPECT assign-to-const
        = n) out[0] = 1; // EXPECT assignment-in-condition
}
