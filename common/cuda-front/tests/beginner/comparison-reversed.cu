__global__ void k(float *out, int n) {
    int i = threadIdx.x;
    if (i => n) return; // EXPECT unexpected-token
    if (i =< n) return; // EXPECT unexpected-token
    if (i <> n) return; // EXPECT unexpected-token
}
