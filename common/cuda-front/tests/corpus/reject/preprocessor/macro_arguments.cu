// A macro with too few arguments.
#define ADD(a, b) ((a) + (b))
__global__ void k(int *out) {
    out[0] = ADD(1); // ERROR
}
