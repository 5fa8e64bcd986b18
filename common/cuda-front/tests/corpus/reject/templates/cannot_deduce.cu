// A parameter that no argument determines.
template <typename T>
__device__ T zero() { return T(0); }
__global__ void k(float *out) {
    out[0] = zero(); // ERROR
}
