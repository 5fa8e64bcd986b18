// EXPECT: 4410 441 12 11 2 51 4 5 4 6 605 11 441 441 12 2 10 0 1 2 0 3 42 5 9 2 0 8 7 3 4 2 1 0 0 1 1 1 1 1 1 1 1 1 3 22 31 0 5 1 1 8 6 0 0 0
// Types of functions, pointers and references to functions as template arguments: specialisations tell them apart.
template <class T> struct Tr { static constexpr int v = 0; };
template <class R, class A> struct Tr<R (*)(A)> { static constexpr int v = 1 + sizeof(R) * 10 + sizeof(A) * 100; };
template <class R, class... A> struct Tr<R(A...)> { static constexpr int v = 10 + sizeof...(A); };
template <class R, class A, class B> struct Tr<R (&)(A, B)> { static constexpr int v = 2; };
template <class R, class A, class B, class... C> struct Tr<R (*)(A, B, C...)> { static constexpr int v = 50 + sizeof...(C); };
template <class R> struct Tr<R (&)()> { static constexpr int v = 4; };
template <class R> struct Tr<R (&&)()> { static constexpr int v = 5; };
template <class R> struct Tr<R (**)(int)> { static constexpr int v = 6; };
template <class R, int N> struct Tr<R (*[N])(int)> { static constexpr int v = 600 + N; };
template <class T> struct Ref { static constexpr int v = 0; };
template <class A> struct Ref<void(A &)> { static constexpr int v = 1; };
template <class A> struct Ref<void(A *, A)> { static constexpr int v = 2; };
template <class A> struct Ref<A &(A)> { static constexpr int v = 3; };
template <class... A> struct Ref<long(A *...)> { static constexpr int v = 40 + sizeof...(A); };
template <class A> struct Ref<void(const A &)> { static constexpr int v = 5; };
template <class T> struct Any { static constexpr int v = 0; };
template <class R, class A> struct Any<R(A)> { static constexpr int v = sizeof(A) + 1; };
template <class F, class = void> struct Sig { static constexpr int v = 7; };
template <class R, class... A> struct Sig<R(A...), void> { static constexpr int v = 8; };
template <class T> struct Is { static constexpr int v = 0; };
template <class T> struct Is<T *> { static constexpr int v = 1; };
template <class T> struct Is<T &> { static constexpr int v = 2; };
template <> struct Is<int(int)> { static constexpr int v = 3; };
template <> struct Is<int (*)(int)> { static constexpr int v = 4; };
template <class A, class B> struct Same { static constexpr int v = 0; };
template <class A> struct Same<A, A> { static constexpr int v = 1; };
template <class T> struct Box {}; template <class... T> struct Tup {};
template <class T> struct Pk { static constexpr int v = 0; };
template <class... T> struct Pk<Tup<Box<T>...>> { static constexpr int v = 1 + sizeof...(T); };
template <class... T> struct Pk<Tup<T *...>> { static constexpr int v = 20 + sizeof...(T); };
template <class K, class... T> struct Pk<Tup<K, Tup<K, T>...>> { static constexpr int v = 30 + sizeof...(T); };
template <class Sg> struct Fn; 
template <class R, class... A> struct Fn<R(A...)> { R (*p)(A...); __device__ R operator()(A... a) const { return p(a...); } };
struct C { int m; };
template <class T> struct Mem { static constexpr int v = 0; };
template <class T, class K> struct Mem<T K::*> { static constexpr int v = 1; };
template <class R, class K, class A> struct Mem<R (K::*)(A)> { static constexpr int v = 2; };
__device__ float f(int x) { return x; }
__device__ int g(int x) { return x + 1; }
__device__ int h() { return 1; }
using FT = int(int); typedef int (*FP)(int); typedef int FD(int, float);
template <class T> using Id = T;
template <class T> struct Wrap { using type = T; T *p; };
__global__ void k(int *out) {
  int n = 0; FP gp = g; auto ag = g; auto &rg = g;
  out[n++] = Tr<float (*)(int)>::v * 10; out[n++] = Tr<decltype(&f)>::v; out[n++] = Tr<void(int, int)>::v; out[n++] = Tr<decltype(f)>::v;
  out[n++] = Tr<int (&)(int, int)>::v; out[n++] = Tr<int (*)(int, int, float)>::v; out[n++] = Tr<int (&)()>::v; out[n++] = Tr<int (&&)()>::v; out[n++] = Tr<decltype((h))>::v; out[n++] = Tr<int (**)(int)>::v;  out[n++] = Tr<int (*[5])(int)>::v;
  out[n++] = Tr<FT>::v; out[n++] = Tr<FT *>::v; out[n++] = Tr<FP>::v; out[n++] = Tr<FD>::v; out[n++] = Tr<FD &>::v; out[n++] = Tr<int()>::v; out[n++] = Tr<int (*)()>::v;
  out[n++] = Ref<void(int &)>::v; out[n++] = Ref<void(int *, int)>::v; out[n++] = Ref<void(int *, long)>::v; out[n++] = Ref<int &(int)>::v; out[n++] = Ref<long(int *, char *)>::v; out[n++] = Ref<void(const int &)>::v;
  out[n++] = Any<void(int *)>::v; out[n++] = Any<void(char)>::v; out[n++] = Any<int>::v; out[n++] = Sig<int(int)>::v; out[n++] = Sig<int (*)(int)>::v;
  out[n++] = Is<int(int)>::v; out[n++] = Is<int (*)(int)>::v; out[n++] = Is<int (&)(int)>::v; out[n++] = Is<float (*)(int)>::v; out[n++] = Is<float(int)>::v;
  out[n++] = Same<int(int), int (*)(int)>::v; out[n++] = Same<FT, int(int)>::v; out[n++] = Same<FT &, int (&)(int)>::v; out[n++] = Same<FT, decltype(g)>::v; out[n++] = Same<decltype(*gp), FT &>::v; out[n++] = Same<decltype(gp), FT *>::v; out[n++] = Same<decltype(ag), FT *>::v; out[n++] = Same<int(const int), int(int)>::v; out[n++] = Same<int(int[3]), int(int *)>::v; out[n++] = Same<void(FT), void(FP)>::v;
  out[n++] = Pk<Tup<Box<int>, Box<float>>>::v; out[n++] = Pk<Tup<int *, float *>>::v; out[n++] = Pk<Tup<int, Tup<int, float>>>::v; out[n++] = Pk<Tup<int, Tup<long, float>>>::v;
  Fn<int(int)> fn{g}; out[n++] = fn(4); out[n++] = Same<Id<FT>, FT>::v; out[n++] = Same<Wrap<FT>::type, FT>::v; Wrap<FT> w{g}; out[n++] = w.p(7); out[n++] = rg(5);
  out[n++] = Mem<int>::v; out[n++] = Mem<int *>::v; out[n++] = Mem<FT>::v;
}
