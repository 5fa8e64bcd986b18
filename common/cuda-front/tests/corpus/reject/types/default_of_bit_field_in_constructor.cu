// Also where a constructor says nothing about it.
struct T {};
struct S { int n : 8 = T(); __device__ S() {} }; // ERROR
__global__ void k(int *o) { S s; o[0] = s.n; }
