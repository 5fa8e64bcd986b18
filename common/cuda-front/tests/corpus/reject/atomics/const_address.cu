// An atomic on what is const.
__global__ void k(const int *in) {
    atomicAdd(in, 1); // ERROR
}
