// EXPECT: 2 2 3 3 3 3 8 5 5 5 3 8 3 1 2 4 7 2 8 12 8 0 8 8 4 12 13 12
namespace aliases {
template <class T> using ptr = T *;
template <class T> using cptr = const T *;
template <class T> using ref = T &;
template <class T, int N> using arr = T[N];
template <class T> using same = T;
template <class T> using pp = ptr<ptr<T>>;
template <class R, class... A> using fp = R (*)(A...);
template <class T> struct Box { T v; };
template <class T> using bx = Box<T>;
template <class T> using bp = Box<T> *;
template <class T> __device__ T dr(ptr<T> p) { return *p; }
template <class T> __device__ T dc(cptr<T> p) { return *p; }
template <class T> __device__ T rf(ref<T> p) { p = p + 1; return p; }
template <class T, int N> __device__ int ra(arr<T, N> &p) { return N; }
template <class T> __device__ T sm(same<T> p) { return p; }
template <class T> __device__ T dp(pp<T> p) { return **p; }
template <class R, class A> __device__ R ca(fp<R, A> p, A a) { return p(a); }
template <class T> __device__ T b1(bx<T> p) { return p.v; }
template <class T> __device__ T b2(bp<T> p) { return p->v; }
template <class T> __device__ T b3(const bx<T> &p) { return p.v; }
template <class T> __device__ T b4(Box<ptr<T>> p) { return *p.v; }
template <class T> __device__ T b5(const same<T> *p) { return *p; }
template <class T> struct tr { static const int v = 0; };
template <class T> struct tr<ptr<T>> { static const int v = sizeof(T); };
__device__ int tw(int x) { return 2 * x; }
__device__ void k(int *o) { float x = 2; float *px = &x; int a[3] = {1, 2, 3}; o[0] = dr(&x); o[1] = dc(&x); o[2] = rf(x); o[3] = ra(a); o[4] = sm(x); o[5] = dp(&px); o[6] = ca(tw, 4); Box<float> b{5}; Box<float *> c{&x}; o[7] = b1(b); o[8] = b2(&b); o[9] = b3(b); o[10] = b4(c); o[11] = tr<double *>::v; o[12] = b5(&x); }
}
namespace nested {
template <class T> using ptr = T *;
template <class T> using id = T;
template <class T> struct B { T v; template <class U> using other = B<U>; using self = B; };
namespace n { template <class T> using bp = B<T>; template <class T, int N> struct A { T a[N]; }; template <class T> using a4 = A<T, 4>; template <int N> using fa = A<float, N>; }
template <class T> __device__ int f(n::bp<T> b) { return 1; }
template <class T> __device__ int f(ptr<T> b) { return 2; }
template <class T> __device__ int g(n::a4<T> &b) { return sizeof(T); }
template <int N> __device__ int h(const n::fa<N> &b) { return N; }
template <class... T> using first = B<int>;
template <class R, class... A> using fn = R(A...);
template <class R, class... A> __device__ int c(fn<R, A...> *p) { return sizeof...(A); }
template <class T, class U> using snd = U *;
template <class T> __device__ int s(snd<int, T> p) { return sizeof(T); }
template <class T> using arr = T[3];
template <class T> __device__ int ar(const arr<T> &p) { return sizeof(p); }
template <class T> using lref = T &;
template <class T> __device__ int lr(lref<const T> p) { return sizeof(p); }
template <class T> using rref = T &&;
template <class T> __device__ int rr(rref<T> p) { return 8; }
struct M { template <class T> __device__ int m(ptr<T> p) { return sizeof(T); } };
template <class T> struct C { template <class U> using pr = U *; template <class U> __device__ int m(pr<U> p) { return sizeof(U); } using P = ptr<T>; __device__ int q(P p) { return *p; } };
__device__ int two(int a, float b) { return 0; }
template <class T> __device__ int f2(ptr<const T> p);
template <class T> __device__ int f2(const T *p) { return 12; }
template <class T> __device__ int f3(ptr<ptr<T>> p);
template <class T> __device__ int f3(T **p) { return 13; }
__device__ void k(int *o) { B<int> b{1}; double d; double *pd = &d; o[0] = f(b); o[1] = f(&d); n::A<int, 4> a; o[2] = g(a); n::A<float, 7> e; o[3] = h(e); o[4] = c(two); o[5] = s(&d); int i3[3]; o[6] = ar(i3); o[7] = rr(3); M m; o[9] = m.m(&d); C<int> cc; o[10] = cc.m(&d); int v = 4; o[11] = cc.q(&v); o[12] = f2(&d); o[13] = f3(&pd); o[14] = f2<int>(&v); }
}
__global__ void k(int *out) {
    aliases::k(out + 0);
    nested::k(out + 13);
}
