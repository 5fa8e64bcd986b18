__device__ consteval int square(int x) { return x * x; }
__device__ consteval int twice(int x) { return square(x) + square(2); }
__global__ void k(int *out, int n) {
    const int three = 3;
    out[0] = square(three) + twice(4) + sizeof(square(n));
    out[1] = square(n); // ERROR
}
// NVRTC: options --std=c++20
