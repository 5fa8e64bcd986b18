// Normalisation of rows with Welford's running mean.
struct Welford {
    float mean = 0, m2 = 0;
    int n = 0;
    __device__ void push(float x) {
        n++;
        float d = x - mean;
        mean += d / n;
        m2 += d * (x - mean);
    }
    __device__ void merge(const Welford &o) {
        if (o.n == 0) return;
        int total = n + o.n;
        float d = o.mean - mean;
        mean += d * o.n / total;
        m2 += o.m2 + d * d * n * o.n / total;
        n = total;
    }
};
__global__ void layer_norm(float *out, const float *in, const float *gamma, const float *beta, int cols) {
    __shared__ Welford parts[32];
    const float *x = in + blockIdx.x * cols;
    Welford w;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) w.push(x[c]);
    for (int d = 16; d > 0; d >>= 1) {
        Welford o;
        o.mean = __shfl_down_sync(~0u, w.mean, d);
        o.m2 = __shfl_down_sync(~0u, w.m2, d);
        o.n = __shfl_down_sync(~0u, w.n, d);
        w.merge(o);
    }
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = w;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 1; i < blockDim.x / 32; i++) parts[0].merge(parts[i]);
    }
    __syncthreads();
    float mean = parts[0].mean, inv = rsqrtf(parts[0].m2 / cols + 1e-5f);
    for (int c = threadIdx.x; c < cols; c += blockDim.x) out[blockIdx.x * cols + c] = (x[c] - mean) * inv * gamma[c] + beta[c];
}
