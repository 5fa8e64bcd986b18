// Lab 1, best: the stencil at the speed of a copy.
//
//   out[i] = weights[0] * in[i - radius] + ... + weights[2 * radius] * in[i + radius]
//
// Seven multiply-adds per output are nothing; the bytes are everything. A thread computes four adjacent outputs, so
// that it stores a float4, and loads the float4 of the window around them. Adjacent threads load the same lines, but
// these hits cost the L1 cache little, less than a tile in shared memory with its barrier. The radius is a template
// parameter: the window and the weights are kept in registers and no loop is left.
//
// Given:   in       n floats
//          weights  2 * radius + 1 floats; radius is 0 to 16
// Write:   out      n floats; an element whose window extends past the array is 0
// Launch:  blocks of BLOCK threads, ceil(n / (4 * GROUPS * BLOCK)) of them.
//          stencil_best_radius<RADIUS> is the kernel for one radius and the preferred one; stencil_best chooses inside,
//          and so every radius pays for the registers of the widest.
//
// Bound:   2 * 4 * n bytes over the bandwidth of a copy; the book's page "At the card's limit" has the measurements.
//          For radius 16, nine loads and 132 multiply-adds per four outputs no longer hide behind the memory.

#ifndef BLOCK
#define BLOCK 128
#endif
#ifndef GROUPS
#define GROUPS 2  // groups of four outputs per thread: more loads in flight
#endif

// Outputs i to i + 3; i is a multiple of 4.
template <int RADIUS>
__device__ __forceinline__ void stencil_four(const float *__restrict__ in, const float *weight,
                                             float *__restrict__ out, int n, int i) {
    constexpr int HALO = (RADIUS + 3) / 4 * 4;  // whole float4
    if (i >= HALO && i + 4 + HALO <= n) {
        float window[2 * HALO + 4];
#pragma unroll
        for (int q = 0; q < 2 * HALO + 4; q += 4) {
            const float4 four = __ldg(reinterpret_cast<const float4 *>(in + i - HALO + q));
            window[q] = four.x;
            window[q + 1] = four.y;
            window[q + 2] = four.z;
            window[q + 3] = four.w;
        }
        float sum[4] = {0.0f, 0.0f, 0.0f, 0.0f};
#pragma unroll
        for (int j = 0; j <= 2 * RADIUS; j++) {
#pragma unroll
            for (int c = 0; c < 4; c++) {
                sum[c] += weight[j] * window[HALO - RADIUS + j + c];
            }
        }
        *reinterpret_cast<float4 *>(out + i) = make_float4(sum[0], sum[1], sum[2], sum[3]);
        return;
    }
    for (int e = i; e < i + 4 && e < n; e++) {
        float sum = 0.0f;
        if (e >= RADIUS && e < n - RADIUS) {
#pragma unroll
            for (int j = 0; j <= 2 * RADIUS; j++) {
                sum += weight[j] * in[e - RADIUS + j];
            }
        }
        out[e] = sum;
    }
}

template <int RADIUS>
__device__ __forceinline__ void stencil_thread(const float *__restrict__ in, const float *__restrict__ weights,
                                               float *__restrict__ out, int n) {
    float weight[2 * RADIUS + 1];
#pragma unroll
    for (int j = 0; j <= 2 * RADIUS; j++) {
        weight[j] = weights[j];
    }
#pragma unroll
    for (int g = 0; g < GROUPS; g++) {
        const int group = (blockIdx.x * GROUPS + g) * BLOCK + threadIdx.x;
        if (group <= (n - 1) / 4) {
            stencil_four<RADIUS>(in, weight, out, n, 4 * group);
        }
    }
}

template <int RADIUS>
__global__ void __launch_bounds__(BLOCK)
    stencil_best_radius(const float *__restrict__ in, const float *__restrict__ weights, float *__restrict__ out,
                        int n) {
    stencil_thread<RADIUS>(in, weights, out, n);
}

__global__ void __launch_bounds__(BLOCK)
    stencil_best(const float *__restrict__ in, const float *__restrict__ weights, float *__restrict__ out, int n,
                 int radius) {
    switch (radius) {
        case 0: stencil_thread<0>(in, weights, out, n); break;
        case 1: stencil_thread<1>(in, weights, out, n); break;
        case 2: stencil_thread<2>(in, weights, out, n); break;
        case 3: stencil_thread<3>(in, weights, out, n); break;
        case 4: stencil_thread<4>(in, weights, out, n); break;
        case 5: stencil_thread<5>(in, weights, out, n); break;
        case 6: stencil_thread<6>(in, weights, out, n); break;
        case 7: stencil_thread<7>(in, weights, out, n); break;
        case 8: stencil_thread<8>(in, weights, out, n); break;
        case 9: stencil_thread<9>(in, weights, out, n); break;
        case 10: stencil_thread<10>(in, weights, out, n); break;
        case 11: stencil_thread<11>(in, weights, out, n); break;
        case 12: stencil_thread<12>(in, weights, out, n); break;
        case 13: stencil_thread<13>(in, weights, out, n); break;
        case 14: stencil_thread<14>(in, weights, out, n); break;
        case 15: stencil_thread<15>(in, weights, out, n); break;
        case 16: stencil_thread<16>(in, weights, out, n); break;
    }
}
