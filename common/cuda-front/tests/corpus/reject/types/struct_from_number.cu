// A struct from a number.
struct P {
    int a, b;
};
__global__ void k(int *out) {
    P p = 3; // ERROR
    out[0] = p.a;
}
