// A row a block or warp: softmax, sparse times dense, and generic code over functors and lambdas.
#include <cfloat>
#include <cuda_runtime.h>

struct Max {
    __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

struct Sum {
    __device__ float operator()(float a, float b) const { return a + b; }
};

template <typename Op>
__device__ float block_reduce(float value, Op op, float *shared) {
    for (int offset = 16; offset > 0; offset >>= 1) value = op(value, __shfl_xor_sync(0xffffffff, value, offset));
    int warps = blockDim.x / 32;
    if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = value;
    __syncthreads();
    float result = shared[0];
    for (int w = 1; w < warps; ++w) result = op(result, shared[w]);
    __syncthreads();
    return result;
}

__global__ void softmax(const float *in, float *out, int columns) {
    __shared__ float shared[32];
    const float *row = in + blockIdx.x * columns;
    float highest = -FLT_MAX;
    for (int i = threadIdx.x; i < columns; i += blockDim.x) highest = fmaxf(highest, row[i]);
    highest = block_reduce(highest, Max(), shared);
    float sum = 0.0f;
    for (int i = threadIdx.x; i < columns; i += blockDim.x) sum += expf(row[i] - highest);
    sum = block_reduce(sum, Sum{}, shared);
    for (int i = threadIdx.x; i < columns; i += blockDim.x) {
        out[blockIdx.x * columns + i] = expf(row[i] - highest) / sum;
    }
}

__global__ void spmv_scalar(int rows, const int *ptr, const int *indices, const float *values, const float *x, float *y) {
    int row = blockDim.x * blockIdx.x + threadIdx.x;
    if (row < rows) {
        float dot = 0;
        for (int i = ptr[row]; i < ptr[row + 1]; i++) dot += values[i] * x[indices[i]];
        y[row] = dot;
    }
}

// A warp a row.
__global__ void spmv_vector(int rows, const int *ptr, const int *indices, const float *values, const float *x, float *y) {
    int thread = blockDim.x * blockIdx.x + threadIdx.x;
    int warp = thread / 32, lane = thread & 31;
    if (warp >= rows) return;
    float sum = 0.0f;
    for (int i = ptr[warp] + lane; i < ptr[warp + 1]; i += 32) sum += values[i] * __ldg(&x[indices[i]]);
    for (int offset = 16; offset; offset >>= 1) sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (lane == 0) y[warp] = sum;
}

template <typename F>
__device__ void for_each_index(int n, F f) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) f(i);
}

template <class T, class... Fs>
__device__ T apply_all(T value, Fs... fs) {
    ((value = fs(value)), ...);
    return value;
}

__global__ void lambdas(const float *x, float *y, float a, float b, int n) {
    auto scale = [a](float v) { return a * v; };
    auto shift = [=](auto v) -> decltype(v) { return v + b; };
    for_each_index(n, [&](int i) { y[i] = apply_all(x[i], scale, shift, [](float v) { return v > 0 ? v : 0.0f; }); });
}

// One block sorts up to 2048 numbers in shared memory, two a thread.
__global__ void bitonic_sort(int *data) {
    extern __shared__ int keys[];
    const int n = 2 * blockDim.x;
    for (int i = threadIdx.x; i < n; i += blockDim.x) keys[i] = data[i];
    for (int size = 2; size <= n; size <<= 1) {
        for (int stride = size >> 1; stride > 0; stride >>= 1) {
            __syncthreads();
            int i = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
            bool ascending = (i & size) == 0;
            int a = keys[i], b = keys[i + stride];
            if ((a > b) == ascending) {
                keys[i] = b;
                keys[i + stride] = a;
            }
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) data[i] = keys[i];
}
