// EXPECT: 11 32 2 6 2 451 12 24 7 4 0 0 0 0 0 0 0 0 0 0 2 0 0 0
struct A { int x = 3; int y = x * 2; int z[2] = {1, 2}; float f{1.5f}; __device__ A() {} __device__ A(int q) : x(q) {} __device__ int s() const { return x + y + z[1]; } };
struct B { int a = 1; int b = a + 1; int c; };
struct R { int lo = 0; int hi = lo + 4; int n = hi - lo; };
struct Q { R r; int w = r.hi * 2; int v = w + r.n; };
__device__ int next(int *p) { return ++*p; }
__global__ void k(int *out) { A a; out[0] = a.s(); A b(10); out[1] = b.s(); B c{}; out[2] = c.b; B d{5}; out[3] = d.b; B e; out[4] = e.b; R r{next(out + 20)}; out[5] = r.lo + r.hi * 10 + r.n * 100; Q q; out[6] = q.v; Q q2{{3, 9}}; out[7] = q2.v; out[8] = B{next(out + 20), 7}.b; R s; out[9] = s.n; }
