// EXPECT: 8 5 3 1 4 5 1 2 6 8 5 6 5 6 23 5 1 2 5 6 5 3 4 2 5 6 6 1 2 4 16 8 7 9 4 4 5 0 8 10 4
#include <initializer_list>
namespace template_lambda {
__device__ void k(int *out) { auto f = []<class T>(T x) { return (int)sizeof(T); }; out[0] = f(1.0); auto g = []<int N>(int (&a)[N]) { return N; }; int a[5]; out[1] = g(a); auto h = []<class... Ts>(Ts... xs) { return (int)sizeof...(Ts); }; out[2] = h(1, 2, 3); out[3] = f.template operator()<char>('a'); auto c = []<class T> requires (sizeof(T) == 4) (T x) { return 4; }; out[4] = c(1); auto d = [](auto x) requires (sizeof(x) == 4) { return 5; }; out[5] = d(1.f); }
}
namespace using_enum {
enum class E { a, b = 5, c }; namespace n { enum class G : unsigned char { x = 7, y }; }
struct S { using enum E; static constexpr int v = (int)b; };
__device__ int f(E e) { using enum E; switch (e) { case a: return 1; case b: return 2; default: return (int)c; } }
__device__ int g() { using enum n::G; return (int)y; }
__device__ int h() { using E::b; return (int)b; }
__device__ void k(int *out) { out[0] = f(E::a); out[1] = f(E::b); out[2] = f(E::c); out[3] = g(); out[4] = S::v; out[5] = (int)S::c; out[6] = h(); }
}
namespace range_init {
struct R { int a[3]; };
__device__ R mk() { return R{{1, 2, 3}}; }
__device__ void k(int *out) { int s = 0; for (auto r = mk(); int x : r.a) s += x; out[0] = s; int n = 0; for (int i = 10; auto &x : {1, 2}) n += i + x; out[1] = n; for (int b[2] = {4, 5}; int y : b) { if (y == 4) continue; out[2] = y; } }
}
namespace likely {
__device__ int f(int x) { if (x > 0) [[likely]] { return 1; } else [[unlikely]] return 2; }
__device__ int g(int x) { switch (x) { [[likely]] case 1: return 5; [[unlikely]] default: return 6; } }
struct E {}; struct S { [[no_unique_address]] int b; };
__device__ void k(int *out) { out[0] = f(1); out[1] = f(-1); out[2] = g(1); out[3] = g(2); for (int i = 0; i < 3; ++i) [[likely]] out[4] = i; while (out[4] < 5) [[unlikely]] ++out[4]; }
}
namespace typename_optional {
struct A { using type = int; };
template <class T> struct W { T::type x; T::type get() const { return x; } using U = T::type; __host__ __device__ T::type twice() { return 2 * x; } };
template <class T> __device__ T::type f(T) { return 4; }
template <class T> using V = T::type;
template <class T> __device__ auto g(T) -> T::type { return 5; }
template <class T, class U = T::type> __device__ U h(T) { return static_cast<T::type>(6.5); }
__device__ void k(int *out) { W<A> w{3}; out[0] = w.x; out[1] = f(A{}); V<A> v = 2; out[2] = v; out[3] = g(A{}); out[4] = h(A{}); out[5] = w.twice(); auto l = [](auto t) { using T = decltype(t); return 1; }; out[6] = l(1); }
}
namespace aggregate_deduction {
template <class T> struct P { T x, y; };
__device__ void k(int *out) { P p{1, 2}; out[0] = p.y; P q{1.5, 2.5}; out[1] = (int)(q.x + q.y); }
}
namespace consteval_constinit {
consteval int sq(int x) { return x * x; }
__host__ __device__ consteval int cube(int x) { return x * x * x; }
__device__ constinit int counter = 5;
struct P { int x; consteval P(int a) : x(a) {} };
__device__ void k(int *out) { out[0] = sq(4); out[1] = cube(2); counter = 7; out[2] = counter; constexpr int z = sq(3); out[3] = z; constexpr P p(4); out[4] = p.x; }
}
namespace lambda_unevaluated {
using F = decltype([](int a) { return a + 1; });
template <class G = decltype([](int a, int b) { return a < b; })> __device__ int ap(int a, int b, G g = {}) { return g(a, b); }
__device__ void k(int *out) { F f; out[0] = f(3); out[1] = F{}(4);  auto l = [](int x) { return x * 2; }; decltype(l) m; out[3] = m(4); auto n = l; n = l; out[4] = n(5); out[5] = sizeof([](int q) { return q; }(1)); }
}
__global__ void k(int *out) {
    template_lambda::k(out + 0);
    using_enum::k(out + 6);
    range_init::k(out + 13);
    likely::k(out + 16);
    typename_optional::k(out + 21);
    aggregate_deduction::k(out + 28);
    consteval_constinit::k(out + 30);
    lambda_unevaluated::k(out + 35);
}
