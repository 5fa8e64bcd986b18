// What a constant index that differs between lanes costs. Both kernels read constant memory once a thread.
__constant__ float TABLE[32];

__global__ void read_uniform(float *out, int at) {
    out[blockIdx.x * blockDim.x + threadIdx.x] = TABLE[at];
}

__global__ void read_divergent(float *out, int at) {
    out[blockIdx.x * blockDim.x + threadIdx.x] = TABLE[(threadIdx.x + at) % 32];
}
