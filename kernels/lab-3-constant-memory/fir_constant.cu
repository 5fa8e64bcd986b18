// Lab 3, fir_constant: the taps come from constant memory.
//
//   y[i] = f[0] * x[i] + f[1] * x[i + 1] + ... + f[taps - 1] * x[i + taps - 1];  x is 0 from x[n] on
//
// Given:   x     n floats, the samples
//          TAPS  set by the host before the launch: taps floats, the f of the formula; taps is 1 to 32
// Write:   y     n floats
// Launch:  one thread per output, blocks of BLOCK threads.
//
// Checks:  every output correct; taps read from constant memory, one pass per request (all lanes read the same tap).
//          Only the outputs are written.
// Gates:   through_constant  read the small array from constant memory (constant passes: at least 0.95 per element of
//                            the array)
//          uniform_index     read one element of the array per warp at a time, each once (constant passes: at most
//                            1.15x that)
//          fewer_loads       load each element of the large array once per output (other loads: at most 1.2x that)
//          coalesced_loads   read the samples, adjacent samples in adjacent threads (floats loaded: at most 1.5x that)
//          coalesced_stores  store each output once (floats stored: at most 1.5x that)
//          technique         at least 90 % of `y` comes from elements of the __constant__ array that its thread reads
//                            itself

#ifndef BLOCK
#define BLOCK 256
#endif
#define MAX_TAPS 32

__constant__ float TAPS[MAX_TAPS];

__global__ void fir_constant(const float *x, float *y, int n, int taps) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    // TODO (10 lines): the loop of `fir_global`, with TAPS instead of the pointer
}
