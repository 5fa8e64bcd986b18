// Functors as types only; operators of them called on temporaries.
struct Add {
    template <typename T>
    __device__ T operator()(T a, T b) const { return a + b; }
    template <typename T>
    __device__ static T zero() { return T(0); }
};
struct Max {
    template <typename T>
    __device__ T operator()(const T &a, const T &b) const { return a > b ? a : b; }
    template <typename T>
    __device__ static T zero() { return T(-1e30); }
};
template <typename Op, typename T, int N>
__device__ T reduce(const T (&v)[N]) {
    T acc = Op::template zero<T>();
#pragma unroll
    for (int i = 0; i < N; ++i) acc = Op()(acc, v[i]);
    return acc;
}
__global__ void both(float *out, const float *in) {
    float v[4] = {in[0], in[1], in[2], in[3]};
    int w[3] = {1, 2, 3};
    out[0] = reduce<Add>(v) + reduce<Max>(v) + reduce<Add, int>(w);
}
