// A constant division by zero where a constant is needed.
constexpr int Z = 0;
__global__ void k(int *out) {
    int a[8 / Z]; // ERROR
    out[0] = 1;
}
