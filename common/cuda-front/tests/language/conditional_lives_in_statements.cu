// EXPECT: 14 1 -2073596023 2 3 6 7 5 2 1 1 0 0 0 0 0 0 0 0 0 0 0 0 0
struct S { int *p; int v; __device__ S(int *p, int v) : p(p), v(v) { p[0]++; } __device__ S(const S &o) : p(o.p), v(o.v) { p[1]++; } __device__ ~S() { p[2] = p[2] * 10 + v; } };
__device__ S mk(int *p, int c) { return c > 1 ? S(p, 1) : S(p, 2); }
__device__ S mk2(int *p, int c) { S a(p, 3), b(p, 4); return c ? a : b; }
__device__ const S &rf(const S &a, const S &b, int c) { return c ? a : b; }
template <class F> __device__ int app(F f) { return f(); }
__global__ void k(int *out, int one) {
  { S s = mk(out, one); out[3] = s.v; } { S s = mk2(out, one); out[4] = s.v; }
  { S a(out, 5), b(out, 6); out[5] = rf(a, b, 0).v; const S &r = one ? S(out, 7) : S(out, 8); out[6] = r.v; }
  { int x = (one ? S(out, 1) : S(out, 2)).v + (one && S(out, 3).v == 3 ? S(out, 4).v : 0); out[7] = x; }
  { for (int i = 0; i < 2 && S(out, 9).v == 9; i++) out[8]++; }
  out[9] = app([&] { return one ? S(out, 1).v : S(out, 2).v; });
  if (S(out, 1).v == 1 || S(out, 2).v == 2) out[10] = 1;
  one ? (void)S(out, 3) : (void)S(out, 4);
}
