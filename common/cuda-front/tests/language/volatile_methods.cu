// EXPECT: 1234 7 3 3
struct M { int x; __device__ int f() { return 1; } __device__ int f() const { return 2; } __device__ int f() volatile { return 3; } __device__ int f() const volatile { return 4; }
  __device__ void set(int v) volatile { x = v; } };
struct O { int x; __device__ int g() const { return 5; } };
__global__ void k(int *o) { M m{0}; const M c{1}; volatile M v{2}; const volatile M cv{3}; o[0] = m.f() * 1000 + c.f() * 100 + v.f() * 10 + cv.f(); v.set(7); m.set(8); o[1] = v.x; M s{9}; volatile M *p = &s; p->set(3); o[2] = p->x; volatile M &r = s; r.set(4); o[3] = r.f(); }
