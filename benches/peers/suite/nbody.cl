// Accelerations of bodies that attract each other, all pairs, tile by tile; x, y, z and mass in a float4.

#define TILE 128
#define SOFTENING 0.01f

kernel void nbody_components(global const float4 *bodies, global float4 *accelerations, int n) {
    local float4 tile[TILE];
    int i = get_global_id(0);
    float4 mine = bodies[i];
    float ax = 0.0f, ay = 0.0f, az = 0.0f;
    for (int start = 0; start < n; start += TILE) {
        tile[get_local_id(0)] = bodies[start + get_local_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < TILE; j++) {
            float dx = tile[j].x - mine.x;
            float dy = tile[j].y - mine.y;
            float dz = tile[j].z - mine.z;
            float squared = dx * dx + dy * dy + dz * dz + SOFTENING;
            float inverse = rsqrt(squared);
            float scale = tile[j].w * inverse * inverse * inverse;
            ax += dx * scale;
            ay += dy * scale;
            az += dz * scale;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    accelerations[i] = (float4)(ax, ay, az, 0.0f);
}

float4 interact(float4 mine, float4 other, float4 sum) {
    float4 d = other - mine;
    float squared = d.x * d.x + d.y * d.y + d.z * d.z + SOFTENING;
    float scale = other.w / (squared * sqrt(squared));
    d.w = 0.0f;
    return sum + d * scale;
}

kernel void nbody_function(global const float4 *bodies, global float4 *accelerations, int n) {
    local float4 tile[TILE];
    const int t = get_local_id(0);
    const int i = get_group_id(0) * TILE + t;
    const float4 mine = bodies[i];
    float4 sum = (float4)(0.0f, 0.0f, 0.0f, 0.0f);
    for (int k = 0; k < n / TILE; ++k) {
        barrier(CLK_LOCAL_MEM_FENCE);
        tile[t] = bodies[k * TILE + t];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < TILE; ++j) {
            sum = interact(mine, tile[j], sum);
        }
    }
    accelerations[i] = sum;
}
