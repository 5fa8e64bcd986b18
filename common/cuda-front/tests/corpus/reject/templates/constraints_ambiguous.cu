template <class T> concept Even = sizeof(T) % 2 == 0;
template <class T> concept Small = sizeof(T) <= 4;
__device__ int f(Even auto x) { return 1; }
__device__ int f(Small auto x) { return 2; }
__global__ void k(int *out) {
    out[0] = f(1.0);
    out[1] = f(1); // ERROR
}
// NVRTC: options --std=c++20
