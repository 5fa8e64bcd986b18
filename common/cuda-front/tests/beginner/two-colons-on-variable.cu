__global__ void k(int *out, int2 p) {
    out[0] = threadIdx::x; // EXPECT not-a-scope
    out[1] = p::x; // EXPECT not-a-scope
}
