// Standard attributes and alignment.
struct alignas(16) Wide {
    float x, y, z;
};
struct __align__(8) Narrow {
    int a;
};
__device__ [[nodiscard]] int f(int x) { return x; }
__global__ void attributes(int *out, [[maybe_unused]] int unused) {
    switch (f(1)) {
    case 1:
        out[0] = sizeof(Wide);
        [[fallthrough]];
    default:
        out[1] = sizeof(Narrow);
    }
}
