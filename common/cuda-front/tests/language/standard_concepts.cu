// EXPECT: 1 2 1 2 1 0 1 0 1 0 1 2 1 1 1 1 0 1 0 1 0 1 1 1 4 12 1 0 1 1 1 0 1 1 2 1 1 2
#include <concepts>
namespace std_concepts {
template <std::integral T> __device__ int f(T) { return 1; }
template <std::floating_point T> __device__ int f(T) { return 2; }
template <class T> requires std::signed_integral<T> __device__ int g(T) { return 1; }
template <std::unsigned_integral T> __device__ int g(T) { return 2; }
struct A { int v; __host__ __device__ bool operator==(const A &) const = default; }; struct B : A {}; struct N { N(const N &) = delete; };
__device__ int h(std::integral auto x) { return 1; } __device__ int h(std::same_as<float> auto x) { return 2; }
__device__ void k(int *out) { out[0] = f(1); out[1] = f(1.f); out[2] = g(1); out[3] = g(1u); out[4] = std::same_as<int, int>; out[5] = std::same_as<int, float>; out[6] = std::derived_from<B, A>; out[7] = std::derived_from<A, B>; out[8] = std::convertible_to<int, double>; out[9] = std::convertible_to<A, int>; out[10] = h(2); out[11] = h(2.f); out[12] = std::equality_comparable<int>; out[13] = std::equality_comparable<A>; out[14] = std::equality_comparable<B>; out[15] = std::totally_ordered<float>; out[16] = std::totally_ordered<A>; out[17] = std::copyable<int>; out[18] = std::copy_constructible<N>; out[19] = std::default_initializable<int>; out[20] = std::default_initializable<N>; out[21] = std::regular<int>; out[22] = std::movable<A>; out[23] = std::semiregular<A>; }
}
namespace std_invocable {
template <class F> requires std::invocable<F, int> __device__ int ap(F f) { return f(3); }
template <class F> requires std::invocable<F, int, int> __device__ int ap(F f) { return f(3, 4); }
template <std::predicate<int> F> __device__ int pr(F f) { return f(1) ? 1 : 0; }
__device__ void k(int *out) { out[0] = ap([](int a) { return a + 1; }); out[1] = ap([](int a, int b) { return a * b; }); out[2] = pr([](int a) { return a == 1; }); out[3] = std::invocable<int>; out[4] = std::regular_invocable<int (*)(int), int>; out[5] = std::constructible_from<int, float>; out[6] = std::assignable_from<int &, float>; out[7] = std::assignable_from<const int &, int>; out[8] = std::swappable<int>; out[9] = std::common_with<int, float>; }
}
namespace std_subsume {
template <std::integral T> __device__ int f(T) { return 1; }
template <std::signed_integral T> __device__ int f(T) { return 2; }
template <std::integral T> requires (sizeof(T) == 1) __device__ int g(T) { return 1; }
template <std::integral T> __device__ int g(T) { return 2; }
__device__ void k(int *out) { out[0] = f(1); out[1] = f(1u); out[2] = g('a'); out[3] = g(1); }
}
__global__ void k(int *out) {
    std_concepts::k(out + 0);
    std_invocable::k(out + 24);
    std_subsume::k(out + 34);
}
