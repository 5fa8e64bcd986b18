// Recursion in templates: functions by value, structs by value, if constexpr.
template <int N>
struct Factorial {
    static constexpr int value = N * Factorial<N - 1>::value;
};
template <>
struct Factorial<0> {
    static constexpr int value = 1;
};
template <int N>
__device__ float power(float x) {
    if constexpr (N == 0)
        return 1.0f;
    else
        return x * power<N - 1>(x);
}
template <int WIDTH>
__device__ float warp_sum(float v) {
    if constexpr (WIDTH > 1) {
        v += __shfl_down_sync(0xffffffffu, v, WIDTH / 2);
        return warp_sum<WIDTH / 2>(v);
    }
    return v;
}
__global__ void recursive(float *out) {
    int a[Factorial<3>::value];
    a[5] = Factorial<5>::value;
    out[threadIdx.x] = power<5>(2.0f) + a[5] + warp_sum<32>(out[threadIdx.x]);
}
