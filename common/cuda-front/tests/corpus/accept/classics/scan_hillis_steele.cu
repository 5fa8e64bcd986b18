// Inclusive scan with two buffers that take turns.
__global__ void scan(float *out, const float *in, int n) {
    extern __shared__ float temp[];
    int t = threadIdx.x, pout = 0, pin = 1;
    temp[pout * n + t] = in[t];
    __syncthreads();
    for (int offset = 1; offset < n; offset *= 2) {
        pout = 1 - pout;
        pin = 1 - pout;
        if (t >= offset)
            temp[pout * n + t] = temp[pin * n + t] + temp[pin * n + t - offset];
        else
            temp[pout * n + t] = temp[pin * n + t];
        __syncthreads();
    }
    out[t] = temp[pout * n + t];
}
