// A step of elimination without pivots, and a solve by one block.
__global__ void eliminate(double *a, int n, int k) {
    int i = blockIdx.y * blockDim.y + threadIdx.y + k + 1, j = blockIdx.x * blockDim.x + threadIdx.x + k + 1;
    if (i < n && j < n) a[i * n + j] -= a[i * n + k] / a[k * n + k] * a[k * n + j];
}
__global__ void solve(const double *u, double *x, int n) {
    for (int i = n - 1; i >= 0; --i) {
        if (threadIdx.x == 0) x[i] /= u[i * n + i];
        __syncthreads();
        for (int j = threadIdx.x; j < i; j += blockDim.x) x[j] -= u[j * n + i] * x[i];
        __syncthreads();
    }
}
