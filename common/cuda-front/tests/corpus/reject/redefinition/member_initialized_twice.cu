struct A {
    int x;
    __device__ A() : x(1), x(2) {} // ERROR
};
__global__ void k(int *p) { A a; p[0] = a.x; }
