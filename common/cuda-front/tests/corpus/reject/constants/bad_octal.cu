// 8 is no octal digit.
__global__ void k(int *out) {
    out[0] = 089; // ERROR
}
