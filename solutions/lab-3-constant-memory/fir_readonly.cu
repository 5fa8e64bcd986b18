// Lab 3, fir_readonly: loads with the promise that no thread writes.
//
//   y[i] = f[0] * x[i] + f[1] * x[i + 1] + ... + f[taps - 1] * x[i + taps - 1];  x is 0 from x[n] on
//
// On some GPUs a plain global load is not kept in the cache next to the multiprocessor, because another thread might
// write to the address. `__ldg(pointer)` promises that none does, and goes through the read-only (texture) cache. A
// pointer that is both `const` and `__restrict__` lets the compiler infer this; here you say it explicitly.
//
// fir_readonly_taps  __ldg for the taps, plain loads for the samples
// fir_readonly_both  __ldg for taps and samples
//
// Given:   x  n floats, the samples
//          f  taps floats; taps is 1 to 32
// Write:   y  n floats
// Launch:  one thread per output, blocks of BLOCK threads.
//
// Checks:  every output of both kernels correct. Only the outputs are written.
// Gates:   coalesced_loads   read samples and taps, adjacent samples in adjacent threads (floats loaded: at most 1.5x
//                            that)
//          loads_once        load one tap and one sample per product (global loads: at most 1.3x that)
//          through_readonly  load everything through __ldg in fir_readonly_both (other loads: at most 0.05 per output
//                            and tap)
//          readonly_taps     load the taps through __ldg in fir_readonly_taps (other loads: at most 1.15 per output and
//                            tap)
//          coalesced_stores  store each output once (floats stored: at most 1.5x that)
//          technique         at least 90 % of `y` comes from taps that its thread reads itself through __ldg

#ifndef BLOCK
#define BLOCK 256
#endif

__global__ void fir_readonly_taps(const float *x, const float *f, float *y, int n, int taps) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    // BEGIN SOLUTION: the loop of `fir_global`, with the tap read by __ldg
    if (i >= n) {
        return;
    }
    float sum = 0.0f;
    for (int k = 0; k < taps; k++) {
        if (i + k < n) {
            sum += x[i + k] * __ldg(f + k);
        }
    }
    y[i] = sum;
    // END SOLUTION
}

__global__ void fir_readonly_both(const float *x, const float *f, float *y, int n, int taps) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    // BEGIN SOLUTION: the same, with tap and sample read by __ldg
    if (i >= n) {
        return;
    }
    float sum = 0.0f;
    for (int k = 0; k < taps; k++) {
        if (i + k < n) {
            sum += __ldg(x + i + k) * __ldg(f + k);
        }
    }
    y[i] = sum;
    // END SOLUTION
}
