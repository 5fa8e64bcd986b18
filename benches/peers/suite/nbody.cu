// Accelerations of bodies that attract each other, all pairs, tile by tile; x, y, z and mass in a float4.

#define TILE 128
#define SOFTENING 0.01f

__global__ void nbody_components(const float4 *bodies, float4 *accelerations, int n) {
    __shared__ float4 tile[TILE];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 mine = bodies[i];
    float ax = 0.0f, ay = 0.0f, az = 0.0f;
    for (int start = 0; start < n; start += TILE) {
        tile[threadIdx.x] = bodies[start + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < TILE; j++) {
            float dx = tile[j].x - mine.x;
            float dy = tile[j].y - mine.y;
            float dz = tile[j].z - mine.z;
            float squared = dx * dx + dy * dy + dz * dz + SOFTENING;
            float inverse = rsqrtf(squared);
            float scale = tile[j].w * inverse * inverse * inverse;
            ax += dx * scale;
            ay += dy * scale;
            az += dz * scale;
        }
        __syncthreads();
    }
    accelerations[i] = make_float4(ax, ay, az, 0.0f);
}

__device__ void interact(float4 mine, float4 other, float4 &sum) {
    float4 d = make_float4(other.x - mine.x, other.y - mine.y, other.z - mine.z, 0.0f);
    float squared = d.x * d.x + d.y * d.y + d.z * d.z + SOFTENING;
    float scale = other.w / (squared * sqrtf(squared));
    sum.x += d.x * scale;
    sum.y += d.y * scale;
    sum.z += d.z * scale;
}

__global__ void nbody_function(const float4 *bodies, float4 *accelerations, int n) {
    __shared__ float4 tile[TILE];
    const int t = threadIdx.x;
    const int i = blockIdx.x * TILE + t;
    const float4 mine = bodies[i];
    float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    for (int k = 0; k < n / TILE; ++k) {
        __syncthreads();
        tile[t] = bodies[k * TILE + t];
        __syncthreads();
        for (int j = 0; j < TILE; ++j) {
            interact(mine, tile[j], sum);
        }
    }
    accelerations[i] = sum;
}
