template <class T> requires (sizeof(T)) // ERROR
__device__ int f(T x) { return 1; }
__global__ void k(int *out) { out[0] = f(1); }
// NVRTC: options --std=c++20
