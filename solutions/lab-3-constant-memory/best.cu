// Lab 3, best: the filter near the speed of a copy.
//
//   y[i] = f[0] * x[i] + f[1] * x[i + 1] + ... + f[taps - 1] * x[i + taps - 1];  x is 0 from x[n] on
//
// With 32 taps an output costs 32 multiply-adds and 8 bytes, and an H200 does 67e12 floating-point operations and moves
// 4e12 bytes per second: the operations take half as long as the bytes. So the bytes are the bound, if a multiply-add
// is all that an instruction does. `fir_constant` spends a load and several more instructions on each.
//
//   - A thread computes OUTPUTS = 8 adjacent outputs, and loads their window of 8 + 32 samples in ten float4 into
//     registers: 256 multiply-adds for ten loads.
//   - All loops are unrolled, so the tap in each multiply-add is an operand from constant memory: no load at all.
//   - Taps are processed in groups of 8; only if the last group is incomplete are its taps checked against `taps`.
//   - Nothing is checked away from the end of x. The last block computes the last few outputs, one per thread.
//
// Given:   x     n floats, the samples
//          TAPS  set by the host before the launch: taps floats; taps is 1 to 32
// Write:   y     n floats
// Launch:  blocks of BLOCK threads, ceil(n / (OUTPUTS * BLOCK)) of them.
//
// Bound:   2 * 4 * n bytes over the bandwidth of a copy; the book's page "At the card's limit" has the measurements.

#ifndef BLOCK
#define BLOCK 256
#endif
#ifndef OUTPUTS
#define OUTPUTS 8
#endif
#define MAX_TAPS 32

__constant__ float TAPS[MAX_TAPS];

// For `taps` taps, LIMIT - 7 to LIMIT of them; WHOLE: taps is LIMIT. All samples of the window exist.
template <int LIMIT, bool WHOLE>
__device__ __forceinline__ void fir_outputs(const float *__restrict__ x, float *__restrict__ y, int taps) {
    float window[OUTPUTS + LIMIT];
#pragma unroll
    for (int q = 0; q < OUTPUTS + LIMIT; q += 4) {
        const float4 four = __ldg(reinterpret_cast<const float4 *>(x + q));
        window[q] = four.x;
        window[q + 1] = four.y;
        window[q + 2] = four.z;
        window[q + 3] = four.w;
    }
    float sum[OUTPUTS];
#pragma unroll
    for (int c = 0; c < OUTPUTS; c++) {
        sum[c] = 0.0f;
    }
#pragma unroll
    for (int k = 0; k < LIMIT; k++) {
        if (WHOLE || k < LIMIT - 7 || k < taps) {
#pragma unroll
            for (int c = 0; c < OUTPUTS; c++) {
                sum[c] += TAPS[k] * window[k + c];
            }
        }
    }
#pragma unroll
    for (int q = 0; q < OUTPUTS; q += 4) {
        *reinterpret_cast<float4 *>(y + q) = make_float4(sum[q], sum[q + 1], sum[q + 2], sum[q + 3]);
    }
}

template <int LIMIT>
__device__ __forceinline__ void fir_group(const float *__restrict__ x, float *__restrict__ y, int taps) {
    if (taps == LIMIT) {
        fir_outputs<LIMIT, true>(x, y, taps);
    } else {
        fir_outputs<LIMIT, false>(x, y, taps);
    }
}

__global__ void __launch_bounds__(BLOCK) fir_best(const float *__restrict__ x, float *__restrict__ y, int n, int taps) {
    const int i = (blockIdx.x * BLOCK + threadIdx.x) * OUTPUTS;
    const int last = n - (OUTPUTS + MAX_TAPS);  // the last i whose window certainly exists
    if (i <= last) {
        switch ((taps + 7) / 8) {
            case 1: fir_group<8>(x + i, y + i, taps); break;
            case 2: fir_group<16>(x + i, y + i, taps); break;
            case 3: fir_group<24>(x + i, y + i, taps); break;
            case 4: fir_group<32>(x + i, y + i, taps); break;
        }
    }
    if (blockIdx.x == gridDim.x - 1) {  // the outputs beyond, one per thread
        const int first = last < 0 ? 0 : last / OUTPUTS * OUTPUTS + OUTPUTS;
        for (int e = first + threadIdx.x; e < n; e += BLOCK) {
            float sum = 0.0f;
            for (int k = 0; k < taps && e + k < n; k++) {
                sum += x[e + k] * TAPS[k];
            }
            y[e] = sum;
        }
    }
}
