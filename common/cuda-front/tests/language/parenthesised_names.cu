// EXPECT: 34 0 0 3 3 4 5 2 3
// Names in parentheses.
struct Dim { int x, y, z; __device__ Dim(int a = 1, int b = 1, int c = 1) : x(a), y(b), z(c) {} };
__device__ float (m[2])[3];
int (v) = 3;
__device__ int (w) = 4;
struct F { int (a); float (b)[2]; };
typedef int (td);
__device__ int f(int (a), float (*b)) { return a + (int)b[0]; }
__device__ int (g)(int (a)) { return a; }
__device__ int ((h))(int) { return 1; }
__global__ void k(int *p) {
    int (d) = 3;
    float (e)[4];
    int *(q) = p;
    Dim (b)(1, 2, 3);
    Dim (c);
    td (x){4}, (y)(5);
    int(z);
    z = 1;
    e[0] = 1.0f;
    F s;
    s.a = 2; s.b[1] = 4;
    float bb = 2;
    p[0] = d + e[0] + (q == p) + b.y + c.x + x + y + z + s.a + s.b[1] + f(1, &bb) + g(2) + h(3) + w + m[1][2];
    for (int (i) = 0; i < 3; i++) p[4 + i] = int(i) + int(d);
    if (int(d)) p[7] = 2;
    if (int (n) = d) p[8] = n;
    float x2(d);
    p[3] = x2;
}
