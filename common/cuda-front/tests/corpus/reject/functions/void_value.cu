// The result of a void function as a value.
__device__ void f() {}
__global__ void k(int *out) {
    out[0] = f(); // ERROR
}
