// A reference that may write needs a variable.
__device__ void f(int &x) { x = 1; }
__global__ void k(int *out) {
    f(out[0] + 1); // ERROR
}
