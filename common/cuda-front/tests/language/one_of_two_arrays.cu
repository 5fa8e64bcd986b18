// EXPECT: 0 9 13 8
// A conditional expression of two arrays is one of them.
__global__ void k(int *p) { p[0] = 0; p[2] = 0; int a[2] = {1, 2}, b[2] = {3, 4}; int (&r)[2] = p[0] == 1 ? a : b; r[0] = 9; p[1] = b[0]; for (int x : p[0] == 1 ? a : b) p[2] += x; p[3] = sizeof(p[0] == 1 ? a : b); }
