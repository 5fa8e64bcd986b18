// Sequences of integers, deduced through the aliases of the standard library.
#include <utility>
template <class T, unsigned n> struct Row { T v[n]; };
template <class T, unsigned n, unsigned long... i>
__device__ T dot(const Row<T, n> &a, const Row<T, n> &b, std::index_sequence<i...>) {
    return ((a.v[i] * b.v[i]) + ...);
}
template <int... i> __device__ int sum(std::integer_sequence<int, i...>) { return (i + ...); }
template <class T> using PointerTo = Row<T *, 2>;
template <class T> __device__ T first(PointerTo<T> p) { return *p.v[0]; }

__global__ void sequences(float *out) {
    Row<float, 3> a{{1, 2, 3}}, b{{4, 5, 6}};
    out[0] = dot(a, b, std::make_index_sequence<3>{});
    out[1] = sum(std::make_integer_sequence<int, 5>());
    out[2] = first(PointerTo<float>{{out, out}});
}
