struct A { int &x; };
struct B { A a; int y; };
__global__ void k(int *p) {
    B b; // ERROR
    p[0] = sizeof(b);
}
