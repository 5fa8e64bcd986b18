__global__ void k(int *out) {
    out[0] = strlen("a"); // EXPECT host-function-call
}
