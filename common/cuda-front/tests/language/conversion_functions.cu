// EXPECT: 1 1 1 7 7 1 1 1 1 5 4 5 5 7 -7 7 7 35 42 2 8 20 2 8 0 1 1 30 10 20 1 0 1 30 1 99 100 100 100
// Conversion functions: which is chosen, and on which object it runs.
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
  SharedMemory<float> sf{}; float *p = sf; out[n++] = p == sf.buf; out[n++] = (int)p[0];
  const SharedMemory<float> csf{}; const float *cp = csf; out[n++] = cp == csf.buf;
  SharedMemory<double> sd{}; double *q = sd; out[n++] = (int)q[0]; out[n++] = (int)*sd;
  float *pp(sf); out[n++] = pp == p; float *p3{sf}; out[n++] = p3 == p; auto p4 = (float *)sf; out[n++] = p4 == p; out[n++] = static_cast<float *>(sf) == p;
  if (sf) out[n++] = 5; else out[n++] = 6;
  Count c{3}; int a = c; int b = c; out[n++] = a; out[n++] = b; out[n++] = c.n; out[n++] = c + 1; out[n++] = -c; out[n++] = c.n;
  CI ci{7}; int ii = ci; float ff2 = ci; out[n++] = ii; out[n++] = (int)(ff2 * 10);
  L l{41}; out[n++] = l + 1; out[n++] = fi(l); out[n++] = sizeof(l + 1); out[n++] = (int)(l * 0.5);
  Bo bo{true}; out[n++] = bo + 1; out[n++] = bo ? 8 : 9; out[n++] = !bo; out[n++] = bo && l; out[n++] = fi(bo);
  int arr[4] = {10, 20, 30, 40}; Px px{arr}; out[n++] = px[2]; out[n++] = *px; out[n++] = *(px + 1); out[n++] = px == arr; out[n++] = (int)(px - arr); out[n++] = px ? 1 : 0; out[n++] = 2[px]; out[n++] = px != nullptr;
  RefT r(arr[1]); int &rr = r; rr = 99; out[n++] = arr[1]; out[n++] = r + 1; ++r; out[n++] = arr[1]; const int &cr = r; out[n++] = cr;
}
