// Gravity between all pairs, tile by tile; and structures with operators of the user.
#define EPS2 0.01f

struct Vec3 {
    float x, y, z;

    __host__ __device__ Vec3() : x(0), y(0), z(0) {}
    __host__ __device__ Vec3(float x, float y, float z) : x(x), y(y), z(z) {}
    __host__ __device__ Vec3 &operator+=(const Vec3 &o) {
        x += o.x;
        y += o.y;
        z += o.z;
        return *this;
    }
    __host__ __device__ float dot(const Vec3 &o) const { return x * o.x + y * o.y + z * o.z; }
};

__host__ __device__ inline Vec3 operator-(const Vec3 &a, const Vec3 &b) { return Vec3(a.x - b.x, a.y - b.y, a.z - b.z); }
__host__ __device__ inline Vec3 operator*(float s, const Vec3 &v) { return Vec3(s * v.x, s * v.y, s * v.z); }
__host__ __device__ inline Vec3 operator+(Vec3 a, const Vec3 &b) { return a += b; }

__device__ float3 interaction(float4 bi, float4 bj, float3 ai) {
    float3 r = {bj.x - bi.x, bj.y - bi.y, bj.z - bi.z};
    float d2 = r.x * r.x + r.y * r.y + r.z * r.z + EPS2;
    float inverse = rsqrtf(d2);
    float s = bj.w * inverse * inverse * inverse;
    ai.x += r.x * s;
    ai.y += r.y * s;
    ai.z += r.z * s;
    return ai;
}

// x, y, z, mass a body; n is a multiple of the block's size.
__global__ void n_body(const float4 *bodies, float4 *acceleration, int n) {
    extern __shared__ float4 positions[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 mine = bodies[i];
    float3 acc = {0.0f, 0.0f, 0.0f};
    for (int tile = 0; tile * blockDim.x < n; tile++) {
        positions[threadIdx.x] = bodies[tile * blockDim.x + threadIdx.x];
        __syncthreads();
#pragma unroll 4
        for (int j = 0; j < blockDim.x; j++) acc = interaction(mine, positions[j], acc);
        __syncthreads();
    }
    acceleration[i] = make_float4(acc.x, acc.y, acc.z, 0.0f);
}

struct Bodies {
    const float *x, *y, *z, *mass;
    int n;

    __device__ Vec3 position(int i) const { return Vec3(x[i], y[i], z[i]); }
};

__device__ Vec3 pull(const Bodies &b, int i) {
    Vec3 sum;
    for (int j = 0; j < b.n; ++j) {
        Vec3 r = b.position(j) - b.position(i);
        float d2 = r.dot(r) + EPS2;
        sum += b.mass[j] * rsqrtf(d2) / d2 * r;
    }
    return sum;
}

// The same of separate arrays.
__global__ void n_body_arrays(const float *x, const float *y, const float *z, const float *mass, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Bodies bodies = {x, y, z, mass, n};
    Vec3 a = pull(bodies, i) + Vec3();
    out[4 * i] = a.x, out[4 * i + 1] = a.y, out[4 * i + 2] = a.z, out[4 * i + 3] = 0.0f;
}
