// continue outside a loop.
__global__ void k(int *out, int n) {
    switch (n) {
    case 1: continue; // ERROR
    }
    out[0] = n;
}
