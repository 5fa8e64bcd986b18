// The scalar product of each block's part of two vectors.

#define BLOCK 256

// A thread takes elements at a distance of one block.
__global__ void dot_product_strided(const float *a, const float *b, float *sums, int chunk) {
    __shared__ float cache[BLOCK];
    int first = blockIdx.x * chunk;
    float sum = 0.0f;
    for (int i = threadIdx.x; i < chunk; i += blockDim.x) {
        sum += a[first + i] * b[first + i];
    }
    cache[threadIdx.x] = sum;
    __syncthreads();
    int i = blockDim.x / 2;
    while (i != 0) {
        if (threadIdx.x < i) {
            cache[threadIdx.x] += cache[threadIdx.x + i];
        }
        __syncthreads();
        i /= 2;
    }
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = cache[0];
    }
}

// A thread takes elements that follow one another.
__global__ void dot_product_chunked(const float *a, const float *b, float *sums, int chunk) {
    __shared__ float cache[BLOCK];
    int t = threadIdx.x;
    int each = chunk / BLOCK;
    const float *pa = a + blockIdx.x * chunk + t * each;
    const float *pb = b + blockIdx.x * chunk + t * each;
    const float *end = pa + each;
    float sum = 0.0f;
    while (pa != end) {
        sum += *pa++ * *pb++;
    }
    cache[t] = sum;
    for (int s = BLOCK / 2; s > 0; s >>= 1) {
        __syncthreads();
        if (t < s) {
            cache[t] += cache[t + s];
        }
    }
    if (t == 0) {
        sums[blockIdx.x] = cache[0];
    }
}
