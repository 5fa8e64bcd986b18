// An atomic needs an address.
__global__ void k(int *out) {
    atomicAdd(out[0], 1); // ERROR
}
