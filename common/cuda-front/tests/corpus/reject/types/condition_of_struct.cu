// A struct as a condition.
struct P {
    int a;
};
__global__ void k(int *out, P p) {
    if (p) out[0] = 1; // ERROR
}
