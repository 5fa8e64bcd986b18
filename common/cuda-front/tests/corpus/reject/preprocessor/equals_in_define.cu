// An equals sign in a macro.
#define SIZE = 16
__global__ void k(int *out) {
    int i = SIZE; // ERROR
    out[0] = i;
}
