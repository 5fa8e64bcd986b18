// Generators of random numbers written with integers: xorshift, PCG, a hash, Box-Muller.
struct Rng {
    unsigned state;
    __device__ explicit Rng(unsigned seed) : state(seed * 747796405u + 2891336453u) {}
    __device__ unsigned next() {
        unsigned word = ((state >> ((state >> 28u) + 4u)) ^ state) * 277803737u;
        state = state * 747796405u + 2891336453u;
        return (word >> 22u) ^ word;
    }
    __device__ float uniform() { return (next() >> 8) * (1.0f / 16777216.0f); }
    __device__ float2 normal() {
        float u = uniform() + 1e-7f, v = uniform();
        float r = sqrtf(-2.0f * logf(u));
        return make_float2(r * cospif(2.0f * v), r * sinpif(2.0f * v));
    }
};
__device__ unsigned xorshift(unsigned &s) {
    s ^= s << 13;
    s ^= s >> 17;
    return s ^= s << 5;
}
__global__ void estimate_pi(unsigned *hits, int samples) {
    Rng rng(blockIdx.x * blockDim.x + threadIdx.x);
    unsigned s = rng.next() | 1, inside = 0;
    for (int i = 0; i < samples; i++) {
        float x = rng.uniform(), y = (xorshift(s) >> 8) / 16777216.0f;
        inside += x * x + y * y < 1.0f;
    }
    float2 g = rng.normal();
    atomicAdd(hits, inside + (g.x > 100.0f));
}
