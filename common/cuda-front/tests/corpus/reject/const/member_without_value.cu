struct A { const int x; int y; };
__global__ void k(int *p) {
    A a; // ERROR
    p[0] = a.y;
}
