// auto needs a value.
__global__ void k(int *out) {
    auto x; // ERROR
    out[0] = 1;
}
