// Kernels of a template, a launcher on the host and a class with host methods.
template <int TILE>
__global__ void scale(float *x, float a) { x[blockIdx.x * TILE + threadIdx.x] *= a; }
template __global__ void scale<64>(float *, float);
#ifndef __CUDACC_RTC__
#include <iostream>
#include <memory>
#include <string>
class Buffer {
    float *p_ = nullptr;
    std::string name_;

public:
    explicit Buffer(size_t n, std::string name = "x") : name_(std::move(name)) { cudaMalloc(&p_, n * sizeof(float)); }
    ~Buffer() { cudaFree(p_); }
    float *get() { return p_; }
};
void launch(float *x, int n, float a) {
    scale<64><<<n / 64, 64>>>(x, a);
    std::cout << "launched " << n << std::endl;
}
#endif
