// Braces that narrow what is not a constant: CUDA's compiler warns.
__global__ void k(int *out, float x) {
    int n{(int)x};
    int m{x};
    out[0] = n + m;
}
