#include <tuple>
#include <utility>
namespace shapes {
// Members, and a `get` that is one.
struct P {
    int a; float b; int copies = 0;
    __device__ P(int a, float b) : a(a), b(b) {}
    __device__ P(const P &o) : a(o.a), b(o.b), copies(o.copies + 1) {}
    template <std::size_t i> __device__ auto &get() & { if constexpr (i == 0) return a; else return b; }
    template <std::size_t i> __device__ const auto &get() const & { if constexpr (i == 0) return a; else return b; }
    template <std::size_t i> __device__ auto &&get() && { if constexpr (i == 0) return static_cast<int &&>(a); else return static_cast<float &&>(b); }
};
// A `get` that argument-dependent look-up finds, which returns values: nothing of it is a member.
struct Squares { int n; int get; };
template <std::size_t i> __device__ long get(const Squares &s) { return s.n * s.n + long(i); }
// Parts that are references.
struct R { int *p; };
template <unsigned long i> __device__ int &get(R r) { return r.p[i]; }
// A member `get` that is no template with an index does not count.
struct G { int v; __device__ int get() const { return -1; } template <class T> __device__ T get() const { return -2; } };
template <std::size_t i> __device__ int get(G g) { return g.v + int(i); }
}
template <> struct std::tuple_size<shapes::P> : std::integral_constant<std::size_t, 2> {};
template <std::size_t i> struct std::tuple_element<i, shapes::P> { using type = std::conditional_t<i == 0, int, float>; };
namespace std {
template <> struct tuple_size<shapes::Squares> { static constexpr size_t value = 3; };
template <size_t i> struct tuple_element<i, shapes::Squares> { typedef long type; };
template <> struct tuple_size<shapes::R> { enum { value = 2 }; };
template <size_t i> struct tuple_element<i, shapes::R> { using type = int &; };
template <> struct tuple_size<shapes::G> : integral_constant<size_t, 1> {};
template <> struct tuple_element<0, shapes::G> { using type = long; };
}
template <class T> struct Two { T x, y; };
template <class T> struct std::tuple_size<Two<T>> : std::integral_constant<std::size_t, 2> {};
template <std::size_t i, class T> struct std::tuple_element<i, Two<T>> { using type = T; };
template <std::size_t i, class T> __device__ T &get(Two<T> &t) { return i ? t.x : t.y; }
template <std::size_t i, class T> __device__ const T &get(const Two<T> &t) { return i ? t.x : t.y; }
template <std::size_t i, class T> __device__ T &&get(Two<T> &&t) { return static_cast<T &&>(i ? t.x : t.y); }
struct Derived : Two<int> {};
template <> struct std::tuple_size<Derived> : std::tuple_size<Two<int>> {};
template <std::size_t i> struct std::tuple_element<i, Derived> : std::tuple_element<i, Two<int>> {};
template <class A, class B> constexpr bool same = std::is_same_v<A, B>;
extern "C" __global__ void k(int *o) {
    shapes::P p(1, 2.5f);
    auto [a, b] = p;
    static_assert(same<decltype(a), int> && same<decltype(b), float>);
    a = 7; o[0] = p.a * 10 + a;
    auto &[c, d] = p;
    c = 5; d += 1; o[1] = p.a * 10 + int(p.b);
    const auto &[e, f] = p;
    static_assert(same<decltype(e), const int> && same<decltype(f), const float>);
    o[2] = e + int(f);
    auto &&[g, h] = p; g = 4; o[3] = p.a;
    auto &&[g2, h2] = shapes::P(8, 9.f); o[4] = g2 + int(h2);
    const auto [x, y] = p; static_assert(same<decltype(y), const float>); o[5] = x;
    auto [s0, s1, s2] = shapes::Squares{3, 100};
    static_assert(same<decltype(s2), long>); o[6] = int(s0 * 100 + s1 * 10 + s2); s0 = 1; o[6] += int(s0);
    int two[2] = {1, 2};
    auto [r0, r1] = shapes::R{two}; static_assert(same<decltype(r0), int &>); r1 = 30; o[7] = two[0] + two[1];
    auto [v] = shapes::G{6}; static_assert(same<decltype(v), long>); o[8] = int(v);
    Two<int> t{1, 2};
    auto &[ty, tx] = t; tx = 9; o[9] = t.x * 10 + ty;
    Derived z; z.x = 3; z.y = 4; auto [zy, zx] = z; o[10] = zx * 10 + zy;
    Two<Two<int>> grid[2] = {{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}};
    int sum = 0;
    for (auto &[lower, upper] : grid) { auto [q, w] = upper; lower.x += q; sum = sum * 10 + w; }
    for (const auto &[lower, upper] : grid) sum = sum * 10 + lower.x;
    o[11] = sum;
}
// EXPECT: 17 53 8 4 17 4 1012 31 6 92 34 1563
