// Shared variables of several kinds, scalars too.
struct Acc {
    float sum;
    int count;
};
__global__ void stat(float *out, const float *in) {
    __shared__ float buffer[256];
    __shared__ int total;
    __shared__ Acc acc;
    __shared__ float4 quads[8];
    int t = threadIdx.x;
    if (t == 0) {
        total = 0;
        acc.sum = 0;
        acc.count = 0;
        quads[0] = make_float4(0, 0, 0, 0);
    }
    __syncthreads();
    buffer[t] = in[t];
    __syncthreads();
    if (t == 0) {
        for (int i = 0; i < blockDim.x; i++) acc.sum += buffer[i], acc.count++;
        total = acc.count;
        out[0] = acc.sum / total + quads[0].x;
    }
}
