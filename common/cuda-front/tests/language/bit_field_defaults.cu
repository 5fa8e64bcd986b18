// EXPECT: 5 1 -2 3 9 1 -2 7 5 0 -2 3 4 5 6 21 3
// Default values of bit-fields, where an aggregate, a constructor or nothing says otherwise.
struct A { unsigned a : 3 = 5; bool b : 1 {true}; int c : 4 = -2; int d = 3; };
struct B { unsigned a : 4 = 9; bool b : 1 = true; int c : 4 = -2; int d; __device__ B() : d(7) {} __device__ B(int v) : a(v), b(false), d(c + v) {} };
struct C { A a; unsigned u : 5 = 4; unsigned long long w : 40 = 5, x : 30 = 6; };
struct D { int n = 20; int m : 8 = n + 1; };
__device__ int from(A a) { return a.d; }
__global__ void k(int *o) {
    A a; o[0] = a.a; o[1] = a.b; o[2] = a.c; o[3] = a.d;
    B b; o[4] = b.a; o[5] = b.b; o[6] = b.c; o[7] = b.d;
    B c(5); o[8] = c.a; o[9] = c.b; o[10] = c.c; o[11] = c.d;
    C d; o[12] = d.u; o[13] = (int)d.w; o[14] = (int)d.x;
    D e; o[15] = e.m;
    o[16] = from(A{1, false});
}
