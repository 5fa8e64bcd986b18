// One dynamic buffer carved into arrays of several types.
__global__ void carved(float *out, int n) {
    extern __shared__ char raw[];
    float *f = (float *)raw;
    int *i = (int *)(f + n);
    unsigned short *s = reinterpret_cast<unsigned short *>(&i[n]);
    int t = threadIdx.x;
    f[t] = t;
    i[t] = t * 2;
    s[t] = t * 3;
    __syncthreads();
    out[t] = f[n - 1 - t] + i[t] + s[t];
}
