// EXPECT: 1 1 1 0 0 1 1 1 1 1 1 50 1 1 1 0 0 8 52 40 70 6 77 1 12 13
// What assignments, steps and conditional expressions leave is an object, which references bind to.
// parameters: const T& from ++, +=, cond
struct S { int v; }; struct F { const int &r; __device__ F(const int &r) : r(r) {} };
__device__ const int *ad(const int &x) { return &x; } template<class T> __device__ const T *adt(const T &x) { return &x; } template<class T> __device__ bool adf(T &&x, const void *q) { return &x == q; } __device__ const S *as(const S &s) { return &s; }
__global__ void k(int *p) { int x = 1, y = 2; S s{1}, t{2}; int a[3] = {1,2,3}; int i = 0;
 p[0] = ad(++x) == &x; p[1] = ad(x += 1) == &x; p[2] = adt(x ? x : y) == &x;  p[5] = as(s = t) == &s; p[6] = as(x ? s : t) == &s; p[7] = adt((i, x)) == &x; p[8] = ad(a[i++]) == a; p[9] = adt(*(a + 1)) == a + 1; p[10] = adt(x = 3) == &x;
 F f(x ? x : y); x = 50; p[11] = f.r; p[12] = &(x ? x : y) == &x; p[13] = &++x == &x; p[14] = &(x ? s : t) == &s;  (x ? s : t) = S{8}; p[17] = s.v; ++(x ? x : y); p[18] = x;
 const S &u = s = t; s.v = 40; p[19] = u.v; auto l = [&c = ++x] { return c; }; x = 70; p[20] = l(); const S *ps[] = {&s, &t}; const S &w = *ps[1]; t.v = 6; p[21] = w.v; const int &e = a[i = 2]; a[2] = 77; p[22] = e; const int (&ar)[3] = a; p[23] = &ar[0] == a; const int &z = (x ? s : t).v; s.v = 12; p[24] = z; const int &zz = (x ? a : a)[1]; a[1] = 13; p[25] = zz; }
