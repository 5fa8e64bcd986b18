struct Plain { int p; };
struct A { int a; __device__ virtual int f() { return a; } __device__ virtual A *self() { return this; } __device__ virtual ~A() {} };
struct B { int b; __device__ virtual int g(int x) { return b + x; } __device__ virtual int f() { return -b; } __device__ virtual B *clone() { return this; } };
struct E0 {};
struct D : Plain, A, B, E0 {
    int d;
    __device__ D(int x) { p = x; a = x + 1; b = x + 2; d = x + 3; }
    __device__ int f() override { return a * 1000 + b * 10 + d; }
    __device__ D *self() override { return this; }
    __device__ D *clone() override { return this; }
};
struct F : D { int z; __device__ F() : D(50), z(9) {} __device__ int g(int x) override { return z + x * d; } };
struct N : Plain { int n; __device__ N(int n) : n(n) {} __device__ virtual int get() const { return n + p; } };
struct M : N { __device__ M() : N(4) { p = 8; } __device__ int get() const override { return N::get() * 2; } };
extern "C" __global__ void k(int *o, int one) {
    D d(1); F f;
    A *as[2] = {&d, &f}; B *bs[2] = {&d, &f};
    int n = 0;
    for (int i = 0; i < 2; i++) {
        o[n++] = as[i * one]->f(); o[n++] = bs[i * one]->f(); o[n++] = bs[i]->g(3);
        o[n++] = as[i]->self() == as[i]; o[n++] = bs[i]->clone() == bs[i];
        o[n++] = static_cast<D *>(bs[i])->d; o[n++] = bs[i]->clone()->b;
    }
    o[n++] = sizeof(D); o[n++] = sizeof(F); o[n++] = sizeof(N); o[n++] = sizeof(A); o[n++] = alignof(D);
    o[n++] = (char *)(A *)&d - (char *)&d; o[n++] = (char *)(B *)&d - (char *)&d; o[n++] = (char *)(Plain *)&d - (char *)&d;
    o[n++] = (char *)&d.d - (char *)&d; o[n++] = (char *)&f.z - (char *)&f;
    M m; N &r = m; o[n++] = r.get(); o[n++] = r.N::get(); o[n++] = (char *)&m.n - (char *)&m; o[n++] = (char *)(Plain *)&m - (char *)&m;
    D copy = f; B &cb = copy; o[n++] = cb.g(one); o[n++] = cb.f();
    B &fb = f; fb = d; o[n++] = fb.f(); o[n++] = fb.g(2); o[n++] = cb.clone() == &cb;
    D *none = 0; B *nb = none; o[n++] = nb == 0;
}
// EXPECT: 2034 2034 6 1 1 4 3 51573 51573 168 1 1 53 52 32 40 16 16 8 0 16 12 28 32 24 12 12 8 53 51573 51083 115 1 1
