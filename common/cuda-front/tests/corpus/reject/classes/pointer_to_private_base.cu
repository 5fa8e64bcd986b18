struct A { int x; };
class B : A {};
__global__ void k(int *p) {
    B b;
    A *a = &b; // ERROR
    p[0] = a == nullptr;
}
