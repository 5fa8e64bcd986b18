// A plain function is preferred to a template; the more special template to the general one.
template <typename T>
__device__ int which(T) { return 1; }
template <typename T>
__device__ int which(T *) { return 2; }
__device__ int which(float) { return 3; }
__global__ void prefer(int *out) {
    out[0] = which(1) + which(out) * 10 + which(1.0f) * 100 + which<float>(1.0f) * 1000;
}
