struct O { int x; __device__ int g() const { return 5; } };
__global__ void k(int *o) {
    volatile O v{2};
    o[0] = v.g();  // ERROR
}
