// Deduction from pointers, references, arrays, other templates' arguments; partly explicit.
template <typename T>
__device__ T first(const T *p) { return *p; }
template <typename T, typename U>
__device__ auto add(T a, U b) { return a + b; }
template <typename R, typename T>
__device__ R as(T x) { return static_cast<R>(x); }
template <typename T, int N>
__device__ int count(T (&)[N]) { return N; }
template <typename T, int N>
struct Vec {
    T v[N];
};
template <typename T, int N>
__device__ T last(const Vec<T, N> &v) { return v.v[N - 1]; }
__global__ void deduce(float *out, const int *in) {
    double d[7] = {};
    Vec<float, 3> v = {{1, 2, 3}};
    out[0] = first(in) + add(1, 2.5f) + as<int>(3.9f) + count(d) + last(v) + d[0];
}
