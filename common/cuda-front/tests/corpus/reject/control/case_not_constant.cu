// A case that is not a constant.
__global__ void k(int *out, int n, int m) {
    switch (n) {
    case m: out[0] = 1; // ERROR
    }
}
