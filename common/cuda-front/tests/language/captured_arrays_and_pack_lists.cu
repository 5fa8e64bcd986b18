// EXPECT: 3 11 3 1 3 6 119 31 11 2 0 0 0 0 0 0 0 0 0 0 0 0 0 0
struct P { int a; int b[2]; }; struct W { int n; __device__ W(int n) : n(n) {} };
template <class... T> __device__ int sum(T... t) { int a[] = {t...}; int r = 0; for (int x : a) r += x; return r; }
template <int... I> struct Seq {};
template <int... I> __device__ int pick(Seq<I...>, const int *p) { int a[] = {p[I]..., 100}; return a[0] + 2 * a[1] + a[sizeof...(I)]; }
template <class... T> __device__ P mk(T... t) { return P{t...}; }
template <class... T> __device__ int ctor(T... t) { W w[] = {W(t)..., 7}; return w[0].n + w[sizeof...(T)].n; }
template <class... T> __device__ float avg(T... t) { const float v[sizeof...(T)] = {static_cast<float>(t)...}; float s = 0; for (float x : v) s += x; return s / sizeof...(T); }
__global__ void k(int *out, int one) {
  int arr[3] = {1, 2, 3}; auto h = [arr] { return arr[2]; }; arr[2] = 9; out[0] = h();
  auto i = [=] { return arr[one] + arr[2]; }; out[1] = i();
  auto m = [arr]() mutable { arr[0]++; return arr[0]; }; m(); out[2] = m(); out[3] = arr[0];
  int t[2][2] = {{1, 2}, {3, 4}}; auto u = [=](int a, int b) { return t[a][b]; }; out[4] = u(1, 0);
  out[5] = sum(1, 2, 3); int src[3] = {5, 6, 7}; out[6] = pick(Seq<0, 2>(), src);
  P p = mk(1, 2, 3); out[7] = p.a + p.b[1] * 10; out[8] = ctor(4, 5); out[9] = (int)avg(1, 2, 3.0f);
}
