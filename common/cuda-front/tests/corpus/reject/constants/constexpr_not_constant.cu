// A constexpr from a parameter.
__global__ void k(int *out, int n) {
    constexpr int m = n * 2; // ERROR
    out[0] = m;
}
