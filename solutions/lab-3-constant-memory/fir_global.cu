// Lab 3, fir_global: a filter along a signal, taps and samples from global memory.
//
//   y[i] = f[0] * x[i] + f[1] * x[i + 1] + ... + f[taps - 1] * x[i + taps - 1];  x is 0 from x[n] on
//
// This is the first of five memory paths for the same loop.
//
// Given:   x  n floats, the samples
//          f  taps floats; taps is 1 to 32
// Write:   y  n floats
// Launch:  one thread per output, blocks of BLOCK threads.
//
// Checks:  every output correct, including the last ones, where the filter extends past the end. Only the outputs are
//          written.
// Gates:   coalesced_loads   read samples and taps, adjacent samples in adjacent threads (floats loaded: at most 1.5x
//                            that)
//          loads_once        load one tap and one sample per product (global loads: at most 1.3x that)
//          coalesced_stores  store each output once (floats stored: at most 1.5x that)

#ifndef BLOCK
#define BLOCK 256
#endif

__global__ void fir_global(const float *x, const float *f, float *y, int n, int taps) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    // BEGIN SOLUTION: return if there is no output i; add up the taps whose sample exists; write y[i]
    if (i >= n) {
        return;
    }
    float sum = 0.0f;
    for (int k = 0; k < taps; k++) {
        if (i + k < n) {
            sum += x[i + k] * f[k];
        }
    }
    y[i] = sum;
    // END SOLUTION
}
