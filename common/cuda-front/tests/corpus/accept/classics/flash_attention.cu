// Attention with a running softmax, tile by tile.
#include <math.h>
template <int BR, int BC, int D>
__global__ void attention(const float *q, const float *k, const float *v, float *o, int n, float scale) {
    __shared__ float ks[BC][D], vs[BC][D];
    int row = blockIdx.x * BR + threadIdx.x;
    float qr[D], acc[D] = {}, m = -INFINITY, l = 0.f;
    for (int d = 0; d < D; d++) qr[d] = row < n ? q[row * D + d] : 0.f;
    for (int t = 0; t < n; t += BC) {
        for (int i = threadIdx.x; i < BC * D; i += BR) {
            ks[i / D][i % D] = t + i / D < n ? k[t * D + i] : 0.f;
            vs[i / D][i % D] = t + i / D < n ? v[t * D + i] : 0.f;
        }
        __syncthreads();
        for (int j = 0; j < BC && t + j < n; j++) {
            float s = 0;
#pragma unroll
            for (int d = 0; d < D; d++) s += qr[d] * ks[j][d];
            s *= scale;
            float m2 = fmaxf(m, s), c = expf(m - m2), p = expf(s - m2);
            l = l * c + p;
            for (int d = 0; d < D; d++) acc[d] = acc[d] * c + p * vs[j][d];
            m = m2;
        }
        __syncthreads();
    }
    if (row < n)
        for (int d = 0; d < D; d++) o[row * D + d] = acc[d] / l;
}
template __global__ void attention<32, 32, 16>(const float *, const float *, const float *, float *, int, float);
