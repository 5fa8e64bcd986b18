// A dot product with an atomic at the end.
constexpr int THREADS = 256;
__global__ void dot(float *result, const float *a, const float *b, int n) {
    __shared__ float cache[THREADS];
    float t = 0;
    for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += blockDim.x * gridDim.x) t += a[i] * b[i];
    cache[threadIdx.x] = t;
    __syncthreads();
    int i = blockDim.x / 2;
    while (i != 0) {
        if (threadIdx.x < i) cache[threadIdx.x] += cache[threadIdx.x + i];
        __syncthreads();
        i /= 2;
    }
    if (threadIdx.x == 0) atomicAdd(result, cache[0]);
}
