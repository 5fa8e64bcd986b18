// Lab 1, streaming: more data than the device has memory for.
//
// The host sends the input in chunks of `count` elements. A window of 2 * radius + 1 elements needs the last
// 2 * radius elements of the previous chunk, so these stay on the device: `carry_halo` moves them to the front of the
// buffer, and the host appends the next chunk after them.
//
//       carried        new elements
//     |----------|-----------------------|
//      2*radius           count                 `chunk`, 2 * radius + count floats
//
//   out[i] = weights[0] * chunk[i] + ... + weights[2 * radius] * chunk[i + 2 * radius]    for i < count
//
// stencil_chunk  Write: out[0] to out[count - 1], and add the sum of the block's outputs to partial[blockIdx.x].
//                `partial` stays on the device from chunk to chunk (the host set it to 0 once) and is read at the end.
//                Launch: one thread per output, blocks of BLOCK threads; BLOCK must be a power of two.
// carry_halo     Write: chunk[t] = chunk[count + t] for t < 2 * radius. A chunk may be shorter than the halo, so that
//                source and destination overlap. Launch: one block of 2 * MAX_RADIUS threads.
//
// Checks:  every output of every chunk correct; the accumulated sums correct; no race, including in `carry_halo`. Only
//          the outputs are written.
// Gates:   fewer_loads        load each element once (floats loaded: at most 2x that)
//          through_shared     read the window from shared memory (shared loads: at least 1.2 per element of the window)
//          shared_wavefronts  read the window and its weights from shared memory once, and add up the block's outputs
//                             (wavefronts: at most 2x that)
//          coalesced_stores   store each output once, and one sum per block (floats stored: at most 1.2x that)
//          technique          at least 50 % of `out` comes from input elements that another thread put in shared memory
//          sum_of_threads     at least 10 % of `partial` comes from sums from other threads
//          sum_in_a_tree      add up sums from other threads in a tree (in a row in one thread or word: at most 2x the
//                             square root of BLOCK)

#ifndef BLOCK
#define BLOCK 256
#endif
#define MAX_RADIUS 16

__global__ void stencil_chunk(const float *__restrict__ chunk, const float *__restrict__ weights,
                              float *__restrict__ out, float *__restrict__ partial, int count, int radius) {
    __shared__ float window[BLOCK + 2 * MAX_RADIUS];
    __shared__ float shared_weights[2 * MAX_RADIUS + 1];
    __shared__ float sums[BLOCK];

    const int first = blockIdx.x * BLOCK;  // the block's first output
    const int i = first + threadIdx.x;

    // BEGIN SOLUTION: load weights and window, wait, add up the window (0 for a spare thread), write out[i]
    for (int t = threadIdx.x; t < 2 * radius + 1; t += BLOCK) {
        shared_weights[t] = weights[t];
    }
    for (int t = threadIdx.x; t < BLOCK + 2 * radius && first + t < count + 2 * radius; t += BLOCK) {
        window[t] = chunk[first + t];
    }
    __syncthreads();
    float sum = 0.0f;
    if (i < count) {
        for (int j = 0; j <= 2 * radius; j++) {
            sum += shared_weights[j] * window[threadIdx.x + j];
        }
        out[i] = sum;
    }
    // END SOLUTION

    // BEGIN SOLUTION: add up the block's outputs in `sums`, half as many threads each time; one thread adds to partial
    sums[threadIdx.x] = sum;
    __syncthreads();
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            sums[threadIdx.x] += sums[threadIdx.x + half];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        partial[blockIdx.x] += sums[0];
    }
    // END SOLUTION
}

__global__ void carry_halo(float *chunk, int count, int radius) {
    const int t = threadIdx.x;
    // BEGIN SOLUTION: read, wait, write; all threads of the block take part in the wait
    float carried = 0.0f;
    if (t < 2 * radius) {
        carried = chunk[count + t];
    }
    __syncthreads();
    if (t < 2 * radius) {
        chunk[t] = carried;
    }
    // END SOLUTION
}
