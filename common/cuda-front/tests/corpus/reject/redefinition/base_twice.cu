struct A { int x; };
struct B : A, A {}; // ERROR
__global__ void k(int *p) { p[0] = sizeof(B); }
