// An operator for integers is none for floating-point numbers.
__device__ int operator""_k(unsigned long long v) { return (int)v; }
__global__ void k(int *o) {
    o[0] = 1_k;
    o[1] = 1.5_k; // ERROR
}
