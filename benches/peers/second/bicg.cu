// BiCG's two products: s = A' r by columns and q = A p by rows; a thread per index.

__global__ void bicg_guarded(const float *a, const float *r, const float *p, float *s, float *q, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < n) {
        float column = 0.0f;
        for (int i = 0; i < n; i++) {
            column += r[i] * a[i * n + t];
        }
        s[t] = column;
        float row = 0.0f;
        for (int j = 0; j < n; j++) {
            row += a[t * n + j] * p[j];
        }
        q[t] = row;
    }
}

// Pointers that advance, and sums in global memory as in PolyBench.
__global__ void bicg_pointer(const float *a, const float *r, const float *p, float *s, float *q, int n) {
    const int t = threadIdx.x + blockDim.x * blockIdx.x;
    if (t >= n) {
        return;
    }
    s[t] = 0.0f;
    const float *down = a + t;
    const float *end = r + n;
    while (r != end) {
        s[t] += *down * *r++;
        down += n;
    }
    q[t] = 0.0f;
    const float *along = a + (size_t)t * n;
    int left = n;
    while (left-- > 0) {
        q[t] += *along++ * *p++;
    }
}
