// A struct within a kernel whose method calls a function of the file and knows its constants.
constexpr float SCALE = 2.0f;
__device__ float clamp01(float x) { return fminf(fmaxf(x, 0.0f), 1.0f); }
__global__ void local(float *x, int n) {
    struct Body {
        float *p;
        __device__ void run(int i) const { p[i] = clamp01(p[i] * SCALE); }
    };
    Body b{x};
    int i = threadIdx.x;
    if (i < n) b.run(i);
}
