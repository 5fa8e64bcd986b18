// EXPECT: 12 4 25 9 8 3 6 -3 13 406 12 4 11 15 5 7 6 10 5 2 2 2 2 10 3 2 16 11 28
// The addresses of overloaded functions and of function templates.
namespace m { __device__ int g(int x) { return x; } __device__ int g(int x, int y) { return x - 2 * y; } }
namespace n { __device__ int f(int x) { return x + 1; } __device__ int f(int x, int y) { return x * y; } template <class T> __device__ T f(T *p) { return *p; } }
template <class T> __device__ T twice(T x) { return 2 * x; }
template <class T> __device__ T twice(T *x) { return 3 * *x; }
template <class T, class U> __device__ T conv(U x) { return T(x); }
template <class T> __device__ auto autod(T x) { return x + 5; }
template <int N> __device__ int addn(int x) { return x + N; }
typedef int (*fi)(int);
typedef int (*fi2)(int, int);
struct Op { fi f; __device__ Op(fi f) : f(f) {} __device__ int operator()(int x) const { return f(x); } };
struct M { static __device__ int s(int x) { return x; } static __device__ int s(float x) { return 9; } __device__ int all(int x) { fi q = s; return q(x); } };
template <class R, class A> __device__ R call(R (*f)(A), A x) { return f(x); }
template <class R, class A> __device__ R call2(R (&f)(A, A), A x) { return f(x, x); }
template <fi f, int n = 2> struct Rep { static __device__ int run(int x) { for (int i = 0; i < n; i++) x = f(x); return x; } };
template <class F> struct Holder { F f; };
__device__ fi pick(int i) { if (i) return n::f; return &twice<int>; }
__device__ int usesRef(int (&f)(int), int x) { return f(x); }
__device__ int choose(fi2 f) { return f(3, 4); }
__device__ int choose(fi f) { return f(3); }
template <class T> using Fn = T (*)(T);
template <class T> __device__ T apply(Fn<T> f, T x) { return f(x); }
template <class... A> __device__ int sum(int (*f)(A...), A... a) { return f(a...); }
__device__ const fi table[] = { addn<1>, addn<2>, &addn<3>, n::f };
__global__ void k(int *p) {
    int i = 0, v = 5;
    fi2 two = n::f; p[i++] = two(3, 4);
    p[i++] = ((fi)n::f)(3);
    p[i++] = static_cast<fi>(n::f)(4) + static_cast<fi2>(&n::f)(4, 5);
    p[i++] = Op(n::f)(3) + Op(addn<4>)(1);
    Op o = Op{twice}; p[i++] = o(4);
    p[i++] = M().all(3);
    p[i++] = call(addn<3>, 3);
    p[i++] = call2(m::g, 3);
    p[i++] = Rep<addn<2>>::run(1) + Rep<twice<int>, 3>::run(1);
    p[i++] = pick(1)(3) * 100 + pick(0)(3);
    p[i++] = usesRef(n::f, 3) + usesRef(addn<7>, 1);
    p[i++] = choose(addn<1>);
    p[i++] = table[0](1) + table[1](1) + table[2](1) + table[3](1);
    int (*tp)(int *) = twice; p[i++] = tp(&v);
    int (*np)(int *) = n::f<int>; p[i++] = np(&v);
    fi cv = conv<int, int>; fi cv2 = conv<int>; p[i++] = cv(3) + cv2(4);
    fi ad = autod<int>; p[i++] = ad(1);
    p[i++] = apply<int>(twice, 4) + apply(addn<1>, 1);
    p[i++] = sum(addn<2>, 3) ;
    Holder<fi> h{n::f}; p[i++] = h.f(1); h.f = twice; p[i++] = h.f(1);
    fi arr[3] = { n::f, twice, addn<9> }; for (int j = 0; j < 3; j++) p[i++] = arr[j](1);
    auto lam = [](fi f) { return f(2); }; p[i++] = lam(n::f);
    fi z = v > 3 ? addn<1> : addn<2>; p[i++] = z(1);
    p[i++] = (addn<3>)(4) + (twice<int>)(2) + (*addn<1>)(1) + (&addn<1>)(2);
    p[i++] = (z == addn<1>) + (z != nullptr) * 10;
    p[i++] = i;
}
