// Each row with mean 0 and variance 1, and then scaled and shifted by column; a block per row.

#define BLOCK 128

__global__ void layer_norm_arrays(const float *in, const float *scale, const float *shift, float *out, int columns) {
    __shared__ float sums[BLOCK];
    __shared__ float squares[BLOCK];
    int t = threadIdx.x;
    int first = blockIdx.x * columns;
    float sum = 0.0f, square = 0.0f;
    for (int j = t; j < columns; j += BLOCK) {
        float value = in[first + j];
        sum += value;
        square += value * value;
    }
    sums[t] = sum;
    squares[t] = square;
    __syncthreads();
    for (int s = BLOCK / 2; s > 0; s /= 2) {
        if (t < s) {
            sums[t] += sums[t + s];
            squares[t] += squares[t + s];
        }
        __syncthreads();
    }
    float mean = sums[0] / columns;
    float variance = squares[0] / columns - mean * mean;
    float factor = rsqrtf(variance + 1e-5f);
    for (int j = t; j < columns; j += BLOCK) {
        out[first + j] = (in[first + j] - mean) * factor * scale[j] + shift[j];
    }
}

// Both trees in one array; pointers to the row.
__global__ void layer_norm_rows(const float *in, const float *scale, const float *shift, float *out, int columns) {
    __shared__ float trees[2][BLOCK];
    const int t = threadIdx.x;
    const float *from = in + blockIdx.x * columns;
    float *to = out + blockIdx.x * columns;
    trees[0][t] = 0.0f;
    trees[1][t] = 0.0f;
    for (int j = t; j < columns; j += blockDim.x) {
        trees[0][t] += from[j];
        trees[1][t] += from[j] * from[j];
    }
    for (int s = blockDim.x >> 1; s >= 1; s >>= 1) {
        __syncthreads();
        if (t < s) {
            for (int k = 0; k < 2; k++) {
                trees[k][t] += trees[k][t + s];
            }
        }
    }
    __syncthreads();
    const float mean = trees[0][0] / (float)columns;
    const float deviation = sqrtf(trees[1][0] / (float)columns - mean * mean + 1e-5f);
    int j = t;
    while (j < columns) {
        to[j] = (from[j] - mean) / deviation * scale[j] + shift[j];
        j += blockDim.x;
    }
}
