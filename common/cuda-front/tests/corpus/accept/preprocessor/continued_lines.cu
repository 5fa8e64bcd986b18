// A macro of several lines in do { } while (0).
#define ACCUMULATE(sum, p, n)          \
    do {                               \
        for (int i = 0; i < (n); ++i)  \
            (sum) += (p)[i];           \
    } while (0)

__global__ void sums(float *out, const float *in, int n) {
    float s = 0.0f;
    if (n > 0)
        ACCUMULATE(s, in + threadIdx.x * n, n);
    else
        s = -1.0f;
    out[threadIdx.x] = s;
}
