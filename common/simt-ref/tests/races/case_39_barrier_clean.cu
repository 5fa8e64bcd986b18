// Arriving at a barrier in shared memory, and waiting for the phase.
// launch: <<<1, 64>>>
// expect: clean
#include <cuda/barrier>
__global__ void k(int *g, int *out) {
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ int s[64];
    int t = threadIdx.x;
    if (t == 0) init(&bar, 64);
    __syncthreads();
    s[t] = t;
    bar.wait(bar.arrive());
    out[t] = s[63 - t];
}
