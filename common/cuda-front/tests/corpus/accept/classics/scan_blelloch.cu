// Work-efficient exclusive scan with an offset against bank conflicts.
#define LOG_BANKS 5
#define PAD(n) ((n) >> LOG_BANKS)
__global__ void prescan(float *out, const float *in, float *sums, int n) {
    extern __shared__ float temp[];
    int t = threadIdx.x, offset = 1, a = t, b = t + n / 2;
    temp[a + PAD(a)] = in[a];
    temp[b + PAD(b)] = in[b];
    for (int d = n >> 1; d > 0; d >>= 1) {
        __syncthreads();
        if (t < d) {
            int i = offset * (2 * t + 1) - 1, j = offset * (2 * t + 2) - 1;
            i += PAD(i), j += PAD(j);
            temp[j] += temp[i];
        }
        offset *= 2;
    }
    if (t == 0) {
        sums[blockIdx.x] = temp[n - 1 + PAD(n - 1)];
        temp[n - 1 + PAD(n - 1)] = 0;
    }
    for (int d = 1; d < n; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (t < d) {
            int i = offset * (2 * t + 1) - 1, j = offset * (2 * t + 2) - 1;
            i += PAD(i);
            j += PAD(j);
            float x = temp[i];
            temp[i] = temp[j];
            temp[j] += x;
        }
    }
    __syncthreads();
    out[a] = temp[a + PAD(a)];
    out[b] = temp[b + PAD(b)];
}
