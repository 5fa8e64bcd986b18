// A default value of a bit-field converts as any initial value.
__device__ int *p;
struct S { int n : 8 = 3, m : 8 = p; }; // ERROR
__global__ void k(int *o) { S s; o[0] = s.n; }
