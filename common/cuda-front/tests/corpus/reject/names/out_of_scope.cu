// A for's variable after the loop.
__global__ void k(int *out, int n) {
    for (int i = 0; i < n; i++) out[i] = i;
    out[0] = i; // ERROR
}
