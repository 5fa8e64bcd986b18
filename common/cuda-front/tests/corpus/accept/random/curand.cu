// cuRAND in device code: states in memory and in registers, every generator and distribution, jumps, and a template.
#include <curand.h>
#include <curand_kernel.h>
__global__ void setup(curandState *states, unsigned long long seed) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    curand_init(seed, i, 0, &states[i]);
}
__global__ void pi(curandState_t *states, float *estimate, int draws) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    curandState_t state = states[i];
    int inside = 0;
    for (int n = 0; n < draws; n++) {
        float x = curand_uniform(&state), y = curand_uniform(&state);
        inside += x * x + y * y <= 1.0f;
    }
    states[i] = state;
    estimate[i] = 4.0f * inside / draws;
}
template <typename State> __device__ double sum(State &state) {
    float2 a = curand_normal2(&state), b = curand_log_normal2(&state, 0.0f, 1.0f);
    double2 c = curand_normal2_double(&state), d = curand_log_normal2_double(&state, 0.0, 1.0);
    return curand_normal(&state) + curand_normal_double(&state) + curand_log_normal(&state, 0.0f, 1.0f) +
           curand_log_normal_double(&state, 0, 1) + a.x + b.y + c.x + d.y + curand_uniform_double(&state) +
           curand(&state) % 6;
}
__global__ void all(double *out, curandStateXORWOW_t *x, curandStatePhilox4_32_10_t *p, curandStateMRG32k3a_t *m) {
    __shared__ curandStateXORWOW kept;
    curandStatePhilox4_32_10 philox;
    curandStateMRG32k3a mrg = *m;
    if (threadIdx.x == 0) curand_init(clock64(), 0, 0, &kept);
    curand_init(1ull, blockIdx.x, threadIdx.x, &philox);
    skipahead(5, &kept);
    skipahead_sequence(5, &kept);
    skipahead_sequence(1, &philox);
    skipahead_subsequence(2, &mrg);
    uint4 bits = curand4(&philox);
    float4 u = curand_uniform4(&philox), n = curand_normal4(&philox), l = curand_log_normal4(&philox, 0, 1);
    double2 v = curand_uniform2_double(&philox);
    out[threadIdx.x] = sum(kept) + sum(philox) + sum(mrg) + sum(*x) + sum(*p) + bits.w + u.x + n.y + l.z + v.x;
}
