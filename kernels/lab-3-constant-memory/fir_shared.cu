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
// Gates:   fewer_loads        floats loaded per output: at most 2 times what it takes to load each sample once
//          through_shared     shared loads per output: at least one for each tap
//          shared_wavefronts  wavefronts per 32 outputs: at most 2 times what it takes to read a tap and a sample for
//                             each product
//          coalesced_stores   floats stored per output: at most 1.5 times what it takes to store each output once
//          technique          share of `y` that comes from samples, and from taps, that another thread has put into
//                             shared memory: at least 50 %

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

    // TODO (7 lines): load taps and samples together, 0 for samples past the end; wait

    // TODO (7 lines): if there is an output i, add up its taps from shared memory and write y[i]
}
