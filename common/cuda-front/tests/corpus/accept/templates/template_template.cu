// A template as the argument of a template, a type as the argument of a kernel.
template <typename T>
struct Sum {
    static __device__ T apply(T a, T b) { return a + b; }
    static __device__ T identity() { return T(0); }
};
template <typename T>
struct Max {
    static __device__ T apply(T a, T b) { return a > b ? a : b; }
    static __device__ T identity() { return T(-1000); }
};
template <template <typename> class Op, typename T>
__global__ void reduce(T *out, const T *in, int n) {
    T acc = Op<T>::identity();
    for (int i = 0; i < n; i++) acc = Op<T>::apply(acc, in[i]);
    *out = acc;
}
template __global__ void reduce<Sum, float>(float *, const float *, int);
template __global__ void reduce<Max, int>(int *, const int *, int);
