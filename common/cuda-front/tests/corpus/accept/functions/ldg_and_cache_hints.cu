// Loads through the read-only cache and loads and stores with hints.
__global__ void hints(float *out, const float *in, const float4 *in4, int *counts) {
    int i = threadIdx.x;
    float a = __ldg(&in[i]);
    float4 b = __ldg(in4 + i);
    float c = __ldcg(&in[i]) + __ldcs(in + i) + __ldca(in + i);
    __stcs(&out[i], a + b.x + c);
    __stcg(out + i + 1, a);
    __stwt(counts + i, 3);
}
