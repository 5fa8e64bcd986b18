// EXPECT: 10 2 0 12 -249510257 1 7 1 4 6 54981 6 6 7 3 9 0 0 0 0 0 0 0 0
struct S { int *p; int v; __device__ S(int *p, int v) : p(p), v(v) { p[0] += 1; p[10] = p[10] * 3 + v; } __device__ S(const S &o) : p(o.p), v(o.v) { p[1] += 1; } __device__ S(S &&o) : p(o.p), v(o.v) { p[2] += 1; o.v = -1; } __device__ ~S() { p[3] += 1; p[4] = p[4] * 10 + v; } };
struct D { int *p; int v; __device__ ~D() { p[5] += 1; p[6] = p[6] * 10 + v; } };
__device__ int use(const S &s) { return s.v; }
__global__ void k(int *out, int one) {
  { S a = one ? S(out, 1) : S(out, 2); out[7] = a.v; }
  { S x(out, 3), y(out, 4); S b = one ? x : y; b.v = 5; out[8] = use(one > 3 ? x : y); }
  out[9] += use(one ? S(out, 6) : S(out, 7)) ;
  bool t = one > 5 && use(S(out, 8)) == 8;
  bool u = one < 5 && use(S(out, 9)) == 9;
  bool w = one < 5 || use(S(out, 9)) == 9;
  out[11] = t + 2 * u + 4 * w;
  for (int i = 0; i < 3; i++) { S c = i == 1 ? S(out, 1) : i == 2 ? S(out, 2) : S(out, 3); out[12] += c.v; }
  { D d = one ? D{out, 7} : D{out, 8}; out[13] = d.v; }
  out[14] = one ? use(S(out, 3)) : 7;
  S z(out, 9); S q = one ? z : S(out, 5); out[15] = q.v;
}
