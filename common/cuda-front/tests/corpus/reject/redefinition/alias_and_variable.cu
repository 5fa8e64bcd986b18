struct X { int a; };
typedef struct X X;
int X; // ERROR
__global__ void k(int *p) { p[0] = sizeof(X); }
