struct A { int x; };
__device__ int operator+(A *a, int b) { return a->x + b; } // ERROR
__global__ void k(int *p) { p[0] = 1; }
