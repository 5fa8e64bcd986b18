// Particles in an array of structures: a step of their positions and velocities.

typedef struct {
    float x, y, z;
    float vx, vy, vz;
} Particle;

kernel void particles_copy(global const Particle *in, global Particle *out, int n, float dt) {
    int i = get_global_id(0);
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

kernel void particles_members(global const Particle *in, global Particle *out, int n, float dt) {
    for (int i = get_local_id(0) + get_group_id(0) * get_local_size(0); i < n; i += get_global_size(0)) {
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
