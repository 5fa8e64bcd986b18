// Softmax of rows, in one pass over the values with a running maximum.
#include <float.h>
__global__ void softmax(float *out, const float *in, int rows, int cols) {
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    const float *x = in + row * cols;
    float m = -FLT_MAX, d = 0.0f;
    for (int c = threadIdx.x; c < cols; c += 32) {
        float v = x[c], bigger = fmaxf(m, v);
        d = d * __expf(m - bigger) + __expf(v - bigger);
        m = bigger;
    }
    for (int o = 16; o > 0; o /= 2) {
        float m2 = __shfl_xor_sync(0xffffffffu, m, o), d2 = __shfl_xor_sync(0xffffffffu, d, o);
        float bigger = fmaxf(m, m2);
        d = d * __expf(m - bigger) + d2 * __expf(m2 - bigger);
        m = bigger;
    }
    for (int c = threadIdx.x; c < cols; c += 32) out[row * cols + c] = __expf(x[c] - m) / d;
}
