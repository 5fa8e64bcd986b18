// Values worked out by hand; CUDA's own headers accept the same text.
#include <cuda/std/optional>
#include <cuda/std/span>
#include <cuda/std/bit>
#include <cuda/std/complex>
#include <cuda/std/array>
#include <cuda/std/limits>
#include <cuda/std/cstdint>
#include <cuda/std/utility>
#include <cuda/std/tuple>
#include <cuda/std/type_traits>
#include <cuda/std/cstddef>
#include <cuda/std/functional>
#include <cuda/std/cmath>
#include <cuda/std/mdspan>
struct NoDefault { int v; __device__ NoDefault(int v) : v(v) {} };
__device__ cuda::std::optional<int> find(const int *p, int n, int what) {
    for (int i = 0; i < n; ++i) if (p[i] == what) return i;
    return cuda::std::nullopt;
}
__device__ int sum(cuda::std::span<const int> s) { int t = 0; for (int v : s) t += v; return t; }
__device__ float get(cuda::std::mdspan<const float, cuda::std::dextents<int, 2>> m, int i, int j) { return m(i, j); }
extern "C" __global__ void k(int *out, int one) {
    int in[8]; float m[16];
    for (int i = 0; i < 8; ++i) in[i] = i * one;
    auto f = find(in, 8, 3);
    out[0] = f ? *f : -1; out[1] = f.value_or(7) + f.has_value();
    cuda::std::optional<NoDefault> o; o.emplace(4); out[2] = o->v; o.reset(); out[2] += o.has_value();
    cuda::std::span<const int> s(in, 8); out[3] = sum(s) + sum(s.subspan(2, 3)) + sum(s.first(2)) + s.back() + int(s.size());
    int local[4] = {1, 2, 3, 4}; cuda::std::span<int> w(local); w[1] = 9; out[4] = sum(local) + sum(w);
    cuda::std::span<int, 4> fixed(local); out[4] += fixed.size() + fixed.extent;
    out[5] = cuda::std::popcount(255u) + cuda::std::countl_zero(1u) + cuda::std::countr_zero(8u) + cuda::std::bit_width(5u) + cuda::std::bit_ceil(5u) + cuda::std::bit_floor(5u) + cuda::std::has_single_bit(4u) + cuda::std::rotl(1u, 3) + cuda::std::rotr(8u, 3);
    out[6] = cuda::std::bit_cast<int>(1.0f);
    static_assert(cuda::std::popcount(7u) == 3 && cuda::std::bit_ceil(9u) == 16, "");
    cuda::std::complex<float> z(1, 2), c{3, 4}; z = z * c + 1.0f; z += c; out[7] = int(z.real()) * 100 + int(z.imag()) + int(cuda::std::norm(c)) + int(cuda::std::abs(c)) + int(cuda::std::conj(c).imag()) + (c == c);
    cuda::std::array<int, 3> a{1, 2, 3}; a[1] = 5; out[8] = a[1] + int(a.size()) + cuda::std::get<2>(a);
    out[9] = cuda::std::numeric_limits<int>::max() > 5;
    cuda::std::uint32_t u = 3; cuda::std::size_t sz = sizeof(u); out[10] = u + sz;
    cuda::std::pair<int, float> p{1, 2.f}; auto [x, y] = p; out[11] = x + int(y); auto t = cuda::std::make_tuple(1, 2.5, 'a'); out[12] = cuda::std::get<0>(t) + int(cuda::std::get<1>(t));
    int q = 1, r = 2; cuda::std::swap(q, r); out[13] = q * 10 + r + cuda::std::max(q, r) + cuda::std::min(1, 2);
    out[14] = cuda::std::plus<int>{}(1, 2) + cuda::std::is_same_v<int, int> + cuda::std::move(q);
    out[15] = int(cuda::std::sqrt(16.f) + cuda::std::abs(-2) + cuda::std::fabs(-2.f) + cuda::std::pow(2.f, 3.f));
    cuda::std::mdspan<float, cuda::std::extents<int, cuda::std::dynamic_extent, 4>> g(m, 3); g(2, 1) = 5; out[16] = int(get(cuda::std::mdspan<const float, cuda::std::dextents<int, 2>>(m, 3, 4), 2, 1)) + g.extent(0) * 10 + g.extent(1) + int(g.size()) + int(g.rank());
    out[17] = cuda::std::exchange(q, 5) + q;
}
// EXPECT: 3 4 4 53 42 67 1065353216 -59 11 1 7 3 3 24 6 16 53 7
