// EXPECT: 11 12 23 2 3 0 2 3 1 3 3 3 102 11 12 33 7 5 -1 3 3 5 3 5 9 3 6 4 6 4 5 4 9 18 9 6 3
namespace specialisations {
template <class T> __device__ T f(T x) { return x; }
template <> __device__ float f<float>(float);
template <> __device__ int f(int);
__device__ void k(int *o) { o[0] = f(1.0f); o[1] = f<float>(2.0f); o[2] = f(3); o[3] = f(2.5); }
template <> __device__ float f<float>(float x) { return x + 10; }
template <> __device__ int f(int x) { return x + 20; }
}
namespace friends {
template <class T> struct V;
template <class T> __device__ V<T> operator+(const V<T> &a, const V<T> &b);
template <class T> __device__ bool operator==(const V<T> &a, const V<T> &b);
template <class T> __device__ T dot(V<T> a, V<T> b);
template <class T> struct V {
  __device__ V(T a) : x(a) {}
  friend __device__ V<T> operator+ <>(const V<T> &a, const V<T> &b);
  friend __device__ bool operator== <T>(const V<T> &a, const V<T> &b);
  friend __device__ T dot<>(V a, V b);
  __device__ T get() const { return x; }
private:
  T x;
};
__device__ void k(int *o) { V<float> a(1), b(2); o[0] = (a + b).get(); o[1] = a == b; o[2] = dot(a, b); }
template <class T> __device__ V<T> operator+(const V<T> &a, const V<T> &b) { return V<T>(a.x + b.x); }
template <class U> __device__ bool operator==(const V<U> &a, const V<U> &b) { return a.x == b.x; }
template <class T> __device__ T dot(V<T> a, V<T> b) { return a.x * b.x; }
}
namespace members {
template <class T> struct V {
  T x;
  template <class U> __device__ V &operator+=(const V<U> &o);
  template <class U> __device__ V<T> &operator-=(const V<U> &o);
  template <class U> __device__ V operator*(U s) const;
  template <class U> __device__ void set(U *p);
  template <class U> __device__ explicit operator U() const;
  template <class U> __device__ V(const V<U> &o);
  __device__ V(T a) : x(a) {}
};
template <class T> template <class U> __device__ V<T> &V<T>::operator+=(const V<U> &o) { x += o.x; return *this; }
template <class A> template <class B> __device__ V<A> &V<A>::operator-=(const V<B> &o) { x -= o.x; return *this; }
template <class T> template <class S> __device__ V<T> V<T>::operator*(S s) const { return V<T>(x * s); }
template <class A> template <class B> __device__ void V<A>::set(B *p) { x = *p; }
template <class A> template <class B> __device__ V<A>::operator B() const { return B(x); }
template <class A> template <class B> __device__ V<A>::V(const V<B> &o) : x(o.x + 100) {}
__device__ void k(int *o) { V<float> a(1); V<int> b(2); a += b; o[0] = a.x; a -= b; o[1] = a.x; o[2] = (a * 3).x; a.set(o); o[3] = a.x; o[4] = (int)a; V<float> c(b); o[5] = c.x; }
}
namespace member_specialisations {
namespace n {
template <class T> __device__ T f(T x) { return x; }
template <> __device__ float f<float>(float);
}
struct P { template <class T> __device__ T g(T x) { return x; } };
template <> __device__ float P::g<float>(float);
template <> __device__ int P::g(int);
template <class T> __device__ T h();
template <> __device__ float h<float>();
__device__ void k(int *o) { P p; o[0] = n::f(1.0f); o[1] = p.g(2.0f); o[2] = p.g(3); o[3] = h<float>(); }
template <> __device__ float n::f<float>(float x) { return x + 10; }
template <> __device__ float P::g<float>(float x) { return x + 10; }
template <> __device__ int P::g(int x) { return x + 30; }
template <> __device__ float h<float>() { return 7; }
}
namespace templates {
template <class T> struct S {
  T v;
  template <class U> __device__ U m(U *p, T t);
  template <class U> __device__ U m(U &p, T t);
  template <int N> __device__ int q(T (&a)[N]);
};
template <class A> template <class B> __device__ B S<A>::m(B *q, A t) { return *q + B(t); }
template <class A> template <class B> __device__ B S<A>::m(B &q, A t) { return q - B(t); }
template <class A> template <int M> __device__ int S<A>::q(A (&a)[M]) { return M; }
typedef float real;
namespace n { struct W { int a; }; }
template <class T> __device__ T f(T *p, real r);
template <class T> __device__ T f(T *p, float r) { return *p + r; }
template <class T> __device__ T g(T t, n::W w);
using n::W;
template <class T> __device__ T g(T t, W w) { return t + w.a; }
template <class T> __device__ T h(T t, const int i);
template <class U> __device__ U h(U t, int i) { return t + i; }
template <class T> __device__ int ar(T *t);
template <class U> __device__ int ar(U t[3]) { return 5; }
template <class T, int N> struct A { T a[N]; };
template <class T> __device__ T z(A<T, 2 + 2> a);
template <class T> __device__ T z(A<T, 4> a) { return a.a[0]; }
template <class T> struct ID { using type = T; };
template <class T> __device__ T w(typename ID<T>::type a, T b);
template <class U> __device__ U w(typename ID<U>::type a, U b) { return a + b; }
template <class T> __device__ T fn(T (*p)(T));
template <class U> __device__ U fn(U p(U)) { return p(3); }
__device__ int tw(int x) { return 2 * x; }
__device__ void k(int *o) { S<int> s; float x = 2; int ia[3]; o[0] = s.m(&x, 3); o[1] = s.m(x, 3); o[2] = s.q(ia); o[3] = f(&x, 1.0f); W w_{4}; o[4] = g(1, w_); o[5] = h(1, 2); o[6] = ar(o); A<float, 4> a{{9}}; o[7] = z(a); o[8] = w(1, 2); o[9] = fn(tw); }
}
namespace unnamed {
namespace { __device__ int f(int x); struct S; __device__ int v(); }
__device__ int early() { return f(3); }
namespace { __device__ int f(int x) { return x + 1; } struct S { int a; }; }
namespace n { namespace { __device__ int g(int); } __device__ int h() { return g(2); } }
namespace n { namespace { __device__ int g(int x) { return x + 4; } } }
__device__ int z(S *s) { return s->a; }
__device__ void k(int *o) { S s{4}; o[0] = f(3); o[1] = n::h(); o[2] = z(&s); o[3] = n::g(1); o[4] = early(); }
}
namespace friends_in_namespaces {
namespace m {
template <class T> struct V;
template <class T> __device__ T dot(V<T> a, V<T> b);
template <class T> __device__ V<T> operator-(const V<T> &a);
}
template <class T> __device__ T glob(m::V<T> a);
namespace m {
template <class T> struct V {
  __device__ V(T a) : x(a) {}
  friend __device__ T dot<>(V a, V b);
  friend __device__ V operator-<>(const V &a);
  __device__ T self() { return dot<T>(*this, *this) + dot(*this, *this); }
private:
  T x;
};
template <class T> __device__ T dot(V<T> a, V<T> b) { return a.x * b.x; }
template <class T> __device__ V<T> operator-(const V<T> &a) { return V<T>(-a.x); }
}
template <class T> __device__ T glob(m::V<T> a) { return dot(a, a); }
class P;
template <class T> __device__ T peek(P &p, T t);
class P { int x = 4; template <class T> friend __device__ T open(P p, T t); friend __device__ int peek<int>(P &, int); };
template <class T> __device__ T open(P p, T t) { return p.x + t; }
template <class T> __device__ T peek(P &p, T t) { return p.x - t; }
__device__ void k(int *o) { m::V<float> v(3); o[0] = dot(v, v); o[1] = v.self(); o[2] = glob(-v); P p; o[3] = open(p, 2); o[4] = peek(p, 1); }
}
__global__ void k(int *out) {
    specialisations::k(out + 0);
    friends::k(out + 4);
    members::k(out + 7);
    member_specialisations::k(out + 13);
    templates::k(out + 17);
    unnamed::k(out + 27);
    friends_in_namespaces::k(out + 32);
}
