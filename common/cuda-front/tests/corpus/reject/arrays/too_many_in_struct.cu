// More values than members.
struct P {
    int a, b;
};
__global__ void k(int *out) {
    P p = {1, 2, 3}; // ERROR
    out[0] = p.a;
}
