// 1D stencil: weights and the block's window with both halos in shared memory.
#define BLOCK 128
#define MAX_RADIUS 16

__global__ void stencil(const float *__restrict__ in, const float *weights, float *out, int n, int radius) {
    __shared__ float window[BLOCK + 2 * MAX_RADIUS];
    __shared__ float w[2 * MAX_RADIUS + 1];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int local = threadIdx.x + radius;

    if (threadIdx.x < 2 * radius + 1) w[threadIdx.x] = weights[threadIdx.x];
    window[local] = i < n ? in[i] : 0.0f;
    if (threadIdx.x < radius) {
        const int left = i - radius;
        const int right = i + static_cast<int>(blockDim.x);
        window[threadIdx.x] = left >= 0 && left < n ? in[left] : 0.0f;
        window[local + blockDim.x] = right < n ? in[right] : 0.0f;
    }
    __syncthreads();
    if (i >= n) return;

    float sum = 0;
    for (int k = -radius; k <= radius; ++k) sum += w[radius + k] * window[local + k];
    out[i] = sum;
}

__global__ void adjacent_difference(const int *in, int *out, int n) {
    extern __shared__ int cache[];
    const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) cache[threadIdx.x] = in[i];
    __syncthreads();
    if (i < n) {
        if (threadIdx.x > 0)
            out[i] = cache[threadIdx.x] - cache[threadIdx.x - 1];
        else
            out[i] = i > 0 ? cache[0] - in[i - 1] : cache[0];
    }
}

int main() {
    float *d_in = nullptr;
    cudaMalloc(&d_in, 1024 * sizeof(float));
    stencil<<<8, BLOCK>>>(d_in, d_in, d_in, 1024, 3);
    return 0;
}
