// Integer functions of `cuda`, for values that are not negative.
#pragma once
namespace cuda {

template <typename A, typename B> __host__ __device__ constexpr auto ceil_div(const A a, const B b) {
    using T = decltype(true ? A() : B());
    return static_cast<T>(static_cast<T>(a) / static_cast<T>(b) + (static_cast<T>(a) % static_cast<T>(b) != 0));
}
template <typename A, typename B> __host__ __device__ constexpr auto round_up(const A a, const B b) {
    using T = decltype(true ? A() : B());
    return static_cast<T>(cuda::ceil_div(a, b) * static_cast<T>(b));
}
template <typename A, typename B> __host__ __device__ constexpr auto round_down(const A a, const B b) {
    using T = decltype(true ? A() : B());
    return static_cast<T>(static_cast<T>(a) / static_cast<T>(b) * static_cast<T>(b));
}
template <typename T> __host__ __device__ constexpr int ilog2(T v) {
    int log = 0;
    while (v >>= 1) ++log;
    return log;
}
template <typename T> __host__ __device__ constexpr int ilog10(T v) {
    int log = 0;
    while (v /= 10) ++log;
    return log;
}
}
