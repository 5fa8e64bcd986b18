struct A { const int x; };
__global__ void k(int *p) {
    A a{1}, b{2};
    a = b; // ERROR
    p[0] = a.x;
}
