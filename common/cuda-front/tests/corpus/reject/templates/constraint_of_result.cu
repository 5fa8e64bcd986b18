template <class T> concept Small = sizeof(T) <= 4;
__device__ Small auto twice(int x) { // ERROR
    return x * 2.0;
}
__global__ void k(int *out) { out[0] = twice(1); }
// NVRTC: options --std=c++20
