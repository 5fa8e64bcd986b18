// Lab 3, fir_constant: the taps come from constant memory.
//
//   y[i] = f[0] * x[i] + f[1] * x[i + 1] + ... + f[taps - 1] * x[i + taps - 1];  x is 0 from x[n] on
//
// Given:   x     n floats, the samples
//          TAPS  set by the host before the launch: taps floats, the f of the formula; taps is 1 to 32
// Write:   y     n floats
// Launch:  one thread an output, blocks of BLOCK threads.
//
// Checks:  every output right; taps come through constant memory, one pass a request (all lanes read the same tap);
//          half of the global load requests of `fir_global`.

#ifndef BLOCK
#define BLOCK 256
#endif
#define MAX_TAPS 32

__constant__ float TAPS[MAX_TAPS];

__global__ void fir_constant(const float *x, float *y, int n, int taps) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    // TODO (10 lines): the loop of `fir_global`, with TAPS in place of the pointer
}
