// default twice.
__global__ void k(int *out, int n) {
    switch (n) {
    default: out[0] = 1; break;
    default: out[0] = 2; // ERROR
    }
}
