// An #if that does not end. The message stands at the #if.
__global__ void k(int *out) {
    out[0] = 1;
}
#ifdef DEBUG // ERROR
__device__ int x;
