// EXPECT: 1 2 3 1 7 4 1 1 1 0 0
// Null pointers as template arguments.
#include <type_traits>
#include <cuda_fp16.h>
template <typename T, typename std::enable_if<std::is_same<float, T>::value>::type * = nullptr> __device__ int f(T) { return 1; }
template <typename T, typename std::enable_if<std::is_same<int, T>::value>::type * = nullptr> __device__ int f(T) { return 2; }
template <typename T, std::enable_if_t<std::is_same<double, T>::value, void *> = nullptr> __device__ int f(T) { return 3; }
template <int *p> struct Has { static constexpr bool null = p == nullptr; static __device__ int get() { return p ? *p : 7; } };
template <typename T, T *p = nullptr> struct Any { static __device__ bool null() { return !p; } };
__device__ int g = 4;
template <decltype(nullptr) n> __device__ int z() { return n == nullptr; }
typedef int (*fp)(int);
template <fp f = nullptr> __device__ int call() { return f ? 1 : 0; }
__global__ void k(int *p) {
    int i = 0;
    p[i++] = f(1.0f); p[i++] = f(2); p[i++] = f(2.0);
    p[i++] = Has<nullptr>::null; p[i++] = Has<nullptr>::get();
    p[i++] = Has<&g>::get();
    p[i++] = Any<float>::null();
    p[i++] = z<nullptr>();
    p[i++] = std::is_same<Has<nullptr>, Has<nullptr>>::value;
    p[i++] = call<>();
    p[i++] = call<nullptr>();
}
