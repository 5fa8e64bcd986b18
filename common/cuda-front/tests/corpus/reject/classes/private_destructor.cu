class A {
    __device__ ~A() {}
public:
    int x;
};
__global__ void k(int *p) {
    A a; // ERROR
    a.x = 1;
    p[0] = a.x;
}
