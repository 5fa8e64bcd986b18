// A type where a value is expected.
template <int N>
__device__ int f() { return N; }
__global__ void k(int *out) {
    out[0] = f<int>(); // ERROR
}
