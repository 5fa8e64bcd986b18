// = for == with a product on the left.
__global__ void k(int *out, int a, int b) {
    if (a * 2 = b) out[0] = 1; // ERROR
}
