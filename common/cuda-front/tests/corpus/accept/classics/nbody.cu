// All pairs of bodies, tile by tile.
#define EPS2 1e-6f
__device__ float3 interact(float4 bi, float4 bj, float3 ai) {
    float3 r;
    r.x = bj.x - bi.x;
    r.y = bj.y - bi.y;
    r.z = bj.z - bi.z;
    float d = r.x * r.x + r.y * r.y + r.z * r.z + EPS2;
    float inv = rsqrtf(d * d * d);
    float s = bj.w * inv;
    ai.x += r.x * s;
    ai.y += r.y * s;
    ai.z += r.z * s;
    return ai;
}
__global__ void forces(const float4 *pos, float4 *acc, int n) {
    extern __shared__ float4 tile[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 mine = i < n ? pos[i] : make_float4(0, 0, 0, 0);
    float3 a = {0.0f, 0.0f, 0.0f};
    for (int t = 0; t < (n + blockDim.x - 1) / blockDim.x; t++) {
        int j = t * blockDim.x + threadIdx.x;
        tile[threadIdx.x] = j < n ? pos[j] : make_float4(0.f, 0.f, 0.f, 0.f);
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < blockDim.x; k++) a = interact(mine, tile[k], a);
        __syncthreads();
    }
    if (i < n) acc[i] = make_float4(a.x, a.y, a.z, 0.0f);
}
