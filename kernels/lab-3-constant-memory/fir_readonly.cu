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
// Gates:   coalesced_loads   global load sectors: at most 1.5 times the fewest (4 or 5 for a warp's samples, 1 for a
//                            tap)
//          loads_once        global load requests: at most 1.3 times the fewest (a tap and a sample for each product
//                            of a warp)
//          through_readonly  global load requests of fir_readonly_both that are not read-only: at most 0.05 for a
//                            warp and tap
//          readonly_taps     global load requests of fir_readonly_taps that are not read-only, the samples': at most
//                            1.15 for a warp and tap
//          coalesced_stores  global store sectors: at most 1.5 times the fewest (each output once)
//          technique         share of `y` that comes from taps that its thread reads itself through __ldg: at least 90
//                            %

#ifndef BLOCK
#define BLOCK 256
#endif

__global__ void fir_readonly_taps(const float *x, const float *f, float *y, int n, int taps) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    // TODO (10 lines): the loop of `fir_global`, with the tap read by __ldg
}

__global__ void fir_readonly_both(const float *x, const float *f, float *y, int n, int taps) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    // TODO (10 lines): the same, with tap and sample read by __ldg
}
