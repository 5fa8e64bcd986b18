// EXPECT: 3 8 4 11 15 15 11 42 2 4 0 0 0 0 0 0 0 0 0 0 0 0 0 0
template <class T> struct P { T a, b; __device__ P(T a, T b) : a(a), b(b) {} __device__ T sum() const { return a + b; } };
template <class T, int N> struct Arr { T v[N]; __device__ Arr(const T (&x)[N]) { for (int i = 0; i < N; i++) v[i] = x[i]; } };
template <class T> struct Agg { T x; int y; };
template <class T> Agg(T, int) -> Agg<T>;
template <class F> struct Guard { F f; __device__ Guard(F f) : f(f) {} __device__ ~Guard() { f(); } };
__global__ void k(int *out) {
  P p(1, 2); out[0] = p.sum(); P q{3.5f, 4.5f}; out[1] = (int)q.sum(); out[2] = sizeof(q.a);
  auto r = P(5, 6); out[3] = r.sum(); auto s = P{7u, 8u}; out[4] = s.sum();
  int xs[3] = {1, 2, 3}; Arr a(xs); out[5] = sizeof(a) + a.v[2];
  Agg g{2.0, 3}; out[6] = sizeof(g.x) + g.y;
  { Guard gd([&] { out[7] = 42; }); out[7] = 1; }
  P c = p; out[8] = c.b;
  P<int> const cc(4, 5); P dd = cc; out[9] = dd.a;
}
