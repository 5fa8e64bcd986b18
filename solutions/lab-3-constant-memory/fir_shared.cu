// Lab 3, fir_shared: taps and samples in shared memory.
//
//   y[i] = f[0] * x[i] + f[1] * x[i + 1] + ... + f[taps - 1] * x[i + taps - 1];  x is 0 from x[n] on
//
// A block of BLOCK outputs needs BLOCK + taps - 1 samples. It loads them once, with the taps, waits, and computes.
//
// Given:   x  n floats, the samples
//          f  taps floats; taps is 1 to MAX_TAPS
// Write:   y  n floats
// Launch:  one thread per output, blocks of BLOCK threads.
//
// Checks:  every output correct; no race. Only the outputs are written.
// Gates:   fewer_loads        load each sample once (floats loaded: at most 2x that)
//          through_shared     read samples and taps from shared memory (shared loads: at least 1 per tap)
//          shared_wavefronts  read one tap and one sample per product (wavefronts: at most 2x that)
//          coalesced_stores   store each output once (floats stored: at most 1.5x that)
//          technique          at least 50 % of `y` comes from samples, and from taps, that another thread put in shared
//                             memory

#ifndef BLOCK
#define BLOCK 256
#endif
#define MAX_TAPS 32

__global__ void fir_shared(const float *__restrict__ x, const float *__restrict__ f, float *__restrict__ y, int n,
                           int taps) {
    __shared__ float samples[BLOCK + MAX_TAPS - 1];
    __shared__ float shared_taps[MAX_TAPS];

    const int first = blockIdx.x * BLOCK;  // the block's first output
    const int i = first + threadIdx.x;

    // BEGIN SOLUTION: load taps and samples together, 0 for samples past the end; wait
    for (int t = threadIdx.x; t < taps; t += BLOCK) {
        shared_taps[t] = f[t];
    }
    for (int t = threadIdx.x; t < BLOCK + taps - 1; t += BLOCK) {
        samples[t] = first + t < n ? x[first + t] : 0.0f;
    }
    __syncthreads();
    // END SOLUTION

    // BEGIN SOLUTION: if there is an output i, add up its taps from shared memory and write y[i]
    if (i < n) {
        float sum = 0.0f;
        for (int k = 0; k < taps; k++) {
            sum += samples[threadIdx.x + k] * shared_taps[k];
        }
        y[i] = sum;
    }
    // END SOLUTION
}
