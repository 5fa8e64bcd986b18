// A file with host code beside the kernel. The run-time compiler has no host: the macro hides it there.
#include <stdio.h>
__host__ __device__ inline int ceil_div(int a, int b) { return (a + b - 1) / b; }
__global__ void kernel(float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = ceil_div(i, 3);
}
#ifndef __CUDACC_RTC__
#include <stdlib.h>
#include <vector>
#define CHECK(call)                                                        \
    do {                                                                   \
        cudaError_t e = (call);                                            \
        if (e != cudaSuccess) {                                            \
            fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e)); \
            exit(1);                                                       \
        }                                                                  \
    } while (0)
static float reference(const std::vector<float> &v) {
    float s = 0;
    for (auto x : v) s += x;
    return s;
}
int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 1 << 20;
    std::vector<float> host(n, 1.0f);
    float *x;
    CHECK(cudaMalloc(&x, n * sizeof(float)));
    CHECK(cudaMemcpy(x, host.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    dim3 grid((n + 255) / 256), block(256);
    kernel<<<grid, block>>>(x, n);
    kernel<<<grid, block, 0, 0>>>(x, n);
    CHECK(cudaDeviceSynchronize());
    cudaFree(x);
    printf("%f\n", reference(host));
    return 0;
}
#endif
