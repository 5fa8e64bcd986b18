// A name without a dependency is looked up where the template stands.
template <typename T>
__device__ T f(T x) {
    return x + missing; // ERROR
}
__global__ void k(int *out) { out[0] = f(1); }
