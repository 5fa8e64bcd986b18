// Managed variables live as long as the program.
__global__ void k(int *out) {
    __managed__ int mine; // ERROR
    mine = 1;
    out[0] = mine;
}
