// reinterpret_cast<float4 *> for wide loads and stores, of global and shared memory.
__global__ void copy4(float *out, const float *in, int n) {
    __shared__ __align__(16) float s[1024];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 4) {
        float4 v = reinterpret_cast<const float4 *>(in)[i];
        v.x *= 2;
        v.w += v.y;
        reinterpret_cast<float4 *>(s)[threadIdx.x] = v;
        __syncwarp();
        reinterpret_cast<float4 *>(out)[i] = *reinterpret_cast<float4 *>(&s[threadIdx.x * 4]);
        ((float2 *)out)[i] = make_float2(v.x, v.y);
    }
}
#define FETCH4(p) (reinterpret_cast<float4 *>(&(p))[0])
__global__ void fetch(float *out, float *in) {
    float r[4];
    FETCH4(r[0]) = FETCH4(in[threadIdx.x * 4]);
    FETCH4(out[threadIdx.x * 4]) = FETCH4(r[0]);
}
