namespace n { struct A { int x; }; }
struct A { int y; };
__global__ void k(int *p) {
    using namespace n;
    A a; // ERROR
    p[0] = sizeof(a);
}
