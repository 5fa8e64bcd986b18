// The vector type of a scalar and a width, by specialisation; loads through it.
template <typename T, int N>
struct Vec;
template <>
struct Vec<float, 2> { using type = float2; };
template <>
struct Vec<float, 4> { using type = float4; };
template <>
struct Vec<int, 4> { using type = int4; };
template <int N>
__device__ void copy(float *dst, const float *src, int i) {
    using V = typename Vec<float, N>::type;
    reinterpret_cast<V *>(dst)[i] = *reinterpret_cast<const V *>(src + i * N);
}
template <typename T, int N>
struct __align__(sizeof(T) * N) Packed {
    T v[N];
    __device__ T &operator[](int i) { return v[i]; }
    __device__ const T &operator[](int i) const { return v[i]; }
};
__global__ void wide(float *out, const float *in) {
    copy<2>(out, in, threadIdx.x);
    copy<4>(out, in, threadIdx.x);
    Packed<float, 4> p = *reinterpret_cast<const Packed<float, 4> *>(in);
    p[1] = p[0] * 2;
    *reinterpret_cast<Packed<float, 4> *>(out) = p;
}
