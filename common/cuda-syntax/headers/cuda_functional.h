// The functors of `cuda`; those of the standard library are in `standard.h`.
#pragma once
namespace cuda {

#define __EXTREMUM(NAME, LESS)                                                                               \
    template <typename T = void> struct NAME {                                                               \
        __host__ __device__ constexpr T operator()(const T &a, const T &b) const { return LESS ? b : a; }    \
    };                                                                                                       \
    template <> struct NAME<void> {                                                                          \
        template <typename T> __host__ __device__ constexpr T operator()(const T &a, const T &b) const {     \
            return LESS ? b : a;                                                                             \
        }                                                                                                    \
    };
__EXTREMUM(maximum, a < b)
__EXTREMUM(minimum, b < a)
#undef __EXTREMUM

}
