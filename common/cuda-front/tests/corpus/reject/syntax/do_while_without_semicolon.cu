// do-while ends with a semicolon.
__global__ void k(int *out, int n) {
    do {
        n--;
    } while (n > 0)
    out[0] = n; // ERROR
}
