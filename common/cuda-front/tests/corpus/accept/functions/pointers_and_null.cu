// Pointers to functions compared with null and with each other, and a table of functions that are defined after it.
typedef float (*Activation)(float);
__device__ float relu(float x);
__device__ float twice(float x);
__device__ Activation table[3] = {relu, twice, nullptr};
__device__ float relu(float x) { return x > 0.0f ? x : 0.0f; }
__device__ float twice(float x) { return 2.0f * x; }
__global__ void activate(float *x, int n) {
    int i = threadIdx.x;
    Activation f = table[i % 3];
    if (f != nullptr && f == table[0]) x[i] = f(x[i]);
    Activation g = 0;
    if (i % 2) g = twice;
    if (g) x[i] += g(1.0f);
}
