struct A {
    int x;
    __device__ ~A() { x = 0; }
};
__global__ void k(int *p) {
    switch (p[0]) { // ERROR
    case 0:
        A a;
        a.x = 1;
        p[0] = a.x;
        break;
    case 1:
        p[1] = 1;
    }
}
