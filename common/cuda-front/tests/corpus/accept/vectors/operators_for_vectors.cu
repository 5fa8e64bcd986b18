// Operators over float3 and float4 written by the user.
__device__ inline float3 operator+(float3 a, float3 b) { return make_float3(a.x + b.x, a.y + b.y, a.z + b.z); }
__device__ inline float3 operator*(float s, float3 a) { return make_float3(s * a.x, s * a.y, s * a.z); }
__device__ inline float3 &operator+=(float3 &a, const float3 &b) {
    a = a + b;
    return a;
}
__device__ inline float dot(float4 a, float4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
__global__ void ops(float3 *p, const float4 *q, float *out, float dt) {
    int i = threadIdx.x;
    float3 v = dt * p[i];
    v += p[i] + v;
    p[i] = v;
    out[i] = dot(q[i], q[i + 1]);
}
