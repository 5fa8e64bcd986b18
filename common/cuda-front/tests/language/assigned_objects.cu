struct P { int a, b; __device__ P(int a, int b) : a(a), b(b) {} __device__ P &add(const P &o) { return *this = P(a + o.a, b + o.b); } };
struct U { int k; union { int i; float f; }; struct { int x, y; }; __device__ U(int v) : k(v), i(v + 1), x(v + 2), y(0) {} __device__ U(float v) : k(0), f(v), x(9), y(1) {} };
namespace n { template <class T, T... i> struct Seq {}; template <class T> struct Box {}; }
template <class T> struct Sum { static constexpr int value = -1; };
template <int... i> struct Sum<n::Seq<int, i...>> { static constexpr int value = (0 + ... + i); };
template <class T> struct Sum<n::Box<T>> { static constexpr int value = sizeof(T); };
__device__ int next(int &n) { return n++; }
extern "C" __global__ void k(int *o, int one) {
    int n = 0, at = 0, v[3] = {1, 2, 3};
    P p(1, 2); P q = p.add(P(3, 4)).add(p); o[n++] = p.a * 10 + p.b + q.a;
    int &r = v[next(at)] = next(n) + 5; r += 1; o[n++] = v[0] * 10 + at;
    (v[next(at)] += 4) += 1; o[n++] = v[1] * 10 + at;
    U u(one), f(1.5f); o[n++] = u.k + u.i * 10 + u.x * 100 + u.y; o[n++] = __float_as_int(f.f) + f.x + f.y;
    o[n++] = Sum<n::Seq<int, 1, 2, 3>>::value * 10 + Sum<n::Box<double>>::value;
}
// EXPECT: 100 0 71 72 321 1069547530 68
