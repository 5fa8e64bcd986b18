// An argument that is not a constant.
template <int N>
__device__ int f() { return N; }
__global__ void k(int *out, int n) {
    out[0] = f<n>(); // ERROR
}
