// Sums of vectors in global memory: each element by itself, the vector not as a whole (CUDA C++ Programming Guide, atomicAdd).
__device__ inline float2 atomicAdd(float2 *p, float2 v) {
    float x = atomicAdd(&p->x, v.x), y = atomicAdd(&p->y, v.y);
    return make_float2(x, y);
}
__device__ inline float4 atomicAdd(float4 *p, float4 v) {
    float x = atomicAdd(&p->x, v.x), y = atomicAdd(&p->y, v.y), z = atomicAdd(&p->z, v.z), w = atomicAdd(&p->w, v.w);
    return make_float4(x, y, z, w);
}
