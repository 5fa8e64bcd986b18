// Two arguments that ask for different types.
template <typename T>
__device__ T larger(T a, T b) { return a > b ? a : b; }
__global__ void k(float *out) {
    out[0] = larger(1, 2.0f); // ERROR
}
