// A label without a colon.
__global__ void k(int *out, int n) {
    switch (n) {
    case 1 out[0] = 1; // ERROR
    }
}
