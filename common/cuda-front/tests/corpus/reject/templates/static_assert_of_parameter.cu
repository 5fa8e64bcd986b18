// A static_assert that the argument breaks.
template <int N>
__device__ int f() {
    static_assert(N % 32 == 0, "N must be a multiple of a warp"); // ERROR
    return N;
}
__global__ void k(int *out) { out[0] = f<33>(); }
