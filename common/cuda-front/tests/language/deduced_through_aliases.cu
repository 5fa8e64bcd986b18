// EXPECT: 2 2 3 3 3 3 8 5 5 5 3 8 3
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
__global__ void k(int *out) {
    aliases::k(out + 0);
}
