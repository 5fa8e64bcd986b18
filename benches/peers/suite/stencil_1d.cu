// The sum of the 9 elements around each; the input has 4 more at both ends.

#define RADIUS 4
#define BLOCK 256

// The first threads load the halo as well.
__global__ void stencil_1d_first(const float *in, float *out) {
    __shared__ float tile[BLOCK + 2 * RADIUS];
    int global_index = blockIdx.x * blockDim.x + threadIdx.x + RADIUS;
    int local_index = threadIdx.x + RADIUS;
    tile[local_index] = in[global_index];
    if (threadIdx.x < RADIUS) {
        tile[local_index - RADIUS] = in[global_index - RADIUS];
        tile[local_index + BLOCK] = in[global_index + BLOCK];
    }
    __syncthreads();
    float sum = 0.0f;
    for (int offset = -RADIUS; offset <= RADIUS; offset++) {
        sum += tile[local_index + offset];
    }
    out[global_index - RADIUS] = sum;
}

// All threads load the tile in turns.
__global__ void stencil_1d_turns(const float *in, float *out) {
    __shared__ float tile[BLOCK + 2 * RADIUS];
    const int t = threadIdx.x;
    const int first = blockIdx.x * BLOCK;
    for (int i = t; i < BLOCK + 2 * RADIUS; i += BLOCK) {
        tile[i] = in[first + i];
    }
    __syncthreads();
    float sum = tile[t];
    for (int k = 1; k <= 2 * RADIUS; ++k) {
        sum = sum + tile[t + k];
    }
    out[first + t] = sum;
}
