struct A {
    int x;
    __device__ ~A() { x = 0; }
};
__global__ void k(int *p) {
    if (p[0] > 3) goto done; // ERROR
    A a;
    a.x = 1;
    p[0] = a.x;
done:
    p[1] = 1;
}
