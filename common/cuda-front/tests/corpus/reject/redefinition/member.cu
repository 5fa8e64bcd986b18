// The same member twice.
struct P {
    int a;
    float a; // ERROR
};
__global__ void k(P *p) {}
