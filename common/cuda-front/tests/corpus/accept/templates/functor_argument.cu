// Functors and lambdas as arguments of a template.
template <typename F>
__device__ void for_each_in_grid(int n, F f) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) f(i);
}
struct Scale {
    float *p;
    float by;
    __device__ void operator()(int i) const { p[i] *= by; }
};
__global__ void run(float *x, int n, float a) {
    for_each_in_grid(n, Scale{x, a});
    for_each_in_grid(n, [=](int i) { x[i] += a; });
}
