// EXPECT: 8 4 16 1 2 10 1006 6 7 1 20 2 3 1 1 17 3 3 1 12 15 1 2 4 50 1 4 20 103 15 12 4 15 0 14 1 1 5 1 3 9
// Operators of classes and enumerations: members, functions and built-in ones compete.
struct V { float x, y; __device__ V(float a = 0, float b = 0) : x(a), y(b) {} __device__ V operator+(const V &o) const { return V(x + o.x, y + o.y); } __device__ V operator*(float s) const { return V(x * s, y * s); } __device__ explicit operator bool() const { return x != 0; } };
__device__ V operator*(float s, const V &v) { return V(v.x * s, v.y * s); }
__device__ V operator-(const V &a, const V &b) { return V(a.x - b.x, a.y - b.y); }
__device__ V operator-(const V &a) { return V(-a.x, -a.y); }
struct M { int v; __device__ M(int x) : v(x) {} __device__ M operator+(int o) const { return M(v + o + 1000); } };
__device__ M operator+(const M &a, const M &b) { return M(a.v + b.v); }
enum class F : unsigned { A = 1, B = 2, C = 4 };
__device__ F operator|(F a, F b) { return F(unsigned(a) | unsigned(b)); }
__device__ F &operator|=(F &a, F b) { a = a | b; return a; }
__device__ bool operator&(F a, F b) { return unsigned(a) & unsigned(b); }
__device__ int &operator+=(int &a, const V &v) { a += (int)v.x; return a; }
enum P { P0, P1, P2 };
__device__ P operator+(P a, int) { return P2; }
struct H { short bits; __device__ H(float f) : bits((short)(f * 4)) {} __device__ operator float() const { return bits / 4.f; } };
__device__ H operator+(H a, H b) { return H((float)a + (float)b + 0.5f); }
struct It { int *p; __device__ int &operator*() const { return *p; } __device__ It &operator++() { ++p; return *this; } __device__ It operator++(int) { It o = *this; ++p; return o; } __device__ bool operator!=(const It &o) const { return p != o.p; } __device__ int *operator->() { return p; } __device__ int &operator[](int i) { return p[i]; } };
struct Q { int d[4]; __device__ int &operator[](int i) { return d[i]; } __device__ const int &operator[](int i) const { return d[3 - i]; } __device__ int operator()(int a, int b = 5) const { return a * b; } __device__ int operator()(int a) { return a + 100; } };
template<class T> struct W { T v; __device__ operator T() const { return v; } };
template<class T, class U> __device__ auto operator*(W<T> a, W<U> b) -> W<decltype(a.v * b.v)> { return {a.v * b.v}; }
struct Any { template<class T> __device__ operator T() const { return T(7); } };
struct AnyP { int *q; template<class T> __device__ operator T *() const { return (T *)q; } };
struct Fn { __device__ static int add(int a, int b) { return a + b; } };
__global__ void k(int *out) {
  int n = 0;
  V a(1, 2), b = 3; V c = a + b * 2 - -a; out[n++] = c.x; out[n++] = c.y; c = 2 * c; out[n++] = c.x; out[n++] = c ? 1 : 0; out[n++] = (a + 1).x;
  M m(5); out[n++] = (m + m).v; out[n++] = (m + 1).v; out[n++] = (1 + m).v;
  F f = F::A | F::C; f |= F::B; out[n++] = (int)f; out[n++] = f & F::B;
  int i = 4; i += c; out[n++] = i;
  P p = P1; out[n++] = p + 1; out[n++] = p * 3; out[n++] = p < P2; out[n++] = p == 1;
  H h(1.5f), g = 2.25f; out[n++] = (float)(h + g) * 4; float x = h; out[n++] = x * 2; out[n++] = h * 2.0f; out[n++] = h < g; h = 3; out[n++] = h.bits; 
  int arr[5] = {1, 2, 3, 4, 5}; int s = 0; for (It it{arr}, e{arr + 5}; it != e; ++it) s += *it; out[n++] = s; It it{arr}; out[n++] = *it++; out[n++] = *it; out[n++] = it[2]; *it = 50; out[n++] = arr[1];
  Q q{{1, 2, 3, 4}}; const Q &cq = q; out[n++] = q[0]; out[n++] = cq[0]; q[1] = 20; out[n++] = cq[2]; out[n++] = q(3); out[n++] = cq(3); out[n++] = q(3, 4);
  W<int> w{3}; W<float> wf{2.5f}; out[n++] = w + 1; out[n++] = (w * wf).v * 2; out[n++] = w < wf;
  int z = Any(); float y = Any(); out[n++] = z + y; AnyP ap{arr}; float *fpx = ap; const int *ip = ap; out[n++] = *ip; out[n++] = (void *)fpx == (void *)arr; 
  out[n++] = (a, 5); V t = true ? a : b; out[n++] = t.x; V &tr = false ? a : b; out[n++] = tr.x; tr.x = 9; out[n++] = b.x;
}
