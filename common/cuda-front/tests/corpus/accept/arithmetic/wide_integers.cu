// 64-bit products and indices; int converts before, not after, the product.
__global__ void wide(long long *out, int a, int b, size_t n) {
    out[0] = (long long)a * b;
    out[1] = a * b;
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i + 2] = static_cast<long long>(i) - 1;
    unsigned long x = 1ul << 33;
    out[2] += x >> 32;
}
