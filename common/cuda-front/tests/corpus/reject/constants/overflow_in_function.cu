constexpr __host__ __device__ int next(int x) { return ++x; }
__global__ void k(int *p) {
    constexpr int a = next(2147483647); // ERROR
    p[0] = a;
}
