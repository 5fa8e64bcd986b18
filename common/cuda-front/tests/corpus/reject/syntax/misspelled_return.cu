// A misspelled keyword is an unknown name.
__device__ int f(int x) {
    retrun x; // ERROR
}
__global__ void k(int *out) { out[0] = f(1); }
