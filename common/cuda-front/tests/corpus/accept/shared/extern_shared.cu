// Dynamic shared memory.
extern __shared__ float dynamic[];
__global__ void reverse(float *data) {
    int t = threadIdx.x, n = blockDim.x;
    dynamic[t] = data[t];
    __syncthreads();
    data[t] = dynamic[n - 1 - t];
}
