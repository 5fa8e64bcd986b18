// Every so many elements of the input.

__global__ void strided_copy_index(const float *in, float *out, int n, int stride) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = in[i * stride];
    }
}

__global__ void strided_copy_pointer(const float *in, float *out, int n, int stride) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float *from = in + stride * i;
    float *to = out + i;
    if (to < out + n) {
        *to = *from;
    }
}
