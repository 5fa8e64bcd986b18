// Lab 1, shared: the same stencil, with the block's inputs in shared memory.
//
// Adjacent threads read almost the same window. So the block loads what its threads need once: BLOCK elements, a
// halo of `radius` elements on each side, and the weights. Then comes one barrier, and then every thread adds up its
// window from shared memory.
//
//       radius        BLOCK         radius
//     |--------|-------------------|--------|     `window` of one block
//       halo      its own elements    halo
//
// Given:   in       n floats
//          weights  2 * radius + 1 floats; radius is 0 to MAX_RADIUS
// Write:   out      n floats; an element whose window extends past the array is 0
// Launch:  one thread per element, blocks of BLOCK threads. The last block may have spare threads.
//
// Checks:  every element correct; no race between the loads and the sums. Only the outputs are written.
// Gates:   fewer_loads        load each element once (floats loaded: at most 2x that)
//          through_shared     read the window from shared memory (shared loads: at least 1.2 per element of the window)
//          shared_wavefronts  read the window and its weights from shared memory once (wavefronts: at most 2x that)
//          coalesced_stores   store each output once (floats stored: at most 1.5x that)
//          technique          at least 50 % of `out` comes from input elements that another thread put in shared memory

#ifndef BLOCK
#define BLOCK 256
#endif
#define MAX_RADIUS 16

__global__ void stencil_shared(const float *__restrict__ in, const float *__restrict__ weights,
                               float *__restrict__ out, int n, int radius) {
    __shared__ float window[BLOCK + 2 * MAX_RADIUS];
    __shared__ float shared_weights[2 * MAX_RADIUS + 1];

    const int first = blockIdx.x * BLOCK;  // the block's first element
    const int i = first + threadIdx.x;

    // BEGIN SOLUTION: load weights and window together, each thread every BLOCK-th element; 0 outside the array
    for (int t = threadIdx.x; t < 2 * radius + 1; t += BLOCK) {
        shared_weights[t] = weights[t];
    }
    for (int t = threadIdx.x; t < BLOCK + 2 * radius; t += BLOCK) {
        const int source = first - radius + t;
        window[t] = source >= 0 && source < n ? in[source] : 0.0f;
    }
    // END SOLUTION

    // BEGIN SOLUTION: wait for all loads, then add up the window of element i and write out[i]
    __syncthreads();
    if (i >= n) {
        return;
    }
    float sum = 0.0f;
    if (i >= radius && i < n - radius) {
        for (int j = 0; j <= 2 * radius; j++) {
            sum += shared_weights[j] * window[threadIdx.x + j];
        }
    }
    out[i] = sum;
    // END SOLUTION
}
