// EXPECT: 1 1 1 1 1 1 0 1 1 1 1 1 1 1 1 1 1 1 1 1 0 1 1 1 1 0 1 1 0 1 0 1 1 1 1 0 1 1 0 1 1 1 0 1 1
#include <compare>
namespace three_way_int {
__device__ void k(int *out) { out[0] = (1 <=> 2) < 0; out[1] = (2 <=> 2) == 0; out[2] = (3 <=> 2) > 0; out[3] = (1.0 <=> 2.0) < 0; auto c = 5 <=> 4; out[4] = c != 0; out[5] = c >= 0; out[6] = c <= 0; out[7] = c == std::strong_ordering::greater; out[8] = std::is_gt(c); out[9] = (1.0 <=> 0.0/0.0) == std::partial_ordering::unordered; int a[2]; out[10] = (&a[0] <=> &a[1]) < 0; out[11] = 0 > (1 <=> 2); }
}
namespace three_way_default {
struct P { int x, y; __host__ __device__ auto operator<=>(const P &) const = default; };
struct A { int a, b; __host__ __device__ auto operator<=>(const A &) const = default; };
struct Q { P p; A a; __host__ __device__ auto operator<=>(const Q &) const = default; };
struct D : P { char c; __host__ __device__ auto operator<=>(const D &) const = default; };
__device__ void k(int *out) { P a{1, 2}, b{1, 3}, c{1, 2}; out[0] = a < b; out[1] = a == c; out[2] = a != b; out[3] = b > a; out[4] = a >= c; out[5] = a <= b; out[6] = (a <=> b) < 0; Q q{a, {1, 2}}, r{a, {1, 3}}; out[7] = q < r; out[8] = q == r; out[9] = q != r; D d{{1, 2}, 'a'}, e{{1, 2}, 'b'}; out[10] = d < e; out[11] = d == d; }
}
namespace default_equal {
struct P { int x; float y; __host__ __device__ bool operator==(const P &) const = default; };
struct Q { P p; P a[2]; __host__ __device__ friend bool operator==(const Q &, const Q &) = default; };
struct V { int x; __host__ __device__ friend bool operator==(V, V) = default; };
struct E { __host__ __device__ bool operator==(const E &) const = default; };
__device__ void k(int *out) { P a{1, 2}, b{1, 3}; out[0] = a == a; out[1] = a == b; out[2] = a != b; Q q{a, {a, b}}, r{a, {a, a}}; out[3] = q == q; out[4] = q == r; out[5] = q != r; V v{1}, w{2}; out[6] = v == w; out[7] = v != w; E e; out[8] = e == e; }
}
namespace rewritten_user {
struct N { int v; __host__ __device__ bool operator==(int o) const { return v == o; } };
struct M { int v; __host__ __device__ int operator<=>(const M &o) const { return v - o.v; } __host__ __device__ bool operator==(const M &o) const { return v == o.v; } };
struct L { int v; __host__ __device__ int operator<=>(int o) const { return v - o; } };
__device__ void k(int *out) { N n{3}; out[0] = n == 3; out[1] = 3 == n; out[2] = n != 3; out[3] = 4 != n; M a{1}, b{2}; out[4] = a < b; out[5] = a > b; out[6] = a <= b; out[7] = a != b; L l{5}; out[8] = l < 6; out[9] = 6 < l; out[10] = 4 < l; out[11] = 5 >= l; }
}
__global__ void k(int *out) {
    three_way_int::k(out + 0);
    three_way_default::k(out + 12);
    default_equal::k(out + 24);
    rewritten_user::k(out + 33);
}
