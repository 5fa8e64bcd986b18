// Particles in an array of structures: a step of their positions and velocities.

struct Particle {
    float x, y, z;
    float vx, vy, vz;
};

__global__ void particles_copy(const Particle *in, Particle *out, int n, float dt) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        Particle p = in[i];
        p.vz -= 9.81f * dt;
        p.x += p.vx * dt;
        p.y += p.vy * dt;
        p.z += p.vz * dt;
        if (p.z < 0.0f) {
            p.z = -p.z;
            p.vz = -p.vz;
        }
        out[i] = p;
    }
}

__global__ void particles_members(const Particle *in, Particle *out, int n, float dt) {
    for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += blockDim.x * gridDim.x) {
        const float speed = in[i].vz - 9.81f * dt;
        const float z = in[i].z + speed * dt;
        out[i].x = in[i].x + in[i].vx * dt;
        out[i].y = in[i].y + in[i].vy * dt;
        out[i].vx = in[i].vx;
        out[i].vy = in[i].vy;
        out[i].z = z < 0.0f ? -z : z;
        out[i].vz = z < 0.0f ? -speed : speed;
    }
}
