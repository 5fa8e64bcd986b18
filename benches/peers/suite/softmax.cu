// The softmax of each row; a block per row.

#define BLOCK 256

__global__ void softmax_two_trees(const float *in, float *out, int columns) {
    __shared__ float shared[BLOCK];
    int t = threadIdx.x;
    int row = blockIdx.x;
    float largest = -3.402823466e38f;
    for (int j = t; j < columns; j += blockDim.x) {
        largest = fmaxf(largest, in[row * columns + j]);
    }
    shared[t] = largest;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (t < s) {
            shared[t] = fmaxf(shared[t], shared[t + s]);
        }
        __syncthreads();
    }
    largest = shared[0];
    __syncthreads();
    float sum = 0.0f;
    for (int j = t; j < columns; j += blockDim.x) {
        sum += expf(in[row * columns + j] - largest);
    }
    shared[t] = sum;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (t < s) {
            shared[t] += shared[t + s];
        }
        __syncthreads();
    }
    sum = shared[0];
    for (int j = t; j < columns; j += blockDim.x) {
        out[row * columns + j] = expf(in[row * columns + j] - largest) / sum;
    }
}

// Exponentials are kept in the output; the trees are one loop each, with their barrier first.
__global__ void softmax_stored(const float *in, float *out, int columns) {
    __shared__ float tree[BLOCK];
    const int t = threadIdx.x;
    const float *from = in + blockIdx.x * columns;
    float *to = out + blockIdx.x * columns;
    float most = from[t];
    int j = t + BLOCK;
    while (j < columns) {
        if (from[j] > most) {
            most = from[j];
        }
        j += BLOCK;
    }
    tree[t] = most;
    for (int width = BLOCK / 2; width >= 1; width /= 2) {
        __syncthreads();
        if (t < width && tree[t + width] > tree[t]) {
            tree[t] = tree[t + width];
        }
    }
    __syncthreads();
    most = tree[0];
    float sum = 0.0f;
    for (j = t; j < columns; j += BLOCK) {
        const float power = expf(from[j] - most);
        to[j] = power;
        sum += power;
    }
    __syncthreads();
    tree[t] = sum;
    for (int width = BLOCK / 2; width >= 1; width /= 2) {
        __syncthreads();
        if (t < width) {
            tree[t] = tree[t] + tree[t + width];
        }
    }
    __syncthreads();
    const float factor = 1.0f / tree[0];
    for (j = t; j < columns; j += BLOCK) {
        to[j] *= factor;
    }
}
