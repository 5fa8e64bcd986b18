// Lab 1, adjacent_difference: two threads need each element, and one barrier makes that safe.
//
//   out[0] = in[0],    out[i] = in[i] - in[i - 1]
//
// Each thread loads its own element into shared memory and reads its neighbour's from there. The neighbour may be in
// another warp, which may not have loaded yet: a barrier between the two steps makes the whole block wait. Try it
// without the barrier once: the checker names both lines of the race.
//
// Given:   in   n floats
// Write:   out  n floats
// Launch:  one thread per element, blocks of BLOCK threads. The last block may have spare threads.
//
// Checks:  every element correct; no race; each element loaded once from global memory, plus one more per block (the
//          first thread's neighbour is in the previous block). Only the outputs are written.
// Gates:   loads_once        load one element per thread, and one more per block (global loads: at most 1.02x that)
//          coalesced_loads   load each element once (floats loaded: at most 1.5x that)
//          through_shared    read the neighbour from shared memory (shared loads: at least 1 per two outputs)
//          coalesced_stores  store each output once (floats stored: at most 1.5x that)
//          technique         at least 40 % of `out` comes from input elements that another thread put in shared memory

#ifndef BLOCK
#define BLOCK 256
#endif

__global__ void adjacent_difference(const float *__restrict__ in, float *__restrict__ out, int n) {
    __shared__ float element[BLOCK];

    const int i = blockIdx.x * BLOCK + threadIdx.x;

    // BEGIN SOLUTION: each thread loads its element (if there is one), then all wait
    if (i < n) {
        element[threadIdx.x] = in[i];
    }
    __syncthreads();
    // END SOLUTION

    // BEGIN SOLUTION: find the previous element: in shared memory, in global memory (first thread), or none (i is 0)
    if (i < n) {
        float before = 0.0f;
        if (threadIdx.x > 0) {
            before = element[threadIdx.x - 1];
        } else if (i > 0) {
            before = in[i - 1];
        }
        out[i] = element[threadIdx.x] - before;
    }
    // END SOLUTION
}
