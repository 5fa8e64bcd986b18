// Lab 3, fir_readonly: loads that promise that nobody writes.
//
//   y[i] = f[0] * x[i] + f[1] * x[i + 1] + ... + f[taps - 1] * x[i + taps - 1];  x is 0 from x[n] on
//
// On some GPUs a plain global load is not kept in the cache next to the multiprocessor, because another kernel thread
// might write the place. `__ldg(pointer)` promises that nobody does, and goes through the read-only (texture) cache.
// A pointer that is both `const` and `__restrict__` lets the compiler find out for itself; here you say it.
//
// fir_readonly_taps  __ldg for the taps, plain loads for the samples
// fir_readonly_both  __ldg for taps and samples
//
// Given:   x  n floats, the samples
//          f  taps floats; taps is 1 to 32
// Write:   y  n floats
// Launch:  one thread an output, blocks of BLOCK threads.
//
// Checks:  every output of both kernels right; coalesced loads (at most 4 sectors a request).

#ifndef BLOCK
#define BLOCK 256
#endif

__global__ void fir_readonly_taps(const float *x, const float *f, float *y, int n, int taps) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    // TODO (10 lines): the loop of `fir_global`, the tap read by __ldg
}

__global__ void fir_readonly_both(const float *x, const float *f, float *y, int n, int taps) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    // TODO (10 lines): the same, tap and sample read by __ldg
}
