// Assignment of points to the nearest centre and sums for the next centres.
template <int K, int D>
__global__ void assign(const float (*points)[D], const float *centres, int *label, float *sums, int *counts, int n) {
    __shared__ float c[K][D];
    for (int i = threadIdx.x; i < K * D; i += blockDim.x) c[i / D][i % D] = centres[i];
    __syncthreads();
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= n) return;
    int best = 0;
    float least = 1e30f;
    for (int k = 0; k < K; k++) {
        float d = 0;
#pragma unroll
        for (int j = 0; j < D; j++) {
            float t = points[p][j] - c[k][j];
            d += t * t;
        }
        if (d < least) least = d, best = k;
    }
    label[p] = best;
    for (int j = 0; j < D; j++) atomicAdd(&sums[best * D + j], points[p][j]);
    atomicAdd(counts + best, 1);
}
template __global__ void assign<4, 3>(const float (*)[3], const float *, int *, float *, int *, int);
