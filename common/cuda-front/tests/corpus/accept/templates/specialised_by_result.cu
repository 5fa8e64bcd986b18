// The template's argument is in its result alone.
template <typename T>
__device__ T narrowed(float x);

template <>
__device__ int narrowed(float x) {
    return int(x);
}

template <>
__device__ double narrowed(float x) {
    return x;
}

__global__ void k(int *i, double *d, float x) {
    *i = narrowed<int>(x);
    *d = narrowed<double>(x);
}
