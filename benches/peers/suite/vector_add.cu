// c = a + b, one element per thread.

__global__ void vector_add_guarded(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i] + b[i];
    }
}

// The grid has exactly as many threads as there are elements.
__global__ void vector_add_unguarded(const float *a, const float *b, float *c, int n) {
    const int index = threadIdx.x + blockIdx.x * blockDim.x;
    float sum = a[index];
    sum += b[index];
    c[index] = sum;
}
