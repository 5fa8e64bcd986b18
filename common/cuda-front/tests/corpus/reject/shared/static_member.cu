struct A {
    static __shared__ int x; // ERROR
};
__global__ void k(int *p) { p[0] = A::x; }
