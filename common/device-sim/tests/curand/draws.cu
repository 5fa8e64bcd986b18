// Numbers of each generator of cuRAND, drawn in the same way on the simulated device and, from NVIDIA's own header, on
// the host. `main` prints what `recorded.txt` has:
//     nvcc -std=c++17 -arch=sm_90 -o draws draws.cu && ./draws > recorded.txt
#define QUALIFIERS static inline __host__ __device__
#include <curand_kernel.h>

typedef unsigned long long u64;

struct Hash {
    u64 value;
    __host__ __device__ void add(unsigned int x) {
        value = (value ^ x) * 0x100000001b3ull;
        value ^= value >> 29;
    }
    __host__ __device__ void add(float x) { add(*(unsigned int *)&x); }
    __host__ __device__ void add(double x) {
        u64 bits = *(u64 *)&x;
        add((unsigned int)bits);
        add((unsigned int)(bits >> 32));
    }
};

template <typename S> __host__ __device__ void draw(Hash &hash, S &s) {
    for (int i = 0; i < 3; i++) hash.add(curand(&s));
    hash.add(curand_uniform(&s));
    hash.add(curand_uniform_double(&s));
}
__host__ __device__ void draw_more(Hash &, curandStateXORWOW_t &, u64) {}
__host__ __device__ void draw_more(Hash &hash, curandStateMRG32k3a_t &s, u64 n) {
    skipahead_subsequence(n, &s);
    draw(hash, s);
}
__host__ __device__ void draw_more(Hash &hash, curandStatePhilox4_32_10_t &s, u64) {
    for (int i = 0; i < 4; i++) {
        uint4 a = curand4(&s);
        hash.add(a.x);
        hash.add(a.y);
        hash.add(a.z);
        hash.add(a.w);
        float4 f = curand_uniform4(&s);
        hash.add(f.x);
        hash.add(f.y);
        hash.add(f.z);
        hash.add(f.w);
        double2 d = curand_uniform2_double(&s);
        hash.add(d.x);
        hash.add(d.y);
        auto e = curand_uniform4_double(&s);
        hash.add(e.x);
        hash.add(e.y);
        hash.add(e.z);
        hash.add(e.w);
        hash.add(curand(&s));
    }
}

const int CASES = 100;

// What case `i` draws: every combination of a seed, a subsequence and an offset.
template <typename S> __host__ __device__ u64 drawn(int i) {
    const u64 seeds[4] = {0, 1, 1234, 0xdeadbeef12345678};
    const u64 subsequences[5] = {0, 1, 31, 0x123456789, 0x7ffffffffffff};
    const u64 offsets[5] = {0, 1, 6, 0x100000003, 0xfedcba9876543210};
    u64 seed = seeds[i % 4], subsequence = subsequences[i / 4 % 5], offset = offsets[i / 20];
    Hash hash = {seed};
    S s;
    curand_init(seed, subsequence, offset, &s);
    draw(hash, s);
    skipahead(offset, &s);
    draw(hash, s);
    skipahead_sequence(~subsequence, &s);
    draw(hash, s);
    draw_more(hash, s, subsequence);
    return hash.value;
}

const int NORMALS = 16;

template <typename S> __host__ __device__ void normals(float *out) {
    S s;
    curand_init(5, 3, 2, &s);
    for (int i = 0; i < 3; i++) out[i] = curand_normal(&s);
    float2 a = curand_normal2(&s);
    out[3] = a.x;
    out[4] = a.y;
    for (int i = 5; i < 8; i++) out[i] = (float)curand_normal_double(&s);
    double2 b = curand_normal2_double(&s);
    out[8] = (float)b.x;
    out[9] = (float)b.y;
    // The second call of a kind returns what the first one computed, with the first one's parameters.
    out[10] = curand_log_normal(&s, 1, 0.5f);
    out[11] = curand_log_normal(&s, 0, 1);
    out[12] = curand_normal(&s);
    out[13] = (float)curand_log_normal_double(&s, 1, 0.5);
    out[14] = (float)curand_log_normal_double(&s, 0, 1);
    float2 c = curand_log_normal2(&s, 1, 0.5f);
    double2 d = curand_log_normal2_double(&s, 1, 0.5);
    out[15] = (float)(c.x + c.y + d.x + d.y);
}
__host__ __device__ void fours(float *out) {
    curandStatePhilox4_32_10_t s;
    curand_init(5, 3, 2, &s);
    float4 a = curand_normal4(&s), b = curand_log_normal4(&s, 1, 0.5f);
    auto c = curand_normal4_double(&s), d = curand_log_normal4_double(&s, 1, 0.5);
    out[0] = a.x, out[1] = a.y, out[2] = a.z, out[3] = a.w;
    out[4] = b.x, out[5] = b.y, out[6] = b.z, out[7] = b.w;
    out[8] = (float)c.x, out[9] = (float)c.y, out[10] = (float)c.z, out[11] = (float)c.w;
    out[12] = (float)d.x, out[13] = (float)d.y, out[14] = (float)d.z, out[15] = (float)d.w;
}

// The hashes of a generator's cases, and the normally distributed numbers, as the bits of floats.
__global__ void k(unsigned int *out, const unsigned int *generator) {
    int i = threadIdx.x;
    u64 hash = 0;
    float last[NORMALS];
    if (*generator == 0) {
        hash = drawn<curandState>(i);
        normals<curandState>(last);
    } else if (*generator == 1) {
        hash = drawn<curandStatePhilox4_32_10_t>(i);
        normals<curandStatePhilox4_32_10_t>(last);
    } else if (*generator == 2) {
        hash = drawn<curandStateMRG32k3a>(i);
        normals<curandStateMRG32k3a>(last);
    } else {
        fours(last);
    }
    out[2 * i] = (unsigned int)hash;
    out[2 * i + 1] = (unsigned int)(hash >> 32);
    if (i < NORMALS) out[2 * CASES + i] = __float_as_uint(last[i]);
}

#ifdef __NVCC__
#include <cstdio>
template <typename S> void print() {
    for (int i = 0; i < CASES; i++) printf("%016llx%c", drawn<S>(i), i % 5 == 4 ? '\n' : ' ');
    float last[NORMALS];
    normals<S>(last);
    for (int i = 0; i < NORMALS; i++) printf("%.9g%c", last[i], i % 8 == 7 ? '\n' : ' ');
}
int main() {
    print<curandState>();
    print<curandStatePhilox4_32_10_t>();
    print<curandStateMRG32k3a>();
    float last[NORMALS];
    fours(last);
    for (int i = 0; i < NORMALS; i++) printf("%.9g%c", last[i], i % 8 == 7 ? '\n' : ' ');
}
#endif
