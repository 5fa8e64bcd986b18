// A constant table of vectors, read by member.
__constant__ float4 planes[6];
__device__ bool inside(float3 p) {
    for (int i = 0; i < 6; i++) {
        float4 q = planes[i];
        if (q.x * p.x + q.y * p.y + q.z * p.z + planes[i].w < 0) return false;
    }
    return true;
}
__global__ void cull(const float3 *points, unsigned char *keep, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) keep[i] = inside(points[i]);
}
