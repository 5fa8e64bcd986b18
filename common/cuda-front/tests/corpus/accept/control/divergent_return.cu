// Threads that leave early, in a kernel and in functions with several returns.
__device__ int classify(int x) {
    if (x < 0) return -1;
    for (int i = 2; i * i <= x; i++)
        if (x % i == 0) return i;
    return 0;
}
__global__ void leave(int *out, const int *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (in[i] == 0) return;
    out[i] = classify(in[i]);
}
