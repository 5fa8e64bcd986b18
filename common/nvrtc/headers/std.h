// What kernels use of C++'s standard library without its containers: integer types, mathematical functions, `min`, `max` and `swap`.
#if __has_include(<cuda/std/cstdint>)
// CUDA's own headers define the same names, and `int64_t` as another type than Linux does.
#include <cuda/std/cstdint>
#else
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
typedef int64_t intptr_t;
typedef uint64_t uintptr_t;
typedef int64_t intmax_t;
typedef uint64_t uintmax_t;
#endif
typedef decltype(sizeof 0) size_t;
typedef decltype((char *)0 - (char *)0) ptrdiff_t;

namespace std {
using nullptr_t = decltype(nullptr);
using ::int16_t; using ::int32_t; using ::int64_t; using ::int8_t; using ::intmax_t; using ::intptr_t; using ::ptrdiff_t;
using ::size_t; using ::uint16_t; using ::uint32_t; using ::uint64_t; using ::uint8_t; using ::uintmax_t; using ::uintptr_t;

using ::abs; using ::acos; using ::acosh; using ::asin; using ::asinh; using ::atan; using ::atan2; using ::atanh; using ::cbrt;
using ::ceil; using ::copysign; using ::cos; using ::cosh; using ::erf; using ::erfc; using ::exp; using ::exp2; using ::expm1;
using ::fabs; using ::fdim; using ::floor; using ::fma; using ::fmax; using ::fmin; using ::fmod; using ::frexp; using ::hypot;
using ::ilogb; using ::isfinite; using ::isinf; using ::isnan; using ::ldexp; using ::lgamma; using ::llrint; using ::llround;
using ::log; using ::log10; using ::log1p; using ::log2; using ::logb; using ::lrint; using ::lround; using ::modf;
using ::nearbyint; using ::nextafter; using ::pow; using ::remainder; using ::remquo; using ::rint; using ::round; using ::scalbln;
using ::scalbn; using ::signbit; using ::sin; using ::sinh; using ::sqrt; using ::tan; using ::tanh; using ::tgamma; using ::trunc;
using ::memcpy; using ::memset; using ::printf;

template <typename T> __host__ __device__ constexpr const T &min(const T &a, const T &b) { return b < a ? b : a; }
template <typename T> __host__ __device__ constexpr const T &max(const T &a, const T &b) { return a < b ? b : a; }
template <typename T, typename L> __host__ __device__ constexpr const T &min(const T &a, const T &b, L less) {
    return less(b, a) ? b : a;
}
template <typename T, typename L> __host__ __device__ constexpr const T &max(const T &a, const T &b, L less) {
    return less(a, b) ? b : a;
}
template <typename T> __host__ __device__ constexpr void swap(T &a, T &b) {
    T before = static_cast<T &&>(a);
    a = static_cast<T &&>(b);
    b = static_cast<T &&>(before);
}
template <typename T, size_t n> __host__ __device__ constexpr void swap(T (&a)[n], T (&b)[n]) {
    for (size_t i = 0; i < n; ++i) swap(a[i], b[i]);
}
}
