template <class T> concept Some = sizeof(T) > 0;
template <class T> concept More = Some<T> && sizeof(T) > 1;
template <class T, class U> requires Some<T> __device__ int f(T, U) { return 1; }
template <class T, class U> requires Some<U> && More<U> __device__ int f(T, U) { return 2; }
template <class T, class U> requires Some<T> __device__ int g(T, U) { return 1; }
template <class T, class U> requires Some<U> && More<T> __device__ int g(T, U) { return 2; }
__global__ void k(int *out) {
    out[0] = g(1, 2);
    out[1] = f(1, 2); // ERROR
}
// NVRTC: options --std=c++20
