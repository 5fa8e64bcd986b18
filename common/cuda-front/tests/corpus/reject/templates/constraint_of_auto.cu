template <class T> concept Small = sizeof(T) <= 4;
__device__ Small auto fits(int x) { return x; }
__global__ void k(int *out) {
    Small auto a = fits(1);
    const Small auto *p = &a;
    Small auto const &c = 3.0; // ERROR
    out[0] = a + *p + c;
}
// NVRTC: options --std=c++20
