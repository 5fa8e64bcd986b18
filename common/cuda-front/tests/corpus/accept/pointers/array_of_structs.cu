// Arrays of structs and structs of arrays.
struct Particle {
    float pos[3];
    float mass;
};
struct Cloud {
    float x[8], y[8];
};
__global__ void soa(Particle *p, Cloud *c, int n) {
    int i = threadIdx.x;
    if (i >= n) return;
    p[i].pos[0] += c->x[i & 7];
    (p + i)->pos[1] += (*c).y[i & 7];
    p[i].mass = p[i].pos[2] * 2;
}
