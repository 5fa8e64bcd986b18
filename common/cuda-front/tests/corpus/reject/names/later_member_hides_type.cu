struct Name { int x; };
struct A {
    __device__ int f() {
        Name n; // ERROR
        return n.x;
    }
    int Name;
};
__global__ void k(int *p) { A a; p[0] = a.f(); }
