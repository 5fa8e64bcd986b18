// Pooling and activation as functors of a template kernel.
struct Relu {
    __device__ float operator()(float x) const { return x > 0 ? x : 0; }
};
struct LeakyRelu {
    float slope = 0.01f;
    __device__ float operator()(float x) const { return x > 0 ? x : slope * x; }
};
struct Gelu {
    __device__ float operator()(float x) const { return 0.5f * x * (1.0f + tanhf(0.79788456f * (x + 0.044715f * x * x * x))); }
};
template <class F>
__global__ void activate(float *x, int n, F f) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = f(x[i]);
}
template __global__ void activate<Relu>(float *, int, Relu);
template __global__ void activate<LeakyRelu>(float *, int, LeakyRelu);
template __global__ void activate<Gelu>(float *, int, Gelu);
__global__ void max_pool(float *out, const float *in, int c, int h, int w) {
    const int oh = h / 2, ow = w / 2;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < c * oh * ow; i += blockDim.x * gridDim.x) {
        int x = i % ow, y = i / ow % oh, ch = i / (ow * oh);
        const float *p = &in[(ch * h + y * 2) * w + x * 2];
        out[i] = fmaxf(fmaxf(p[0], p[1]), fmaxf(p[w], p[w + 1]));
    }
}
