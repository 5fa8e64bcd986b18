// EXPECT: 1 3 77 1 12 12 13 12 12 12 3 370 4 250 150 36 36 36 41 41 10 10 46 92 20 20 1 7
// Conversions of objects as arguments, initial values, operands, in `switch` and `?:`.
template<class T> struct SharedMemory {
  T buf[4];
  __device__ operator T *() { buf[0] = 1; return buf; }
  __device__ operator const T *() const { return buf; }
};
template<> struct SharedMemory<double> {
  double b2[4];
  __device__ operator double *() { b2[0] = 7; return b2; }
  __device__ operator const double *() const { return b2; }
};
struct Count { int n; __device__ operator int() { return ++n; } };
struct CI { int n; __device__ operator int() const { return n; } __device__ operator float() const { return n * 0.5f; } };
struct L { long v; __device__ operator long() const { return v; } };
struct Bo { bool b; __device__ operator bool() const { return b; } };
struct Px { int *p; __device__ operator int *() const { return p; } };
struct RefT { int &r; __device__ RefT(int &x) : r(x) {} __device__ operator int &() const { return r; } };
enum E { E0, E1, E2 };
struct ToE { __device__ operator E() const { return E2; } };
struct A { int x; }; 
struct ToA { int v; __device__ operator A() const { return A{v}; } };
struct B { int y; __device__ B(int v) : y(v) {} __device__ explicit B(float f) : y((int)(f * 100)) {} };
struct FromA { int z; __device__ FromA(const A &a) : z(a.x * 3) {} };
__device__ int fi(int) { return 1; }
__device__ int fi(long) { return 2; }
__device__ int fi(double) { return 3; }
__device__ int fp(int *) { return 1; }
__device__ int fp(const int *) { return 2; }
__device__ int fa(A a) { return a.x; }
__device__ int fb(B b) { return b.y; }
__device__ int fr(const A &a) { return a.x + 1; }
__device__ int ff(FromA f) { return f.z; }
__global__ void k(int *out) {
  int n = 0;
  int arr[4] = {10, 20, 30, 40}; Px px{arr}; Bo bo{true}; CI ci{7}; L l{41};
  ToE te; out[n++] = te == E2; out[n++] = te + 1; switch (te) { case E2: out[n++] = 77; break; default: out[n++] = 78; }
  switch (l) { case 41: out[n++] = 1; break; default: out[n++] = 0; }
  ToA ta{12}; A aa = ta; out[n++] = aa.x; out[n++] = fa(ta); out[n++] = fr(ta); const A &ar = ta; out[n++] = ar.x; A a2(ta); out[n++] = a2.x; A a3 = static_cast<A>(ta); out[n++] = a3.x; 
  B b1 = 3.7f; out[n++] = b1.y; B b2(3.7f); out[n++] = b2.y; out[n++] = fb(4.2f); B b3 = (B)2.5f; out[n++] = b3.y; B b4 = static_cast<B>(1.5f); out[n++] = b4.y;
  FromA fa1 = aa; out[n++] = fa1.z; out[n++] = ff(aa); FromA fa2(ta); out[n++] = fa2.z;
  out[n++] = true ? l : 3; out[n++] = false ? 3 : (int)l; int *pz = true ? px : arr + 1; out[n++] = *pz; int *pw = false ? nullptr : (int*)px; out[n++] = *pw;
  int acc = 5; acc += l; out[n++] = acc; acc <<= bo; out[n++] = acc; int *mv = arr; mv += bo; out[n++] = *mv; out[n++] = arr[bo]; out[n++] = fp(px);
  float fl = 2; fl *= (float)ci; out[n++] = (int)fl;
}
