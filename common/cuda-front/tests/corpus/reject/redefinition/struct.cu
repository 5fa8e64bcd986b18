// The same struct twice.
struct P {
    int a;
};
struct P { // ERROR
    int b;
};
__global__ void k(P *p) {}
