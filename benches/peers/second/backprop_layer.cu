// A layer of a neural network forward: each block multiplies 16 inputs with their weights to 16 hidden units and adds them up
// in shared memory. Row 0 and column 0 of the weights and input 0 belong to the bias; products replace the weights.

#define INPUTS 16
#define HIDDEN 16

__global__ void backprop_layer_modulo(const float *input, float *weights, float *partial) {
    __shared__ float node[INPUTS];
    __shared__ float products[INPUTS][HIDDEN];
    int by = blockIdx.y;
    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int index = (HIDDEN + 1) * INPUTS * by + (HIDDEN + 1) * ty + tx + 1 + (HIDDEN + 1);
    if (tx == 0) {
        node[ty] = input[INPUTS * by + ty + 1];
    }
    __syncthreads();
    products[ty][tx] = weights[index];
    __syncthreads();
    products[ty][tx] = products[ty][tx] * node[ty];
    __syncthreads();
    for (int power = 2; power <= INPUTS; power *= 2) {
        if (ty % power == 0) {
            products[ty][tx] = products[ty][tx] + products[ty + power / 2][tx];
        }
        __syncthreads();
    }
    weights[index] = products[ty][tx];
    if (ty == 0) {
        partial[by * HIDDEN + tx] = products[0][tx];
    }
}

// Flat, with the same tree by bits.
__global__ void backprop_layer_flat(const float *input, float *weights, float *partial) {
    __shared__ float products[INPUTS * HIDDEN];
    const unsigned int t = threadIdx.y * blockDim.x + threadIdx.x;
    const unsigned int unit = t & (HIDDEN - 1);
    const unsigned int from = t / HIDDEN;
    float *weight = weights + (blockIdx.x * INPUTS + from + 1) * (HIDDEN + 1) + unit + 1;
    products[t] = *weight * input[blockIdx.x * INPUTS + from + 1];
    for (unsigned int step = 1; step < INPUTS; step <<= 1) {
        __syncthreads();
        if ((from & (2 * step - 1)) == 0) {
            products[t] += products[t + step * HIDDEN];
        }
    }
    __syncthreads();
    *weight = products[t];
    if (from != 0)
        return;
    partial[blockIdx.x * HIDDEN + unit] = products[t];
}
