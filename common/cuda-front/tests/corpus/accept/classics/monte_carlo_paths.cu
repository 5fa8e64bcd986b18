// Paths of prices with a generator in a struct, written through a reference.
struct XorWow {
    unsigned x[5], d;
    __device__ void seed(unsigned long long s) {
        for (int i = 0; i < 5; i++) x[i] = (unsigned)(s >> (i * 3)) * 2654435761u + i;
        d = 6615241;
    }
    __device__ unsigned operator()() {
        unsigned t = x[0] ^ (x[0] >> 2);
        x[0] = x[1], x[1] = x[2], x[2] = x[3], x[3] = x[4];
        x[4] = (x[4] ^ (x[4] << 4)) ^ (t ^ (t << 1));
        return (d += 362437) + x[4];
    }
};
__device__ float gauss(XorWow &r) {
    float s = 0;
    for (int i = 0; i < 12; i++) s += r() * 2.3283064e-10f;
    return s - 6.0f;
}
__global__ void paths(float *out, int steps, float mu, float sigma, float dt) {
    XorWow rng;
    rng.seed(blockIdx.x * blockDim.x + threadIdx.x + 1ull);
    float s = 100.f;
    for (int i = 0; i < steps; i++) s *= expf((mu - .5f * sigma * sigma) * dt + sigma * sqrtf(dt) * gauss(rng));
    out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
