// Lab 1, naive: a one-dimensional stencil, read straight from global memory.
//
//   out[i] = weights[0] * in[i - radius] + ... + weights[2 * radius] * in[i + radius]
//
// Given:   in       n floats
//          weights  2 * radius + 1 floats; radius is 0 to 16
// Write:   out      n floats; an element whose window extends past the array is 0
// Launch:  one thread per element, blocks of BLOCK threads. The last block may have spare threads.
//
// Checks:  every element correct, for any n; no access outside the arrays. Only the outputs are
//          written.
// Gates:   coalesced_loads   load adjacent elements in adjacent threads (floats loaded: at most 1.5x that)
//          coalesced_stores  store each output once (floats stored: at most 1.5x that)
// Count:   how many global loads does one thread perform when radius is 3? Answer below; the lab counts too.
//          loads_counted     your count is off by at most 0.1 from the loads per thread that the lab counts, averaged over all
//                            warps

// You may change the block size.
#ifndef BLOCK
#define BLOCK 256
#endif

// BEGIN SOLUTION: #define LOADS_AT_RADIUS_3 as the number of global loads of one thread when radius is 3
#define LOADS_AT_RADIUS_3 14
// END SOLUTION

__global__ void stencil_naive(const float *in, const float *weights, float *out, int n, int radius) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    // BEGIN SOLUTION: return if there is no element i; add up the window, unless it leaves the array; write out[i]
    if (i >= n) {
        return;
    }
    float sum = 0.0f;
    if (i >= radius && i < n - radius) {
        for (int j = 0; j <= 2 * radius; j++) {
            sum += weights[j] * in[i - radius + j];
        }
    }
    out[i] = sum;
    // END SOLUTION
}
