// Vector types: wide accesses, component arithmetic, reinterpretation.
__global__ void copy4(const float4 *in, float4 *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i];
}

__global__ void scale(const float *in, float *out, float factor, int n) {
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    if (i + 3 < n) {
        float4 v = *reinterpret_cast<const float4 *>(&in[i]);
        v.x *= factor;
        v.y *= factor;
        v.z *= factor;
        v.w *= factor;
        *reinterpret_cast<float4 *>(&out[i]) = v;
    }
}

__device__ float3 operator+(float3 a, float3 b) { return make_float3(a.x + b.x, a.y + b.y, a.z + b.z); }
__device__ float3 &operator+=(float3 &a, const float3 &b) {
    a = a + b;
    return a;
}
__device__ float dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

__global__ void bodies(const float3 *points, float *out, int n) {
    float3 sum = make_float3(0, 0, 0);
    for (int i = 0; i < n; i++) sum += points[i];
    out[threadIdx.x] = rsqrtf(dot(sum, sum) + 1e-9f);
}

__global__ void grey(const uchar4 *in, unsigned char *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uchar4 p = in[i];
    out[i] = (unsigned char)(0.299f * p.x + 0.587f * p.y + 0.114f * p.z);
}
