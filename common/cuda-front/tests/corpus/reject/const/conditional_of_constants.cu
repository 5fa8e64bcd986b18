// ?: that chooses between constants is no variable to write.
__global__ void k(int *out, const int *in, int c) {
    (c ? in[0] : in[1]) = 3; // ERROR
    out[0] = 1;
}
