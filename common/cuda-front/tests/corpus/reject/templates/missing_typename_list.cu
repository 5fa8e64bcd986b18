// The parameter's name without typename.
template <T> // ERROR
__device__ T f(T x) { return x; }
__global__ void k(int *out) { out[0] = f(1); }
