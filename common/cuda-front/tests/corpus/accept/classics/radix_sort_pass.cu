// A pass of a radix sort: ranks by a scan of bits.
__global__ void split(unsigned *out, const unsigned *in, int bit) {
    __shared__ unsigned s[256];
    int t = threadIdx.x;
    unsigned x = in[t], e = !((x >> bit) & 1u);
    s[t] = e;
    __syncthreads();
    for (int d = 1; d < 256; d *= 2) {
        unsigned add = t >= d ? s[t - d] : 0;
        __syncthreads();
        s[t] += add;
        __syncthreads();
    }
    unsigned zeros = s[255], rank = s[t] - e;
    out[e ? rank : t - rank + zeros] = x;
}
