// A static_assert over a parameter.
__global__ void k(int *out, int n) {
    static_assert(n > 0, "n"); // ERROR
    out[0] = n;
}
