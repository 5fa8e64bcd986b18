// A const needs a value.
__global__ void k(int *out) {
    const int n; // ERROR
    out[0] = 1;
}
