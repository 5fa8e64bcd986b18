// Suffixes of the program's own.
__device__ constexpr float operator""_f(long double x) { return (float)x; }
__device__ constexpr int operator""_k(unsigned long long x) { return (int)x * 1024; }

__global__ void k(float *out) {
    __shared__ char bytes[2_k];
    bytes[threadIdx.x] = 1;
    out[0] = 1.5_f + bytes[0] + operator""_k(1);
}
