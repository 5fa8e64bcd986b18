// Arriving without waiting orders nothing.
// launch: <<<1, 64>>>
// expect: race (P1)
#include <cuda/barrier>
__global__ void k(int *g, int *out) {
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ int s[64];
    int t = threadIdx.x;
    if (t == 0) init(&bar, 64);
    __syncthreads();
    s[t] = t;
    auto token = bar.arrive();
    out[t] = s[63 - t];
    bar.wait(token);
}
