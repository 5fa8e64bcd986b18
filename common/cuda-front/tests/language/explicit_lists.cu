// EXPECT: 1 3 1 1 1 2 7 9 1 2 12 5
// Lists choose among all constructors, those that are `explicit` too; `explicit` may have a condition.
#include <type_traits>
struct T {
    int v;
    __device__ explicit T(int v) : v(v) {}
    __device__ T(int a, float) : v(a) {}
    __device__ T(const T &o) : v(o.v) {}
};
struct W { int a; __device__ W(double) : a(1) {} __device__ explicit W(int) : a(2) {} };
__device__ int f(T t) { return t.v; }
__device__ int g(W w) { return w.a; }
__device__ int which(T) { return 1; }
__device__ int which(int, int) { return 2; }
template <class A> struct Wrap {
    A a;
    template <class U> __device__ explicit(!std::is_convertible<U, A>::value) Wrap(U u) : a(u) {}
    __device__ explicit(sizeof(A) > 4) operator A() const { return a; }
};
struct V { explicit(true) __device__ V(int) {} explicit(false) __device__ V(long) {} };
__device__ int h(V) { return 5; }
struct Yes { int v; __device__ explicit Yes(int v) : v(v) {} };
__global__ void k(int *o) {
    T a{1}, b = {3, 2.f}; const T c = {1, 1.f};
    o[0] = a.v; o[1] = b.v; o[2] = f({1, 2.f}); o[3] = c.v;
    W x = 1, y{1}; o[4] = x.a; o[5] = y.a;
    T z[2] = {T(7), {9, 0.f}}; T *p = new T{7}; o[6] = p->v; o[7] = z[1].v; delete p;
    o[8] = g(1); o[9] = which(1, 2);
    Wrap<int> i = 12; Wrap<Yes> yes{3}; int n = i; o[10] = n * (yes.a.v == 3);
    o[11] = h(1l);
}
