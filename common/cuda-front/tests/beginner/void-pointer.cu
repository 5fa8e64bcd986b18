__global__ void k(void *out) {
    out[0] = 1; // EXPECT incomplete-type
    *out = 2; // EXPECT not-a-pointer
}
